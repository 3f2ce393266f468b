// SPDX-License-Identifier: MIT
// Texture stages (reference.h): pages "D3DTEXTUREOP", "D3DTA", "D3DTEXTURESTAGESTATETYPE", "Texture Blending
// Operations", "Bump Mapping Formulas".
#include <algorithm>
#include <bit>
#include <cmath>

#include "renderer/shader/test/fixed/reference.h"

namespace aerogpu::shader::fixed {

using d3d9::RenderStateType;
using d3d9::SamplerType;
using d3d9::TextureStageStateType;
using enum d3d9::TextureStageStateType;

Vec texel(SamplerType type, const Vec& at) {
  const double z = type == SamplerType::Texture2D ? 0 : at[2];
  const double cube = type == SamplerType::TextureCube ? 0.2 : 0;
  const auto limited = [](double x) { return std::clamp(x, 0.0, 1.0); };
  return {limited(0.25 * at[0] + 0.125 * at[1] + 0.0625 * z + 0.3 + cube),
          limited(0.125 * at[0] - 0.25 * at[1] + 0.125 * z + 0.6 - cube),
          limited(-0.25 * at[0] + 0.125 * at[1] - 0.125 * z + 0.5),
          limited(0.0625 * at[0] + 0.0625 * at[1] + 0.25 * z + 0.4 + cube)};
}

namespace {

/// D3DTOP_ numbers.
enum : uint32_t {
  kDisable = 1,
  kSelectArg1,
  kSelectArg2,
  kModulate,
  kModulate2x,
  kModulate4x,
  kAdd,
  kAddSigned,
  kAddSigned2x,
  kSubtract,
  kAddSmooth,
  kBlendDiffuse,
  kBlendTexture,
  kBlendFactor,
  kBlendTexturePm,
  kBlendCurrent,
  kPremodulate,
  kModulateAlphaAddColor,
  kModulateColorAddAlpha,
  kModulateInvAlphaAddColor,
  kModulateInvColorAddAlpha,
  kBumpEnvMap,
  kBumpEnvMapLuminance,
  kDotProduct3,
  kMultiplyAdd,
  kLerp,
};

class PixelProcessor {
public:
  PixelProcessor(const State& s, const PixelInputs& in) : s(s), in(in) {}

  Vec run() {
    Vec current = in.diffuse, temp{};
    for (m_stage = 0; m_stage < d3d9::kFixedStages; ++m_stage) {
      const uint32_t op = s.tss(m_stage, ColorOp);
      if (op < 2 || op > 26) break;  // this stage and all later ones are off
      m_texture = sampled(m_stage);
      if (bumps(op) && bound(m_stage)) continue;  // it only moves the next stage's coordinates
      m_current = current;
      m_temp = temp;
      Vec& result = (s.tss(m_stage, ResultArg) & 15) == 5 ? temp : current;
      const Vec color = operation(op, ColorArg0, ColorArg1, ColorArg2);
      const uint32_t alphaOp = s.tss(m_stage, AlphaOp);
      // A colour operation with a missing texture passes its input on, and so do alpha operations.
      double alpha = result[3];
      if (op == kDotProduct3 && !lacksTexture(op, ColorArg0, ColorArg1, ColorArg2))
        alpha = color[0];  // "replicates the sum to all color channels, including alpha"
      else if (alphaOp >= 2 && alphaOp <= 26 && !bumps(alphaOp))
        alpha = operation(alphaOp, AlphaArg0, AlphaArg1, AlphaArg2)[3];
      result = {color[0], color[1], color[2], alpha};
    }
    if (s.rs(RenderStateType::SpecularEnable))
      for (size_t i = 0; i < 3; ++i) current[i] = std::clamp(current[i] + in.specular[i], 0.0, 1.0);
    return current;
  }

private:
  static bool bumps(uint32_t op) { return op == kBumpEnvMap || op == kBumpEnvMapLuminance; }
  bool bound(uint32_t stage) const { return s.textures[stage] != SamplerType::Unknown; }
  bool active(uint32_t stage) const {
    for (uint32_t i = 0; i <= stage; ++i)
      if (i >= d3d9::kFixedStages || s.tss(i, ColorOp) < 2 || s.tss(i, ColorOp) > 26) return false;
    return true;
  }
  double real(uint32_t stage, TextureStageStateType type) const {
    return std::bit_cast<float>(s.tss(stage, type));
  }

