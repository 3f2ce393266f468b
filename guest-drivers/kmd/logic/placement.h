// SPDX-License-Identifier: MIT
// placement.h: in which memory an allocation may live, by what its private data say (PRIV-16, PRIV-17). Any IRQL.
#pragma once

#include "guest-drivers/common/allocation_private.h"
#include "guest-drivers/common/device_format.h"

namespace aero {

/** Segments and what the CPU does there. */
struct Placement {
  bool vram = false;       // it may live in VRAM
  bool aperture = false;   // or in system memory, through the aperture
  bool vramFirst = false;  // of both, VRAM is better
  bool cpuVisible = false;
  bool operator==(const Placement &) const = default;
};

/** Whether the scanout shows such pixels. */
constexpr bool isScanoutFormat(uint32_t d3dFormat) {
  const uint32_t format = deviceFormat(d3dFormat);
  return format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_B8G8R8A8_UNORM ||
         format == AEROGPU_FORMAT_B5G6R5_UNORM;
}

/** Whether a user-mode driver says that this is a primary. */
constexpr bool saysPrimary(const AllocationPrivate &data) {
  return data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;
}

/** Whether the program has the memory already. */
constexpr bool saysExisting(const AllocationPrivate &data) {
  return data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_EXISTING;
}

/** Whether what a user-mode driver calls a primary can be shown: described by the fields of version 2, no standard
 *  allocation, of a format that the scanout has, and with all of its rows inside. */
constexpr bool isShowable(const AllocationPrivate &data) {
  return data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && !data.reserved1 && data.width && data.height &&
         isScanoutFormat(describedSurface(data).format) &&
         data.row_pitch_bytes >= uint64_t{data.width} * bytesPerPixel(describedSurface(data).format) &&
         uint64_t{data.row_pitch_bytes} * data.height <= data.size_bytes;
}

/**
 * Where it may live. `scanned`: a standard allocation that is scanned out; the other standard ones say with their flags
 * what they need. `ofModeSize`: its surface is as large as a display mode.
 */
constexpr Placement placementOf(const AllocationPrivate &data, bool scanned, bool hasAperture, bool ofModeSize) {
  const bool cpu = data.flags & (AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING |
                                 AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_EXISTING);
  // The scanout reads memory that lies together; Windows lets the CPU have every primary (page
  // "D3DDDI_ALLOCATIONINFO").
  if (scanned || saysPrimary(data)) return {true, false, true, true};
  if (!hasAperture) return {true, false, true, cpu};
  // Cached system memory: the CPU is there often, and VRAM is small.
  if (cpu) return {false, true, false, true};
  if (data.reserved1 || data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED) return {true, true, false, false};
  // Drivers made elsewhere mark no primary. Version 1 does not even tell buffers from textures.
  if (data.version == AEROGPU_WDDM_ALLOC_PRIV_VERSION) {
    if (ofModeSize || !describedSurface(data).width) return {true, false, true, false};
  } else if (ofModeSize && data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D &&
             isScanoutFormat(describedSurface(data).format)) {
    return {true, true, true, false};
  }
  return {true, true, false, false};
}

}  // namespace aero
