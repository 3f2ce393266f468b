// SPDX-License-Identifier: MIT
// Walks a range of an allocation in guest memory, piece after piece from one of its ends. Reads the words of
// a page list a few at a time, each once, and keeps only those (MEM-6). Render thread only.
#pragma once

#include <array>
#include <cstdint>

#include "renderer/base/result.h"
#include "renderer/core/alloc_table.h"
#include "renderer/core/guest_memory.h"

namespace aerogpu::core {

class PageWalk {
public:
  enum class From : uint8_t { Begin, End };
  /// Starts a walk over [offset, offset + size) of `entry`, which outlives the walk.
  PageWalk(const AllocTable::Entry& entry, uint64_t offset, uint64_t size, From from)
      : m_entry(entry), m_at(offset), m_left(size), m_from(from) {}

  const AllocTable::Entry& entry() const { return m_entry; }
  uint64_t left() const { return m_left; }
  /// Returns the words of the page list that piece() is about to read; size 0: none.
  GuestRun wordsNeeded() const;
  /// Returns the next piece; a walk from the end gives the piece at the range's end. Not empty while left()
  /// is not 0; OutOfBounds as LIST-5 says.
  Result<GuestRun> piece(const GuestMemory& guest);
  /// Returns the offset in the allocation of the next `size` bytes of the piece.
  uint64_t offsetOf(uint64_t size) const { return m_from == From::Begin ? m_at : m_at + m_left - size; }
  /// Moves the walk past `size` bytes of the piece.
  void advance(uint64_t size);

private:
  /// Pages of the list.
  uint64_t nextPage() const;
  uint64_t firstPage() const;
  uint64_t lastPage() const;
  void join(uint64_t page);

  const AllocTable::Entry& m_entry;
  uint64_t m_at, m_left;  ///< the rest of the range
  const From m_from;
  GuestRun m_piece{0, 0};
  uint64_t m_first = 0, m_known = 0;  ///< pages whose words are in m_words
  std::array<uint64_t, 128> m_words{};
};

}  // namespace aerogpu::core
