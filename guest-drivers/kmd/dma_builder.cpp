// SPDX-License-Identifier: MIT
#include "dma_builder.h"

namespace aero {

aerogpu_alloc_entry tableEntry(const Segments &segments, const AeroAllocation &allocation,
                               const DXGK_ALLOCATIONLIST &listed, uint32_t flags) {
  aerogpu_alloc_entry entry = {allocation.id, flags, kNowhere, allocation.bytes, 0};
  segments.locate(listed.SegmentId, static_cast<uint64_t>(listed.PhysicalAddress.QuadPart), entry);
  return entry;
}

namespace {

/** A D3DDDI_PATCHLOCATIONLIST is written as three words: AllocationOffset and SplitOffset are 0. Volatile, or they are
 *  put together elsewhere first, at the cost of more instructions than all of them. */
struct PatchWords {
  volatile uint64_t indexAndSlot, driverId, patchOffset;
};
static_assert(sizeof(PatchWords) == sizeof(D3DDDI_PATCHLOCATIONLIST) &&
              offsetof(D3DDDI_PATCHLOCATIONLIST, Value) == 4 && offsetof(D3DDDI_PATCHLOCATIONLIST, DriverId) == 8 &&
              offsetof(D3DDDI_PATCHLOCATIONLIST, PatchOffset) == 16);

}  // namespace

NTSTATUS DmaBuilder::begin(UINT first, UINT count, bool writable) {
  m_layout = DmaLayout::forEntries(count);  // at most
  if (m_layout.packetOffset() > m_args.size || m_args.privateSize < sizeof(AEROGPU_DMA_PRIV) ||
      count > m_args.patchCount)
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  if (writable)
    enter<true>(first, count);
  else
    enter<false>(first, count);
  m_packets = PacketWriter(packetData(), packetRoom() & ~3u);
  return STATUS_SUCCESS;
}

template <bool kWritable> void DmaBuilder::enter(UINT first, UINT count) {
  auto *table = static_cast<uint8_t *>(m_args.buffer);
  auto *patch = static_cast<PatchWords *>(static_cast<void *>(m_args.patches));
  const DXGK_ALLOCATIONLIST *listed = m_args.allocations + first;
  const DXGK_ALLOCATIONLIST *end = listed + count;
  constexpr uint64_t kNextSlot = uint64_t{1} << 32;
  uint64_t indexAndSlot = first, offset = DmaLayout::entryOffset(0);
  UINT readonlyEntries = 0;
  TableLock lock(m_allocations);
  const uint64_t stamp = m_allocations.newTableStamp();
  // Each allocation of each batch goes through here: every instruction counts (bench-instructions).
  for (; listed != end; listed++) {
    auto *open = static_cast<AeroOpenAllocation *>(listed->hDeviceSpecificAllocation);  // the OS' word
    if (!open) {
      indexAndSlot++;
      continue;
    }
    AeroAllocation &allocation = *open->allocation;
    const uint32_t where = patchId<kWritable>(*listed);
    if (allocation.tableStamp == stamp) {
      readonlyEntries -= listAgain(allocation.tableOffset, *listed, where);
      indexAndSlot++;
      continue;
    }
    allocation.tableStamp = stamp;
    allocation.tableOffset = static_cast<uint32_t>(offset);
    readonlyEntries += where & kPatchReadonly;
    // What is resident is patched now: the OS need not call DxgkDdiPatch for it (page "DxgkDdiRender").
    if (open->where != where) locate(*open, *listed, where);
    RtlCopyMemory(table + offset, &open->entry, sizeof open->entry);
    // A SlotId each, none takes another's place (page "D3DDDI_PATCHLOCATIONLIST"). SplitOffset 0: a stream is one
    // piece, everything it names is resident together.
    patch->indexAndSlot = indexAndSlot;
    patch->driverId = where;
    patch->patchOffset = offset;
    patch++;
    indexAndSlot += kNextSlot + 1;
    offset += sizeof(aerogpu_alloc_entry);
  }
  const UINT entry = DmaLayout::entryAt(static_cast<uint32_t>(offset));
  m_patches = entry;
  m_layout.tableEntries = entry;  // the packets stay where they are
  m_counters.readonlyEntries += readonlyEntries;
  m_counters.tables += entry ? 1 : 0;
  m_counters.tableEntries += entry;
}

void DmaBuilder::locate(AeroOpenAllocation &open, const DXGK_ALLOCATIONLIST &listed, uint32_t where) const {
  if ((open.where ^ where) == kPatchReadonly)
    open.entry.flags ^= AEROGPU_ALLOC_FLAG_READONLY;  // it lies where it lay
  else
    open.entry = tableEntry(m_segments, *open.allocation, listed, where & kPatchReadonly);
  open.where = where;
}

UINT DmaBuilder::listAgain(uint32_t offset, const DXGK_ALLOCATIONLIST &listed, uint32_t where) {
  // As source and destination perhaps: a table has each id once, and what is written once is writable.
  D3DDDI_PATCHLOCATIONLIST &patch = m_args.patches[DmaLayout::entryAt(offset)];
  if (where & kPatchReadonly || !(patch.DriverId & kPatchReadonly)) return 0;
  patch.DriverId &= ~kPatchReadonly;
  const auto *open = static_cast<const AeroOpenAllocation *>(listed.hDeviceSpecificAllocation);
  const aerogpu_alloc_entry out = tableEntry(m_segments, *open->allocation, listed, AEROGPU_ALLOC_FLAG_NONE);
  RtlCopyMemory(static_cast<uint8_t *>(m_args.buffer) + patch.PatchOffset, &out, sizeof out);
  return 1;
}

void DmaBuilder::finish(uint32_t packetBytes, uint32_t type, uint32_t flags) {
  finishDma(m_args.buffer, m_layout, packetBytes);
  const AEROGPU_DMA_PRIV priv = m_layout.toPrivate(type, flags);
  RtlCopyMemory(m_args.privateData, &priv, sizeof priv);
  m_args.buffer = static_cast<uint8_t *>(m_args.buffer) + m_layout.packetOffset() + packetBytes;
  m_args.privateData = static_cast<uint8_t *>(m_args.privateData) + sizeof priv;
  m_args.patches += m_patches;
}

}  // namespace aero
