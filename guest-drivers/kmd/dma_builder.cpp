// SPDX-License-Identifier: MIT
#include "dma_builder.h"

namespace aero {

aerogpu_alloc_entry tableEntry(const Segments &segments, const AeroAllocation &allocation,
                               const DXGK_ALLOCATIONLIST &listed, uint32_t flags) {
  aerogpu_alloc_entry entry = {allocation.id, flags, kNowhere, allocation.bytes, 0};
  segments.locate(listed.SegmentId, static_cast<uint64_t>(listed.PhysicalAddress.QuadPart), entry);
  return entry;
}

NTSTATUS DmaBuilder::begin(UINT first, UINT count, bool writable) {
  m_layout = DmaLayout::forEntries(count);  // at most
  if (m_layout.packetOffset() > m_args.size || m_args.privateSize < sizeof(AEROGPU_DMA_PRIV) ||
      count > m_args.patchCount)
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;

  auto *out = static_cast<aerogpu_alloc_entry *>(
      static_cast<void *>(static_cast<uint8_t *>(m_args.buffer) + DmaLayout::entryOffset(0)));
  D3DDDI_PATCHLOCATIONLIST *patch = m_args.patches;
  const uint32_t mayBeReadonly = writable ? AEROGPU_ALLOC_FLAG_NONE : AEROGPU_ALLOC_FLAG_READONLY;
  UINT entry = 0, readonlyEntries = 0;
  TableLock lock(m_allocations);
  const uint64_t stamp = m_allocations.newTableStamp();
  for (UINT i = first; i < first + count; i++) {
    const DXGK_ALLOCATIONLIST &listed = m_args.allocations[i];
    auto *open = static_cast<AeroOpenAllocation *>(listed.hDeviceSpecificAllocation);  // the OS' word
    if (!open) continue;
    AeroAllocation &allocation = *open->allocation;
    const uint32_t flags = ~uint32_t{listed.WriteOperation} & mayBeReadonly;
    if (allocation.tableStamp == stamp) {
      readonlyEntries -= listAgain(allocation.tableEntry, listed, flags);
      continue;
    }
    allocation.tableStamp = stamp;
    allocation.tableEntry = entry;
    readonlyEntries += flags;
    // What is resident is patched now: the OS need not call DxgkDdiPatch for it (page "DxgkDdiRender").
    const uint32_t where = patchId(listed, AEROGPU_ALLOC_FLAG_NONE);
    if (open->where != where) locate(*open, listed);
    *out = open->entry;
    out->flags = open->entry.flags | flags;
    out++;
    // Value is the SlotId: one each, none takes another's place (page "D3DDDI_PATCHLOCATIONLIST"). SplitOffset 0: a
    // stream is one piece, everything it names is resident together.
    patch->AllocationIndex = i;
    patch->Value = entry;
    patch->DriverId = where | flags;
    patch->AllocationOffset = 0;
    patch->PatchOffset = DmaLayout::entryOffset(entry);
    patch->SplitOffset = 0;
    patch++;
    entry++;
  }
  m_patches = entry;
  m_layout.tableEntries = entry;  // the packets stay where they are
  m_counters.readonlyEntries += readonlyEntries;
  m_counters.tables += entry ? 1 : 0;
  m_counters.tableEntries += entry;
  m_packets = PacketWriter(packetData(), packetRoom() & ~3u);
  return STATUS_SUCCESS;
}

void DmaBuilder::locate(AeroOpenAllocation &open, const DXGK_ALLOCATIONLIST &listed) const {
  open.where = patchId(listed, AEROGPU_ALLOC_FLAG_NONE);
  open.entry = tableEntry(m_segments, *open.allocation, listed, AEROGPU_ALLOC_FLAG_NONE);
}

UINT DmaBuilder::listAgain(UINT entry, const DXGK_ALLOCATIONLIST &listed, uint32_t flags) {
  // As source and destination perhaps: a table has each id once, and what is written once is writable.
  D3DDDI_PATCHLOCATIONLIST &patch = m_args.patches[entry];
  if (flags || !(patch.DriverId & AEROGPU_ALLOC_FLAG_READONLY)) return 0;
  patch.DriverId &= ~uint32_t{AEROGPU_ALLOC_FLAG_READONLY};
  const auto *open = static_cast<const AeroOpenAllocation *>(listed.hDeviceSpecificAllocation);
  const aerogpu_alloc_entry out = tableEntry(m_segments, *open->allocation, listed, flags);
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
