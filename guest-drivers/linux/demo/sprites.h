// SPDX-License-Identifier: MIT
// Makes the vertices of a frame's text, bars and shadows, all of which use the atlas.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "guest-drivers/linux/demo/art.h"

namespace aerogpu::guest {

struct SpriteVertex {
  float x, y;
  uint32_t color;  // D3DCOLOR, premultiplied
  float u, v;
};
static_assert(sizeof(SpriteVertex) == 20);

class Sprites {
public:
  /// The most sprites; more are left out. Their vertices must be reachable by 16-bit indices.
  static constexpr uint32_t kMaximum = 1024;

  explicit Sprites(const Atlas& atlas) : m_atlas(atlas) {}
  void clear() { m_vertices.clear(); }
  uint32_t count() const { return static_cast<uint32_t>(m_vertices.size() / 4); }
  const std::vector<SpriteVertex>& vertices() const { return m_vertices; }

  void bar(RectF r, Color top, Color bottom);
  void text(float x, float y, bool bold, std::string_view text, Color c);
  /// Draws the shadow around a window, and nothing under the window itself.
  void shadow(const Rect& window);

private:
  void quad(RectF r, RectF texels, uint32_t top, uint32_t bottom);
  const Atlas& m_atlas;
  std::vector<SpriteVertex> m_vertices;
};

}  // namespace aerogpu::guest
