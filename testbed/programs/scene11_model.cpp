// SPDX-License-Identifier: MIT
#include "testbed/programs/scene11_model.h"

#include <algorithm>
#include <cmath>

#include "guest-drivers/programs/raster.h"

namespace programs::scene11 {

namespace {

/** A quad along the axes, with w of 1 and a depth that changes along x. */
constexpr Quad facing(Rect r, double left, double right, double u, double v, double perPixel, Texel tint,
                      uint32_t sampler, Blend blend, bool depthWrite = true, bool scissor = false) {
  // Edges at a quarter of a pixel.
  const double x0 = r.left + 0.25, y0 = r.top + 0.25, x1 = r.right + 0.25, y1 = r.bottom + 0.25;
  const double u1 = u + (x1 - x0) * perPixel / kTextureSize, v1 = v + (y1 - y0) * perPixel / kTextureSize;
  return {{{x0, y0, left, 1, u, v}, {x1, y0, right, 1, u1, v}, {x1, y1, right, 1, u1, v1}, {x0, y1, left, 1, u, v1}},
          tint,
          sampler,
          blend,
          depthWrite,
          scissor};
}

/** Goes up and down once within `size` texels, between 0 and 1. */
double wave(uint32_t at, uint32_t size) {
  const uint32_t half = size / 2, i = at % size;
  return static_cast<double>(i < half ? i : size - 1 - i) / (half - 1);
}

/** The texel that a coordinate outside the texture means. */
uint32_t addressed(Address address, int64_t at, uint32_t size) {
  const int64_t n = size;
  if (address == Address::Clamp) return static_cast<uint32_t>(std::clamp<int64_t>(at, 0, n - 1));
  const int64_t period = address == Address::Mirror ? 2 * n : n;
  const int64_t i = ((at % period) + period) % period;
  return static_cast<uint32_t>(i < n ? i : 2 * n - 1 - i);
}

Texel texel(const Level &level, Address address, int64_t x, int64_t y) {
  const uint32_t value =
      level.texels[size_t{addressed(address, y, level.size)} * level.size + addressed(address, x, level.size)];
  Texel out{};
  for (int k = 0; k < 4; ++k) out[k] = (value >> (8 * k) & 255) / 255.0;
  return out;
}

Texel mix(const Texel &a, const Texel &b, double weight) {
  Texel out{};
  for (int k = 0; k < 4; ++k) out[k] = a[k] * (1 - weight) + b[k] * weight;
  return out;
}

Texel sampleLevel(const Level &level, const Sampler &sampler, double u, double v) {
  const double x = u * level.size, y = v * level.size;
  if (!sampler.linear)
    return texel(level, sampler.address, static_cast<int64_t>(std::floor(x)), static_cast<int64_t>(std::floor(y)));
  const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
  const auto i = static_cast<int64_t>(left), j = static_cast<int64_t>(top);
  const Texel above = mix(texel(level, sampler.address, i, j), texel(level, sampler.address, i + 1, j), x - 0.5 - left);
  const Texel below =
      mix(texel(level, sampler.address, i, j + 1), texel(level, sampler.address, i + 1, j + 1), x - 0.5 - left);
  return mix(above, below, y - 0.5 - top);
}

Texel sample(const std::vector<Level> &levels, const Sampler &sampler, double u, double v, double lod) {
  const double used = std::clamp(lod, 0.0, sampler.levels - 1.0), whole = std::floor(used);
  const auto first = static_cast<uint32_t>(whole);
  const Texel fine = sampleLevel(levels[first], sampler, u, v);
  if (used == whole) return fine;
  return mix(fine, sampleLevel(levels[first + 1], sampler, u, v), used - whole);
}

/** The level of detail of a triangle without perspective: the same everywhere. Its derivatives are those of its plane.
 */
double lodOf(const Vertex &a, const Vertex &b, const Vertex &c) {
  const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  const auto alongX = [&](double p, double q, double r) {
    return ((q - p) * (c.y - a.y) - (r - p) * (b.y - a.y)) / area;
  };
  const auto alongY = [&](double p, double q, double r) {
    return ((r - p) * (b.x - a.x) - (q - p) * (c.x - a.x)) / area;
  };
  const double x = std::hypot(alongX(a.u, b.u, c.u), alongX(a.v, b.v, c.v));
  const double y = std::hypot(alongY(a.u, b.u, c.u), alongY(a.v, b.v, c.v));
  const double lod = std::log2(std::max(x, y) * kTextureSize);
  return std::round(lod * 1024) / 1024;  // what is meant to be whole is whole
}

Texel times(const Texel &a, const Texel &b) {
  return {a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]};
}

Texel blended(Blend blend, const Texel &source, const Texel &target) {
  if (blend == Blend::None) return source;
  const bool over = blend == Blend::Over;
  Texel out{};
  for (int k = 0; k < 4; ++k)
    out[k] = source[k] * (over && k < 3 ? source[3] : 1) + target[k] * (over ? 1 - source[3] : 1);
  return out;
}

Texel unpack(uint32_t pixel) {
  return {(pixel >> 16 & 255) / 255.0, (pixel >> 8 & 255) / 255.0, (pixel & 255) / 255.0, (pixel >> 24) / 255.0};
}
uint32_t pack(const Texel &t) {
  return argb(unorm8(t[3]), unorm8(t[0]), unorm8(t[1]), unorm8(t[2]));
}

}  // namespace

