// SPDX-License-Identifier: MIT
// The video memory manager's paging: the placement of allocations, and the paging buffers that move them.
// Page "DxgkDdiBuildPagingBuffer".
#include <algorithm>
#include <cstring>

#include "testbed/kernel/core/page.h"
#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

namespace {
constexpr uint64_t kPoolBlock = 2 << 20;
constexpr int kNobodys = 0xDB;  // fills pages that nobody has: a stale address shows

/// Checks that nobody has written to a page since it was given back: from then on it may have another owner,
/// also during a reset (page "DxgkDdiResetFromTimeout").
void checkFree(const SystemPage& page) {
  if (page.cpu[0] == kNobodys && std::memcmp(page.cpu, page.cpu + 1, kPage - 1) == 0) return;
  brokenRule("the page at %llx was written after it was given back",
             static_cast<unsigned long long>(page.gpa));
}
}  // namespace

// Hands out system pages so that neighbours in an allocation are far apart.
bool Vidmm::givePages(Allocation& allocation) {
  const uint64_t count = bytesOf(allocation) / kPage;
  if (m_contiguous && allocation.info.Flags.CpuVisible) {
    guest::Block& block = allocation.block;
    if (!m_adapter.memory().allocate(bytesOf(allocation), block, kCpuAlignment).ok()) return false;
    for (uint64_t at = 0; at < count * kPage; at += kPage)
      allocation.pages.push_back({block.cpu + at, block.gpa + at});
    return true;
  }
  while (m_freePages.size() < count) {
    guest::Block block;
    if (!m_adapter.memory().allocate(kPoolBlock, block).ok()) return false;
    m_pageBlocks.push_back(block);
    std::memset(block.cpu, kNobodys, block.size);
    const size_t first = m_freePages.size();
    for (uint64_t at = 0; at < block.size; at += kPage)
      m_freePages.push_back({block.cpu + at, block.gpa + at});
    uint64_t state = block.gpa | 1;
    for (size_t i = m_freePages.size() - 1; i > first; --i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(m_freePages[i], m_freePages[first + (state >> 33) % (i - first + 1)]);
    }
  }
  for (uint64_t i = 0; i < count; ++i) {
    checkFree(m_freePages.back());
    allocation.pages.push_back(m_freePages.back());
    m_freePages.pop_back();
  }
  return true;
}

void Vidmm::checkFreePages() {
  std::lock_guard lock(m_mutex);
  for (const SystemPage& page : m_freePages) checkFree(page);
}

void Vidmm::dropPages(Allocation& allocation) {
  if (allocation.existing) return allocation.pages.clear();
  if (allocation.block.size) {
    std::memset(allocation.block.cpu, kNobodys, allocation.block.size);
    m_adapter.memory().release(allocation.block);
    allocation.block = {};
    allocation.pages.clear();
    return;
  }
  for (const SystemPage& page : allocation.pages) {
    std::memset(page.cpu, kNobodys, kPage);
    m_freePages.insert(m_freePages.begin() + static_cast<std::ptrdiff_t>(m_freePages.size() / 2), page);
  }
  allocation.pages.clear();
}

