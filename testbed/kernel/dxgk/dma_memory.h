// SPDX-License-Identifier: MIT
// The memory of DMA and paging buffers as the driver has it: write-combined (page "DXGK_CONTEXTINFO",
// DmaBufferSegmentSet 0). A store goes its way, a load is slow, and here a broken rule.
#pragma once

#include <cstdint>
#include <memory>

#include "guest-drivers/linux/device/memory.h"
#include "testbed/kernel/core/device_pages.h"

namespace aerogpu::host {

class AdapterCore;

/// One buffer. Not thread-safe; the scheduler's preparation() is held while it is made and released.
struct DmaMemory {
  guest::Block block{};     // as the host and the device see it
  uint8_t* view = nullptr;  // what the driver is given
  std::shared_ptr<DeviceWindow> window;
};

/// From now on loads from buffers are noticed. Each store is emulated then, which takes some microseconds:
/// for tests that look for loads. Before the adapter is started.
void watchDmaLoads(bool watch);
bool watchesDmaLoads();

/// `bytes` of contiguous memory; false when there is none.
bool allocateDmaMemory(AdapterCore& adapter, uint64_t bytes, DmaMemory& out);
void releaseDmaMemory(AdapterCore& adapter, DmaMemory& memory);

}  // namespace aerogpu::host
