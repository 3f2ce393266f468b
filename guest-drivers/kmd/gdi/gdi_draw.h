// SPDX-License-Identifier: MIT
// gdi_draw.h: turns GDI's operations (d3dkmddi pages "DXGK_GDIARG_*") and the blits of presents into packets.
// kmd/gdi/gdi_engine unwraps Windows' structures for it. Any IRQL; keeps nothing between calls.
#pragma once

#include <stdint.h>

#include "aerogpu/packet_writer.hpp"
#include "guest-drivers/kmd/gdi/gdi_types.h"

namespace aero {

using aerogpu::PacketWriter;

/** Ternary raster operations (wingdi.h): bit p << 2 | s << 1 | d of the number is the result for pattern bit p, source
 *  bit s and destination bit d. */
enum GdiRop3 : uint8_t {
  kRopSrcCopy = 0xCC,
  kRopSrcInvert = 0x66,
  kRopSrcAnd = 0x88,
  kRopSrcOr = 0xEE,
  kRopPatCopy = 0xF0,
  kRopPatInvert = 0x5A,
  kRopPdxn = 0xA5,
  kRopDstInvert = 0x55,
  kRopPatAnd = 0xA0,
  kRopPatOr = 0xFA,
  kRopNone = 0xAA,
};

/** The arguments that all operations with a source share. */
struct GdiBlit {
  GdiSurface dst;
  GdiSurface src;
  GdiRect dstRect;  // mapped onto each other, stretched without combining pixels (COLORONCOLOR)
  GdiRect srcRect;
  GdiRects rects;                                               // within the destination, disjoint
  GdiRect clip = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};  // nothing outside is drawn to
  uint32_t dstPitch = 0;  // pitch in the command, for surfaces with pitchOfCommand; 0 = the surface's own
  uint32_t srcPitch = 0;
  bool mirrorX = false;
  bool mirrorY = false;
};

/**
 * Each appends an operation to `packets`. `steps` counts the steps of it that lie in earlier buffers (0 for a
 * new operation) and advances; the arguments must be the same each time. Rectangles are clipped to the
 * destination, and those of a stretched operation to dstRect. Source and destination may be the same texture,
 * but the rectangles of a stretched operation must not overlap then.
 */
GdiStatus gdiCopy(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint32_t &steps);
/** Combines source and destination by a raster operation; one that needs a pattern is unsupported. */
GdiStatus gdiRopBlit(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint8_t rop3, uint32_t &steps);
/** Implements wingdi's AC_SRC_OVER: multiplies the source by constantAlpha / 255 and blends it over the
 * destination by its (premultiplied) alpha, or without `sourceAlpha` by constantAlpha / 255. */
GdiStatus gdiAlphaBlend(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint8_t constantAlpha,
                        bool sourceAlpha, uint32_t &steps);
/** Copies the pixels that differ from `color` (A8R8G8B8); compares alpha if `honorAlpha` is set. */
GdiStatus gdiTransparentBlt(PacketWriter &packets, uint32_t firstHandle, const GdiBlit &blit, uint32_t color,
                            bool honorAlpha, uint32_t &steps);
/** Combines the pattern `color` (A8R8G8B8) and the destination by a raster operation; one that needs a source is
 *  unsupported. */
GdiStatus gdiFill(PacketWriter &packets, uint32_t firstHandle, const GdiSurface &dst, const GdiRects &rects,
                  uint32_t color, uint8_t rop3, uint32_t &steps, uint32_t dstPitch = 0);

/** DXGK_GDIARG_CLEARTYPEBLEND. */
struct GdiClearType {
  GdiSurface dst;
  GdiSurface alpha;
  GdiSurface gamma;  // only with gammaRow below kNoGamma
  GdiRects rects;
  int32_t toAlphaX = 0;  // from destination to alpha coordinates
  int32_t toAlphaY = 0;
  uint32_t alphaPitch = 0;       // pitch in the command
  uint32_t color = 0;            // A8R8G8B8, corrected for gamma
  uint32_t color2 = 0;           // not corrected
  uint32_t gammaRow = kNoGamma;  // 0 to 15

  static constexpr uint32_t kNoGamma = 0xFFFFFFFFu;  // D3DKM_INVALID_GAMMA_INDEX
};
GdiStatus gdiClearTypeBlend(PacketWriter &packets, uint32_t firstHandle, const GdiClearType &text, uint32_t &steps);

}  // namespace aero
