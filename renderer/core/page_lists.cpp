// SPDX-License-Identifier: MIT
#include "renderer/core/page_lists.h"

#include <algorithm>
#include <bit>

#include "aerogpu/aerogpu_extension.h"

namespace aerogpu::core {

namespace {
constexpr size_t kChargedAtOnce = 64;  // chunks

static_assert(std::endian::native == std::endian::little, "list words are used as they lie in memory");

/// Returns a mask of the bits [from, to) of a word, to at most 64.
uint64_t bits(uint64_t from, uint64_t to) {
  const uint64_t below = to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
  return below & ~((uint64_t{1} << from) - 1);
}
}  // namespace

GuestRun PageLists::listRange(const AllocTable::Entry& entry, const ByteRows& rows) {
  const uint64_t first = rows.offset / kListPageBytes,
                 last = (rows.offset + rows.span() - 1) / kListPageBytes;
  return {entry.gpa + first * sizeof(uint64_t), (last - first + 1) * sizeof(uint64_t)};
}

size_t PageLists::slot(uint32_t allocId, uint64_t first) const {
  const uint64_t key = (first / kChunkPages ^ uint64_t{allocId} << 32) * 0x9E3779B97F4A7C15u;
  size_t at = (key >> 32) & (m_slots.size() - 1);
  while (m_slots[at] != 0) {
    const Chunk& known = m_chunks[m_slots[at] - 1];
    if (known.allocId == allocId && known.first == first) break;
    at = (at + 1) & (m_slots.size() - 1);
  }
  return at;
}

void PageLists::grow() {
  m_slots.assign(std::max<size_t>(64, m_slots.size() * 2), 0);
  for (size_t i = 0; i < m_chunks.size(); ++i)
    m_slots[slot(m_chunks[i].allocId, m_chunks[i].first)] = static_cast<uint32_t>(i + 1);
}

Result<PageLists::Chunk*> PageLists::chunk(uint32_t allocId, uint64_t first) {
  if (2 * m_chunks.size() >= m_slots.size()) grow();
  uint32_t& index = m_slots[slot(allocId, first)];
  if (index == 0) {
    if (m_chunks.size() == m_charges.size() * kChargedAtOnce) {
      HostMemoryCharge charge = HostMemoryCharge::take(m_account, kChargedAtOnce * sizeof(Chunk));
      if (!charge.ok())
        return refused(ErrorCode::Backend, "no host memory for a page list", {{"alloc_id", allocId}});
      m_charges.push_back(std::move(charge));
    }
    m_chunks.emplace_back();
    m_chunks.back().allocId = allocId;
    m_chunks.back().first = first;
    m_chunks.back().known = 0;
    index = static_cast<uint32_t>(m_chunks.size());
  }
  return &m_chunks[index - 1];
}

Result<void> PageLists::locate(const GuestMemory& guest, const AllocTable::Entry& entry, const ByteRows& rows,
                               std::vector<GuestRun>& runs) {
  runs.clear();
  if (rows.dense()) return append(guest, entry, rows.offset, rows.span(), runs);
  for (uint64_t row = 0; row < rows.rows; ++row) {
    if (row != 0) runs.push_back({GuestRun::kHole, rows.pitch - rows.rowBytes});
    if (auto done = append(guest, entry, rows.offset + row * rows.pitch, rows.rowBytes, runs); !done)
      return done;
  }
  return {};
}

Result<void> PageLists::append(const GuestMemory& guest, const AllocTable::Entry& entry, uint64_t offset,
                               uint64_t size, std::vector<GuestRun>& runs) {
  const uint64_t end = (offset + size - 1) / kListPageBytes + 1;  // page indices
  for (uint64_t page = offset / kListPageBytes; page < end;) {
    const uint64_t first = page / kChunkPages * kChunkPages;
    auto found = chunk(entry.id, first);
    if (!found) return found.error();
    Chunk& part = **found;
    const uint64_t stop = std::min(first + kChunkPages, end);
    // Every unread gap is read in one piece.
    for (uint64_t missing; (missing = bits(page - first, stop - first) & ~part.known) != 0;) {
      const auto from = static_cast<uint64_t>(std::countr_zero(missing));
      const auto count = static_cast<uint64_t>(std::countr_one(missing >> from));
      if (!guest.read(entry.gpa + (first + from) * sizeof(uint64_t), part.pages + from,
                      count * sizeof(uint64_t)))
        return refused(ErrorCode::OutOfBounds, "page list is no guest memory",
                       {{"alloc_id", entry.id}, {"gpa", entry.gpa}, {"page", first + from}});
      part.known |= bits(from, from + count);
    }
    for (; page < stop; ++page) {
      const uint64_t base = part.pages[page - first];
      if (base % kListPageBytes != 0)
        return refused(ErrorCode::OutOfBounds, "page list holds an unaligned address",
                       {{"alloc_id", entry.id}, {"page", page}, {"address", base}});
      const uint64_t skip = page == offset / kListPageBytes ? offset % kListPageBytes : 0;
      const uint64_t bytes = std::min(kListPageBytes - skip, size);
      size -= bytes;
      // A run that ends at 2^64 has no next page, and neither has a hole.
      if (!runs.empty() && skip == 0 && base != 0 && runs.back().gpa != GuestRun::kHole &&
          runs.back().gpa + runs.back().size == base)
        runs.back().size += bytes;
      else
        runs.push_back({base + skip, bytes});
    }
  }
  return {};
}

void PageLists::forget() {
  if (m_chunks.empty()) return;
  const bool shrink = m_chunks.size() > kSpareChunks;
  m_chunks.clear();
  m_charges.clear();
  if (shrink) {
    m_chunks.shrink_to_fit();
    m_slots.clear();
    m_slots.shrink_to_fit();
  } else {
    std::fill(m_slots.begin(), m_slots.end(), 0u);
  }
}

}  // namespace aerogpu::core
