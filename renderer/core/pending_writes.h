// SPDX-License-Identifier: MIT
// Write-backs on their way to guest memory, so that the executor reads neither a page list (LIST-4) nor a
// dirty range before a write-back that changes it. Render thread, except for finishOne().
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "renderer/core/guest_memory.h"

namespace aerogpu::core {

class PendingWrites {
public:
  /// Begins a submission; write-backs that are added from here on are its own.
  void begin() { ++m_begun; }
  /// Notes that the oldest unfinished submission is finished: its write-backs are done. Any thread.
  void finishOne() { m_finished.fetch_add(1, std::memory_order_release); }

  void add(std::shared_ptr<const GuestRuns> runs) {
    prune();
    if (m_writes.size() < kMost)
      m_writes.push_back({m_begun, std::move(runs)});
    else
      m_uncounted = m_begun;
  }

  /// True if a pending write-back may share a byte with `range`.
  bool touches(GuestRun range) {
    prune();
    return any(range);
  }
  /// True if a pending write-back may share a byte with any of the runs; holes among them do not count.
  bool touches(std::span<const GuestRun> runs) {
    prune();
    if (m_writes.empty() && m_uncounted <= m_finished.load(std::memory_order_acquire)) return false;
    for (const GuestRun& run : runs)
      if (run.gpa != GuestRun::kHole && any(run)) return true;
    return false;
  }

  /// True if so many are pending that calling touches() for each piece takes too long.
  bool many() {
    prune();
    if (m_uncounted > m_finished.load(std::memory_order_acquire)) return true;
    size_t runs = 0;
    for (const Write& write : m_writes)
      if ((runs += write.runs->runs.size()) > kFew) return true;
    return false;
  }

  /// Forgets all: everything was waited for.
  void clear() {
    m_writes.clear();
    m_uncounted = 0;
  }

private:
  static constexpr size_t kFew = 64;
  static constexpr size_t kMost = 1024;  ///< with more, any byte may be written

  void prune() {
    const uint64_t finished = m_finished.load(std::memory_order_acquire);
    while (!m_writes.empty() && m_writes.front().submission <= finished) m_writes.pop_front();
  }

  bool any(GuestRun range) const {
    if (m_uncounted > m_finished.load(std::memory_order_acquire)) return true;
    for (const Write& write : m_writes)
      for (const GuestRun& run : write.runs->runs)
        if (run.gpa - range.gpa < range.size || range.gpa - run.gpa < run.size) return true;
    return false;
  }

  struct Write {
    uint64_t submission;
    std::shared_ptr<const GuestRuns> runs;
  };
  std::deque<Write> m_writes;
  uint64_t m_begun = 0;
  uint64_t m_uncounted = 0;  ///< newest submission that had more write-backs than are kept
  std::atomic<uint64_t> m_finished{0};
};

}  // namespace aerogpu::core
