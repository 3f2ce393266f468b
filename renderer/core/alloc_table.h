// SPDX-License-Identifier: MIT
// The allocation table of one submission, checked as a whole. ALLOC-1 to ALLOC-3, LIST-3. Keeps its memory
// from submission to submission. Render thread only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_ring.h"
#include "renderer/base/result.h"

namespace aerogpu::core {

/// The bytes that a word of a page list stands for (LIST-3).
inline constexpr uint64_t kListPageBytes = AEROGPU_EXT_SCATTER_PAGE_BYTES;

class AllocTable {
public:
  struct Entry {
    uint32_t id;
    bool readOnly;
    bool scattered;  ///< gpa is the address of a page list
    uint64_t gpa, size;
  };

  /// Takes over the entries of `bytes` (the table that the descriptor names; empty = none). On an error the
  /// table is empty.
  Result<void> load(std::span<const uint8_t> bytes);

  /// Returns null if the submission does not list the allocation.
  const Entry* find(uint32_t id) const;
  std::span<const Entry> entries() const { return m_entries; }

private:
  std::vector<Entry> m_entries;  ///< sorted by id
};

}  // namespace aerogpu::core
