// SPDX-License-Identifier: MIT
// Event tracing, as far as a provider uses it. Pages "EtwRegister", "EtwUnregister", "EtwWrite",
// "PENABLECALLBACK".
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

struct Descriptor {
  uint16_t id;
  uint8_t version, channel, level, opcode;
  uint16_t task;
  uint64_t keyword;
};
static_assert(sizeof(Descriptor) == 16);
struct DataDescriptor {
  uint64_t address;
  uint32_t bytes, reserved;
};
constexpr uint64_t kHandle = 0xE7310001;
constexpr uint32_t kMaxEvent = 64 << 10;  // page "EtwWrite"

std::mutex s_etwMutex;  // held for a few instructions: events come at any IRQL
bool s_registered;
uint8_t s_level;
uint64_t s_any;  // 0: no session listens
EtwProvider s_provider;
std::vector<EtwEvent> s_events, s_dxgkEvents;

HOST_API NTSTATUS etwRegister(const uint8_t* id, EtwEnableCallback callback, void* context,
                              uint64_t* handle) {
  {
    std::lock_guard lock(s_etwMutex);
    if (s_registered) brokenRule("a second provider: %s", currentCall().c_str());
    std::memcpy(s_provider.id.data(), id, 16);
    s_provider.callback = callback;
    s_provider.context = context;
    s_registered = true;
  }
  *handle = kHandle;
  return kSuccess;
}

HOST_API NTSTATUS etwUnregister(uint64_t handle) {
  std::lock_guard lock(s_etwMutex);
  if (!s_registered || handle != kHandle) {
    brokenRule("EtwUnregister of 0x%llx: %s", static_cast<unsigned long long>(handle), currentCall().c_str());
    return kInvalidHandle;
  }
  s_registered = false;
  s_any = 0;
  return kSuccess;
}

HOST_API NTSTATUS etwWrite(uint64_t handle, const Descriptor* descriptor, const void*, uint32_t count,
                           const DataDescriptor* data) {
  EtwEvent event;
  event.id = descriptor->id;
  event.level = descriptor->level;
  event.keyword = descriptor->keyword;
  for (uint32_t i = 0; i < count; ++i) {
    const auto* from = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(data[i].address));
    event.payload.insert(event.payload.end(), from, from + data[i].bytes);
  }
  if (event.payload.size() > kMaxEvent) brokenRule("an event of %zu bytes", event.payload.size());
  std::lock_guard lock(s_etwMutex);
  if (!s_registered || handle != kHandle) {
    brokenRule("EtwWrite without a provider: %s", currentCall().c_str());
    return kInvalidHandle;
  }
  // Windows drops these; a provider that checks first saves the call.
  if (event.level > s_level || !(event.keyword & s_any)) {
    brokenRule("EtwWrite of event %u that nobody wants: %s", event.id, currentCall().c_str());
    return kSuccess;
  }
  event.ns = clockNow();  // under the lock, so that the events of two threads are in the order of their times
  s_events.push_back(std::move(event));
  return kSuccess;
}

const Export kEtwExports[] = {
    exportRow("EtwRegister", etwRegister, kPassiveLevel, kExportAnyTime),
    exportRow("EtwUnregister", etwUnregister, kPassiveLevel, kExportAnyTime),
    exportRow("EtwWrite", etwWrite, kHighLevel, kExportAnyTime),
};

}  // namespace

std::span<const Export> etwExports() {
  return kEtwExports;
}

std::array<uint8_t, 16> etwProvider() {
  std::lock_guard lock(s_etwMutex);
  return s_registered ? s_provider.id : std::array<uint8_t, 16>{};
}

bool widenEtw(uint8_t level, uint64_t keywords, EtwProvider& out) {
  std::lock_guard lock(s_etwMutex);
  if (!s_registered) return false;
  out = s_provider;
  s_level = std::max(level, s_level);
  s_any |= keywords;
  return true;
}

void setEtw(uint8_t level, uint64_t keywords) {
  std::lock_guard lock(s_etwMutex);
  s_level = level;
  s_any = keywords;
}

std::vector<EtwEvent> takeEtwEvents() {
  std::lock_guard lock(s_etwMutex);
  return std::exchange(s_events, {});
}

void addDxgkEvent(EtwEvent event) {
  std::lock_guard lock(s_etwMutex);
  s_dxgkEvents.push_back(std::move(event));
}

std::vector<EtwEvent> takeDxgkEvents() {
  std::lock_guard lock(s_etwMutex);
  return std::exchange(s_dxgkEvents, {});
}

unsigned reportEtwLeaks() {
  std::lock_guard lock(s_etwMutex);
  if (s_registered) brokenRule("leak: an event provider");
  return s_registered;
}

}  // namespace aerogpu::host
