// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/canvas.h"

#include <algorithm>
#include <cmath>

namespace aerogpu::guest {

namespace {

float clamp01(float x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Signed distance to a rounded rectangle, negative inside.
float distance(float px, float py, const RectF& r, float radius) {
  const float dx = std::fabs(px - (r.x + r.w / 2)) - (r.w / 2 - radius);
  const float dy = std::fabs(py - (r.y + r.h / 2)) - (r.h / 2 - radius);
  if (dx <= 0 || dy <= 0) return std::max(dx, dy) - radius;
  return std::sqrt(dx * dx + dy * dy) - radius;
}

}  // namespace

Color mix(const Color& a, const Color& b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, a.a + (b.a - a.a) * t};
}

void Canvas::blend(int x, int y, const Color& c, float coverage) {
  if (x < 0 || y < 0 || x >= m_width || y >= m_height) return;
  const float a = c.a * coverage;
  if (a <= 0) return;
  uint32_t& pixel = m_pixels[y * m_pitch + x];
  const float keep = 1 - a, scale = 255 * a;
  const auto channel = [&](int shift, float value) {
    const float old = static_cast<float>(pixel >> shift & 0xFF);
    return static_cast<uint32_t>(std::min(255.0f, old * keep + value * scale + 0.5f)) << shift;
  };
  pixel = channel(24, 1) | channel(16, c.r) | channel(8, c.g) | channel(0, c.b);
}

// Calls `coverage` and `paint` for the pixel centres of a box.
template <class Coverage, class Paint>
void Canvas::shade(float x0, float y0, float x1, float y1, Coverage coverage, Paint paint) {
  const int left = std::max(0, static_cast<int>(std::floor(x0))),
            top = std::max(0, static_cast<int>(std::floor(y0)));
  const int right = std::min(m_width, static_cast<int>(std::ceil(x1)));
  const int bottom = std::min(m_height, static_cast<int>(std::ceil(y1)));
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x) {
      const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
      const float c = coverage(px, py);
      if (c > 0) blend(x, y, paint(px, py), c);
    }
}

void Canvas::fill(RectF r, float radius, Color top, Color bottom) {
  shade(
      r.x - 1, r.y - 1, r.x + r.w + 1, r.y + r.h + 1,
      [&](float x, float y) { return clamp01(0.5f - distance(x, y, r, radius)); },
      [&](float, float y) { return mix(top, bottom, clamp01((y - r.y) / r.h)); });
}

void Canvas::stroke(RectF r, float radius, float thickness, Color top, Color bottom) {
  const RectF inner = r.inset(thickness);
  const float innerRadius = std::max(0.0f, radius - thickness);
  shade(
      r.x - 1, r.y - 1, r.x + r.w + 1, r.y + r.h + 1,
      [&](float x, float y) {
        // The inside of a frame is most of its box, and empty.
        if (x > r.x + radius + thickness + 1 && x < r.x + r.w - radius - thickness - 1 &&
            y > r.y + thickness + 1 && y < r.y + r.h - thickness - 1)
          return 0.0f;
        return clamp01(0.5f - distance(x, y, r, radius)) - clamp01(0.5f - distance(x, y, inner, innerRadius));
      },
      [&](float, float y) { return mix(top, bottom, clamp01((y - r.y) / r.h)); });
}

void Canvas::disc(float cx, float cy, float radius, Color centre, Color edge, float fx, float fy) {
  shade(
      cx - radius - 1, cy - radius - 1, cx + radius + 1, cy + radius + 1,
      [&](float x, float y) { return clamp01(radius + 0.5f - std::hypot(x - cx, y - cy)); },
      [&](float x, float y) {
        return mix(centre, edge, clamp01(std::hypot(x - fx, y - fy) / (radius * 1.25f)));
      });
}

void Canvas::ring(float cx, float cy, float radius, float thickness, Color c) {
  shade(
      cx - radius - 1, cy - radius - 1, cx + radius + 1, cy + radius + 1,
      [&](float x, float y) {
        const float d = std::hypot(x - cx, y - cy);
        return clamp01(radius + 0.5f - d) - clamp01(radius - thickness + 0.5f - d);
      },
      [&](float, float) { return c; });
}

