// SPDX-License-Identifier: MIT
// The way of a submission's commands to guest memory: the allocations that it lists, where their bytes lie,
// sources and sinks over them, and the order between reads and the write-backs that are under way. Render
// thread only, but for submissionFinished().
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
  /// All of it outlives the object.
  struct Environment {
    Backend& backend;
    HostMemory& hostMemory;
    Stats& stats;
    const GuestMemory& memory;
    const std::atomic<bool>& interrupted;
  };
  explicit GuestAccess(const Environment& env) : m_env(env), m_pageLists(env.hostMemory) {}

  /// A submission begins: what was read of page lists counts no longer.
  void beginSubmission() {
    m_pendingWrites.begin();
    m_pageLists.forget();
  }
  /// The oldest submission that was begun is finished: its write-backs are in guest memory. Any thread.
  void submissionFinished() { m_pendingWrites.finishOne(); }
  /// Every submission is finished.
  void reset() {
    m_pageLists.forget();
    m_pendingWrites.clear();
  }
  /// Null = none. Not owned.
  void setObserver(GuestReadObserver* observer) { m_observer = observer; }
  const GuestMemory& memory() const { return m_env.memory; }

  // Allocations of this submission.
  AllocTable& allocations() { return m_allocs; }
  /// Null when the submission does not list it.
  const AllocTable::Entry* find(uint32_t allocId) const { return m_allocs.find(allocId); }
  /// That of a backing, if it holds [offset, offset + size) of the resource and, with `write`, may be
  /// written.
  Result<const AllocTable::Entry*> backingEntry(const Backing& backing, uint64_t offset, uint64_t size,
                                                bool write) const;
  /// The one that a packet has a result of `size` bytes written to, at `offset`.
  Result<const AllocTable::Entry*> writableEntry(uint32_t allocId, uint64_t offset, uint64_t size) const;
  /// The one that a packet copies `size` bytes from, at `offset`.
  Result<const AllocTable::Entry*> sourceEntry(uint32_t allocId, uint64_t offset, uint64_t size) const;

  /// Calls `use` with a source of rows that lie in the allocation. Returns what `use` does, or why there is
  /// no source. `use`: Result<void>(ByteSource&).
  template <class Use>
  Result<void> read(const AllocTable::Entry& entry, const ByteRows& rows, Use use);
  /// Tells the observer, if there is one, of rows that are read otherwise; no runs: they cannot be found.
  void observeRead(const AllocTable::Entry& entry, const ByteRows& rows, std::span<const GuestRun> runs) {
    if (m_observer) m_observer->onGuestRead(entry, rows, runs);
  }
  /// Where rows that are written when work is done lie; outlives the submission.
  Result<std::shared_ptr<GuestRuns>> runsToWrite(const AllocTable::Entry& entry, const ByteRows& rows);
  /// Something is on its way to those runs.
  void addPending(std::shared_ptr<const GuestRuns> runs) { m_pendingWrites.add(std::move(runs)); }
  /// A sink for rows that lie in the allocation; they are pending from here on.
  Result<std::unique_ptr<ByteSink>> sinkAt(const AllocTable::Entry& entry, const ByteRows& rows);
  /// The same for the backing of a box, which lies inside the texture.
  Result<std::unique_ptr<ByteSink>> sinkOf(const Texture& texture, Subresource sub, const Box& box);

  /// That nothing before this packet reads or writes guest memory any more, as far as that is not known byte
  /// for byte; from here on settleIfWritten() is enough. Interrupted is the only error.
  Result<void> settleUnknown();
  /// That nothing is on its way to a byte of the run. Interrupted is the only error.
  Result<void> settleIfWritten(GuestRun run);

private:
  /// Where rows inside an allocation lie; valid until the next call.
  Result<std::span<const GuestRun>> locate(const AllocTable::Entry& entry, const ByteRows& rows);
  /// Hands over what is recorded and waits for it: no write-back is pending then.
  Result<void> settleWrites();
  /// The same, whatever becomes of that work; Interrupted is the only error.
  Result<void> settleAll();
  /// Waits for what was handed over; Interrupted is the only error.
  Result<void> awaitIdle();

  const Environment m_env;
  AllocTable m_allocs;
  PageLists m_pageLists;
  PendingWrites m_pendingWrites;
  GuestReadObserver* m_observer = nullptr;
  GuestRun m_linearRun{};            ///< what locate() returned last, or
  std::vector<GuestRun> m_listRuns;  ///< this
};

template <class Use>
Result<void> GuestAccess::read(const AllocTable::Entry& entry, const ByteRows& rows, Use use) {
  m_env.stats.uploadBytes.add(rows.rowBytes * rows.rows);
  const auto runs = locate(entry, rows);
  if (!runs) {
    observeRead(entry, rows, {});
    return runs.error();
  }
  // Packets run in order: what an earlier one writes back is there before this one reads.
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
