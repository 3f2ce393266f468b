// SPDX-License-Identifier: MIT
// The pixels that a draw or clear may touch, and the viewport transform of the shader family in use. Pure
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

/// Returns the viewport in pixels, clipped to targets of `width` x `height`, and to the scissor rectangle if
/// it is on. Never outside the targets. `which`: of several, below kMaxViewports.
PixelRect drawArea(const core::DrawState& state, uint32_t width, uint32_t height, uint32_t which = 0);

/// The GPU's limits for a viewport.
struct ViewportLimits {
  float low = 0, high = 0;  ///< coordinates of all edges, pixels
  uint32_t maxWidth = 0, maxHeight = 0;
};

/// Computes the viewport for a GPU on which the centre of the first pixel is (0.5, 0.5), y down; depth range
/// in [0, 1]. False if nothing can be visible (empty, not finite, or beyond the limits).
bool gpuViewport(const core::DrawState& state, const ViewportLimits& limits, uint32_t width, uint32_t height,
                 core::Viewport& out, uint32_t which = 0);

/// Factors for clip-space positions.
struct PositionScale {
  float x = 1, y = 1;
};

/// Enlarges a viewport that gpuViewport() gave for Direct3D 9, for targets of several samples. Such a
/// viewport begins at a pixel's centre, so the GPU would clip half of the samples of the first row and
/// column. Adds half a pixel on each side, if the limits allow it; positions scaled by the result stay in
/// place. The scissor rectangle (drawArea()) cuts off pixels beyond Direct3D's viewport.
PositionScale widenForSamples(core::Viewport& viewport, const ViewportLimits& limits);

}  // namespace aerogpu::d3d9
