// SPDX-License-Identifier: MIT
// raster.h: computes on the CPU what Direct3D 9 draws, for programs that check their pictures. From Microsoft's pages
// "Rasterization Rules (Direct3D 9)": pixel centres at whole coordinates, the top-left rule; attributes change linearly
// over a triangle (no perspective here: all corners have the same w). No Windows header.
#pragma once

#include <cstdint>

#include "guest-drivers/programs/picture.h"

namespace programs {

/** A corner: its position in pixels, where (0, 0) is the centre of the first pixel, and four values. The position is
 * rounded to 1/256 pixel, the precision of Direct3D 9 hardware. */
struct Corner {
  double x, y;
  double value[4];
};

/** Receives a covered pixel, with its interpolated values. */
using PixelSink = void (*)(void *context, uint32_t x, uint32_t y, const double value[4]);

/** Calls `sink` for each pixel of a width x height target that the triangle covers, in either orientation. A
 * triangle without an area covers nothing. */
void rasterize(uint32_t width, uint32_t height, const Corner corners[3], PixelSink sink, void *context);

/** Calls any callable for each pixel that the triangle covers. */
template <typename Sink> void rasterize(uint32_t width, uint32_t height, const Corner (&corners)[3], Sink &&sink) {
  rasterize(
      width, height, corners,
      [](void *context, uint32_t x, uint32_t y, const double value[4]) {
        (*static_cast<decltype(&sink)>(context))(x, y, value);
      },
      &sink);
}

/** D3DBLEND_SRCALPHA, D3DBLEND_INVSRCALPHA, D3DBLENDOP_ADD for colours and alpha alike. */
uint32_t blendOver(uint32_t source, uint32_t target);

}  // namespace programs
