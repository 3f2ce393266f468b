// SPDX-License-Identifier: MIT
// Checks boxes of textures that packets name, and finds the rows of guest memory that belong to them.
#pragma once

#include <cstdint>

#include "renderer/base/result.h"
#include "renderer/core/alloc_table.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/guest_memory.h"

namespace aerogpu::core {

/// Succeeds if the texture has the subresource, and the box, whole blocks of its format, lies in it. `slice`:
/// what the packet calls the box's z.
Result<void> checkBox(const Texture& texture, Subresource sub, const Box& box, const char* slice = "z");

/// Rows of blocks in guest memory, as many as a box has.
struct BoxMemory {
  uint64_t offset, rowPitch, slicePitch;  ///< into the allocation, and from row and slice to the next; bytes
  uint64_t rowBytes;
  uint32_t rows, slices;  ///< rows of one slice

  /// True if rows of all slices are equally far apart.
  bool even() const { return slices == 1 || slicePitch == rows * rowPitch; }
  ByteRows slice(uint32_t z) const { return {offset + z * slicePitch, rowBytes, rowPitch, rows}; }
  ByteRows all() const { return {offset, rowBytes, rowPitch, uint64_t{rows} * slices}; }
  uint64_t bytes() const { return rowBytes * rows * slices; }
};

/// Finds the rows of a box that is not empty, and checks them against the allocation: CmdDecode where rows or
/// slices share bytes, OutOfBounds past the end.
Result<BoxMemory> boxMemory(const Texture& texture, const Box& box, const AllocTable::Entry& entry,
                            uint64_t offset, uint64_t rowPitch, uint64_t slicePitch);

}  // namespace aerogpu::core
