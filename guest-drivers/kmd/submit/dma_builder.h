// SPDX-License-Identifier: MIT
// dma_builder.h: does the common work of DDI functions that fill a DMA buffer: writes the allocation table, its patch
// locations, the packets after it and the private data, and advances the OS' pointers. PASSIVE_LEVEL.
#pragma once

#include "aerogpu/packet_writer.hpp"
#include "guest-drivers/kmd/logic/dma_layout.h"
#include "guest-drivers/kmd/memory/allocations.h"
#include "guest-drivers/kmd/memory/segments.h"
#include "guest-drivers/kmd/os/counters.h"

namespace aero {

using aerogpu::PacketWriter;

/** The common part of DXGKARG_RENDER and DXGKARG_PRESENT: the memory in which a submission is built. */
struct DmaRoom {
  template <class Args>
  explicit DmaRoom(const Args &args)
      : buffer(static_cast<uint8_t *>(args.pDmaBuffer)),
        privateData(static_cast<uint8_t *>(args.pDmaBufferPrivateData)),
        allocations(args.pAllocationList),
        patches(args.pPatchLocationListOut),
        size(args.DmaSize),
        privateSize(args.DmaBufferPrivateDataSize),
        patchCount(args.PatchLocationListOutSize) {}

  uint8_t *buffer;
  uint8_t *privateData;
  const DXGK_ALLOCATIONLIST *allocations;
  D3DDDI_PATCHLOCATIONLIST *patches;
  UINT size;
  UINT privateSize;
  UINT patchCount;
};

/** Returns an entry of an allocation table. DMA buffers are write-combined: entries are written, never read.
 * `flags`: AEROGPU_ALLOC_FLAG_READONLY or 0. At most DISPATCH_LEVEL. */
aerogpu_alloc_entry tableEntry(const Segments &segments, const AeroAllocation &allocation,
                               const DXGK_ALLOCATIONLIST &listed, uint32_t flags);

/** Bits of patchId() besides the place: whether the allocation is written, and the segment. */
constexpr uint32_t kPatchWritten = 1, kPatchUse = 7;

/** Returns the DriverId of a patch location: the low word of the allocation's address when its entry was written (in
 * one segment no two pages have the same), the segment, and whether the list names the allocation as written. */
inline uint64_t patchId(const DXGK_ALLOCATIONLIST &listed) {
  static_assert(kSegmentAperture << 1 <= kPatchUse && Segments::kMaxBytes <= uint64_t{1} << 32);
  // Reads WriteOperation, with SegmentId above it, at once.
  static_assert(offsetof(DXGK_ALLOCATIONLIST, PhysicalAddress) > sizeof(HANDLE));
  uint32_t use;
  RtlCopyMemory(&use, reinterpret_cast<const uint8_t *>(&listed) + sizeof(HANDLE), sizeof use);
  return (use & kPatchUse) | listed.PhysicalAddress.LowPart;
}

/** A table and its patch locations, written for `count` allocations of the list from number `first` on. */
struct TableWork {
  const DXGK_ALLOCATIONLIST *listed;  // the first allocation
  UINT count, first;
  uint8_t *table;
  D3DDDI_PATCHLOCATIONLIST *patches;
};
/** The number of entries, how many of them are read-only, and DmaFlags. */
struct TableCounts {
  uint32_t entries, readonlyEntries, flags;
};
/**
 * Under the allocation table's mutex, with a new stamp: gives each listed allocation its kept entry and a patch
 * location, both in the list's order. Returns how many entries are read-only; kNotInOrder if one is missing, listed
 * twice or has moved, and then the output is invalid.
 */
uint32_t enterInOrder(const DXGK_ALLOCATIONLIST *listed, UINT count, uint8_t *table, D3DDDI_PATCHLOCATIONLIST *patches,
                      uint64_t stamp);
/** Enters a list that begins with number `first` in order, with all entries writable. */
uint32_t enterWritten(const DXGK_ALLOCATIONLIST *listed, UINT count, uint8_t *table, D3DDDI_PATCHLOCATIONLIST *patches,
                      uint64_t stamp, UINT first);
constexpr uint32_t kNotInOrder = ~uint32_t{0};
/** Returns the flags of a table in the order of its list; none if all its entries are writable. */
template <bool kWritten> constexpr uint32_t inOrderFlags() {
  return kWritten ? uint32_t{0} : uint32_t{kDmaInOrder};
}
/** Enters any list, at the cost of more instructions. */
template <bool kWritten>
TableCounts enterAny(AllocationTable &allocations, const Segments &segments, const TableWork &work);

/**
 * One submission in a DMA buffer. It writes to write-combined memory and never reads it. begin() makes room for a table
 * of the given allocations; packets go into packets() or, in bulk, to packetData(); finish() completes the submission.
 * A null allocation has no entry.
 */
class DmaBuilder {
public:
  template <class Args>
  DmaBuilder(AllocationTable &allocations, const Segments &segments, Counters &counters, const Args &args)
      : m_allocations(allocations), m_segments(segments), m_counters(counters), m_room(args), m_packets(nullptr, 0) {}

