// SPDX-License-Identifier: MIT
// Writes of guest memory that the server says it makes: where it may make any, and which are under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "renderer/base/mutex.h"
#include "renderer/remote/protocol.h"

namespace aerogpu::remote {

/// Memory that a server was told it may write, ever. Any thread.
class WritableMemory {
public:
  void add(std::span<const RegionRecord> records) EXCLUDES(m_mutex) {
    Lock lock(m_mutex);
    for (const RegionRecord& record : records) {
      if (!record.writable || record.size == 0 || record.size > UINT64_MAX - record.gpa) continue;
      uint64_t begin = record.gpa, end = record.gpa + record.size;
      auto next = m_ranges.upper_bound(begin);
      if (next != m_ranges.begin() && std::prev(next)->second >= begin) --next;
      while (next != m_ranges.end() && next->first <= end) {  // those that it touches are one with it
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = m_ranges.erase(next);
      }
      m_ranges[begin] = end;
    }
  }
  /// The sum of both is no more than 2^64 - 1.
  bool holds(uint64_t gpa, uint64_t size) const EXCLUDES(m_mutex) {
    Lock lock(m_mutex);
    const auto after = m_ranges.upper_bound(gpa);
    return after != m_ranges.begin() && gpa + size <= std::prev(after)->second;
  }

private:
  mutable Mutex m_mutex;
  std::map<uint64_t, uint64_t> m_ranges GUARDED_BY(m_mutex);  ///< address, end; apart
};

/// Those under way. One thread.
class Writes {
public:
  /// False if there are too many.
  bool begin(uint64_t gpa, uint64_t size) {
    m_begun.emplace(gpa, size);
    return m_begun.size() <= kMostWrites;
  }
  /// False if there is none that can have ended like this. Of several at one address it is the smallest: then
  /// the others have their ends too.
  bool end(uint64_t gpa, uint64_t size) {
    const auto begun = m_begun.lower_bound({gpa, size});
    if (begun == m_begun.end() || begun->first != gpa) return false;
    m_begun.erase(begun);
    return true;
  }
  /// Calls take(address, bytes) for all that may have been written, each address once, however often it was
  /// to be.
  template <class Take>
  void takeAll(const Take& take) {
    uint64_t at = 0, last = 0;
    for (const auto& [gpa, size] : m_begun) {
      if (gpa > last) {
        if (last > at) take(at, last - at);
        at = gpa;
      }
      last = std::max(last, gpa + size);
    }
    if (last > at) take(at, last - at);
    m_begun.clear();
  }

private:
  std::multiset<std::pair<uint64_t, uint64_t>> m_begun;  ///< address, bytes
};

}  // namespace aerogpu::remote
