// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/present_geometry.h"

#include <algorithm>
#include <cstdint>

namespace aerogpu::host {

namespace {

constexpr LONG kFarthest = 1 << 16;  // limit of coordinates; Windows' desktop ends at 32767

bool isArea(const RECT& r) {
  return r.left < r.right && r.top < r.bottom && r.left >= -kFarthest && r.top >= -kFarthest &&
         r.right <= kFarthest && r.bottom <= kFarthest;
}

bool contains(const RECT& outer, const RECT& inner) {
  return inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right &&
         inner.bottom <= outer.bottom;
}

/// Maps `at` from [from, from + fromLength) to [to, to + toLength), rounded down or up.
LONG scale(LONG at, LONG from, LONG fromLength, LONG to, LONG toLength, bool up) {
  const int64_t product = int64_t{at - from} * toLength;
  return to + static_cast<LONG>((product + (up ? fromLength - 1 : 0)) / fromLength);
}

}  // namespace

std::optional<PresentArea> presentArea(const PresentShape& shape) {
  const RECT source = {0, 0, shape.sourceWidth, shape.sourceHeight},
             screen = {0, 0, shape.width, shape.height};
  PresentArea area{shape.from.value_or(source), {}, {}};
  if (!isArea(shape.window) || !isArea(source) || !isArea(area.from) || !contains(source, area.from))
    return {};
  area.to = shape.to.value_or(
      RECT{0, 0, shape.window.right - shape.window.left, shape.window.bottom - shape.window.top});
  if (!isArea(area.to)) return {};
  area.to = {area.to.left + shape.window.left, area.to.top + shape.window.top,
             area.to.right + shape.window.left, area.to.bottom + shape.window.top};
  const LONG fromWidth = area.from.right - area.from.left, fromHeight = area.from.bottom - area.from.top,
             toWidth = area.to.right - area.to.left, toHeight = area.to.bottom - area.to.top;
  const std::vector<RECT> all = {area.from};
  for (const RECT& sub : shape.subRects.empty() ? all : shape.subRects) {
    if (!isArea(sub) || !contains(area.from, sub)) return {};
    // Clipped to the window too: a program draws nowhere else.
    const RECT clipped = {std::max({scale(sub.left, area.from.left, fromWidth, area.to.left, toWidth, false),
                                    shape.window.left, screen.left}),
                          std::max({scale(sub.top, area.from.top, fromHeight, area.to.top, toHeight, false),
                                    shape.window.top, screen.top}),
                          std::min({scale(sub.right, area.from.left, fromWidth, area.to.left, toWidth, true),
                                    shape.window.right, screen.right}),
                          std::min({scale(sub.bottom, area.from.top, fromHeight, area.to.top, toHeight, true),
                                    shape.window.bottom, screen.bottom})};
    if (clipped.left < clipped.right && clipped.top < clipped.bottom) area.subRects.push_back(clipped);
  }
  return area;
}

}  // namespace aerogpu::host
