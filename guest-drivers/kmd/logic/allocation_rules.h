// SPDX-License-Identifier: MIT
// allocation_rules.h: rules for the private data of an allocation (PRIV-2, PRIV-4, PRIV-16, PRIV-19, PRIV-28,
// PRIV-25). Any IRQL.
#pragma once

#include "guest-drivers/common/surface_format.h"
#include "guest-drivers/kmd/logic/format_set.h"
#include "guest-drivers/kmd/logic/placement.h"

namespace aero {

/** Bytes; memory comes in pages. */
constexpr uint64_t kAllocationUnit = 4096;

/** Largest edge of a surface that the device draws, in pixels. */
constexpr uint32_t kMaxSurfaceEdge = 16384;

/** True if user mode wants a texture without guest memory. */
constexpr bool saysGpuOnly(const AllocationPrivate &data) {
  return data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY;
}

/** True if a TEXTURE2D of version 2 is described, and fits into the allocation's memory. A texture of the GPU alone
 * has no memory to fit into. */
constexpr bool isDescribed(const AllocationPrivate &data) {
  if (!data.width || !data.height || data.width > kMaxSurfaceEdge || data.height > kMaxSurfaceEdge || !data.format)
    return false;
  // Formats that hardware vendors made up have no known size here; they take at least one byte.
  FormatBlock block = formatBlock(data.format, isDxgiFormat(data));
  if (!block.bytes) block = {1, 1, 1};
  const uint64_t rowBytes = uint64_t{(data.width + block.width - 1) / block.width} * block.bytes;
  const uint64_t rows = (data.height + block.height - 1) / block.height;
  if (data.row_pitch_bytes && data.row_pitch_bytes < rowBytes) return false;
  return saysGpuOnly(data) || (data.row_pitch_bytes ? data.row_pitch_bytes : rowBytes) * rows <= data.size_bytes;
}

/** True if a shared allocation has memory for one level and one layer, and no more than the rest of the
 * last page (EX-45). */
constexpr bool isSingle(const AllocationPrivate &data) {
  const FormatBlock block = formatBlock(data.format, isDxgiFormat(data));
  if (!data.row_pitch_bytes || !block.bytes) return true;
  const uint64_t bytes = uint64_t{data.row_pitch_bytes} * ((data.height + block.height - 1) / block.height);
  return data.size_bytes < bytes + kAllocationUnit;
}

/** True if the driver can make the texture that user mode asks for: it is not displayed, and no processor
 * reads it. */
constexpr bool isGpuOnlyTexture(const AllocationPrivate &data) {
  return data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D &&
         deviceFormat(describedSurface(data).format) != AEROGPU_FORMAT_INVALID &&
         !(data.flags & (AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING |
                         AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY));
}

/** True if programs that open the allocation import one texture, or buffer, that the driver has over its
 * memory (PRIV-30). For allocations of the GPU alone see saysGpuOnly(). */
constexpr bool isImported(const AllocationPrivate &data) {
  constexpr uint32_t kFlags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY |
                              AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED;
  return !data.reserved1 && data.flags & kFlags && !saysGpuOnly(data);
}

/** Returns the bytes of all pixels, without what a pitch adds; 0 for a format of unknown size. */
constexpr uint64_t pixelBytes(const DescribedSurface &surface) {
  const FormatBlock block = formatBlock(surface.format, false);
  if (!block.bytes) return 0;
  return uint64_t{(surface.width + block.width - 1) / block.width} * block.bytes *
         ((surface.height + block.height - 1) / block.height);
}

/** Returns the bytes of a row of an imported texture: the given pitch, or rows without gaps. */
constexpr uint32_t importedPitch(const DescribedSurface &surface) {
  const FormatBlock block = formatBlock(surface.format, false);
  return surface.pitch ? surface.pitch : (surface.width + block.width - 1) / block.width * block.bytes;
}

/** Returns the device's number of the format of an imported texture, a format of ABI 1.4 or one that the device
 * announces beyond it (FMT-17); INVALID if it has none. */
constexpr uint32_t importedFormat(uint32_t d3dFormat, const FormatSet &formats) {
  const uint32_t known = textureFormat(d3dFormat);
  if (known != AEROGPU_FORMAT_INVALID) return known;
  const uint32_t extended = extendedFormat(d3dFormat);
  return formats.has(extended) ? extended : uint32_t{AEROGPU_FORMAT_INVALID};
}

/** True if the driver can make the object to import: a texture of one level and one layer in a format that the device
 * has, or a shared buffer. */
constexpr bool canBeImported(const AllocationPrivate &data, const FormatSet &formats) {
  if (data.kind == AEROGPU_WDDM_ALLOC_KIND_BUFFER) return data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
  const DescribedSurface surface = describedSurface(data);
  const FormatBlock block = formatBlock(surface.format, false);
  if (!surface.width || surface.width > kMaxSurfaceEdge || surface.height > kMaxSurfaceEdge || !block.bytes ||
      importedFormat(surface.format, formats) == AEROGPU_FORMAT_INVALID)
    return false;
  const uint64_t bytes = uint64_t{importedPitch(surface)} * ((surface.height + block.height - 1) / block.height);
  return bytes <= data.size_bytes && data.size_bytes < bytes + kAllocationUnit;
}

/** True if an allocation over a program's own memory is used by that process alone (PRIV-25), because the memory
 * disappears with it. */
constexpr bool isPrivateMemory(const AllocationPrivate &data) {
  return !(data.flags & (AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY |
                         AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY));
}

/** True if an allocation can be made from the data that readAllocationPrivate() has read. `standard`: the
 * driver's own description of a standard allocation. `largestSegment`: bytes. */
constexpr bool mayBeAllocated(const AllocationPrivate &data, bool standard, uint64_t largestSegment) {
  if (!data.size_bytes || data.size_bytes > largestSegment || data.alloc_id > AEROGPU_WDDM_ALLOC_ID_UMD_MAX)
    return false;
  if (standard) return true;
  if (data.reserved1) return false;  // its purpose, which only the kernel driver sets
  if (data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && !isDescribed(data)) return false;
  if (data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED &&
      !saysGpuOnly(data) && !isSingle(data))
    return false;
  if (saysPrimary(data) && !isShowable(data)) return false;
  if (saysExisting(data) && !isPrivateMemory(data)) return false;
  return !saysGpuOnly(data) || isGpuOnlyTexture(data);
}

}  // namespace aero
