// SPDX-License-Identifier: MIT
// compose_rects.h: surfaces of one bit a texel (D3DFMT_A1), which are memory of the process and nothing else, and what
// ComposeRects makes of them: lines of text out of glyphs. The processor does it, in the program's order; nothing
// waits.
#pragma once

#include "guest-drivers/umd-d3d9/resources/resource.h"

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

/** A surface as a bitmap; false for one that is none, or whose rows are shorter than its pitch may tell. */
bool bitmapOf(Resource &resource, uint32_t subresource, Bitmap &out);

/** Combines `rect` of a bitmap into another one at (`x`, `y`). Both places lie inside, and in different memory. */
void composeBits(const Bitmap &to, uint32_t x, uint32_t y, const Bitmap &from, const Rect &rect,
                 D3DDDI_COMPOSERECTSOP operation);

/** Pages "PFND3DDDI_COMPOSERECTS" and "D3DDDIARG_COMPOSERECTS". What these ignore is ignored here; resources that are
 *  none of those kinds, an operation that is none, and a surface composed from itself are D3DDDIERR_NOTAVAILABLE. */
HRESULT composeRects(const D3DDDIARG_COMPOSERECTS &args);

/** Copies `rect` of a surface of bits to another one, at (`x`, `y`); both lie inside. */
HRESULT copyBits(Resource &source, uint32_t sourceIndex, const Rect &rect, Resource &destination,
                 uint32_t destinationIndex, uint32_t x, uint32_t y);

}  // namespace aero
