// SPDX-License-Identifier: MIT
// bitmap.h: surfaces of one bit a texel (D3DFMT_A1), which exist only in memory of the process.
#pragma once

#include <stdint.h>

namespace aero {

// The limits of such surfaces (D3DFMT_A1_SURFACE_MAXWIDTH and _MAXHEIGHT of d3d9types.h).
constexpr uint32_t kMaxBitmapWidth = 8192, kMaxBitmapHeight = 2048;

/** Returns the bytes of a row: whole words of 32 bits, as in GDI's bitmaps. */
constexpr uint32_t bitmapPitch(uint32_t width) {
  return (width + 31) / 32 * 4;
}

/** Rows of bits. The leftmost texel of eight is the highest bit of its byte, as in GDI's bitmaps (page
 * "BITMAPINFOHEADER"); DirectXTex orders the bits of DXGI_FORMAT_R1_UNORM, the format's later name, the same way. */
struct Bitmap {
  uint8_t *bytes = nullptr;
  uint32_t pitch = 0, width = 0, height = 0;
};

}  // namespace aero