  /// Samples a stage's texture at its coordinates, moved by the previous stage's bump map.
  Vec sampled(uint32_t stage) const {
    if (!bound(stage)) return {0, 0, 0, 1};
    Vec at = in.coordinates[stage];
    const uint32_t flags = s.tss(stage, TextureTransformFlags), count = flags & 0xFF;
    if (flags & 0x100 && s.textures[stage] != SamplerType::TextureCube) {
      const bool known = !(flags & ~0x1FFu);
      double by = at[3];
      if (!in.divisorInW && known && count == 3) by = at[2];
      if (!in.divisorInW && known && count == 2) by = at[1];
      // Generated coordinates that no matrix changes have no divisor.
      const bool none = in.divisorInW && s.tss(stage, TexCoordIndex) >> 16 >= 1 &&
                        s.tss(stage, TexCoordIndex) >> 16 <= 4 && (!known || count < 2 || count > 4);
      if (!none && !(in.divisorInW && !components(stage)))
        for (size_t i = 0; i < 3; ++i) at[i] /= by;
    }
    const bool bumped = stage && bumps(s.tss(stage - 1, ColorOp)) && bound(stage - 1);
    if (!bumped) return texel(s.textures[stage], at);
    const Vec map = sampled(stage - 1);
    at[0] += map[0] * real(stage - 1, BumpEnvMat00) + map[1] * real(stage - 1, BumpEnvMat10);
    at[1] += map[0] * real(stage - 1, BumpEnvMat01) + map[1] * real(stage - 1, BumpEnvMat11);
    Vec color = texel(s.textures[stage], at);
    if (s.tss(stage - 1, ColorOp) == kBumpEnvMapLuminance) {
      const double luminance =
          std::clamp(map[2] * real(stage - 1, BumpEnvLScale) + real(stage - 1, BumpEnvLOffset), 0.0, 1.0);
      for (double& x : color) x *= luminance;
    }
    return color;
  }
  /// True if the vertices have the coordinates that a stage takes, or if they are generated.
  bool components(uint32_t stage) const {
    const uint32_t index = s.tss(stage, TexCoordIndex);
    if (index >> 16 >= 1 && index >> 16 <= 4) return true;
    for (const d3d9::VertexElement& e : s.declaration)
      if (e.usage == d3d9::Usage::TexCoord && e.usageIndex == (index & 0xFFFF) && (index & 0xFFFF) < 8)
        return true;
    return false;
  }

  static Vec color(uint32_t argb) {
    return {(argb >> 16 & 255) / 255.0, (argb >> 8 & 255) / 255.0, (argb & 255) / 255.0,
            (argb >> 24) / 255.0};
  }

  Vec argument(uint32_t arg) const {
    Vec v;
    switch (arg & 15) {
      case 0:
        v = in.diffuse;
        break;
      case 2:
        v = m_texture;
        break;
      case 3:
        v = color(s.rs(RenderStateType::TextureFactor));
        break;
      case 4:
        v = in.specular;
        break;
      case 5:
        v = m_temp;
        break;
      case 6:
        v = color(s.tss(m_stage, Constant));
        break;
      default:
        v = m_current;
        break;
    }
    if (arg & 0x10)  // D3DTA_COMPLEMENT
      for (double& x : v) x = 1 - x;
    if (arg & 0x20) v = {v[3], v[3], v[3], v[3]};  // D3DTA_ALPHAREPLICATE
    return v;
  }

  static uint32_t argumentMask(uint32_t op) {
    if (op == kSelectArg1) return 2;
    if (op == kSelectArg2) return 4;
    if (op == kPremodulate) return 2;
    return op == kMultiplyAdd || op == kLerp ? 7 : 6;
  }
  /// True if the operation reads the texture of a stage without one.
  bool lacksTexture(uint32_t op, TextureStageStateType arg0, TextureStageStateType arg1,
                    TextureStageStateType arg2) const {
    if (bound(m_stage)) return false;
    if (bumps(op)) return true;
    const TextureStageStateType types[] = {arg0, arg1, arg2};
    for (uint32_t i = 0; i < 3; ++i) {
      if ((op == kBlendTexture || op == kBlendTexturePm) && i == 2) continue;  // has no weight, see below
      if (argumentMask(op) >> i & 1 && (s.tss(m_stage, types[i]) & 15) == 2) return true;
    }
    return false;
  }

