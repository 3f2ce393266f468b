// SPDX-License-Identifier: MIT
// paging.h: paging operations (d3dkmddi page "DXGKARG_BUILDPAGINGBUFFER") as device work: buffers over the two places
// and a copy with write-back between them, in order with everything else in the ring. Each call builds one submission
// in the room that there is and says how far it came. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dma_layout.h"

namespace aero {

constexpr uint32_t kPageShift = 12;
constexpr uint32_t kPageBytes = 1u << kPageShift;

/** Where bytes lie. */
struct MemoryRef {
  enum Kind {
    Linear,  // `gpa` is the first byte
    Listed,  // `gpa` is a page list in guest memory, already there (feature bit 33)
    Pages,   // page frame numbers in `pfns`
  } kind = Linear;
  uint64_t gpa = 0;
  const uintptr_t *pfns = nullptr;  // the first page of the operation

  static MemoryRef linear(uint64_t gpa) { return {Linear, gpa, nullptr}; }
  static MemoryRef listed(uint64_t list) { return {Listed, list, nullptr}; }
  static MemoryRef pages(const uintptr_t *pfns) { return {Pages, 0, pfns}; }
};

/** Where a submission is built. */
struct PagingTarget {
  void *buffer;  // `bytes` bytes, 8-byte aligned, physically contiguous
  size_t bytes;
  uint64_t gpa;     // of `buffer`
  bool scatter;     // the device reads page lists
  uint32_t handle;  // first of kPagingHandles resource handles that nobody uses
};

/** Resource handles that one submission may use. */
constexpr uint32_t kPagingHandles = 4;

struct PagingResult {
  DmaLayout layout;
  uint32_t usedBytes = 0;  // of the buffer, whole units of kPagingUnit if its size is; 0 with doneBytes 0: the buffer
                           // is too small for anything
  uint64_t doneBytes = 0;  // of the operation, from where the call began
};

/** Copies `bytes` (a multiple of 4) from `src` to `dst`, beginning `offset` bytes (a multiple of the page size) into
 *  both. */
PagingResult buildTransfer(const PagingTarget &target, const MemoryRef &dst, const MemoryRef &src, uint64_t bytes,
                           uint64_t offset);

/** Fills `bytes` (a multiple of 4) of `dst` with the 32-bit `pattern`, beginning `offset` bytes (a multiple of the page
 *  size) in. */
PagingResult buildFill(const PagingTarget &target, const MemoryRef &dst, uint32_t pattern, uint64_t bytes,
                       uint64_t offset);

/** Writes entries of the aperture's page list, which lies at `listGpa`: page `first` + i gets the frame pfns[i], or
 *  with `pfns` null all of them the page at `dummyGpa`. `done` pages are already written. doneBytes counts pages. */
PagingResult buildMapPages(const PagingTarget &target, uint64_t listGpa, uint64_t first, uint64_t count,
                           const uintptr_t *pfns, uint64_t dummyGpa, uint64_t done);

}  // namespace aero
