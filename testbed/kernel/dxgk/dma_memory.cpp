// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/dma_memory.h"

#include <atomic>
#include <cstring>

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

std::atomic<bool> s_watch{false};

class WriteCombined final : public DeviceWindow {
public:
  explicit WriteCombined(uint8_t* memory) : m_memory(memory) {}
  uint64_t read(uint64_t offset, unsigned bytes) override {
    uint64_t value = 0;
    readBlock(offset, &value, bytes);
    return value;
  }
  void write(uint64_t offset, uint64_t value, unsigned bytes) override {
    std::memcpy(m_memory + offset, &value, bytes);
  }
  void readBlock(uint64_t offset, void* to, uint64_t bytes) override {
    brokenRule("read of write-combined memory, %s", describeDeviceAccess().c_str());
    std::memcpy(to, m_memory + offset, bytes);
  }
  void writeBlock(uint64_t offset, const void* from, uint64_t bytes) override {
    std::memcpy(m_memory + offset, from, bytes);
  }

private:
  uint8_t* m_memory;
};

}  // namespace

void watchDmaLoads(bool watch) {
  s_watch = watch;
}
bool watchesDmaLoads() {
  return s_watch;
}

bool allocateDmaMemory(AdapterCore& adapter, uint64_t bytes, DmaMemory& out) {
  if (!adapter.memory().allocate(bytes, out.block).ok()) return false;
  out.view = out.block.cpu;
  if (!s_watch) return true;
  out.window = std::make_shared<WriteCombined>(out.block.cpu);
  out.view = static_cast<uint8_t*>(mapDevicePages(*out.window, 0, out.block.size));
  if (out.view) {
    addMemoryAlias(out.view, out.block.gpa, out.block.size);
    return true;
  }
  adapter.memory().release(out.block);
  out = {};
  return false;
}

void releaseDmaMemory(AdapterCore& adapter, DmaMemory& memory) {
  if (memory.window) {
    removeMemoryAlias(memory.view);
    forgetDevicePages(memory.view);  // its addresses stay taken: a late access faults
  }
  if (memory.block.cpu) adapter.memory().release(memory.block);
  memory = {};
}

}  // namespace aerogpu::host
