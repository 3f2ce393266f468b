// SPDX-License-Identifier: MIT
// The effective depth and stencil states. Pure functions.
#pragma once

#include "renderer/core/state.h"
#include "renderer/d3d9/draw_rules.h"

namespace aerogpu::d3d9 {

/// True if a draw writes depth. Without a depth test it does not write either.
inline bool writesDepth(const core::DepthStencilState& state) {
  return state.depthEnable && state.depthWrite;
}

/// True if a draw can change the depth target at all.
inline bool writesDepthOrStencil(const core::DepthStencilState& state) {
  return writesDepth(state) || (state.stencilEnable && state.writeMask != 0);
}

/// True if a draw reads the depth target or changes it.
inline bool usesDepthTarget(const core::DepthStencilState& state) {
  return state.depthEnable || state.stencilEnable;
}

/// Returns the stencil test of counter-clockwise triangles; clockwise ones always have `front`.
inline const core::StencilFace& counterClockwiseFace(const core::DepthStencilState& state) {
  return state.twoSided ? state.back : state.front;
}

/// True if primitives are cut at the ends of the depth range. If they are not, and after a bias, Direct3D
/// clamps the depth to the viewport's range. D3DRS_CLIPPING is for vertices that come transformed; those are
/// not cut either if the draw does not use their depth.
inline bool clipsDepth(const core::DrawState& state) {
  if (!state.rasterizer.depthClip) return false;
  const bool pretransformed = state.inputLayout && state.inputLayout->pretransformed && !usesDxbc(state);
  return !pretransformed ||
         (state.rasterizer.clipping && state.depthStencil.depthEnable && state.depthTarget.texture);
}

}  // namespace aerogpu::d3d9
