// SPDX-License-Identifier: MIT
// Viewport and scissor arithmetic (see draw_area.h).
#include "renderer/d3d9/draw_area.h"

#include <algorithm>
#include <cmath>

#include "renderer/d3d9/draw_rules.h"

namespace aerogpu::d3d9 {
namespace {

/// Clips [from, from + size) in pixels to [0, limit). Fractions of a viewport's edge count as in D3D10's
/// rasterisation: a pixel belongs to it if its centre does.
void clip(double from, double size, uint32_t limit, int64_t& begin, int64_t& end) {
  begin = 0;
  end = 0;
  if (!(size > 0) || !std::isfinite(from) || !std::isfinite(size)) return;
  begin = static_cast<int64_t>(std::clamp(std::ceil(from - 0.5), 0.0, static_cast<double>(limit)));
  end = static_cast<int64_t>(std::clamp(std::ceil(from + size - 0.5), 0.0, static_cast<double>(limit)));
}

}  // namespace

PixelRect drawArea(const core::DrawState& state, uint32_t width, uint32_t height, uint32_t which) {
  int64_t left = 0, top = 0, right = width, bottom = height;
  if (state.viewportSet || which > 0) {
    const core::Viewport& v = which > 0 ? state.more.viewports[which - 1] : state.viewport;
    clip(v.x, v.width, width, left, right);
    clip(v.y, v.height, height, top, bottom);
  }
  if (state.rasterizer.scissorEnable) {
    const core::Scissor& s = which > 0 ? state.more.scissors[which - 1] : state.scissor;
    left = std::max<int64_t>(left, s.x);
    top = std::max<int64_t>(top, s.y);
    right = std::min(right, int64_t{s.x} + s.width);
    bottom = std::min(bottom, int64_t{s.y} + s.height);
  }
  if (right <= left || bottom <= top) return {};
  return {static_cast<int32_t>(left), static_cast<int32_t>(top), static_cast<uint32_t>(right - left),
          static_cast<uint32_t>(bottom - top)};
}

bool gpuViewport(const core::DrawState& state, const ViewportLimits& limits, uint32_t width, uint32_t height,
                 core::Viewport& out, uint32_t which) {
  core::Viewport v = which > 0 ? state.more.viewports[which - 1] : state.viewport;
  if (!state.viewportSet && which == 0)
    v = {0, 0, static_cast<float>(width), static_cast<float>(height), 0, 1};
  // Leaves one pixel for the shift below and for rounding.
  const float low = limits.low + 1, high = limits.high - 1;
  const auto usable = [&](float from, float size, uint32_t most) {
    return std::isfinite(from) && size > 0 && size <= static_cast<float>(most) && from >= low &&
           from + size <= high;
  };
  if (!usable(v.x, v.width, limits.maxWidth) || !usable(v.y, v.height, limits.maxHeight)) return false;
  if (!(std::isfinite(v.minDepth) && std::isfinite(v.maxDepth))) return false;
  // "Rasterization Rules (Direct3D 9)": a pixel's centre has integer coordinates; the GPU's lies half a pixel
  // further.
  const float shift = usesDxbc(state) ? 0.0f : 0.5f;
  out = {v.x + shift,
         v.y + shift,
         v.width,
         v.height,
         std::clamp(v.minDepth, 0.0f, 1.0f),
         std::clamp(v.maxDepth, 0.0f, 1.0f)};
  return true;
}

PositionScale widenForSamples(core::Viewport& viewport, const ViewportLimits& limits) {
  const float width = viewport.width + 1, height = viewport.height + 1;
  if (width > static_cast<float>(limits.maxWidth) || height > static_cast<float>(limits.maxHeight)) return {};
  const PositionScale scale{viewport.width / width, viewport.height / height};
  viewport.x -= 0.5f;
  viewport.y -= 0.5f;
  viewport.width = width;
  viewport.height = height;
  return scale;
}

}  // namespace aerogpu::d3d9