void Vidmm::releaseFrom(Segment& segment, uint64_t offset, uint64_t bytes) {
  auto next = segment.free.lower_bound(offset);
  if (next != segment.free.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = segment.free.erase(next);
  }
  if (next != segment.free.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  segment.free[offset] = bytes;
}

bool Vidmm::allocateIn(Segment& segment, Allocation& allocation, uint64_t& offset) {
  const uint64_t bytes = bytesOf(allocation),
                 alignment = std::max<uint64_t>(allocation.info.Alignment, kPage);
  auto best = segment.free.end();
  uint64_t bestAt = 0;
  for (auto it = segment.free.begin(); it != segment.free.end(); ++it) {
    const uint64_t at = (it->first + alignment - 1) & ~(alignment - 1);
    if (at + bytes > it->first + it->second) continue;
    if (best == segment.free.end() || it->second < best->second) best = it, bestAt = at;
  }
  if (best == segment.free.end()) return false;
  const uint64_t start = best->first, end = best->first + best->second;
  segment.free.erase(best);
  if (bestAt > start) segment.free[start] = bestAt - start;
  if (bestAt + bytes < end) segment.free[bestAt + bytes] = end - bestAt - bytes;
  offset = bestAt;
  return true;
}

bool Vidmm::makeRoom(Segment& segment, Allocation& forWhom) {
  Allocation* victim = nullptr;
  for (const auto& allocation : m_allocations)
    if (allocation->segment == segment.id && !allocation->pinned && !allocation->marked &&
        allocation.get() != &forWhom && (!victim || allocation->lastUse < victim->lastUse))
      victim = allocation.get();
  return victim && pageOut(*victim);
}

bool Vidmm::place(Allocation& allocation, bool write) {
  const UINT set = write ? allocation.info.SupportedWriteSegmentSet & allocation.info.SupportedReadSegmentSet
                         : allocation.info.SupportedReadSegmentSet;
  std::vector<UINT> order;
  const auto& p = allocation.info.PreferredSegment;
  for (const UINT id : {m_forced, UINT{p.SegmentId0}, UINT{p.SegmentId1}, UINT{p.SegmentId2},
                        UINT{p.SegmentId3}, UINT{p.SegmentId4}})
    if (id && (set >> (id - 1) & 1)) order.push_back(id);
  for (UINT id = 1; id <= m_segments.size(); ++id)
    if (set >> (id - 1) & 1) order.push_back(id);
  if (allocation.locks) std::erase_if(order, [&](UINT id) { return !isAperture(id); });
  uint64_t offset;
  for (const UINT id : order)
    if (allocateIn(segment(id), allocation, offset)) return pageIn(allocation, id, offset);
  for (const UINT id : order) do {
      if (allocateIn(segment(id), allocation, offset)) return pageIn(allocation, id, offset);
    } while (makeRoom(segment(id), allocation));
  return false;
}

bool Vidmm::makeResident(const std::vector<std::pair<Allocation*, bool>>& wanted) {
  std::lock_guard prepared(m_adapter.scheduler().preparation());  // always before the manager's own lock
  std::lock_guard lock(m_mutex);
  for (const auto& [allocation, write] : wanted) {
    allocation->marked = true;
    allocation->lastUse = ++m_clock;
  }
  bool ok = true;
  for (const auto& [allocation, write] : wanted) {
    const UINT set =
        write ? allocation->info.SupportedWriteSegmentSet & allocation->info.SupportedReadSegmentSet
              : allocation->info.SupportedReadSegmentSet;
    if (allocation->segment && !(set >> (allocation->segment - 1) & 1)) ok = ok && pageOut(*allocation);
    if (ok && !allocation->segment) ok = place(*allocation, write);
  }
  for (const auto& [allocation, write] : wanted) allocation->marked = false;
  return finishPaging() && ok;
}

UINT Vidmm::buildPaging(const DXGKARG_BUILDPAGINGBUFFER& operation) {
  std::lock_guard prepared(m_adapter.scheduler().preparation());  // always before the manager's own lock
  std::lock_guard lock(m_mutex);
  m_paging.add(operation);
  const UINT bytes = m_paging.waiting();
  finishPaging();
  return bytes;
}

/// Adds an operation that the GPU carries out. Page "Thread Synchronization and TDR": an allocation whose
/// operation a reset drops, or that is evicted before the restart, loses its content.
bool Vidmm::addOperation(Allocation& allocation, const DXGKARG_BUILDPAGINGBUFFER& operation) {
  m_batch.push_back(&allocation);
  const bool ok = m_paging.add(operation);
  if (!ok || m_adapter.scheduler().resetting()) batchLost();
  return ok;
}

void Vidmm::batchLost() {
  for (Allocation* allocation : m_batch) allocation->contentLost = true;
}

bool Vidmm::transfer(Allocation& allocation, bool toSegment) {
  std::vector<uint64_t> frames;
  for (const SystemPage& page : allocation.pages) frames.push_back(page.gpa / kPage);
  MDL* mdl = makeMdl(frames, bytesOf(allocation));
  DXGKARG_BUILDPAGINGBUFFER op{};
  op.Operation = DXGK_OPERATION_TRANSFER;
  op.Transfer.hAllocation = allocation.driver;
  // "Thread Synchronization and TDR": a reset loses the content, and the driver is told of the eviction.
  op.Transfer.TransferSize = m_adapter.scheduler().resetting() ? 0 : bytesOf(allocation);
  op.Transfer.Flags.TransferStart = op.Transfer.Flags.TransferEnd = 1;
  const auto& d = segment(allocation.segment).descriptor;
  const LONGLONG address = d.BaseAddress.QuadPart + static_cast<LONGLONG>(allocation.offset);
  if (toSegment) {
    op.Transfer.Source.pMdl = mdl;
    op.Transfer.Destination.SegmentId = allocation.segment;
    op.Transfer.Destination.SegmentAddress.QuadPart = address;
  } else {
    op.Transfer.Source.SegmentId = allocation.segment;
    op.Transfer.Source.SegmentAddress.QuadPart = address;
    op.Transfer.Destination.pMdl = mdl;
  }
  const bool ok = addOperation(allocation, op);
  destroyMdl(mdl);
  return ok;
}

bool Vidmm::pageIn(Allocation& allocation, UINT segmentId, uint64_t offset) {
  const bool fresh = allocation.pages.empty();
  allocation.segment = segmentId;
  allocation.offset = offset;
  const auto& d = segment(segmentId).descriptor;
  if (d.Flags.Aperture) {
    if (fresh) {
      if (!givePages(allocation)) return false;
      for (const SystemPage& page : allocation.pages) std::memset(page.cpu, 0, kPage);
    }
    std::vector<uint64_t> frames;
    for (const SystemPage& page : allocation.pages) frames.push_back(page.gpa / kPage);
    MDL* mdl = makeMdl(frames, bytesOf(allocation));
    DXGKARG_BUILDPAGINGBUFFER op{};
    op.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    op.MapApertureSegment.hAllocation = allocation.driver;
    op.MapApertureSegment.SegmentId = segmentId;
    op.MapApertureSegment.OffsetInPages = offset / kPage;
    op.MapApertureSegment.NumberOfPages = frames.size();
    op.MapApertureSegment.pMdl = mdl;
    op.MapApertureSegment.Flags.CacheCoherent = d.Flags.CacheCoherent;
    const bool ok = m_paging.add(op);
    destroyMdl(mdl);
    return ok;
  }
  if (!fresh) {
    const bool ok = transfer(allocation, true);
    m_dropAfterPaging.push_back(&allocation);
    return ok;
  }
  DXGKARG_BUILDPAGINGBUFFER op{};
  op.Operation = DXGK_OPERATION_FILL;
  op.Fill.hAllocation = allocation.driver;
  op.Fill.FillSize = bytesOf(allocation);
  op.Fill.FillPattern = 0;
  op.Fill.Destination.SegmentId = segmentId;
  op.Fill.Destination.SegmentAddress.QuadPart = d.BaseAddress.QuadPart + static_cast<LONGLONG>(offset);
  return addOperation(allocation, op);
}

bool Vidmm::pageOut(Allocation& allocation) {
  if (!allocation.segment) return true;
  if (std::find(m_dropAfterPaging.begin(), m_dropAfterPaging.end(), &allocation) != m_dropAfterPaging.end() &&
      !finishPaging())
    return false;
  m_adapter.scheduler().waitIdle(allocation.busyUntil);
  if (!allocation.segment) return true;  // during a time-out, before the restart
  bool ok;
  const UINT from = allocation.segment;
  if (isAperture(from)) {
    DXGKARG_BUILDPAGINGBUFFER op{};
    op.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    op.UnmapApertureSegment.hAllocation = allocation.driver;
    op.UnmapApertureSegment.SegmentId = from;
    op.UnmapApertureSegment.OffsetInPages = allocation.offset / kPage;
    op.UnmapApertureSegment.NumberOfPages = allocation.pages.size();
    op.UnmapApertureSegment.DummyPage.QuadPart = static_cast<LONGLONG>(m_paging.dummyPage());
    ok = m_paging.add(op);
  } else {
    ok = givePages(allocation) && transfer(allocation, false);
  }
  releaseFrom(segment(from), allocation.offset, bytesOf(allocation));
  allocation.segment = 0;
  ++m_evictions;
  return ok;
}

// Submits the waiting operations, waits until they are done, and frees the pages that they copied from.
// Before that no code may read the memory.
bool Vidmm::finishPaging() {
  const bool dropped = m_adapter.scheduler().resetting();  // waiting operations are not submitted then
  const bool ok = m_paging.flush();
  if (!ok || dropped) batchLost();
  m_batch.clear();
  for (Allocation* allocation : m_dropAfterPaging) dropPages(*allocation);
  m_dropAfterPaging.clear();
  return ok;
}

bool Vidmm::evict(Allocation& allocation) {
  std::lock_guard prepared(m_adapter.scheduler().preparation());  // always before the manager's own lock
  std::lock_guard lock(m_mutex);
  const bool ok = pageOut(allocation);
  return finishPaging() && ok;
}

bool Vidmm::evictAll() {
  std::lock_guard prepared(m_adapter.scheduler().preparation());  // always before the manager's own lock
  std::lock_guard lock(m_mutex);
  bool ok = true;
  // Page "DXGKARG_SUBMITCOMMAND": evictions for a change of power have no context.
  finishPaging();
  m_paging.setInContext(false);
  for (const auto& allocation : m_allocations)
    if (!allocation->pinned) ok = pageOut(*allocation) && ok;
  ok = finishPaging() && ok;
  m_paging.setInContext(true);
  return ok;
}

/// Calls `memory(at, n)` for each page of a range that lies in system memory, or `video(offset in BAR1, n)`
/// once.
template <class Memory, class Video>
void Vidmm::forEachPiece(Allocation& allocation, uint64_t offset, uint64_t bytes, Memory memory,
                         Video video) {
  if (allocation.pages.empty()) {
    const uint64_t address =
        static_cast<uint64_t>(segment(allocation.segment).descriptor.CpuTranslatedAddress.QuadPart) +
        allocation.offset + offset;
    video(address - m_adapter.bar(1).address, bytes);
    return;
  }
  while (bytes) {
    const uint64_t n = std::min(bytes, kPage - offset % kPage);
    memory(allocation.pages[offset / kPage].cpu + offset % kPage, n);
    offset += n, bytes -= n;
  }
}

bool Vidmm::write(Allocation& allocation, uint64_t offset, const void* data, uint64_t bytes) {
  std::lock_guard lock(m_mutex);
  m_adapter.scheduler().waitIdle(allocation.busyUntil);
  if (!allocation.segment && allocation.pages.empty()) {
    if (!givePages(allocation)) return false;
    for (const SystemPage& page : allocation.pages) std::memset(page.cpu, 0, kPage);
  }
  const auto* from = static_cast<const uint8_t*>(data);
  forEachPiece(
      allocation, offset, bytes,
      [&](uint8_t* to, uint64_t n) {
        std::memcpy(to, from, n);
        from += n;
      },
      [&](uint64_t to, uint64_t n) { m_adapter.machine().writeVideoMemory(to, from, n); });
  return true;
}

bool Vidmm::read(Allocation& allocation, uint64_t offset, void* data, uint64_t bytes) {
  std::lock_guard lock(m_mutex);
  m_adapter.scheduler().waitIdle(allocation.busyUntil);
  if (!allocation.segment && allocation.pages.empty()) return false;
  auto* to = static_cast<uint8_t*>(data);
  forEachPiece(
      allocation, offset, bytes,
      [&](const uint8_t* from, uint64_t n) {
        std::memcpy(to, from, n);
        to += n;
      },
      [&](uint64_t from, uint64_t n) { m_adapter.machine().readVideoMemory(from, to, n); });
  return true;
}

}  // namespace aerogpu::host
