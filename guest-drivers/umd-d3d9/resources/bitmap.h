// SPDX-License-Identifier: MIT
// bitmap.h: surfaces of one bit a texel (D3DFMT_A1), which are memory of the process and nothing else.
#pragma once

#include <stdint.h>

namespace aero {

// What such surfaces have at most (D3DFMT_A1_SURFACE_MAXWIDTH and _MAXHEIGHT of d3d9types.h).
constexpr uint32_t kMaxBitmapWidth = 8192, kMaxBitmapHeight = 2048;

/** Bytes of a row: whole words of 32 bits, as GDI's bitmaps have them. */
constexpr uint32_t bitmapPitch(uint32_t width) {
  return (width + 31) / 32 * 4;
}

/** Rows of bits. The leftmost texel of eight is the highest bit of its byte, as in every bitmap of GDI's (page
 *  "BITMAPINFOHEADER"); so has DirectXTex the bits of DXGI_FORMAT_R1_UNORM, which the format was called next. */
struct Bitmap {
  uint8_t *bytes = nullptr;
  uint32_t pitch = 0, width = 0, height = 0;
};

}  // namespace aero
