// SPDX-License-Identifier: MIT
// gdi_types.h: rectangles, surfaces and results for the driver's own drawing. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "guest-drivers/kmd/logic/surface.h"

namespace aero {

/** Pixels; left and top inclusive, right and bottom exclusive. The layout of RECT. */
struct GdiRect {
  int32_t left, top, right, bottom;
};

/** Rectangles in memory that may have another type. */
struct GdiRects {
  const void *data;
  uint32_t count;

  GdiRect at(uint32_t i) const {
    GdiRect rect;
    memcpy(&rect, static_cast<const uint8_t *>(data) + size_t{i} * sizeof rect, sizeof rect);
    return rect;
  }
};

/** A surface of an operation. Size and format are those of its texture; the pitch matters only with cpuWritten, cpuRead
 *  or pitchOfCommand. */
struct GdiSurface : Surface {
  uint32_t texture = 0;  // its resource handle; 0 = none, the surface cannot be used
  uint32_t allocId = 0;  // allocation of its memory; 0 = none
  uint64_t bytes = 0;    // size of that memory
  /** Its memory may be newer than the texture. */
  bool cpuWritten = false;
  /** The CPU reads its memory: what is drawn is written back. */
  bool cpuRead = false;
  /** The pitch in a command, not the surface's own, says where its rows lie
   * (D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE and _EXISTINGSYSMEM; page "DXGK_GDIARG_BITBLT"). */
  bool pitchOfCommand = false;
  /** D3DDDIFMT_A8: one byte a pixel. The ABI has no such format, so the texture is a B8G8R8A8 one that is a quarter as
   *  wide (rounded up), four pixels in one. `width` is the texture's. */
  bool bytePixels = false;
};

enum class GdiStatus {
  Done,
  Full,         // the buffer is full; continue in another one with the same `steps`
  Unsupported,  // nothing was written: the operation cannot be drawn
};

}  // namespace aero
