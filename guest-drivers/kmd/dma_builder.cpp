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
  UINT entries = 0;
  for (UINT i = first; i < first + count; i++)
    if (AeroOpenAllocation::from(m_args.allocations[i].hDeviceSpecificAllocation)) entries++;
  m_layout = DmaLayout::forEntries(entries);
  if (m_layout.packetOffset() > m_args.size || m_args.privateSize < sizeof(AEROGPU_DMA_PRIV) ||
      entries > m_args.patchCount)
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;

  auto *base = static_cast<uint8_t *>(m_args.buffer);
  UINT entry = 0;
  TableLock lock(m_allocations);
  const uint64_t stamp = m_allocations.newTableStamp();
  for (UINT i = first; i < first + count; i++) {
    const DXGK_ALLOCATIONLIST &listed = m_args.allocations[i];
    const AeroOpenAllocation *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
    if (!open) continue;
    AeroAllocation &allocation = *open->allocation;
    const bool readonly = !writable && !listed.WriteOperation;
    if (allocation.tableStamp == stamp) {
      // Listed again, as source and destination perhaps: a table has each id once, and what is written once is
      // writable.
      D3DDDI_PATCHLOCATIONLIST &patch = m_args.patches[allocation.tableEntry];
      if (readonly || !patch.DriverId) continue;
      m_counters.readonlyEntries--;
      patch.DriverId = AEROGPU_ALLOC_FLAG_NONE;
      const aerogpu_alloc_entry out = tableEntry(m_segments, allocation, listed, patch.DriverId);
      RtlCopyMemory(base + patch.PatchOffset, &out, sizeof out);
      continue;
    }
    allocation.tableStamp = stamp;
    allocation.tableEntry = entry;
    const uint32_t flags = readonly ? AEROGPU_ALLOC_FLAG_READONLY : AEROGPU_ALLOC_FLAG_NONE;
    m_counters.readonlyEntries += readonly;
    // What is resident is patched now: the OS need not call DxgkDdiPatch for it (page "DxgkDdiRender").
    const aerogpu_alloc_entry out = tableEntry(m_segments, allocation, listed, flags);
    RtlCopyMemory(base + DmaLayout::entryOffset(entry), &out, sizeof out);

    D3DDDI_PATCHLOCATIONLIST &patch = m_args.patches[m_patches++];
    patch = {};
    patch.AllocationIndex = i;
    patch.SlotId = entry;  // one each: none takes another's place (page "D3DDDI_PATCHLOCATIONLIST")
    patch.DriverId = flags;
    patch.PatchOffset = DmaLayout::entryOffset(entry);
    patch.SplitOffset = 0;  // a stream is one piece: everything it names is resident together
    entry++;
  }
  entries = m_layout.tableEntries = entry;  // the packets stay where they are
  m_counters.tables += entries ? 1 : 0;
  m_counters.tableEntries += entries;
  m_packets = PacketWriter(packetData(), packetRoom() & ~3u);
  return STATUS_SUCCESS;
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
