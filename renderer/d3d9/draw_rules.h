// SPDX-License-Identifier: MIT
// Which Direct3D's rules a draw follows, and where the two differ in a word. Any thread.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::d3d9 {

/// Whether Direct3D 10's rules count: a vertex shader from a DXBC container is bound. Else Direct3D 9's.
inline bool usesDxbc(const core::DrawState& state) {
  const auto& vs = state.shaders[static_cast<size_t>(core::Stage::Vertex)];
  return vs && vs->family == core::ShaderFamily::Dxbc;
}

/// With one sample a pixel, the sample mask either lets a draw through or not. D3D9 ignores it then
/// (D3DRS_MULTISAMPLEMASK).
inline bool sampleMaskHidesAll(const core::DrawState& state) {
  return usesDxbc(state) && !(state.blend.sampleMask & 1);
}

/// Direct3D 10 restarts strips at the highest index, Direct3D 9 never does.
inline bool restartsStrips(core::ShaderFamily family, core::Topology t) {
  return family == core::ShaderFamily::Dxbc &&
         (t == core::Topology::LineStrip || t == core::Topology::TriangleStrip ||
          t == core::Topology::LineStripAdj || t == core::Topology::TriangleStripAdj);
}

}  // namespace aerogpu::d3d9
