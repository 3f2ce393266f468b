// SPDX-License-Identifier: MIT
// What the samplers of D3D9 shaders are: the kind of texture, comparison, and the states that count. Pure
// functions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "renderer/core/state.h"
#include "renderer/shader/translate.h"

namespace aerogpu::d3d9 {

/// Kinds of textures by s# of a pixel shader; Unknown = as the shader says.
using SamplerTypes = std::array<SamplerType, 16>;

/// ps_1_x does not declare what it samples: the bound texture says it. For others all are Unknown.
SamplerTypes boundSamplerTypes(const core::DrawState& state, const shader::ShaderInfo& info);

/// Which pixel samplers of `mask` (bit n = s#n) compare: those at which a texture with depth is bound.
/// `hasDepth`: bool(core::Texture&).
template <class HasDepth>
uint32_t shadowSamplers(const core::DrawState& state, uint32_t mask, HasDepth hasDepth) {
  const core::StageBindings& ps = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  uint32_t out = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(m));
    core::Texture* texture = ps.resources[slot].texture.get();
    if (texture && hasDepth(*texture)) out |= 1u << slot;
  }
  return out;
}

/// `state` with what has no effect at a fixed value, so that samplers that act alike are equal: a border
/// colour without border, an anisotropy without an anisotropic filter or above 16 (D3DCAPS9::MaxAnisotropy),
/// levels that no texture has, a bias that is no number.
inline core::SamplerState effective(const core::SamplerState& state) {
  core::SamplerState out = state;
  if (state.u != TextureAddress::Border && state.v != TextureAddress::Border &&
      state.w != TextureAddress::Border)
    out.borderColor = 0;
  out.maxAnisotropy = state.min == TextureFilter::Anisotropic ? std::clamp(state.maxAnisotropy, 1u, 16u) : 1u;
  out.maxMipLevel = std::min(state.maxMipLevel, 15u);
  if (!std::isfinite(state.lodBias)) out.lodBias = 0;
  return out;
}

}  // namespace aerogpu::d3d9
