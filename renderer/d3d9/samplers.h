// SPDX-License-Identifier: MIT
// The samplers of D3D9 shaders: the kind of texture, comparison, and the effective states. Pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "renderer/core/format.h"
#include "renderer/core/state.h"
#include "renderer/shader/translate.h"

namespace aerogpu::d3d9 {

/// Kinds of textures by s# of a pixel shader; Unknown = the shader's declaration.
using SamplerTypes = shader::PerRegister<SamplerType>;

/// Returns the kinds of the textures that a pixel shader does not declare rightly: ps_1_x declares none, and
/// later models sample a texture of another kind than declared as its own kind, as Direct3D 9's GPUs did.
SamplerTypes boundSamplerTypes(const core::DrawState& state, const shader::ShaderInfo& info);

/// True if the bound texture, which must exist, can be sampled as a `type`. If not, the sampler acts as
/// unbound.
inline bool isOfType(const core::ShaderResourceBinding& bound, SamplerType type) {
  const core::TextureDesc& desc = bound.texture->desc;
  if (core::isDxgi(desc.format)) return false;
  switch (type) {
    case SamplerType::TextureVolume:
      return desc.kind == core::TextureKind::Volume;
    case SamplerType::TextureCube:
      return core::canBeCube(desc, bound.layers());
    default:
      return desc.kind != core::TextureKind::Volume && desc.kind != core::TextureKind::Texture1D &&
             desc.samples == 1 && !core::isYuv(desc.format);
  }
}

/// Returns the type of s#`slot`: the one in `bound`, from boundSamplerTypes(), or the shader's.
inline SamplerType samplerType(const shader::ShaderInfo& info, const SamplerTypes& bound, uint32_t slot) {
  return bound[slot] != SamplerType::Unknown ? bound[slot] : info.samplerTypes[slot];
}

/// Returns the samplers of a shader (bit n = s#n) that compare: those with a depth texture of the sampler's
/// type. `bound`: the argument of samplerType(). `compares`: bool(binding), true if its format compares.
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

/// Returns the samplers of a shader (bit n = s#n) whose sRGB the shader decodes. `decodes`: bool(binding),
/// true if the shader decodes that format.
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

/// What a format has for samples of four texels (XSTATE-11).
enum class Gathered : uint8_t { Nothing, Red, Alpha };

/// Returns the samplers of a pixel shader whose samples are four texels, as EmitOptions::gatheredSamplers has
/// them. `bound`: the argument of samplerType(). `gatheredOf`: Gathered(binding).
template <class GatheredOf>
uint32_t gatheredSamplers(const core::StageBindings& stage, const shader::ShaderInfo& info,
                          const SamplerTypes& bound, GatheredOf gatheredOf) {
  uint32_t out = 0;
  for (uint32_t m = info.samplerMask; m; m &= m - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(m));
    const core::SamplerState& state = stage.samplers[slot];
    const core::ShaderResourceBinding& resource = stage.resources[slot];
    if (!state.gather || state.mag != TextureFilter::Point || !resource.texture) continue;
    if (samplerType(info, bound, slot) != SamplerType::Texture2D ||
        !isOfType(resource, SamplerType::Texture2D))
      continue;
    const Gathered gathered = gatheredOf(resource);
    if (gathered != Gathered::Nothing) out |= 1u << slot;
    if (gathered == Gathered::Alpha) out |= 1u << (shader::kGatheredAlpha + slot);
  }
  return out;
}

/// Returns `state` with fixed values for parts without effect, so that samplers that act alike are equal: a
/// border colour without border, an anisotropy without an anisotropic filter or above 16
/// (D3DCAPS9::MaxAnisotropy), levels that no texture has, a bias that is no number.
inline core::SamplerState effective(const core::SamplerState& state) {
  core::SamplerState out = state;
  if (state.u != TextureAddress::Border && state.v != TextureAddress::Border &&
      state.w != TextureAddress::Border)
    out.border = {};
  out.maxAnisotropy = state.min == TextureFilter::Anisotropic ? std::clamp(state.maxAnisotropy, 1u, 16u) : 1u;
  constexpr float kLastLevel = 15;
  out.minLod = std::min(state.minLod, kLastLevel);
  if (state.maxLod >= kLastLevel) out.maxLod = core::kAnyLod;
  if (!std::isfinite(state.lodBias)) out.lodBias = 0;
  return out;
}

}  // namespace aerogpu::d3d9
