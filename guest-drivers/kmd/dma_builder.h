// SPDX-License-Identifier: MIT
// dma_builder.h: what every DDI that fills a DMA buffer does: allocation table first, its patch locations, packets
// after it, private data, and the pointers moved on. PASSIVE_LEVEL.
#pragma once

#include "aerogpu/packet_writer.hpp"
#include "allocations.h"
#include "counters.h"
#include "dma_layout.h"
#include "segments.h"

namespace aero {

using aerogpu::PacketWriter;

/** The parts that DXGKARG_RENDER and DXGKARG_PRESENT have in common. */
struct DmaArgs {
  void *&buffer;
  UINT size;
  void *&privateData;
  UINT privateSize;
  const DXGK_ALLOCATIONLIST *allocations;
  UINT allocationCount;
  D3DDDI_PATCHLOCATIONLIST *&patches;
  UINT patchCount;
};

/** An entry of an allocation table. DMA buffers are write-combined: entries are made anew, never read. `flags`:
 *  AEROGPU_ALLOC_FLAG_READONLY or 0. At most DISPATCH_LEVEL. */
aerogpu_alloc_entry tableEntry(const Segments &segments, const AeroAllocation &allocation,
                               const DXGK_ALLOCATIONLIST &listed, uint32_t flags);

/** Bits of patchId() beside the place: whether the entry is read-only, and the segment. */
constexpr uint32_t kPatchReadonly = AEROGPU_ALLOC_FLAG_READONLY, kPatchUse = 7;
static_assert(kPatchReadonly == 1);

/** The DriverId of a patch location: where the allocation lay when its entry was written, in pages (of a segment, which
 * is smaller than 2^41 bytes, no two addresses have one number), the segment, and whether the entry is read-only: as
 * the list says it, or never when all are writable. */
template <bool kWritable> uint32_t patchId(const DXGK_ALLOCATIONLIST &listed) {
  static_assert(kSegmentAperture << 1 <= kPatchUse);
  // WriteOperation and above it SegmentId, read at once.
  static_assert(offsetof(DXGK_ALLOCATIONLIST, PhysicalAddress) > sizeof(HANDLE));
  uint32_t use;
  RtlCopyMemory(&use, reinterpret_cast<const uint8_t *>(&listed) + sizeof(HANDLE), sizeof use);
  use = kWritable ? use & kPatchUse & ~kPatchReadonly : (use & kPatchUse) ^ kPatchReadonly;
  return static_cast<uint32_t>(static_cast<uint64_t>(listed.PhysicalAddress.QuadPart) >> 9) | use;
}

/**
 * One submission in a DMA buffer. What it writes is write-combined memory, and never read. begin() makes room for a
 * table of the given allocations; packets go into packets() or, in bulk, to packetData(); finish() completes it. A null
 * allocation has no entry.
 */
class DmaBuilder {
public:
  DmaBuilder(AllocationTable &allocations, const Segments &segments, Counters &counters, const DmaArgs &args)
      : m_allocations(allocations), m_segments(segments), m_counters(counters), m_args(args), m_packets(nullptr, 0) {}

  /** Enters allocations [first, first + count) of the list. STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER when they do not
   *  fit. Unless all are `writable`, one that the list does not name as written is read-only to the device. */
  NTSTATUS begin(UINT first, UINT count, bool writable = false);

  PacketWriter &packets() { return m_packets; }
  uint8_t *packetData() { return static_cast<uint8_t *>(m_args.buffer) + m_layout.packetOffset(); }
  UINT packetRoom() const { return m_args.size - m_layout.packetOffset(); }

  /** Headers, private data, pointers. `type` is AEROGPU_SUBMIT_*, `flags` of DmaFlags. */
  void finish(uint32_t packetBytes, uint32_t type, uint32_t flags);

private:
  template <bool kWritable> void enter(UINT first, UINT count);
  /** Keeps the entry of an allocation that lies elsewhere, or is used in another way, since it was last listed. */
  [[gnu::noinline]] void locate(AeroOpenAllocation &open, const DXGK_ALLOCATIONLIST &listed, uint32_t where) const;
  /** An allocation that has an entry is listed once more; how many entries (0 or 1) are no longer read-only. */
  [[gnu::noinline]] UINT listAgain(uint32_t offset, const DXGK_ALLOCATIONLIST &listed, uint32_t where);

  AllocationTable &m_allocations;
  const Segments &m_segments;
  Counters &m_counters;
  DmaArgs m_args;
  DmaLayout m_layout;
  UINT m_patches = 0;
  PacketWriter m_packets;
};

}  // namespace aero