const std::vector<Quad> &quads() {
  // Footprints of 1, 2, 4 texels, and of the square root of 2: levels 0, 1, 2, and halfway between 0 and 1.
  static const std::vector<Quad> all = {
      // A floor in perspective, in the finest level alone: twice as far away at its upper edge.
      {{{90.25, 120.25, 0.9, 2, 0, 0},
        {230.25, 120.25, 0.9, 2, 2, 0},
        {300.25, 230.25, 0.6, 1, 2, 2},
        {20.25, 230.25, 0.6, 1, 0, 2}},
       {1, 1, 1, 1},
       1,
       Blend::None,
       true,
       false},
      facing({10, 10, 90, 100}, 0.5, 0.5, 0.1, 0.2, 1, {1, 0.9, 0.8, 1}, 0, Blend::None),
      facing({100, 10, 180, 100}, 0.5, 0.5, -0.3, 0.2, 2, {0.8, 1, 0.9, 1}, 0, Blend::None),
      facing({190, 10, 250, 60}, 0.5, 0.5, 0.3, -1.2, 4, {0.9, 0.8, 1, 1}, 0, Blend::None),
      facing({255, 10, 310, 100}, 0.5, 0.5, 0, 0, 1.4142135623730951, {1, 1, 1, 1}, 0, Blend::None),
      // Cuts through the four above, whose depth is 0.5.
      facing({30, 60, 310, 110}, 0.1, 0.95, 0.5, 0.5, 1, {1, 0.5, 0.5, 1}, 0, Blend::None),
      // Nearest texels beyond the texture's edge, four pixels each.
      facing({120, 130, 200, 190}, 0.3, 0.3, -0.03, 0.52, 0.25, {1, 1, 0.6, 1}, 2, Blend::None),
      // Two that are seen through, and write no depth: the second lies behind the quad before it.
      facing({40, 150, 160, 220}, 0.2, 0.2, 0.4, 0.4, 1, {0.7, 0.8, 1, 0.75}, 1, Blend::Over, false),
      facing({150, 120, 280, 170}, 0.4, 0.4, 0.7, 0.3, 1, {1, 1, 1, 0.5}, 0, Blend::Over, false),
      // Added to the background within a scissor rectangle.
      facing({5, 112, 70, 148}, 0.05, 0.05, 0.2, 0.6, 1, {0.4, 0.3, 0.2, 1}, 0, Blend::Add, false, true),
  };
  return all;
}

std::vector<Level> textureLevels() {
  std::vector<Level> levels;
  for (uint32_t l = 0; l < kLevels; ++l) {
    Level level{kTextureSize >> l, {}};
    for (uint32_t y = 0; y < level.size; ++y)
      for (uint32_t x = 0; x < level.size; ++x) {
        const auto red = static_cast<uint32_t>(40 + 120 * wave(x, level.size));
        const auto green = static_cast<uint32_t>(60 + 120 * wave(y, level.size));
        const auto alpha = static_cast<uint32_t>(128 + 100 * wave(x + y, level.size));
        level.texels.push_back(alpha << 24 | (200 - 50 * l) << 16 | green << 8 | red);
      }
    levels.push_back(level);
  }
  return levels;
}

Pictures expectation() {
  Pictures out;
  const std::vector<Level> levels = textureLevels();
  std::vector<double> depths(size_t{kWidth} * kHeight, 1.0);
  for (const Quad &quad : quads())
    for (int half = 0; half < 2; ++half) {
      const Vertex *at[3] = {&quad.corners[0], &quad.corners[half + 1], &quad.corners[half + 2]};
      Corner corners[3];
      for (int i = 0; i < 3; ++i)
        corners[i] = {at[i]->x, at[i]->y, {at[i]->u / at[i]->w, at[i]->v / at[i]->w, at[i]->z, 1 / at[i]->w}};
      const double lod = lodOf(*at[0], *at[1], *at[2]);
      rasterize(kWidth, kHeight, corners, [&](uint32_t x, uint32_t y, const double *value) {
        if (quad.scissor && (x < kScissor.left || x >= kScissor.right || y < kScissor.top || y >= kScissor.bottom))
          return;
        double &depth = depths[size_t{y} * kWidth + x];
        constexpr double kNear = 1e-5;
        if (std::fabs(value[2] - depth) < kNear) out.clear = false;
        if (value[2] >= depth) return;
        if (quad.depthWrite) depth = value[2];
        const Texel sampled = sample(levels, kSamplers[quad.sampler], value[0] / value[3], value[1] / value[3], lod);
        const Texel second = blended(quad.blend, times(sampled, kSecondTint), unpack(out.second.at(x, y)));
        out.first.at(x, y) = pack(blended(quad.blend, times(sampled, quad.tint), unpack(out.first.at(x, y))));
        constexpr uint32_t kWritten = argb(0, 255, 255, 0);
        out.second.at(x, y) = (pack(second) & kWritten) | (out.second.at(x, y) & ~kWritten);
      });
    }
  return out;
}

}  // namespace programs::scene11
