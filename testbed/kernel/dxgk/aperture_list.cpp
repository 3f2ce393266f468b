// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/aperture_list.h"

#include <algorithm>
#include <cstring>

#include "testbed/kernel/core/page.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

/// No machine of the tests has memory from here on.
constexpr uint64_t kAboveMemory = uint64_t{1} << 40;

std::vector<uint64_t> wordsAt(const uint8_t* at, uint64_t count) {
  std::vector<uint64_t> words(count);
  std::memcpy(words.data(), at, count * sizeof(uint64_t));
  return words;
}

}  // namespace

void ApertureList::start(UINT segment, uint64_t pages) {
  m_segment = segment;
  const auto blocks = contiguousBlocks(pages * sizeof(uint64_t));
  // The same driver, but the memory manager starts again.
  for (const uint8_t* block : blocks)
    if (block == m_at && m_expected.size() == pages && wordsAt(block, pages) == m_expected) return;
  m_at = nullptr;
  for (const uint8_t* block : blocks) {
    std::vector<uint64_t> words = wordsAt(block, pages);
    if (!std::all_of(words.begin(), words.end(), [](uint64_t word) { return word >= kAboveMemory; }))
      continue;
    m_at = block;
    m_expected = std::move(words);
    return;
  }
  brokenRule("of %zu blocks of %llu bytes none is a page list whose entries name no memory", blocks.size(),
             static_cast<unsigned long long>(pages * sizeof(uint64_t)));
}

uint64_t ApertureList::entry(uint64_t page) const {
  uint64_t word;
  std::memcpy(&word, m_at + page * sizeof word, sizeof word);
  return word;
}

bool ApertureList::check(uint64_t first, uint64_t count, const char* when) const {
  if (!m_at ||
      !std::memcmp(m_at + first * sizeof(uint64_t), m_expected.data() + first, count * sizeof(uint64_t)))
    return true;
  for (uint64_t i = first; i < first + count; ++i)
    if (entry(i) != m_expected[i]) {
      brokenRule("page %llu of the aperture is 0x%llx %s, and not 0x%llx", static_cast<unsigned long long>(i),
                 static_cast<unsigned long long>(entry(i)), when,
                 static_cast<unsigned long long>(m_expected[i]));
      break;
    }
  return false;
}

bool ApertureList::check(const char* when) const {
  return check(0, m_expected.size(), when);
}

void ApertureList::built(const DXGKARG_BUILDPAGINGBUFFER& operation) {
  const bool maps = operation.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  if (!m_at || (!maps && operation.Operation != DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)) return;
  const auto& map = operation.MapApertureSegment;
  const auto& unmap = operation.UnmapApertureSegment;
  const UINT segment = maps ? map.SegmentId : unmap.SegmentId;
  const uint64_t first = maps ? map.OffsetInPages : unmap.OffsetInPages,
                 count = maps ? map.NumberOfPages : unmap.NumberOfPages;
  if (segment != m_segment || count > m_expected.size() || first > m_expected.size() - count) return;
  for (uint64_t i = 0; i < count; ++i)
    m_expected[first + i] = maps ? mdlPages(map.pMdl)[map.MdlOffset + i] * kPage
                                 : static_cast<uint64_t>(unmap.DummyPage.QuadPart);
  check(first, count, maps ? "when a mapping has been built" : "when its unmapping has been built");
}

}  // namespace aerogpu::host
