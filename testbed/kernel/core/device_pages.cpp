// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/device_pages.h"

#include <sys/mman.h>

#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "testbed/kernel/core/device_access.h"
#include "testbed/kernel/core/exports.h"
#include "testbed/kernel/core/pe_image.h"

namespace aerogpu::host {

namespace {

struct Pages {
  DeviceWindow* window;
  uint64_t offset, bytes;
};

// Held for a look-up only. No code that holds it touches device memory, so a fault never waits for its own
// thread.
std::shared_mutex s_devicePagesMutex;
std::map<uint64_t, Pages> s_pages;  // by first address

bool find(uint64_t address, uint64_t bytes, DeviceWindow*& window, uint64_t& offset) {
  std::shared_lock lock(s_devicePagesMutex);
  auto next = s_pages.upper_bound(address);
  if (next == s_pages.begin()) return false;
  const auto& [start, pages] = *std::prev(next);
  if (address - start >= pages.bytes || bytes > pages.bytes - (address - start)) return false;
  window = pages.window;
  offset = pages.offset + (address - start);
  return true;
}

thread_local uint64_t t_rip;  // address of the current instruction

class Bus final : public DeviceBus {
public:
  bool holds(uint64_t address, uint64_t bytes) const override {
    DeviceWindow* window;
    uint64_t offset;
    return find(address, bytes, window, offset);
  }
  uint64_t read(uint64_t address, unsigned bytes) override {
    DeviceWindow* window;
    uint64_t offset;
    return find(address, bytes, window, offset) ? window->read(offset, bytes) : UINT64_MAX;
  }
  void write(uint64_t address, uint64_t value, unsigned bytes) override {
    DeviceWindow* window;
    uint64_t offset;
    if (find(address, bytes, window, offset)) window->write(offset, value, bytes);
  }
  void readBlock(uint64_t address, void* to, uint64_t bytes) override {
    DeviceWindow* window;
    uint64_t offset;
    if (find(address, bytes, window, offset)) window->readBlock(offset, to, bytes);
  }
  void writeBlock(uint64_t address, const void* from, uint64_t bytes) override {
    DeviceWindow* window;
    uint64_t offset;
    if (find(address, bytes, window, offset)) window->writeBlock(offset, from, bytes);
  }
};

}  // namespace

void* mapDevicePages(DeviceWindow& window, uint64_t offset, uint64_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  std::lock_guard lock(s_devicePagesMutex);
  s_pages[reinterpret_cast<uintptr_t>(base)] = {&window, offset, bytes};
  return base;
}

bool makeDevicePages(void* address, DeviceWindow& window, uint64_t bytes) {
  if (mprotect(address, bytes, PROT_NONE) != 0) return false;
  std::lock_guard lock(s_devicePagesMutex);
  s_pages[reinterpret_cast<uintptr_t>(address)] = {&window, 0, bytes};
  return true;
}

bool forgetDevicePages(void* address) {
  std::lock_guard lock(s_devicePagesMutex);
  return s_pages.erase(reinterpret_cast<uintptr_t>(address)) != 0;
}

bool isDeviceAddress(uint64_t address) {
  DeviceWindow* window;
  uint64_t offset;
  return find(address, 1, window, offset);
}

bool accessDevicePages(SehContext& context) {
  Bus bus;
  t_rip = context.rip;
  const bool done = emulateDeviceAccess(context, bus);
  t_rip = 0;
  return done;
}

void copyDevicePages(void* to, const void* from, uint64_t bytes) {
  Bus bus;
  const uint64_t target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
  if (!bus.holds(source, bytes)) return bus.writeBlock(target, from, bytes);
  if (!bus.holds(target, bytes)) return bus.readBlock(source, to, bytes);
  std::vector<uint8_t> between(bytes);
  bus.readBlock(source, between.data(), bytes);
  bus.writeBlock(target, between.data(), bytes);
}

void fillDevicePages(void* to, uint8_t value, uint64_t bytes) {
  const std::vector<uint8_t> content(bytes, value);
  Bus().writeBlock(reinterpret_cast<uintptr_t>(to), content.data(), bytes);
}

std::string describeDeviceAccess() {
  return t_rip && driverImage() ? driverImage()->describe(t_rip) : currentCall();
}

}  // namespace aerogpu::host
