// SPDX-License-Identifier: MIT
// Reads what the driver wrote into the submission ring (docs/abi/ring.md).
#pragma once

#include <cstddef>
#include <cstring>

#include "aerogpu/aerogpu_ring.h"
#include "aerogpu/aerogpu_spaces.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

/// The ring that the device reads, as it lies in memory: slots stay until they are overwritten.
class RingView {
public:
  explicit RingView(Adapter& adapter) {
    m_at = adapter.memory().at(adapter.registers().read64(AEROGPU_MMIO_REG_RING_GPA_LO));
    expect(m_at != nullptr, "the ring is in memory");
  }
  explicit operator bool() const { return m_at != nullptr; }
  aerogpu_ring_header header() const {
    aerogpu_ring_header header;
    std::memcpy(&header, m_at, sizeof header);
    return header;
  }
  aerogpu_submit_desc slot(uint32_t index) const {
    const aerogpu_ring_header h = header();
    aerogpu_submit_desc desc;
    std::memcpy(&desc, m_at + sizeof h + uint64_t{index & (h.entry_count - 1)} * h.entry_stride_bytes,
                sizeof desc);
    return desc;
  }
  /// Returns the handle space of slot `index`; all zero without handle spaces (SPACE-5).
  aerogpu_submit_space space(uint32_t index) const {
    const aerogpu_ring_header h = header();
    aerogpu_submit_space space{};
    if (h.entry_stride_bytes >= sizeof(aerogpu_submit_desc) + sizeof space)
      std::memcpy(&space,
                  m_at + sizeof h + uint64_t{index & (h.entry_count - 1)} * h.entry_stride_bytes +
                      sizeof(aerogpu_submit_desc),
                  sizeof space);
    return space;
  }
  /// Waits until the device has run all slots. The driver's own submissions have no interrupt and no fence
  /// that a wait for the scheduler would see.
  bool waitEmpty() const {
    return expect(comes([this] { return header().head == header().tail; }), "the ring is worked off");
  }
  /// Makes the driver believe that the device has finished everything before this slot. Only while the device
  /// does not read the ring.
  void setHead(uint32_t head) const {
    std::memcpy(m_at + offsetof(aerogpu_ring_header, head), &head, sizeof head);
  }
  aerogpu_submit_desc newest() const { return slot(header().tail - 1); }

private:
  uint8_t* m_at;
};

}  // namespace aerogpu::host
