// SPDX-License-Identifier: MIT
// Builds allocation tables. docs/abi/allocation-table.md.
#pragma once

#include <cstdint>
#include <vector>

#include "aerogpu/aerogpu_ring.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

/// Maps alloc_id to memory, in the order of addition. add() refuses entries that the device would refuse.
class AllocTable {
public:
  Status add(uint32_t allocId, uint64_t gpa, uint64_t sizeBytes, uint32_t flags);
  void clear() { m_entries.clear(); }
  bool empty() const { return m_entries.empty(); }
  const std::vector<aerogpu_alloc_entry>& entries() const { return m_entries; }

  /// Returns the bytes that write() needs; 0 for an empty table (a submission without one).
  uint32_t sizeBytes() const;
  /// Writes header and entries as the device reads them; `out` has sizeBytes() bytes.
  void write(uint8_t* out) const;

private:
  std::vector<aerogpu_alloc_entry> m_entries;
};

}  // namespace aerogpu::guest
