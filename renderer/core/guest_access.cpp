// SPDX-License-Identifier: MIT
#include "renderer/core/guest_access.h"

namespace aerogpu::core {

Result<const AllocTable::Entry*> GuestAccess::backingEntry(const Backing& backing, uint64_t offset,
                                                           uint64_t size, bool write) const {
  if (backing.allocId == 0)
    return refused(ErrorCode::CmdDecode, "resource has no guest memory", {{"backing_alloc_id", 0u}});
  const AllocTable::Entry* entry = m_allocs.find(backing.allocId);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table",
                   {{"backing_alloc_id", backing.allocId}});
  if (write && entry->readOnly)
    return refused(ErrorCode::OutOfBounds, "write-back to a read-only allocation",
                   {{"backing_alloc_id", backing.allocId}});
  // backing.offset is 32 bits wide and offset + size lies inside a resource (2^40 at most): no wrap.
  const uint64_t end = backing.offset + offset + size;
  if (end > entry->size)
    return refused(ErrorCode::OutOfBounds, "resource reaches past its allocation",
                   {{"backing_alloc_id", backing.allocId},
                    {"backing_offset_bytes", backing.offset},
                    {"offset", offset},
                    {"size", size},
                    {"limit", entry->size}});
  return entry;
}

Result<const AllocTable::Entry*> GuestAccess::writableEntry(uint32_t allocId, uint64_t offset,
                                                            uint64_t size) const {
  const AllocTable::Entry* entry = m_allocs.find(allocId);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table",
                   {{"alloc_id", allocId}});
  if (entry->readOnly)
    return refused(ErrorCode::OutOfBounds, "write to a read-only allocation", {{"alloc_id", allocId}});
  if (offset > entry->size || entry->size - offset < size)
    return refused(ErrorCode::OutOfBounds, "write reaches past its allocation",
                   {{"offset_bytes", offset}, {"size", size}, {"limit", entry->size}});
  return entry;
}

Result<const AllocTable::Entry*> GuestAccess::sourceEntry(uint32_t allocId, uint64_t offset,
                                                          uint64_t size) const {
  const AllocTable::Entry* entry = m_allocs.find(allocId);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table",
                   {{"src_alloc_id", allocId}});
  if (offset > entry->size || entry->size - offset < size)
    return refused(ErrorCode::OutOfBounds, "copy reaches past its allocation",
                   {{"src_offset_bytes", offset}, {"size_bytes", size}, {"limit", entry->size}});
  return entry;
}

Result<void> GuestAccess::settleWrites() {
  if (auto flushed = m_env.backend.flush(); !flushed) return flushed;
  return awaitIdle();
}

Result<void> GuestAccess::settleAll() {
  (void)m_env.backend.flush();  // a failure is reported by the submission that asked for that work
  return awaitIdle();
}

Result<void> GuestAccess::awaitIdle() {
  constexpr uint64_t kLookUpNs = 10'000'000;  // a reset must not wait for a long job
  while (!m_env.backend.waitIdle(kLookUpNs))
    if (m_env.interrupted.load(std::memory_order_relaxed))
      return Error{ErrorCode::Interrupted, "interrupted while a write-back was awaited"};
  m_pendingWrites.clear();
  return {};
}

Result<void> GuestAccess::settleUnknown() {
  return m_env.backend.usesGuestMemory() || m_pendingWrites.many() ? settleAll() : Result<void>{};
}

Result<void> GuestAccess::settleIfWritten(GuestRun run) {
  if (!m_pendingWrites.touches(run)) return {};
  return settleAll();
}

Result<std::span<const GuestRun>> GuestAccess::locate(const AllocTable::Entry& entry, const ByteRows& rows) {
  if (!entry.scattered) {
    m_linearRun = {entry.gpa + rows.offset, rows.span()};
    return std::span<const GuestRun>(&m_linearRun, 1);
  }
  if (m_pendingWrites.touches(PageLists::listRange(entry, rows)))
    if (auto settled = settleWrites(); !settled) return settled.error();
  if (auto located = m_pageLists.locate(m_env.memory, entry, rows, m_listRuns); !located)
    return located.error();
  return std::span<const GuestRun>(m_listRuns);
}

Result<std::shared_ptr<GuestRuns>> GuestAccess::runsToWrite(const AllocTable::Entry& entry,
                                                            const ByteRows& rows) {
  const auto located = locate(entry, rows);
  if (!located) return located.error();
  auto runs = std::make_shared<GuestRuns>();
  runs->charge = HostMemoryCharge::take(m_env.hostMemory, located->size_bytes());
  if (!runs->charge.ok())
    return refused(ErrorCode::Backend, "max_hostmem is reached", {{"bytes", located->size_bytes()}});
  runs->runs.assign(located->begin(), located->end());
  return runs;
}

Result<std::unique_ptr<ByteSink>> GuestAccess::sinkAt(const AllocTable::Entry& entry, const ByteRows& rows) {
  auto made = runsToWrite(entry, rows);
  if (!made) return made.error();
  const std::shared_ptr<GuestRuns> runs = std::move(*made);
  const bool inTurn = runs->runs.size() == 1 && m_pendingWrites.touches(runs->runs[0]);
  m_pendingWrites.add(runs);
  return std::unique_ptr<ByteSink>(std::make_unique<GuestSink>(m_env.memory, runs, rows.pitch, inTurn));
}

Result<std::unique_ptr<ByteSink>> GuestAccess::sinkOf(const Texture& texture, Subresource sub,
                                                      const Box& box) {
  const TextureLayout& layout = texture.layout;
  const BoxRows part(*findFormat(texture.desc.format), box);
  const uint64_t offset = layout.offsetOf(sub) + layout.boxOffset(sub.mip, box);
  const ByteRows touched{texture.backing.offset + offset, part.rowBytes, layout.mip(sub.mip).pitch,
                         part.rows};
  const auto entry = backingEntry(texture.backing, offset, touched.span(), true);
  if (!entry) return entry.error();
  return sinkAt(**entry, touched);
}

}  // namespace aerogpu::core
