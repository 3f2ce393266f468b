// SPDX-License-Identifier: MIT
// present_parts.h: splits the rectangles of one DxgkDdiPresent into parts, each with a bounded piece of the
// list: a program gives as many as it likes (d3dkmddi page "DXGKARG_PRESENT", SubRectCnt), and the driver
// holds them in nonpaged pool. Any IRQL.
#pragma once

#include "guest-drivers/kmd/gdi/gdi_resources.h"
#include "guest-drivers/kmd/gdi/gdi_types.h"

namespace aero {

/** A part: rectangles `first` to `first + count` of the list, clipped to `clip` in the destination. */
struct PresentPart {
  uint32_t first, count;
  GdiRect clip;
};

class PresentParts {
public:
  /** The most rectangles of a part: as many as are worth a copy of the list. */
  static constexpr uint32_t kStretch = 4096;

  /** For a present between two surfaces, or a fill: no rectangle changes pixels that another one reads. `rects` 0:
   * there is no list. */
  explicit PresentParts(uint32_t rects) : m_rects(rects), m_stretches(stretches(rects)) {}

  /**
   * For a present within one surface of `width` x `height`, from `src` to `dst`: each pixel must become what its
   * source pixel was before the present, whichever rectangles cover that one. Within a part the drawing code
   * ensures this. If there are more rectangles than a part holds, the picture is drawn in bands across the direction
   * in which it moves. A band is no wider than the distance that the picture moves, so that no pixel of a band is
   * the source of another one in it; the bands are ordered so that each is read before it is drawn to. `drawn`: the
   * present needs draws through scratch, so that a part must fit one cell.
   */
  PresentParts(uint32_t rects, const GdiRect &dst, const GdiRect &src, uint32_t width, uint32_t height, bool drawn)
      : PresentParts(rects) {
    if (rects <= kStretch || !width || !height) return;
    // A stretched picture may not overlap its source (GdiBlit), so its parts may have any order.
    if (int64_t{dst.right} - dst.left != int64_t{src.right} - src.left ||
        int64_t{dst.bottom} - dst.top != int64_t{src.bottom} - src.top)
      return;
    m_width = width;
    m_height = height;
    const int64_t x = int64_t{dst.left} - src.left, y = int64_t{dst.top} - src.top;
    const int64_t overX = x < 0 ? -x : x, overY = y < 0 ? -y : y;
    const int64_t moved = overX > overY ? overX : overY;
    if (!moved) {
      m_nothing = true;  // each pixel is its own source
      return;
    }
    m_vertical = overY > overX;
    m_lastFirst = (m_vertical ? y : x) > 0;
    const uint32_t extent = m_vertical ? height : width, across = m_vertical ? width : height;
    m_band = moved < extent ? static_cast<uint32_t>(moved) : extent;
    m_cell = across;
    if (drawn) {
      m_band = smaller(m_band, m_vertical ? kScratchHeight : kScratchWidth);
      m_cell = smaller(m_cell, m_vertical ? kScratchWidth : kScratchHeight);
    }
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a picture that moves does so by a pixel at least
    m_bands = (extent + m_band - 1) / m_band;
    m_cells = (across + m_cell - 1) / m_cell;
  }

  /** At most 2^48. */
  uint64_t count() const { return m_nothing ? 0 : uint64_t{m_stretches} * m_bands * m_cells; }
  /** Returns a number that the steps (gdi_draw.h) of any part are below. A cell of a band has one step for each
   * kGdiRectsPerDraw rectangles. */
  uint32_t steps() const { return m_band ? kStretch / kGdiRectsPerDraw + 1 : 1u << 20; }

  /** `part` is below count(). */
  PresentPart at(uint32_t part) const {
    PresentPart out = {part % m_stretches * kStretch, 0, kEverywhere};
    const uint32_t left = m_rects - out.first;
    out.count = smaller(left, kStretch);
    if (!m_band) return out;
    const uint32_t cell = part / m_stretches % m_cells, band = part / m_stretches / m_cells;
    const uint32_t low = (m_lastFirst ? m_bands - 1 - band : band) * m_band, side = cell * m_cell;
    const auto end = [](uint32_t first, uint32_t size, uint32_t all) {
      return static_cast<int32_t>(size < all - first ? first + size : all);
    };
    const auto lowEdge = static_cast<int32_t>(low), sideEdge = static_cast<int32_t>(side);
    out.clip = m_vertical ? GdiRect{sideEdge, lowEdge, end(side, m_cell, m_width), end(low, m_band, m_height)}
                          : GdiRect{lowEdge, sideEdge, end(low, m_band, m_width), end(side, m_cell, m_height)};
    return out;
  }

private:
  static constexpr GdiRect kEverywhere = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
  static constexpr uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
  static constexpr uint32_t stretches(uint32_t rects) {
    return rects ? static_cast<uint32_t>((uint64_t{rects} + kStretch - 1) / kStretch) : 1;
  }

  uint32_t m_rects, m_stretches;
  uint32_t m_width = 0, m_height = 0;
  uint32_t m_band = 0, m_cell = 0;  // pixels; 0: there are no bands
  uint32_t m_bands = 1, m_cells = 1;
  bool m_vertical = false, m_lastFirst = false, m_nothing = false;
};

}  // namespace aero
