// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/sprites.h"

#include <algorithm>
#include <cmath>

namespace aerogpu::guest {

namespace {
uint32_t packed(const Color& c) {
  const auto channel = [](float v) {
    return static_cast<uint32_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 255));
  };
  return channel(c.a) << 24 | channel(c.r * c.a) << 16 | channel(c.g * c.a) << 8 | channel(c.b * c.a);
}
}  // namespace

void Sprites::quad(RectF r, RectF t, uint32_t top, uint32_t bottom) {
  if (count() >= kMaximum) return;
  constexpr float kU = 1.0f / kAtlasWidth, kV = 1.0f / kAtlasHeight;
  m_vertices.push_back({r.x, r.y, top, t.x * kU, t.y * kV});
  m_vertices.push_back({r.x + r.w, r.y, top, (t.x + t.w) * kU, t.y * kV});
  m_vertices.push_back({r.x, r.y + r.h, bottom, t.x * kU, (t.y + t.h) * kV});
  m_vertices.push_back({r.x + r.w, r.y + r.h, bottom, (t.x + t.w) * kU, (t.y + t.h) * kV});
}

void Sprites::bar(RectF r, Color top, Color bottom) {
  const float x = static_cast<float>(m_atlas.whiteX) + 0.5f, y = static_cast<float>(m_atlas.whiteY) + 0.5f;
  quad(r, {x, y, 0, 0}, packed(top), packed(bottom));
}

void Sprites::text(float x, float y, bool bold, std::string_view string, Color c) {
  const Font& font = bold ? boldFont() : bodyFont();
  const uint32_t color = packed(c);
  float pen = x;
  for (const char character : string) {
    const Glyph& g = font.glyph(character);
    const AtlasGlyph place = (bold ? m_atlas.bold : m_atlas.body)[&g - font.glyphs];
    const float w = g.width, h = g.height;
    if (g.width)
      quad({std::round(pen) + static_cast<float>(g.left), y - static_cast<float>(g.top), w, h},
           {static_cast<float>(place.x), static_cast<float>(place.y), w, h}, color, color);
    pen += static_cast<float>(g.advance64) / 64;
  }
}

void Sprites::shadow(const Rect& window) {
  // The tile has three by three fields of kShadow pixels. The window covers the middle, which is not drawn,
  // and part of each outer field.
  constexpr float k = kShadow, kReach = kShadow * 0.62f;
  const float x0 = static_cast<float>(window.x) - kReach, y0 = static_cast<float>(window.y) - kReach + 4;
  const float x1 = static_cast<float>(window.x + window.w) + kReach,
              y1 = static_cast<float>(window.y + window.h) + kReach + 4;
  const float xs[] = {x0, x0 + k, x1 - k, x1}, ys[] = {y0, y0 + k, y1 - k, y1};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      if (row == 1 && column == 1) continue;
      quad({xs[column], ys[row], xs[column + 1] - xs[column], ys[row + 1] - ys[row]},
           {k * static_cast<float>(column), k * static_cast<float>(row), k, k}, 0xFFFFFFFF, 0xFFFFFFFF);
    }
}

}  // namespace aerogpu::guest
