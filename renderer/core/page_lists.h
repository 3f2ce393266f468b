// SPDX-License-Identifier: MIT
// Locates the bytes of a scattered allocation (LIST-1 to LIST-5). Holds the words of page lists that the
// current submission has read, each at most once. Render thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/base/host_memory.h"
#include "renderer/base/result.h"
#include "renderer/core/alloc_table.h"
#include "renderer/core/guest_memory.h"

namespace aerogpu::core {

class PageLists {
public:
  explicit PageLists(HostMemory& account) : m_account(account) {}

  /// Returns the part of the list that locates `rows` of a scattered allocation, which must hold them.
  static GuestRun listRange(const AllocTable::Entry& entry, const ByteRows& rows);

  /// Replaces `runs` by the places of the bytes from the first to the last of `rows`, in order: adjacent
  /// pages as one run, pages that no row touches as holes. OutOfBounds if the list is no memory or holds an
  /// unaligned address; Backend if the words kept would pass max_hostmem.
  Result<void> locate(const GuestMemory& guest, const AllocTable::Entry& entry, const ByteRows& rows,
                      std::vector<GuestRun>& runs);

  /// Ends the submission: words that were read no longer count.
  void forget();

private:
  static constexpr uint64_t kChunkPages = 64;
  /// A part of one list, aligned to kChunkPages words.
  struct Chunk {
    uint32_t allocId;
    uint64_t first;  ///< index of pages[0] in the list
    uint64_t known;  ///< bit i: pages[i] was read
    uint64_t pages[kChunkPages];
  };
  static constexpr size_t kSpareChunks = 4096;  ///< kept from submission to submission, about 2 MiB

  Result<void> append(const GuestMemory& guest, const AllocTable::Entry& entry, uint64_t offset,
                      uint64_t size, std::vector<GuestRun>& runs);
  Result<Chunk*> chunk(uint32_t allocId, uint64_t first);
  void grow();
  size_t slot(uint32_t allocId, uint64_t first) const;

  HostMemory& m_account;
  std::vector<Chunk> m_chunks;
  std::vector<uint32_t>
      m_slots;  ///< open addressing; index into m_chunks plus 1, 0 = free; a power of two of them
  std::vector<HostMemoryCharge> m_charges;
};

}  // namespace aerogpu::core
