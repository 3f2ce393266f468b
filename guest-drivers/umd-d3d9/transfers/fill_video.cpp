// SPDX-License-Identifier: MIT
// fill_video.cpp: fills of video surfaces, which players clear. No packet of the device fills these formats, so the
// driver writes their bytes.
#include "guest-drivers/umd-d3d9/resources/surface_copies.h"
#include "guest-drivers/umd-d3d9/transfers/blt.h"

namespace aero {
namespace {

/** The values that a D3DCOLOR stands for: no conversion, but Y in its red, U in its blue, V in its green (page
 * "Handling Color Values for Pixel Formats" of the display drivers' documentation). */
struct VideoColor {
  explicit VideoColor(uint32_t color)
      : y(static_cast<uint8_t>(color >> 16)), u(static_cast<uint8_t>(color)), v(static_cast<uint8_t>(color >> 8)) {}
  uint8_t y, u, v;
};

/** Writes the same two bytes by turns to a rectangle of texels, which begins at an even byte. */
HRESULT fillPairs(DeviceObjects &objects, Surface &surface, const Rect &texels, uint8_t even, uint8_t odd) {
  if (texels.isEmpty()) return kOk;
  const uint32_t bytes = texels.width() * surface.image->format->blockBytes;
  auto *row = static_cast<uint8_t *>(heapAllocate(bytes));
  if (!row) return kOutOfMemory;
  for (uint32_t at = 0; at < bytes; at++) row[at] = at & 1 ? odd : even;
  const HRESULT result = writeSurface(objects, surface, texels, row, 0);  // the source is one row, with pitch 0
  heapFree(row);
  return result;
}

/** Writes the same four bytes, two texels, to a rectangle of UYVY or YUY2, which begins at an even texel. */
HRESULT fillQuads(DeviceObjects &objects, Surface &surface, const Rect &texels, const uint8_t (&quad)[4]) {
  const uint32_t bytes = texels.width() * 2;
  auto *row = static_cast<uint8_t *>(heapAllocate(bytes));
  if (!row) return kOutOfMemory;
  for (uint32_t at = 0; at < bytes; at++) row[at] = quad[at & 3];
  const HRESULT result = writeSurface(objects, surface, texels, row, 0);
  heapFree(row);
  return result;
}

/** Fills lines [top, bottom) from `left` to `right` of a plane of YV12 that has half of the picture's width, two lines
 * to a row of the texture. `line`: the plane's first line, counted from the first row of colours at `row`. */
HRESULT fillHalfLines(DeviceObjects &objects, Surface &surface, uint32_t row, uint32_t line, const Rect &lines,
                      uint8_t value) {
  const uint32_t half = surface.width / 2;
  HRESULT result = kOk;
  for (uint32_t y = line + lines.top; y < line + lines.bottom && !failed(result);) {
    const bool isWhole = lines.left == 0 && lines.right == half && y % 2 == 0 && y + 1 < line + lines.bottom;
    const uint32_t rows = isWhole ? (line + lines.bottom - y) / 2 : 1, from = y % 2 * half;
    const Rect texels = isWhole ? Rect{0, row + y / 2, surface.width, row + y / 2 + rows}
                                : Rect{from + lines.left, row + y / 2, from + lines.right, row + y / 2 + 1};
    result = fillPairs(objects, surface, texels, value, value);
    y += isWhole ? rows * 2 : 1;
  }
  return result;
}

}  // namespace

HRESULT Blits::fillVideo(Surface &surface, const RECT &area, uint32_t argb) {
  const FormatRow &format = *surface.image->format;
  const VideoColor color(argb);
  const uint32_t height = format.isPlanar ? surface.height / 3 * 2 : surface.height;
  Rect rect = clipped(area, surface.width, height);
  if (rect.isEmpty()) return kOk;
  // Pixels that share colours get them together; the width is even (FMT-14).
  rect.left &= ~1u;
  rect.right = (rect.right + 1) & ~1u;
  if (format.device == AEROGPU_FORMAT_D3D9_UYVY)
    return fillQuads(m_objects, surface, rect, {color.u, color.y, color.v, color.y});
  if (format.device == AEROGPU_FORMAT_D3D9_YUY2)
    return fillQuads(m_objects, surface, rect, {color.y, color.u, color.y, color.v});
  // The rows of colours follow those of the picture, each for two of its rows (FMT-15).
  const HRESULT result = fillPairs(m_objects, surface, rect, color.y, color.y);
  if (failed(result)) return result;
  Rect colors = {rect.left, rect.top / 2, rect.right, (rect.bottom + 1) / 2};
  if (format.device == AEROGPU_FORMAT_D3D9_NV12) {
    colors.top += height;
    colors.bottom += height;
    return fillPairs(m_objects, surface, colors, color.u, color.v);
  }
  colors.left /= 2;
  colors.right /= 2;
  const HRESULT reds = fillHalfLines(m_objects, surface, height, 0, colors, color.v);
  return failed(reds) ? reds : fillHalfLines(m_objects, surface, height, height / 2, colors, color.u);
}

}  // namespace aero
