// SPDX-License-Identifier: MIT
// compose_rects.h: implements ComposeRects, which builds lines of text out of glyphs in bitmaps. The CPU does it during
// the call.
#pragma once

#include "guest-drivers/umd-d3d9/resources/bitmap.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

/** Returns a surface as a bitmap; false if it is none, has no memory, or has too small a pitch for its width. */
bool bitmapOf(Resource &resource, uint32_t subresource, Bitmap &out);

/** Combines `rect` of a bitmap into another one at (`x`, `y`). Both places lie inside, and in different memory. */
void composeBits(const Bitmap &to, uint32_t x, uint32_t y, const Bitmap &from, const Rect &rect,
                 D3DDDI_COMPOSERECTSOP operation);

/** Composes glyphs as pages "PFND3DDDI_COMPOSERECTS" and "D3DDDIARG_COMPOSERECTS" say, and ignores entries that they
 * ignore. Returns D3DDDIERR_NOTAVAILABLE for resources of another kind, an invalid operation, and a surface composed
 * from itself. */
HRESULT composeRects(const D3DDDIARG_COMPOSERECTS &args);

/** Copies `rect` of a surface of bits to another one, at (`x`, `y`); both lie inside. */
HRESULT copyBits(Resource &source, uint32_t sourceIndex, const Rect &rect, Resource &destination,
                 uint32_t destinationIndex, uint32_t x, uint32_t y);

}  // namespace aero
