// SPDX-License-Identifier: MIT
// allocation_private.h: the private data of WDDM allocations (docs/abi/driver-data.md, "Allocations"), which user mode
// writes and kernel mode reads: both versions, and the surface that they describe. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "guest-drivers/common/surface_format.h"

namespace aero {

/** Private data in the layout of version 2. Fields that version 1 lacks are zero. */
using AllocationPrivate = aerogpu_wddm_alloc_priv_v2;

/** Reads `bytes` bytes at `data`, which may be null. Returns false if they are too few, or if the magic or
 * the version is unknown; `out` is then meaningless. */
inline bool readAllocationPrivate(const void *data, size_t bytes, AllocationPrivate &out) {
  out = {};
  if (!data || bytes < sizeof(aerogpu_wddm_alloc_priv)) return false;
  memcpy(&out, data, bytes < sizeof out ? sizeof(aerogpu_wddm_alloc_priv) : sizeof out);
  if (out.magic != AEROGPU_WDDM_ALLOC_PRIV_MAGIC) return false;
  if (out.version == AEROGPU_WDDM_ALLOC_PRIV_VERSION) {
    memset(&out.kind, 0, sizeof out - offsetof(AllocationPrivate, kind));
    return true;
  }
  return out.version == AEROGPU_WDDM_ALLOC_PRIV_VERSION_2 && bytes >= sizeof out;
}

/** A surface as user mode and Windows describe it. */
struct DescribedSurface {
  uint32_t width = 0;  // pixels; 0: no surface
  uint32_t height = 0;
  uint32_t format = 0;  // D3DFORMAT
  uint32_t pitch = 0;   // bytes; 0: unknown
};

/** Packs a surface into reserved0, which has no room for the pitch. Width at most 65535, height at most
 * 32767. */
constexpr uint64_t packSurface(uint32_t width, uint32_t height, uint32_t format) {
  return AEROGPU_WDDM_ALLOC_PRIV_DESC_MARKER | uint64_t{height & AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_HEIGHT} << 48 |
         uint64_t{width & AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_WIDTH} << 32 | format;
}

/** True if `format` is a DXGI_FORMAT; reserved0 always holds a D3DFORMAT. */
constexpr bool isDxgiFormat(const AllocationPrivate &data) {
  return data.version == AEROGPU_WDDM_ALLOC_PRIV_VERSION_2 && data.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_DXGI_FORMAT;
}

/** Returns the surface that the data describes. The fields of version 2 take precedence over reserved0. */
constexpr DescribedSurface describedSurface(const AllocationPrivate &data) {
  if (data.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && data.width && data.height)
    return {data.width, data.height, isDxgiFormat(data) ? d3dFormatOfDxgi(data.format) : data.format,
            data.row_pitch_bytes};
  const uint64_t packed = data.reserved0;
  if (!(packed & AEROGPU_WDDM_ALLOC_PRIV_DESC_MARKER)) return {};
  return {static_cast<uint32_t>(packed >> 32) & AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_WIDTH,
          static_cast<uint32_t>(packed >> 48) & AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_HEIGHT, static_cast<uint32_t>(packed),
          0};
}

}  // namespace aero
