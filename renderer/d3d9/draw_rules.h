// SPDX-License-Identifier: MIT
// The version of Direct3D whose rules a draw follows, and small differences between the two. Any thread.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::d3d9 {

/// True if Direct3D 10's rules apply: a vertex shader from a DXBC container is bound. Else Direct3D 9's
/// apply.
inline bool usesDxbc(const core::DrawState& state) {
  const auto& vs = state.shaders[static_cast<size_t>(core::Stage::Vertex)];
  return vs && vs->family == core::ShaderFamily::Dxbc;
}

/// True if the sample mask hides a draw to targets with one sample a pixel. Direct3D 9 ignores the mask for
/// such targets (D3DRS_MULTISAMPLEMASK).
inline bool sampleMaskHidesAll(const core::DrawState& state) {
  return usesDxbc(state) && !(state.blend.sampleMask & 1);
}

/// True if strips restart at the highest index: Direct3D 10 does so, Direct3D 9 never does.
inline bool restartsStrips(core::ShaderFamily family, core::Topology t) {
  return family == core::ShaderFamily::Dxbc &&
         (t == core::Topology::LineStrip || t == core::Topology::TriangleStrip ||
          t == core::Topology::LineStripAdj || t == core::Topology::TriangleStripAdj);
}

}  // namespace aerogpu::d3d9
