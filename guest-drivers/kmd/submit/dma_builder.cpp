// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/submit/dma_builder.h"

namespace aero {

aerogpu_alloc_entry tableEntry(const Segments &segments, const AeroAllocation &allocation,
                               const DXGK_ALLOCATIONLIST &listed, uint32_t flags) {
  aerogpu_alloc_entry entry = {allocation.id, flags, kNowhere, allocation.bytes, 0};
  segments.locate(listed.SegmentId, static_cast<uint64_t>(listed.PhysicalAddress.QuadPart), entry);
  return entry;
}

namespace {

/** Updates the kept entry of an allocation that has moved, or is used in another way, since it was last listed. */
void keepEntry(const Segments &segments, AeroOpenAllocation &open, const DXGK_ALLOCATIONLIST &listed, uint64_t where) {
  open.readonly = where & kPatchWritten ? 0 : 1;
  if ((open.where ^ where) == kPatchWritten)
    open.entry.flags ^= AEROGPU_ALLOC_FLAG_READONLY;  // it has not moved
  else
    open.entry = tableEntry(segments, *open.allocation, listed,
                            open.readonly ? AEROGPU_ALLOC_FLAG_READONLY : AEROGPU_ALLOC_FLAG_NONE);
  open.where = where;
}

/** Returns patchId(), with kPatchWritten set if all are written. */
template <bool kWritten> uint64_t whereOf(const DXGK_ALLOCATIONLIST &listed) {
  return patchId(listed) | (kWritten ? kPatchWritten : 0);
}

AeroOpenAllocation *openOf(const DXGK_ALLOCATIONLIST &listed) {
  return static_cast<AeroOpenAllocation *>(listed.hDeviceSpecificAllocation);  // the OS passes it, so it is valid
}

/** Handles an allocation that the list names twice, for example as source and destination. The table has one entry for
 * it, which is writable if one of the two writes. Returns how many entries (0 or 1) are no longer read-only. */
uint32_t listAgain(const Segments &segments, const TableWork &work, const AeroAllocation &allocation,
                   const DXGK_ALLOCATIONLIST &listed, uint64_t where) {
  D3DDDI_PATCHLOCATIONLIST &patch = work.patches[allocation.tableEntry];
  if (!(where & kPatchWritten) || patch.DriverId & kPatchWritten) return 0;
  patch.DriverId |= kPatchWritten;
  const aerogpu_alloc_entry out = tableEntry(segments, allocation, listed, AEROGPU_ALLOC_FLAG_NONE);
  RtlCopyMemory(work.table + patch.PatchOffset, &out, sizeof out);
  return 1;
}

/** Enters any list of allocations into the table, one by one. */
template <bool kWritten> TableCounts enterEach(const Segments &segments, const TableWork &work, uint64_t stamp) {
  TableCounts counts = {};
  for (UINT i = 0; i < work.count; i++) {
    const DXGK_ALLOCATIONLIST &listed = work.listed[i];
    AeroOpenAllocation *open = openOf(listed);
    if (!open) continue;
    AeroAllocation &allocation = *open->allocation;
    const uint64_t where = whereOf<kWritten>(listed);
    if (allocation.tableStamp == stamp) {
      counts.readonlyEntries -= listAgain(segments, work, allocation, listed, where);
      continue;
    }
    allocation.tableStamp = stamp;
    allocation.tableEntry = counts.entries;
    if (open->where != where) keepEntry(segments, *open, listed, where);
    counts.readonlyEntries += open->readonly;
    D3DDDI_PATCHLOCATIONLIST patch = {};
    patch.AllocationIndex = work.first + i;
    // Each location has its own SlotId, so none replaces another (page "D3DDDI_PATCHLOCATIONLIST"). SplitOffset 0: a
    // stream is one piece, and everything it names is resident together.
    patch.SlotId = counts.entries;
    patch.DriverId = static_cast<UINT>(where);
    patch.PatchOffset = DmaLayout::entryOffset(counts.entries);
    RtlCopyMemory(work.table + patch.PatchOffset, &open->entry, sizeof open->entry);
    work.patches[counts.entries++] = patch;
  }
  return counts;
}

// This runs for every allocation of every submission, so a test bounds its instructions ('instructions' of the driver
// host). It calls no functions, and advances its pointers and sums in place, because the compiler would otherwise keep
// several intermediate values in registers, of which there are too few.
template <bool kWritten>
[[gnu::always_inline]] inline uint32_t enterKept(const DXGK_ALLOCATIONLIST *listed, UINT count, uint8_t *table,
                                                 D3DDDI_PATCHLOCATIONLIST *patches, uint64_t stamp, UINT first) {
  // A patch location is AllocationIndex, SlotId, DriverId, AllocationOffset, PatchOffset, SplitOffset, as in
  // enterEach(). The end of one is written together with the beginning of the next.
  constexpr SIZE_T kPatchBytes = sizeof(D3DDDI_PATCHLOCATIONLIST), kEntryBytes = sizeof(aerogpu_alloc_entry);
  static_assert(kPatchBytes == 24 && offsetof(D3DDDI_PATCHLOCATIONLIST, Value) == 4 &&
                offsetof(D3DDDI_PATCHLOCATIONLIST, DriverId) == 8 &&
                offsetof(D3DDDI_PATCHLOCATIONLIST, PatchOffset) == 16);
  using Words = uint32_t __attribute__((vector_size(16)));
  auto *patch = reinterpret_cast<uint8_t *>(patches);
  uint8_t *entry = table + DmaLayout::entryOffset(0);
  const uint64_t begin = first, end = DmaLayout::entryOffset(count - 1);
  RtlCopyMemory(patch, &begin, sizeof begin);
  RtlCopyMemory(patch + (count - 1) * kPatchBytes + 16, &end, sizeof end);
  Words next = {DmaLayout::entryOffset(0), 0, first + 1, 1};
  const Words step = {uint32_t{kEntryBytes}, 0, 1, 1};
  uint32_t readonlyEntries = 0;
  const auto enterOne = [&](unsigned i) __attribute__((always_inline)) {
    AeroOpenAllocation *open = openOf(listed[i]);
    if (!open || open->allocation->tableStamp == stamp) return false;
    open->allocation->tableStamp = stamp;
    const uint64_t where = whereOf<kWritten>(listed[i]);
    if (open->where != where) return false;
    readonlyEntries += open->readonly;
    // Resident allocations are patched here: the OS need not call DxgkDdiPatch for them (page "DxgkDdiRender").
    RtlCopyMemory(entry + i * kEntryBytes, &open->entry, kEntryBytes);
    RtlCopyMemory(patch + i * kPatchBytes + 8, &where, sizeof where);
    return true;
  };
  const auto finishPatch = [&](unsigned i) __attribute__((always_inline)) {
    RtlCopyMemory(patch + i * kPatchBytes + 16, &next, sizeof next);
    next += step;
    __asm__("" : "+r"(readonlyEntries));
#ifdef __SSE2__
    __asm__("" : "+x"(next));
#endif
  };
  const auto advance = [&](unsigned number) __attribute__((always_inline)) {
    listed += number;
    entry += number * kEntryBytes;
    patch += number * kPatchBytes;
  };
  // finishPatch() also writes the start of the next patch location, for which there is no room after the last one.
  UINT left = count - 1;
  for (; left >= 4; left -= 4, advance(4)) {
    if (!enterOne(0)) return kNotInOrder;
    finishPatch(0);
    if (!enterOne(1)) return kNotInOrder;
    finishPatch(1);
    if (!enterOne(2)) return kNotInOrder;
    finishPatch(2);
    if (!enterOne(3)) return kNotInOrder;
    finishPatch(3);
  }
  for (; left; left--, advance(1)) {
    if (!enterOne(0)) return kNotInOrder;
    finishPatch(0);
  }
  return enterOne(0) ? readonlyEntries : kNotInOrder;
}

}  // namespace

uint32_t enterInOrder(const DXGK_ALLOCATIONLIST *listed, UINT count, uint8_t *table, D3DDDI_PATCHLOCATIONLIST *patches,
                      uint64_t stamp) {
  return enterKept<false>(listed, count, table, patches, stamp, 0);
}

uint32_t enterWritten(const DXGK_ALLOCATIONLIST *listed, UINT count, uint8_t *table, D3DDDI_PATCHLOCATIONLIST *patches,
                      uint64_t stamp, UINT first) {
  return enterKept<true>(listed, count, table, patches, stamp, first);
}

template <bool kWritten>
TableCounts enterAny(AllocationTable &allocations, const Segments &segments, const TableWork &work) {
  for (UINT i = 0; i < work.count; i++) {
    AeroOpenAllocation *open = openOf(work.listed[i]);
    const uint64_t where = whereOf<kWritten>(work.listed[i]);
    if (open && open->where != where) keepEntry(segments, *open, work.listed[i], where);
  }
  const uint64_t stamp = allocations.newTableStamp();
  const uint32_t readonlyEntries =
      kWritten ? enterWritten(work.listed, work.count, work.table, work.patches, stamp, work.first)
               : enterInOrder(work.listed, work.count, work.table, work.patches, stamp);
  if (readonlyEntries != kNotInOrder) return {work.count, readonlyEntries, inOrderFlags<kWritten>()};
  return enterEach<kWritten>(segments, work, allocations.newTableStamp());
}
template TableCounts enterAny<false>(AllocationTable &, const Segments &, const TableWork &);

NTSTATUS DmaBuilder::beginWritten(UINT first, UINT count) {
  return beginTable<true>(first, count);
}

}  // namespace aero
