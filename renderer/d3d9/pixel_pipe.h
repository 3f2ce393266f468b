// SPDX-License-Identifier: MIT
// Alpha test, fog and points in the form that shaders take (renderer/shader/d3d9_interface.h): specialisation
// of pixel shaders and push constants. Pure functions, inline because each draw calls them.
#pragma once

#include <algorithm>
#include <array>

#include "renderer/core/format.h"
#include "renderer/core/state.h"
#include "renderer/shader/translate.h"

namespace aerogpu::d3d9 {

/// Pixel shaders of this model and later compute fog themselves ("ps_3_0", fog).
inline constexpr uint16_t kNoFogFrom = 0x0300;

/// Returns bit n if shader::kSpec* number n is on, for a pixel shader of that kind.
inline uint32_t specialization(const core::DrawState& state, const shader::ShaderInfo& pixelShader) {
  const core::PixelPipeState& p = state.pixelPipe;
  uint32_t out = 0;
  if (p.alphaTest && p.alphaFunc != CompareFunc::Always) out |= 1u << shader::kSpecAlphaTest;
  if (p.fogEnable && pixelShader.version.model() < kNoFogFrom) out |= 1u << shader::kSpecFog;
  if (p.pointSprite && state.topology == core::Topology::PointList) out |= 1u << shader::kSpecPointSprite;
  return out;
}

/// True if the sizes of points matter: a list of them, or corners of triangles (D3DFILL_POINT).
inline bool drawsPoints(const core::DrawState& state) {
  return state.topology == core::Topology::PointList || state.rasterizer.fill == core::FillMode::Point;
}

/// Sizes of points that a GPU can draw, pixels.
struct PointSizeLimits {
  float min = 1, max = 1;
};

/// Returns how many steps from 0 to 1 the alpha test tells apart, if `red` is the red channel of the first
/// target (FMT-13); 0 = it compares floats. Other values are at least 255, because ALPHAREF has 8 bits.
inline float alphaSteps(const core::Channel& red) {
  switch (red.type) {
    case core::Channel::Type::Unorm:
      return static_cast<float>((1u << std::max<uint32_t>(red.bits, 8)) - 1);
    case core::Channel::Type::Float:
      return red.bits == 16 ? 32767.0f : 0.0f;
    default:
      return 255;
  }
}

/// Returns the push constants of a draw. `red`: the argument of alphaSteps().
inline shader::PushConstants pushConstants(const core::DrawState& state, const PointSizeLimits& limits,
                                           const core::Channel& red) {
  const core::PixelPipeState& p = state.pixelPipe;
  shader::PushConstants push;
  push.vsBools = state.vsConstants.b;
  push.psBools = state.psConstants.b;
  push.alphaFunc = static_cast<uint32_t>(p.alphaFunc);
  push.alphaSteps = alphaSteps(red);
  push.alphaRef = static_cast<float>(p.alphaRef) / 255.0f;
  for (uint32_t i = 0; i < 3; ++i)
    push.fogColor[i] = static_cast<float>(p.fogColor >> (16 - 8 * i) & 0xFF) / 255.0f;
  push.fogMode = static_cast<uint32_t>(p.fogTable);
  if (p.fogW && p.fogTable != FogMode::None) push.fogMode += shader::kFogByW;
  push.fogStart = p.fogStart;
  push.fogEnd = p.fogEnd;
  push.fogDensity = p.fogDensity;
  push.pointSize = p.pointSize;
  push.pointSizeMin = std::max(p.pointSizeMin, limits.min);
  push.pointSizeMax = std::min(p.pointSizeMax, limits.max);
  return push;
}

/// Returns EmitOptions::projectedBy of a pixel shader: before ps_1_4, D3DTTFF_PROJECTED divides by the second
/// or third coordinate if D3DTTFF_COUNT is 2 or 3, else by the fourth ("D3DTEXTURETRANSFORMFLAGS").
inline std::array<uint8_t, 4> projectedBy(const core::DrawState& state,
                                          const shader::ShaderInfo& pixelShader) {
  constexpr uint32_t kCountMask = 7, kProjected = 256;
  std::array<uint8_t, 4> out{};
  if (pixelShader.version.model() >= 0x0104) return out;
  for (uint32_t i = 0; i < out.size(); ++i) {
    const uint32_t flags = state.textureStages[i].transformFlags, count = flags & kCountMask;
    if (flags & kProjected) out[i] = count == 2 ? 1 : count == 3 ? 2 : 3;
  }
  return out;
}

/// The enabled clip planes.
struct ClipPlanes {
  uint32_t count = 0;
  std::array<std::array<float, 4>, core::kMaxClipPlanes> planes;
};
inline ClipPlanes clipPlanes(const core::DrawState& state) {
  ClipPlanes out;
  for (uint32_t i = 0; i < core::kMaxClipPlanes; ++i)
    if (state.rasterizer.clipPlaneMask >> i & 1) out.planes[out.count++] = state.clipPlanes[i];
  return out;
}

}  // namespace aerogpu::d3d9
