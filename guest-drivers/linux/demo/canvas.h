// SPDX-License-Identifier: MIT
// Paints static pictures with the CPU: window frames, icons, the glyph atlas, the cursor. Pixels are B8G8R8A8
// with premultiplied alpha, edges are smooth.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "guest-drivers/linux/demo/font.h"

namespace aerogpu::guest {

/// Straight alpha, components 0..1.
struct Color {
  float r = 0, g = 0, b = 0, a = 1;
  Color alpha(float factor) const { return {r, g, b, a * factor}; }
};
Color mix(const Color& a, const Color& b, float t);

struct RectF {
  float x = 0, y = 0, w = 0, h = 0;
  RectF inset(float d) const { return {x + d, y + d, w - 2 * d, h - 2 * d}; }
};

class Canvas {
public:
  /// Paints into `pixels`, `pitch` pixels a row; the memory stays the caller's and is not cleared.
  Canvas(uint32_t* pixels, int width, int height, int pitch)
      : m_pixels(pixels), m_width(width), m_height(height), m_pitch(pitch) {}

  int width() const { return m_width; }
  int height() const { return m_height; }

  /// Fills a rounded rectangle with a vertical gradient.
  void fill(RectF r, float radius, Color top, Color bottom);
  void fill(RectF r, float radius, Color c) { fill(r, radius, c, c); }
  /// Draws the outline of a rounded rectangle, `thickness` pixels wide, inside the edge.
  void stroke(RectF r, float radius, float thickness, Color top, Color bottom);
  /// Fills a disc with a radial gradient around (fx, fy).
  void disc(float cx, float cy, float radius, Color centre, Color edge, float fx, float fy);
  void ring(float cx, float cy, float radius, float thickness, Color c);
  /// Draws a line with round ends.
  void line(float x0, float y0, float x1, float y1, float thickness, Color c);
  /// Fills a convex or concave polygon by the even-odd rule, with 4x4 samples a pixel.
  void polygon(const std::vector<std::pair<float, float>>& points, Color c);
  /// Draws text; `x`, `y`: left end of the base line.
  void text(float x, float y, const Font& font, std::string_view text, Color c);
  /// Draws text over a soft glow, like captions on glass.
  void glowText(float x, float y, const Font& font, std::string_view text, Color c, Color glow, int radius);
  /// Makes a rectangle transparent again.
  void clear(int x, int y, int w, int h);

  void blend(int x, int y, const Color& c, float coverage);

private:
  template <class Coverage, class Paint>
  void shade(float x0, float y0, float x1, float y1, Coverage coverage, Paint paint);

  uint32_t* m_pixels;
  int m_width, m_height, m_pitch;
};

}  // namespace aerogpu::guest
