// SPDX-License-Identifier: MIT
// Which pixels a draw or clear may touch, and the viewport transform of the shader family in use. Pure
// functions.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::d3d9 {

struct PixelRect {
  int32_t x = 0, y = 0;
  uint32_t width = 0, height = 0;
  bool empty() const { return width == 0 || height == 0; }
  bool operator==(const PixelRect&) const = default;
};

/// The viewport in pixels, clipped to targets of `width` x `height`, and to the scissor rectangle if it is
/// on. Never outside the targets.
PixelRect drawArea(const core::DrawState& state, uint32_t width, uint32_t height);

/// What a GPU takes for a viewport.
struct ViewportLimits {
  float low = 0, high = 0;  ///< coordinates of all edges, pixels
  uint32_t maxWidth = 0, maxHeight = 0;
};

/// The viewport for a GPU on which the centre of the first pixel is (0.5, 0.5), y down; depth range in [0,
/// 1]. False when nothing can be visible (empty, not finite, or beyond the limits).
bool gpuViewport(const core::DrawState& state, const ViewportLimits& limits, uint32_t width, uint32_t height,
                 core::Viewport& out);

/// What clip-space positions are multiplied with.
struct PositionScale {
  float x = 1, y = 1;
};

/// For targets of several samples, of a viewport that gpuViewport() gave for Direct3D 9: it begins at a
/// pixel's centre, and so does the volume that the GPU clips to; half of the samples of the first row and
/// column lie before it. Makes it half a pixel larger on each side; positions that are scaled as returned
/// stay where they were. What is drawn beyond Direct3D's viewport the scissor rectangle cuts (drawArea()).
PositionScale widenForSamples(core::Viewport& viewport, const ViewportLimits& limits);

}  // namespace aerogpu::d3d9
