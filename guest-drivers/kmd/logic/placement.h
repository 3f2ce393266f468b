// SPDX-License-Identifier: MIT
// placement.h: decides in which memory an allocation may live, from its private data (PRIV-16, PRIV-17). Any IRQL.
#pragma once

#include "guest-drivers/common/allocation_private.h"
#include "guest-drivers/common/device_format.h"

namespace aero {

/** The segments of an allocation, and how the CPU uses it. */
struct Placement {
  bool vram = false;       // it may live in VRAM
  bool aperture = false;   // or in system memory, through the aperture
  bool vramFirst = false;  // if both, VRAM is preferred
  bool cpuVisible = false;
  bool operator==(const Placement &) const = default;
};

/** True if the scanout can show this format, that of indices where the device has a palette. */
constexpr bool isScanoutFormat(uint32_t d3dFormat) {
  if (d3dFormat == kIndexedFormat) return true;
  const uint32_t format = deviceFormat(d3dFormat);
  return format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_B8G8R8A8_UNORM ||
         format == AEROGPU_FORMAT_B5G6R5_UNORM;
}

/** True if a user-mode driver marks the allocation as a primary. */
constexpr bool saysPrimary(const AllocationPrivate &data) {
  return data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;
}

/** True if the allocation is made over memory that the program has already. */
constexpr bool saysExisting(const AllocationPrivate &data) {
  return data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_EXISTING;
}

/** True if a user-mode driver's primary can be shown: it is described by the fields of version 2, is no standard
 * allocation, has a format of the scanout, and all of its rows are inside. */
constexpr bool isShowable(const AllocationPrivate &data) {
  return data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && !data.reserved1 && data.width && data.height &&
         isScanoutFormat(describedSurface(data).format) &&
         data.row_pitch_bytes >= uint64_t{data.width} * bytesPerPixel(describedSurface(data).format) &&
         uint64_t{data.row_pitch_bytes} * data.height <= data.size_bytes;
}

/**
 * Returns where the allocation may live. `scanned`: a standard allocation that is scanned out; other standard
 * allocations state their needs with flags. `ofModeSize`: its surface is as large as a display mode.
 */
constexpr Placement placementOf(const AllocationPrivate &data, bool scanned, bool hasAperture, bool ofModeSize) {
  const bool cpu = data.flags & (AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING |
                                 AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_EXISTING);
  // The scanout reads contiguous memory; Windows lets the CPU access every primary (page "D3DDDI_ALLOCATIONINFO").
  if (scanned || saysPrimary(data)) return {true, false, true, true};
  if (!hasAperture) return {true, false, true, cpu};
  // Cached system memory: the CPU accesses it often, and VRAM is small.
  if (cpu) return {false, true, false, true};
  if (data.reserved1 || data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED) return {true, true, false, false};
  // Drivers from elsewhere mark no primary. Version 1 does not even tell buffers from textures.
  if (data.version == AEROGPU_WDDM_ALLOC_PRIV_VERSION) {
    if (ofModeSize || !describedSurface(data).width) return {true, false, true, false};
  } else if (ofModeSize && data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D &&
             isScanoutFormat(describedSurface(data).format)) {
    return {true, true, true, false};
  }
  return {true, true, false, false};
}

}  // namespace aero