  Vec operation(uint32_t op, TextureStageStateType arg0, TextureStageStateType arg1,
                TextureStageStateType arg2) const {
    if (lacksTexture(op, arg0, arg1, arg2)) return m_current;
    const Vec a = argument(s.tss(m_stage, arg1)), b = argument(s.tss(m_stage, arg2)),
              c = argument(s.tss(m_stage, arg0));
    const auto each = [](auto f) { return Vec{f(0), f(1), f(2), f(3)}; };
    const auto clamped = [&](auto f) { return each([&](size_t i) { return std::clamp(f(i), 0.0, 1.0); }); };
    const auto mixed = [&](double f) { return each([&](size_t i) { return a[i] * f + b[i] * (1 - f); }); };
    switch (op) {
      case kSelectArg1:
        return a;
      case kSelectArg2:
        return b;
      case kModulate:
        return each([&](size_t i) { return a[i] * b[i]; });
      case kModulate2x:
        return clamped([&](size_t i) { return a[i] * b[i] * 2; });
      case kModulate4x:
        return clamped([&](size_t i) { return a[i] * b[i] * 4; });
      case kAdd:
        return clamped([&](size_t i) { return a[i] + b[i]; });
      case kAddSigned:
        return clamped([&](size_t i) { return a[i] + b[i] - 0.5; });
      case kAddSigned2x:
        return clamped([&](size_t i) { return (a[i] + b[i] - 0.5) * 2; });
      case kSubtract:
        return clamped([&](size_t i) { return a[i] - b[i]; });
      case kAddSmooth:
        return clamped([&](size_t i) { return a[i] + b[i] - a[i] * b[i]; });
      case kBlendDiffuse:
        return mixed(in.diffuse[3]);
      case kBlendTexture:
        return mixed(m_texture[3]);
      case kBlendFactor:
        return mixed(color(s.rs(RenderStateType::TextureFactor))[3]);
      case kBlendCurrent:
        return mixed(m_current[3]);
      case kBlendTexturePm:
        return clamped([&](size_t i) { return a[i] + b[i] * (1 - m_texture[3]); });
      case kPremodulate: {  // the next stage's texture modulates it
        if (!active(m_stage + 1) || !bound(m_stage + 1)) return a;
        const Vec next = sampled(m_stage + 1);
        return each([&](size_t i) { return a[i] * next[i]; });
      }
      case kModulateAlphaAddColor:
        return clamped([&](size_t i) { return a[i] + a[3] * b[i]; });
      case kModulateColorAddAlpha:
        return clamped([&](size_t i) { return a[i] * b[i] + a[3]; });
      case kModulateInvAlphaAddColor:
        return clamped([&](size_t i) { return (1 - a[3]) * b[i] + a[i]; });
      case kModulateInvColorAddAlpha:
        return clamped([&](size_t i) { return (1 - a[i]) * b[i] + a[3]; });
      case kDotProduct3: {
        double sum = 0;
        for (size_t i = 0; i < 3; ++i) sum += (a[i] - 0.5) * (b[i] - 0.5);
        return clamped([&](size_t) { return 4 * sum; });
      }
      case kMultiplyAdd:
        return clamped([&](size_t i) { return c[i] + a[i] * b[i]; });
      case kLerp:
        return each([&](size_t i) { return c[i] * a[i] + (1 - c[i]) * b[i]; });
      default:
        return m_current;
    }
  }

  const State& s;
  const PixelInputs& in;
  uint32_t m_stage = 0;
  Vec m_current{}, m_temp{}, m_texture{};
};

}  // namespace

Vec processPixel(const State& state, const PixelInputs& inputs) {
  return PixelProcessor(state, inputs).run();
}

}  // namespace aerogpu::shader::fixed
