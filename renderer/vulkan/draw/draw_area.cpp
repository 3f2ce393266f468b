// SPDX-License-Identifier: MIT
// Viewport and scissor arithmetic (see draw_area.h).
#include "renderer/vulkan/draw/draw_area.h"

#include <algorithm>
#include <cmath>

namespace aerogpu::vk {
namespace {

/// [from, from + size) in pixels, clipped to [0, limit). Fractions of a viewport's edge count as D3D10 does
/// for rasterisation: a pixel belongs to it if its centre does.
void clip(double from, double size, uint32_t limit, int64_t& begin, int64_t& end) {
  begin = 0;
  end = 0;
  if (!(size > 0) || !std::isfinite(from) || !std::isfinite(size)) return;
  begin = static_cast<int64_t>(std::clamp(std::ceil(from - 0.5), 0.0, static_cast<double>(limit)));
  end = static_cast<int64_t>(std::clamp(std::ceil(from + size - 0.5), 0.0, static_cast<double>(limit)));
}

}  // namespace

VkRect2D drawArea(const core::DrawState& state, VkExtent2D extent) {
  int64_t left = 0, top = 0, right = extent.width, bottom = extent.height;
  if (state.viewportSet) {
    clip(state.viewport.x, state.viewport.width, extent.width, left, right);
    clip(state.viewport.y, state.viewport.height, extent.height, top, bottom);
  }
  if (state.rasterizer.scissorEnable) {
    const core::Scissor& s = state.scissor;
    left = std::max<int64_t>(left, s.x);
    top = std::max<int64_t>(top, s.y);
    right = std::min(right, int64_t{s.x} + s.width);
    bottom = std::min(bottom, int64_t{s.y} + s.height);
  }
  VkRect2D rect{};
  if (right <= left || bottom <= top) return rect;
  rect.offset = {static_cast<int32_t>(left), static_cast<int32_t>(top)};
  rect.extent = {static_cast<uint32_t>(right - left), static_cast<uint32_t>(bottom - top)};
  return rect;
}

bool vulkanViewport(const core::DrawState& state, const VkPhysicalDeviceLimits& limits, VkExtent2D extent,
                    VkViewport& out) {
  core::Viewport v = state.viewport;
  if (!state.viewportSet)
    v = {0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};
  // One pixel is left for the shift below and for rounding.
  const float low = limits.viewportBoundsRange[0] + 1, high = limits.viewportBoundsRange[1] - 1;
  const auto usable = [&](float from, float size, uint32_t most) {
    return std::isfinite(from) && size > 0 && size <= static_cast<float>(most) && from >= low &&
           from + size <= high;
  };
  if (!usable(v.x, v.width, limits.maxViewportDimensions[0]) ||
      !usable(v.y, v.height, limits.maxViewportDimensions[1]))
    return false;
  if (!(std::isfinite(v.minDepth) && std::isfinite(v.maxDepth))) return false;
  // "Rasterization Rules (Direct3D 9)": a pixel's centre has integer coordinates; Vulkan's lies half a pixel
  // further.
  const float shift = usesDxbc(state) ? 0.0f : 0.5f;
  out.x = v.x + shift;
  out.y = v.y + shift + v.height;
  out.width = v.width;
  out.height = -v.height;
  out.minDepth = std::clamp(v.minDepth, 0.0f, 1.0f);
  out.maxDepth = std::clamp(v.maxDepth, 0.0f, 1.0f);
  return true;
}

}  // namespace aerogpu::vk
