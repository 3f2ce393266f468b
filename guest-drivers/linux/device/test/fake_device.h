// SPDX-License-Identifier: MIT
// A model of the device for unit tests: registers, and a ring whose submissions complete when the test says
// so.
#pragma once

#include <cstring>
#include <map>
#include <vector>

#include "aerogpu/aerogpu.h"
#include "guest-drivers/linux/device/irq.h"
#include "guest-drivers/linux/device/memory.h"

namespace aerogpu::guest {

class FakeDevice final : public Registers, public InterruptLine {
public:
  explicit FakeDevice(Memory& memory) : m_memory(memory) {
    values[AEROGPU_MMIO_REG_MAGIC] = AEROGPU_MMIO_MAGIC;
    values[AEROGPU_MMIO_REG_ABI_VERSION] = AEROGPU_ABI_VERSION_U32;
    values[AEROGPU_MMIO_REG_FEATURES_LO] = AEROGPU_FEATURE_FENCE_PAGE;
  }

  uint32_t read(uint32_t offset) override { return values[offset]; }
  void write(uint32_t offset, uint32_t value) override {
    writes.emplace_back(offset, value);
    if (offset == AEROGPU_MMIO_REG_IRQ_ACK) {
      values[AEROGPU_MMIO_REG_IRQ_STATUS] &= ~value;
    } else if (offset == AEROGPU_MMIO_REG_DOORBELL) {
      if (completeAtDoorbell) complete();
    } else {
      values[offset] = value;
    }
  }
  Status wait(int64_t, bool& fired) override {
    if (completeWhenWaiting) complete();
    fired = (values[AEROGPU_MMIO_REG_IRQ_STATUS] & values[AEROGPU_MMIO_REG_IRQ_ENABLE]) != 0 && !masked;
    if (fired) masked = true;
    return {};
  }
  Status unmask() override {
    masked = false;
    return {};
  }

  /// Completes everything in the ring.
  void complete() {
    uint8_t* ring = m_memory.at(values[AEROGPU_MMIO_REG_RING_GPA_LO]);
    aerogpu_ring_header header;
    std::memcpy(&header, ring, sizeof header);
    for (; header.head != header.tail; ++header.head) {
      aerogpu_submit_desc desc;
      std::memcpy(&desc,
                  ring + sizeof header + size_t{header.head % header.entry_count} * header.entry_stride_bytes,
                  sizeof desc);
      seen.push_back(desc);
      uint8_t* page = m_memory.at(values[AEROGPU_MMIO_REG_FENCE_GPA_LO]);
      std::memcpy(page + offsetof(aerogpu_fence_page, completed_fence), &desc.signal_fence, 8);
      values[AEROGPU_MMIO_REG_COMPLETED_FENCE_LO] = static_cast<uint32_t>(desc.signal_fence);
      values[AEROGPU_MMIO_REG_IRQ_STATUS] |= AEROGPU_IRQ_FENCE;
    }
    std::memcpy(ring + offsetof(aerogpu_ring_header, head), &header.head, 4);
  }

  std::map<uint32_t, uint32_t> values;
  std::vector<std::pair<uint32_t, uint32_t>> writes;
  std::vector<aerogpu_submit_desc> seen;
  bool completeAtDoorbell = false, completeWhenWaiting = false, masked = false;

private:
  Memory& m_memory;
};

}  // namespace aerogpu::guest
