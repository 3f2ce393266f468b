// SPDX-License-Identifier: MIT
// Commands reach guest memory through the allocations that their submission lists: this finds the bytes,
// makes sources and sinks over them, and keeps the order between reads and the write-backs that are under
// way. Render thread only, except submissionFinished().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "renderer/base/host_memory.h"
#include "renderer/core/alloc_table.h"
#include "renderer/core/backend.h"
#include "renderer/core/guest_memory.h"
#include "renderer/core/guest_read_observer.h"
#include "renderer/core/page_lists.h"
#include "renderer/core/pending_writes.h"
#include "renderer/core/stats.h"

namespace aerogpu::core {

class GuestAccess {
public:
  /// References that outlive the object.
  struct Environment {
    Backend& backend;
    HostMemory& hostMemory;
    Stats& stats;
    const GuestMemory& memory;
    const std::atomic<bool>& interrupted;
  };
  explicit GuestAccess(const Environment& env) : m_env(env), m_pageLists(env.hostMemory) {}

  /// Begins a submission: forgets what was read of page lists.
  void beginSubmission() {
    m_pendingWrites.begin();
    m_pageLists.forget();
  }
  /// Notes that the oldest submission is finished: its write-backs are in guest memory. Any thread.
  void submissionFinished() { m_pendingWrites.finishOne(); }
  /// Forgets page lists and pending writes; every submission is finished.
  void reset() {
    m_pageLists.forget();
    m_pendingWrites.clear();
  }
  /// Sets the observer, which is not owned; null = none.
  void setObserver(GuestReadObserver* observer) { m_observer = observer; }
  const GuestMemory& memory() const { return m_env.memory; }

  // Allocations of this submission.
  AllocTable& allocations() { return m_allocs; }
  /// Returns null if the submission does not list the allocation.
  const AllocTable::Entry* find(uint32_t allocId) const { return m_allocs.find(allocId); }
  /// Finds the allocation of a backing. It must hold [offset, offset + size) of the resource and, with
  /// `write`, be writable.
  Result<const AllocTable::Entry*> backingEntry(const Backing& backing, uint64_t offset, uint64_t size,
                                                bool write) const;
  /// Finds the allocation that a packet has a result of `size` bytes written to, at `offset`.
  Result<const AllocTable::Entry*> writableEntry(uint32_t allocId, uint64_t offset, uint64_t size) const;
  /// Finds the allocation that a packet copies `size` bytes from, at `offset`.
  Result<const AllocTable::Entry*> sourceEntry(uint32_t allocId, uint64_t offset, uint64_t size) const;

  /// Calls `use` with a source of rows that lie in the allocation. Returns what `use` does, or why there is
  /// no source. `use`: Result<void>(ByteSource&).
  template <class Use>
  Result<void> read(const AllocTable::Entry& entry, const ByteRows& rows, Use use);
  /// Tells the observer, if there is one, of rows that are not read through read(); no runs: unknown places.
  void observeRead(const AllocTable::Entry& entry, const ByteRows& rows, std::span<const GuestRun> runs) {
    if (m_observer) m_observer->onGuestRead(entry, rows, runs);
  }
  /// Returns where rows lie that are written once work is done; may be kept after the submission.
  Result<std::shared_ptr<GuestRuns>> runsToWrite(const AllocTable::Entry& entry, const ByteRows& rows);
  /// Notes that a write to those runs is under way.
  void addPending(std::shared_ptr<const GuestRuns> runs) { m_pendingWrites.add(std::move(runs)); }
  /// Returns a sink for rows that lie in the allocation, and notes that a write to them is under way.
  Result<std::unique_ptr<ByteSink>> sinkAt(const AllocTable::Entry& entry, const ByteRows& rows);
  /// Returns a sink for the backing of a box, which lies inside the texture.
  Result<std::unique_ptr<ByteSink>> sinkOf(const Texture& texture, Subresource sub, const Box& box);

  /// Waits until earlier packets read and write guest memory no more, except for writes that are known byte
  /// for byte: settleIfWritten() waits for those. Interrupted is the only error.
  Result<void> settleUnknown();
  /// Waits until no write is on its way to a byte of the run. Interrupted is the only error.
  Result<void> settleIfWritten(GuestRun run);

private:
  /// Returns where rows inside an allocation lie; valid until the next call.
  Result<std::span<const GuestRun>> locate(const AllocTable::Entry& entry, const ByteRows& rows);
  /// Hands over what is recorded and waits for it: no write-back is pending then.
  Result<void> settleWrites();
  /// Hands over and waits as settleWrites() does, but ignores a failure of that work; Interrupted is the only
  /// error.
  Result<void> settleAll();
  /// Waits for what was handed over; Interrupted is the only error.
  Result<void> awaitIdle();

  const Environment m_env;
  AllocTable m_allocs;
  PageLists m_pageLists;
  PendingWrites m_pendingWrites;
  GuestReadObserver* m_observer = nullptr;
  GuestRun m_linearRun{};            ///< last result of locate(), unless a page list was read
  std::vector<GuestRun> m_listRuns;  ///< last result of locate(), if a page list was read
};

template <class Use>
Result<void> GuestAccess::read(const AllocTable::Entry& entry, const ByteRows& rows, Use use) {
  m_env.stats.uploadBytes.add(rows.rowBytes * rows.rows);
  const auto runs = locate(entry, rows);
  if (!runs) {
    observeRead(entry, rows, {});
    return runs.error();
  }
  // Packets run in order: write-backs of earlier packets must be done before this one reads.
  if (m_pendingWrites.touches(*runs))
    if (auto settled = settleWrites(); !settled) return settled;
  if (m_observer)
    if (ByteSource* seen = m_observer->onGuestRead(entry, rows, *runs)) return use(*seen);
  GuestSource source(m_env.memory, *runs, rows.span());
  Result<void> used = use(source);
  if (!used && used.error().code == ErrorCode::OutOfBounds)
    used.error().values = {{"alloc_id", entry.id}, {"offset", rows.offset}, {"bytes", rows.span()}};
  return used;
}

}  // namespace aerogpu::core