void Canvas::line(float x0, float y0, float x1, float y1, float thickness, Color c) {
  const float dx = x1 - x0, dy = y1 - y0, length2 = std::max(dx * dx + dy * dy, 1e-6f), half = thickness / 2;
  shade(
      std::min(x0, x1) - half - 1, std::min(y0, y1) - half - 1, std::max(x0, x1) + half + 1,
      std::max(y0, y1) + half + 1,
      [&](float x, float y) {
        const float t = clamp01(((x - x0) * dx + (y - y0) * dy) / length2);
        return clamp01(half + 0.5f - std::hypot(x - x0 - t * dx, y - y0 - t * dy));
      },
      [&](float, float) { return c; });
}

void Canvas::polygon(const std::vector<std::pair<float, float>>& points, Color c) {
  float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
  for (const auto& [x, y] : points) {
    x0 = std::min(x0, x);
    y0 = std::min(y0, y);
    x1 = std::max(x1, x);
    y1 = std::max(y1, y);
  }
  const auto inside = [&](float x, float y) {
    bool in = false;
    for (size_t i = 0, j = points.size() - 1; i < points.size(); j = i++) {
      const auto& [ax, ay] = points[i];
      const auto& [bx, by] = points[j];
      if ((ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax) in = !in;
    }
    return in;
  };
  shade(
      x0, y0, x1, y1,
      [&](float x, float y) {
        int hits = 0;
        for (int s = 0; s < 16; ++s)
          hits += inside(x - 0.375f + 0.25f * static_cast<float>(s % 4),
                         y - 0.375f + 0.25f * static_cast<float>(s >> 2));
        return static_cast<float>(hits) / 16;
      },
      [&](float, float) { return c; });
}

void Canvas::text(float x, float y, const Font& font, std::string_view text, Color c) {
  float pen = x;
  for (const char character : text) {
    const Glyph& g = font.glyph(character);
    const int gx = static_cast<int>(std::lround(pen)) + g.left, gy = static_cast<int>(std::lround(y)) - g.top;
    for (int row = 0; row < g.height; ++row)
      for (int column = 0; column < g.width; ++column)
        blend(gx + column, gy + row, c,
              static_cast<float>(font.bits[g.offset + row * g.width + column]) / 255);
    pen += static_cast<float>(g.advance64) / 64;
  }
}

void Canvas::glowText(float x, float y, const Font& font, std::string_view string, Color c, Color glow,
                      int radius) {
  const int w = font.width(string) + 6 * radius, h = font.lineHeight + 6 * radius;
  std::vector<uint32_t> pixels(static_cast<size_t>(w * h));
  Canvas mask(pixels.data(), w, h, w);
  mask.text(static_cast<float>(3 * radius), static_cast<float>(3 * radius + font.ascent), font, string,
            {1, 1, 1, 1});
  // Two box passes in each direction are close to a Gaussian.
  std::vector<float> a(pixels.size()), b(pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i) a[i] = static_cast<float>(pixels[i] >> 24) / 255;
  const auto pass = [&](std::vector<float>& in, std::vector<float>& out, size_t step, int count, int lines,
                        size_t lineStep) {
    for (int l = 0; l < lines; ++l) {
      float sum = 0;
      const auto at = [&](int i) {
        return i < 0 || i >= count ? 0.0f
                                   : in[static_cast<size_t>(l) * lineStep + static_cast<size_t>(i) * step];
      };
      for (int i = -radius; i < radius; ++i) sum += at(i);
      for (int i = 0; i < count; ++i) {
        sum += at(i + radius);
        out[static_cast<size_t>(l) * lineStep + static_cast<size_t>(i) * step] =
            sum / static_cast<float>(2 * radius + 1);
        sum -= at(i - radius);
      }
    }
  };
  for (int i = 0; i < 2; ++i) {
    pass(a, b, 1, w, h, w);
    pass(b, a, w, h, w, 1);
  }
  const int ox = static_cast<int>(std::lround(x)) - 3 * radius;
  const int oy = static_cast<int>(std::lround(y)) - font.ascent - 3 * radius;
  for (int py = 0; py < h; ++py)
    for (int px = 0; px < w; ++px)
      blend(ox + px, oy + py, glow, clamp01(a[static_cast<size_t>(py) * w + px] * 3));
  text(x, y, font, string, c);
}

void Canvas::clear(int x, int y, int w, int h) {
  for (int row = std::max(0, y); row < std::min(m_height, y + h); ++row)
    std::fill(m_pixels + row * m_pitch + std::max(0, x), m_pixels + row * m_pitch + std::min(m_width, x + w),
              0u);
}

}  // namespace aerogpu::guest
