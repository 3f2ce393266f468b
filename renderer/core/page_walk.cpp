// SPDX-License-Identifier: MIT
#include "renderer/core/page_walk.h"

#include <algorithm>

#include "aerogpu/aerogpu_extension.h"

namespace aerogpu::core {

namespace {}

uint64_t PageWalk::firstPage() const {
  return m_at / kListPageBytes;
}

uint64_t PageWalk::lastPage() const {
  return (m_at + m_left - 1) / kListPageBytes;
}

uint64_t PageWalk::nextPage() const {
  return m_from == From::Begin ? firstPage() : lastPage();
}

GuestRun PageWalk::wordsNeeded() const {
  if (!m_entry.scattered || m_piece.size != 0 || m_left == 0) return {0, 0};
  if (nextPage() - m_first < m_known) return {0, 0};
  const uint64_t count = std::min<uint64_t>(m_words.size(), lastPage() - firstPage() + 1);
  const uint64_t first = m_from == From::Begin ? firstPage() : lastPage() + 1 - count;
  return {m_entry.gpa + first * sizeof(uint64_t), count * sizeof(uint64_t)};
}

/// Adds the part of `page` in the range to the piece.
void PageWalk::join(uint64_t page) {
  const uint64_t begin = std::max(page * kListPageBytes, m_at);
  const uint64_t end = std::min((page + 1) * kListPageBytes, m_at + m_left);
  if (m_piece.size == 0 || m_from == From::End)
    m_piece.gpa = m_words[page - m_first] + (begin - page * kListPageBytes);
  m_piece.size += end - begin;
}

Result<GuestRun> PageWalk::piece(const GuestMemory& guest) {
  if (m_piece.size != 0) return m_piece;
  if (!m_entry.scattered) return m_piece = {m_entry.gpa + m_at, m_left};
  if (const GuestRun words = wordsNeeded(); words.size != 0) {
    m_first = (words.gpa - m_entry.gpa) / sizeof(uint64_t);
    m_known = words.size / sizeof(uint64_t);
    if (!guest.read(words.gpa, m_words.data(), words.size))
      return refused(ErrorCode::OutOfBounds, "page list is no guest memory",
                     {{"alloc_id", m_entry.id}, {"gpa", m_entry.gpa}, {"page", m_first}});
  }
  uint64_t page = nextPage();
  if (const uint64_t address = m_words[page - m_first]; address % kListPageBytes != 0)
    return refused(ErrorCode::OutOfBounds, "page list holds an unaligned address",
                   {{"alloc_id", m_entry.id}, {"page", page}, {"address", address}});
  join(page);
  // Adds pages that follow it in memory too, as far as the words at hand tell; no page lies past 2^64.
  if (m_from == From::Begin) {
    const uint64_t end = std::min(m_first + m_known, lastPage() + 1);
    while (++page < end) {
      const uint64_t address = m_words[page - m_first];
      if (address == 0 || address != m_piece.gpa + m_piece.size) break;
      join(page);
    }
  } else {
    const uint64_t first = std::max(m_first, firstPage());
    while (page-- > first && m_piece.gpa != 0 && m_words[page - m_first] == m_piece.gpa - kListPageBytes)
      join(page);
  }
  return m_piece;
}

void PageWalk::advance(uint64_t size) {
  if (m_from == From::Begin) {
    m_at += size;
    m_piece.gpa += size;
  }
  m_piece.size -= size;
  m_left -= size;
}

}  // namespace aerogpu::core
