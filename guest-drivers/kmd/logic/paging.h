// SPDX-License-Identifier: MIT
// paging.h: builds transfers and fills (d3dkmddi page "DXGKARG_BUILDPAGINGBUFFER") as device work, in order with the
// rest of the ring: packets that copy and fill guest memory (docs/abi/memory.md), or, on a device that has none,
// buffers over the two places and a copy with write-back between them. Each call builds one submission in the room that
// there is and returns how far it came. The submission contains the pages that an operation reaches: the aperture may
// have others by the time it runs. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "guest-drivers/kmd/logic/dma_layout.h"

namespace aero {

constexpr uint32_t kPageShift = 12;
constexpr uint32_t kPageBytes = 1u << kPageShift;

/** A place in memory. */
struct MemoryRef {
  enum Kind {
    Linear,     // `gpa` is the first byte
    Frames,     // page frame numbers, as an MDL has them
    Addresses,  // addresses of pages, as the aperture's list has them
    Listed,     // `gpa` is a page list in the submission itself (feature bit 33)
  } kind = Linear;
  uint64_t gpa = 0;
  const uintptr_t *frames = nullptr;  // from the first page of the operation on
  const uint64_t *pages = nullptr;    // from the first page of the operation on

  static MemoryRef linear(uint64_t gpa) { return {Linear, gpa, nullptr, nullptr}; }
  static MemoryRef ofFrames(const uintptr_t *frames) { return {Frames, 0, frames, nullptr}; }
  static MemoryRef addresses(const uint64_t *pages) { return {Addresses, 0, nullptr, pages}; }
  static MemoryRef listed(uint64_t list) { return {Listed, list, nullptr, nullptr}; }

  /** True for pages, which need not be contiguous. */
  bool isPages() const { return kind == Frames || kind == Addresses; }
  /** With isPages(): returns where page `i` lies. */
  uint64_t page(uint64_t i) const { return kind == Frames ? uint64_t{frames[i]} << kPageShift : pages[i]; }
};

/** The memory in which a submission is built. */
struct PagingTarget {
  void *buffer;  // `bytes` bytes, 8-byte aligned, physically contiguous
  size_t bytes;
  uint64_t gpa;     // address of `buffer`
  bool scatter;     // the device reads page lists
  bool memory;      // the device copies and fills memory itself (feature bit 56)
  uint32_t handle;  // first of kPagingHandles unused resource handles
};

/** Resource handles that one submission may use. */
constexpr uint32_t kPagingHandles = 4;

struct PagingResult {
  DmaLayout layout;
  uint32_t usedBytes = 0;  // bytes of the buffer, whole units of kPagingUnit if its size is; 0 with doneBytes 0: the
                           // buffer is too small for anything
  uint64_t doneBytes = 0;  // bytes of the operation, from the start of the call
};

/** Copies `bytes` (a multiple of 4) from `src` to `dst`, beginning `offset` bytes (a multiple of the page size) into
 *  both. */
PagingResult buildTransfer(const PagingTarget &target, const MemoryRef &dst, const MemoryRef &src, uint64_t bytes,
                           uint64_t offset);

/** Fills `bytes` (a multiple of 4) of `dst` with the 32-bit `pattern`, beginning `offset` bytes (a multiple of the page
 *  size) in. */
PagingResult buildFill(const PagingTarget &target, const MemoryRef &dst, uint32_t pattern, uint64_t bytes,
                       uint64_t offset);

}  // namespace aero
