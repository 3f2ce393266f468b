// SPDX-License-Identifier: MIT
// What the samplers of D3D9 shaders are: the kind of texture, comparison, and the states that count. Pure
// functions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "renderer/core/format.h"
#include "renderer/core/state.h"
#include "renderer/shader/translate.h"

namespace aerogpu::d3d9 {

/// Kinds of textures by s# of a pixel shader; Unknown = as the shader says.
using SamplerTypes = shader::PerRegister<SamplerType>;

/// The kinds of what a pixel shader samples where it does not say them: ps_1_x does not declare any, and
/// later ones sample a texture of another kind than they declare as what it is, as GPUs of Direct3D 9 did.
SamplerTypes boundSamplerTypes(const core::DrawState& state, const shader::ShaderInfo& info);

/// Whether the bound texture, which there must be, can be sampled as a `type`. If not, it is as if none were
/// bound.
inline bool isOfType(const core::ShaderResourceBinding& bound, SamplerType type) {
  const core::TextureDesc& desc = bound.texture->desc;
  switch (type) {
    case SamplerType::TextureVolume:
      return desc.kind == core::TextureKind::Volume;
    case SamplerType::TextureCube:
      return core::canBeCube(desc, bound.layers());
    default:
      return desc.kind != core::TextureKind::Volume && desc.samples == 1 && !core::isYuv(desc.format);
  }
}

/// The type of s#`slot`: that of `bound`, which boundSamplerTypes() gave, or what the shader says.
inline SamplerType samplerType(const shader::ShaderInfo& info, const SamplerTypes& bound, uint32_t slot) {
  return bound[slot] != SamplerType::Unknown ? bound[slot] : info.samplerTypes[slot];
}

/// Which samplers of a shader (bit n = s#n) compare: those at which a texture with depth is bound that is of
/// the sampler's type. `bound`: as for samplerType(). `compares`: bool(binding), whether its format does.
template <class Compares>
uint32_t shadowSamplers(const core::StageBindings& stage, const shader::ShaderInfo& info,
                        const SamplerTypes& bound, Compares compares) {
  uint32_t out = 0;
  for (uint32_t m = info.samplerMask; m; m &= m - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(m));
    const core::ShaderResourceBinding& resource = stage.resources[slot];
    if (!resource.texture || !compares(resource)) continue;
    const SamplerType type = samplerType(info, bound, slot);
    if (type != SamplerType::TextureVolume && isOfType(resource, type)) out |= 1u << slot;
  }
  return out;
}

/// Which samplers of a shader (bit n = s#n) have the shader decode sRGB. `decodes`: bool(binding), whether
/// the format is one that the shader decodes.
template <class Decodes>
uint32_t decodedSamplers(const core::StageBindings& stage, const shader::ShaderInfo& info, Decodes decodes) {
  uint32_t out = 0;
  for (uint32_t m = info.samplerMask; m; m &= m - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(m));
    const core::ShaderResourceBinding& resource = stage.resources[slot];
    if (stage.samplers[slot].srgb && resource.texture && decodes(resource)) out |= 1u << slot;
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
