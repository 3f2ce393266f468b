// SPDX-License-Identifier: MIT
// The submission ring in guest memory. docs/abi/ring.md.
#pragma once

#include <cstdint>

#include "aerogpu/aerogpu_ring.h"
#include "guest-drivers/linux/device/memory.h"

namespace aerogpu::guest {

/// The producer's side. The device owns head, we own tail; both count up and wrap at 2^32. One thread.
class Ring {
public:
  /// Returns the bytes for `entries` (a power of two) slots.
  static uint64_t bytesFor(uint32_t entries);
  /// Lays the ring out in `memory` (at least bytesFor(entries)); both counters start at `start`.
  void create(const Block& memory, uint32_t entries, uint32_t start = 0);

  uint64_t gpa() const { return m_memory.gpa; }
  uint32_t sizeBytes() const { return static_cast<uint32_t>(bytesFor(m_entries)); }
  uint32_t entries() const { return m_entries; }
  uint32_t tail() const { return m_tail; }
  /// Returns the slots that the device has finished; everything it wrote before is visible.
  uint32_t head() const;
  /// Returns the slots that are taken; more than entries() means that the device's head is invalid.
  uint32_t used() const { return m_tail - head(); }
  bool full() const { return used() >= m_entries; }

  /// Writes the slot and moves the tail; returns false if the ring is full. The caller rings the doorbell.
  bool push(const aerogpu_submit_desc& desc);

private:
  aerogpu_ring_header* header() const { return reinterpret_cast<aerogpu_ring_header*>(m_memory.cpu); }

  Block m_memory;
  uint32_t m_entries = 0, m_tail = 0;
};

}  // namespace aerogpu::guest
