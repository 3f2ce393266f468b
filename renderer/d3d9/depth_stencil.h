// SPDX-License-Identifier: MIT
// The effective depth and stencil states. Pure functions.
#pragma once

#include "renderer/core/state.h"
#include "renderer/d3d9/draw_rules.h"

namespace aerogpu::d3d9 {

/// True if a draw reads the depth target or changes it.
inline bool usesDepthTarget(const core::DepthStencilState& state) {
  return state.depthEnable || state.stencilEnable;
}

/// Returns the stencil test of counter-clockwise triangles; clockwise ones always have `front`.
inline const core::StencilFace& counterClockwiseFace(const core::DepthStencilState& state) {
  return state.twoSided ? state.back : state.front;
}

/// True if primitives are cut at the ends of the depth range (DRAW-18). If they are not, Direct3D clamps
/// their depth to the viewport's range, as it does after a depth bias. D3DRS_CLIPPING counts only for
/// primitives of transformed vertices, which are cut only if the draw also tests their depth.
inline bool clipsDepth(const core::DrawState& state) {
  if (!state.rasterizer.depthClip) return false;
  const bool pretransformed = state.inputLayout && state.inputLayout->pretransformed && !usesDxbc(state);
  return !pretransformed ||
         (state.rasterizer.clipping && state.depthStencil.depthEnable && state.depthTarget.texture);
}

}  // namespace aerogpu::d3d9