  /** Enters the first `count` allocations of the list. Returns STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER if they do
   * not fit. An allocation that the list does not name as written is read-only to the device. */
  [[gnu::always_inline]] inline NTSTATUS begin(UINT count) { return beginTable<false>(0, count); }
  /** Enters the allocations [first, first + count), all writable. */
  NTSTATUS beginWritten(UINT first, UINT count);

  PacketWriter &packets() { return m_packets; }
  uint8_t *packetData() { return m_room.buffer + m_layout.packetOffset(); }
  UINT packetRoom() const { return m_room.size - m_layout.packetOffset(); }

  /** Writes headers and private data, and advances the pointers of `args`. `type` is AEROGPU_SUBMIT_*, `flags` of
   * DmaFlags. */
  template <class Args>
  [[gnu::always_inline]] inline void finish(Args &args, uint32_t packetBytes, uint32_t type, uint32_t flags) {
    finishDma(m_room.buffer, m_layout, packetBytes);
    const AEROGPU_DMA_PRIV priv = m_layout.toPrivate(type, flags | m_tableFlags);
    RtlCopyMemory(m_room.privateData, &priv, sizeof priv);
    args.pDmaBuffer = packetData() + packetBytes;
    args.pDmaBufferPrivateData = m_room.privateData + sizeof priv;
    args.pPatchLocationListOut = m_room.patches + m_layout.tableEntries;
  }

private:
  template <bool kWritten> [[gnu::always_inline]] inline NTSTATUS beginTable(UINT first, UINT count);
  template <bool kWritten> [[gnu::always_inline]] inline void enter(UINT first, UINT count);

  AllocationTable &m_allocations;
  const Segments &m_segments;
  Counters &m_counters;
  DmaRoom m_room;
  DmaLayout m_layout;
  uint32_t m_tableFlags = 0;  // DmaFlags of the table
  PacketWriter m_packets;
};

template <bool kWritten> inline NTSTATUS DmaBuilder::beginTable(UINT first, UINT count) {
  m_layout = DmaLayout::forEntries(count);  // upper bound
  if (m_layout.packetOffset() > m_room.size || m_room.privateSize < sizeof(AEROGPU_DMA_PRIV) ||
      count > m_room.patchCount)
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  if (count) enter<kWritten>(first, count);
  m_packets = PacketWriter(packetData(), packetRoom() & ~3u);
  return STATUS_SUCCESS;
}

template <bool kWritten> inline void DmaBuilder::enter(UINT first, UINT count) {
  const DXGK_ALLOCATIONLIST *listed = m_room.allocations + first;
  TableLock lock(m_allocations);
  const uint64_t stamp = m_allocations.newTableStamp();
  uint32_t readonlyEntries;
  if constexpr (kWritten)
    readonlyEntries = enterWritten(listed, count, m_room.buffer, m_room.patches, stamp, first);
  else
    readonlyEntries = enterInOrder(listed, count, m_room.buffer, m_room.patches, stamp);
  TableCounts counts = {count, readonlyEntries, inOrderFlags<kWritten>()};
  m_counters.tables++;
  if (readonlyEntries == kNotInOrder) [[unlikely]] {
    counts = enterAny<kWritten>(m_allocations, m_segments, {listed, count, first, m_room.buffer, m_room.patches});
    if (!counts.entries) m_counters.tables--;
  }
  m_tableFlags = counts.flags;
  m_layout.tableEntries = counts.entries;  // the packets stay where they are
  m_counters.readonlyEntries += counts.readonlyEntries;
  m_counters.tableEntries += counts.entries;
}

}  // namespace aero
