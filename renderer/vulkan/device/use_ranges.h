// SPDX-License-Identifier: MIT
// The bytes of some memory that batches use and the GPU may not have finished with: a handful of ranges, each
// with the newest batch that uses it. Bytes in use are never reported as free; without room for ranges, free
// bytes may count as used.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace aerogpu::vk {

class UseRanges {
public:
  /// `batch` is not older than that of any earlier call.
  void note(uint64_t lo, uint64_t hi, uint64_t batch) {
    if (m_count != 0 && grow(m_ranges[m_last], lo, hi, batch)) return;
    noteElsewhere(lo, hi, batch);
  }
  /// True if a batch after `finished` uses one of the bytes.
  bool busy(uint64_t lo, uint64_t hi, uint64_t finished) {
    for (size_t i = 0; i < m_count;) {
      const Range& r = m_ranges[i];
      if (r.batch <= finished) {
        m_ranges[i] = m_ranges[--m_count];
        m_last = 0;
        continue;
      }
      if (r.lo < hi && lo < r.hi) return true;
      ++i;
    }
    return false;
  }
  void clear() { m_count = m_last = 0; }

private:
  static constexpr size_t kMost = 8;
  struct Range {
    uint64_t lo = 0, hi = 0, batch = 0;
  };

  static bool grow(Range& r, uint64_t lo, uint64_t hi, uint64_t batch) {
    if (r.batch != batch || lo > r.hi || hi < r.lo) return false;
    r.lo = std::min(r.lo, lo);
    r.hi = std::max(r.hi, hi);
    return true;
  }
  void noteElsewhere(uint64_t lo, uint64_t hi, uint64_t batch) {
    for (size_t i = 0; i < m_count; ++i) {
      if (!grow(m_ranges[i], lo, hi, batch)) continue;
      m_last = i;
      return;
    }
    if (m_count == kMost) mergeTwo();
    m_last = m_count;
    m_ranges[m_count++] = {lo, hi, batch};
  }
  /// Merges the two ranges whose hull adds the fewest bytes.
  void mergeTwo() {
    size_t first = 0, second = 1;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < m_count; ++i)
      for (size_t j = i + 1; j < m_count; ++j) {
        const Range &a = m_ranges[i], &b = m_ranges[j];
        const uint64_t hull = std::max(a.hi, b.hi) - std::min(a.lo, b.lo);
        const uint64_t more = hull - std::min(hull, (a.hi - a.lo) + (b.hi - b.lo));
        if (more >= least) continue;
        least = more;
        first = i;
        second = j;
      }
    Range& a = m_ranges[first];
    const Range b = m_ranges[second];
    a = {std::min(a.lo, b.lo), std::max(a.hi, b.hi), std::max(a.batch, b.batch)};
    m_ranges[second] = m_ranges[--m_count];
  }

  std::array<Range, kMost> m_ranges{};
  size_t m_count = 0, m_last = 0;
};

}  // namespace aerogpu::vk
