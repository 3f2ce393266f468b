// SPDX-License-Identifier: MIT
// dma_layout.h: the layout of the kernel driver's DMA buffers: allocation table first, then the command
// stream. The device finds both through the descriptor; the buffer's private data says where they lie. Any
// IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/aerogpu_cmd.h"
#include "aerogpu/aerogpu_ring.h"
#include "aerogpu/aerogpu_umd_private.h"

namespace aero {

/** Flags in the low byte of AEROGPU_DMA_PRIV.Reserved0. */
enum DmaFlags : uint32_t {
  kDmaPresent = 1,    // holds a present packet
  kDmaAlternate = 2,  // runs in kAlternateContext (the kernel driver's own drawing)
  kDmaEnds = 4,       // ends handles; cleared when it is in the ring
  kDmaMoved = 8,      // its table was patched and differs from the patch locations
  kDmaInOrder = 16,   // each allocation of the list has an entry of its own, in the list's order
};

/** A paging operation takes a multiple of this many bytes of its buffer; its private data holds the number of units,
 * in the bits above the flags. A buffer and its private data may hold several operations, one after the other. */
constexpr uint32_t kPagingUnit = 16;
constexpr uint32_t kPagingUnitsShift = 8;
/** Operations whose private data the OS keeps for one paging buffer. */
constexpr uint32_t kPagingRecords = 256;

/** Device context for the driver's own submissions. */
constexpr uint32_t kInternalContext = 0;
/** Device context in which the driver itself draws for all WDDM contexts, so that it does not disturb the state of
 * user-mode drivers. Each buffer sets the state that it needs, and unbinds what it bound. */
constexpr uint32_t kAlternateContext = 0x400;
/** The other contexts are numbered from 1 to this; a device has 1024 including these two (SUB-8). */
constexpr uint32_t kLastContext = 1022;
/** Contexts of a handle space are numbered from 1 to this (SPACE-10). */
constexpr uint32_t kLastContextOfSpace = 255;
/** The most device contexts in all handle spaces of a process (SPACE-23). */
constexpr uint32_t kMaxContextsOfProcess = 1024;

/** Where a submission runs on the device. */
struct DeviceContext {
  uint32_t space = 0;  // the handle space; 0: the driver's own, or the device has none
  uint32_t number = kInternalContext;
  bool operator==(const DeviceContext &) const = default;
};

/** One submission inside a DMA buffer; offsets in bytes from where the submission starts. */
struct DmaLayout {
  uint32_t tableEntries = 0;
  uint32_t commandOffset = 0;

  static constexpr size_t kAlign = 16;

  /** Returns the layout of a submission with room for `entries` table entries. */
  static constexpr DmaLayout forEntries(uint32_t entries) {
    const size_t table =
        entries ? sizeof(aerogpu_alloc_table_header) + size_t{entries} * sizeof(aerogpu_alloc_entry) : 0;
    return {entries, static_cast<uint32_t>((table + kAlign - 1) & ~(kAlign - 1))};
  }

  /** Returns the bytes of the table; 0 without one. */
  constexpr uint32_t tableBytes() const {
    return tableEntries ? static_cast<uint32_t>(sizeof(aerogpu_alloc_table_header) +
                                                size_t{tableEntries} * sizeof(aerogpu_alloc_entry))
                        : 0;
  }
  /** Returns the offset of entry `i` of the table. */
  static constexpr uint32_t entryOffset(uint32_t i) {
    return static_cast<uint32_t>(sizeof(aerogpu_alloc_table_header) + size_t{i} * sizeof(aerogpu_alloc_entry));
  }
  /** Returns where the packets begin, after the stream header. */
  constexpr uint32_t packetOffset() const { return commandOffset + sizeof(aerogpu_cmd_stream_header); }

  /** Private data of a paging operation of `bytes` bytes, a multiple of kPagingUnit. */
  AEROGPU_DMA_PRIV toPagingPrivate(uint32_t bytes) const {
    return toPrivate(AEROGPU_SUBMIT_PAGING, bytes / kPagingUnit << kPagingUnitsShift);
  }
  /** Returns the bytes of the paging operation with this private data; 0: it is none. */
  static constexpr uint32_t pagingBytes(const AEROGPU_DMA_PRIV &priv) {
    return priv.Type == AEROGPU_SUBMIT_PAGING ? (priv.Reserved0 >> kPagingUnitsShift) * kPagingUnit : 0;
  }
  /** Convert a layout to the private data of the DMA buffer, and back. */
  AEROGPU_DMA_PRIV toPrivate(uint32_t type, uint32_t flags) const {
    return {type, flags, uint64_t{tableBytes()} << 32 | commandOffset};
  }
  static constexpr uint32_t tableBytesOf(const AEROGPU_DMA_PRIV &priv) {
    return static_cast<uint32_t>(priv.MetaHandle >> 32);
  }
  static constexpr uint32_t commandOffsetOf(const AEROGPU_DMA_PRIV &priv) {
    return static_cast<uint32_t>(priv.MetaHandle);
  }
};

/** Writes the headers of table and stream around `packetBytes` bytes of packets that are already in place. */
inline void finishDma(void *submission, const DmaLayout &layout, uint32_t packetBytes) {
  auto *base = static_cast<uint8_t *>(submission);
  // Assigned and not copied: the compiler generates less code for it.
  if (layout.tableEntries)
    *reinterpret_cast<aerogpu_alloc_table_header *>(base) = {AEROGPU_ALLOC_TABLE_MAGIC,   AEROGPU_ABI_VERSION_U32,
                                                             layout.tableBytes(),         layout.tableEntries,
                                                             sizeof(aerogpu_alloc_entry), 0};
  *reinterpret_cast<aerogpu_cmd_stream_header *>(base + layout.commandOffset) = {
      AEROGPU_CMD_STREAM_MAGIC,
      AEROGPU_ABI_VERSION_U32,
      static_cast<uint32_t>(sizeof(aerogpu_cmd_stream_header)) + packetBytes,
      0,
      0,
      0};
}

}  // namespace aero
