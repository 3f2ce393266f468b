// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/raster.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace programs {

namespace {

constexpr int64_t kSteps = 256;  // steps of a pixel

struct Point {
  int64_t x, y;
};

Point snap(const Corner &corner) {
  return {std::llround(corner.x * kSteps), std::llround(corner.y * kSteps)};
}

/** Returns twice the area of the triangle (a, b, p) in a picture whose y goes down: positive if p lies to the right
 * of a -> b. */
int64_t side(Point a, Point b, Point p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/** True for the top or a left edge of a triangle whose corners go clockwise. */
bool isTopLeft(Point a, Point b) {
  return (a.y == b.y && b.x > a.x) || b.y < a.y;
}

/** Returns the half-open range of pixels, of `size`, whose centres can lie between the smallest and the largest of
 * three coordinates. */
std::pair<uint32_t, uint32_t> pixelsBetween(int64_t a, int64_t b, int64_t c, uint32_t size) {
  const int64_t least = std::min({a, b, c}) / kSteps, most = std::max({a, b, c}) / kSteps + 1;
  const int64_t end = static_cast<int64_t>(size);
  return {static_cast<uint32_t>(std::clamp<int64_t>(least, 0, end)),
          static_cast<uint32_t>(std::clamp<int64_t>(most, 0, end))};
}

}  // namespace

void rasterize(uint32_t width, uint32_t height, const Corner corners[3], PixelSink sink, void *context) {
  const Corner *corner[3] = {&corners[0], &corners[1], &corners[2]};
  Point p[3] = {snap(corners[0]), snap(corners[1]), snap(corners[2])};
  int64_t area = side(p[0], p[1], p[2]);
  if (area == 0) return;
  if (area < 0) {
    const Point other = p[1];
    p[1] = p[2], p[2] = other;
    corner[1] = &corners[2], corner[2] = &corners[1];
    area = -area;
  }
  const auto [left, right] = pixelsBetween(p[0].x, p[1].x, p[2].x, width);
  const auto [top, bottom] = pixelsBetween(p[0].y, p[1].y, p[2].y, height);
  for (uint32_t y = top; y < bottom; ++y) {
    for (uint32_t x = left; x < right; ++x) {
      const Point centre{int64_t{x} * kSteps, int64_t{y} * kSteps};
      int64_t weight[3];
      bool inside = true;
      for (int i = 0; i < 3; ++i) {
        const Point a = p[(i + 1) % 3], b = p[(i + 2) % 3];  // the edge opposite corner i
        weight[i] = side(a, b, centre);
        inside = inside && (weight[i] > 0 || (weight[i] == 0 && isTopLeft(a, b)));
      }
      if (!inside) continue;
      double value[4];
      for (int k = 0; k < 4; ++k) {
        value[k] = 0;
        for (int i = 0; i < 3; ++i)
          value[k] += corner[i]->value[k] * (static_cast<double>(weight[i]) / static_cast<double>(area));
      }
      sink(context, x, y, value);
    }
  }
}

uint32_t blendOver(uint32_t source, uint32_t target) {
  const double alpha = (source >> 24) / 255.0;
  uint32_t result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const double value = (source >> shift & 255) * alpha + (target >> shift & 255) * (1 - alpha);
    result |= unorm8(value / 255) << shift;
  }
  return result;
}

}  // namespace programs
