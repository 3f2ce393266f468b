// SPDX-License-Identifier: MIT
// The memory of DMA and paging buffers as the driver has it: write-combined (page "DXGK_CONTEXTINFO",
// DmaBufferSegmentSet 0). A store goes through; a load is slow, and here a broken rule.
#pragma once

#include <cstdint>
#include <memory>

#include "guest-drivers/linux/device/memory.h"
#include "testbed/kernel/core/device_pages.h"

namespace aerogpu::host {

class AdapterCore;

/// One buffer. Not thread-safe; the caller holds the scheduler's preparation() to make and release it.
struct DmaMemory {
  guest::Block block{};     // for the host and the device
  uint8_t* view = nullptr;  // for the driver
  std::shared_ptr<DeviceWindow> window;
};

/// Detects loads from buffers from now on. Each store is then emulated, which takes some microseconds: for
/// tests that look for loads. Called before the adapter is started.
void watchDmaLoads(bool watch);
bool watchesDmaLoads();

/// Allocates `bytes` of contiguous memory; returns false if there is none.
bool allocateDmaMemory(AdapterCore& adapter, uint64_t bytes, DmaMemory& out);
void releaseDmaMemory(AdapterCore& adapter, DmaMemory& memory);

}  // namespace aerogpu::host
