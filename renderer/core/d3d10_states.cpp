// SPDX-License-Identifier: MIT
// Direct3D 10's enumerators are Direct3D 9's with more values, and without two of the factors: D3D10_BLEND,
// D3D10_BLEND_OP, D3D10_TEXTURE_ADDRESS_MODE and D3D10_COMPARISON_FUNC of the Direct3D 10 reference.
#include "renderer/core/d3d10_states.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "renderer/core/d3d9_states.h"

namespace aerogpu::core {

namespace {

float floatOf(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
uint32_t wordOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

bool isFactor(uint32_t number) {
  const auto factor = static_cast<Blend>(number);
  return number >= static_cast<uint32_t>(Blend::Zero) && factor <= Blend::InvSrcAlpha2 &&
         factor != Blend::BothSrcAlpha && factor != Blend::BothInvSrcAlpha;
}

template <class Enum>
bool isIn(uint32_t number, Enum first, Enum last) {
  return number >= static_cast<uint32_t>(first) && number <= static_cast<uint32_t>(last);
}
bool isOperation(uint32_t number) {
  return isIn(number, BlendOp::Add, BlendOp::Max);
}
bool isAddress(uint32_t number) {
  return isIn(number, AddressMode::Wrap, AddressMode::MirrorOnce);
}

Result<void> needEnumerators(size_t target, const aerogpu_ext_target_blend& t) {
  const auto no = [&](const char* what, const char* field, uint32_t value) {
    return refused(ErrorCode::CmdDecode, what, {{"target", target}, {field, value}});
  };
  const struct {
    const char* name;
    uint32_t value;
  } factors[] = {{"src", t.src}, {"dst", t.dst}, {"src_alpha", t.src_alpha}, {"dst_alpha", t.dst_alpha}};
  for (const auto& factor : factors)
    if (!isFactor(factor.value)) return no("unknown blend factor", factor.name, factor.value);
  if (!isOperation(t.op)) return no("unknown blend operation", "op", t.op);
  if (!isOperation(t.op_alpha)) return no("unknown blend operation", "op_alpha", t.op_alpha);
  return {};
}

BlendFunction functionOf(const aerogpu_ext_target_blend& t) {
  return {t.enable != 0,
          static_cast<Blend>(t.src),
          static_cast<Blend>(t.dst),
          static_cast<BlendOp>(t.op),
          static_cast<Blend>(t.src_alpha),
          static_cast<Blend>(t.dst_alpha),
          static_cast<BlendOp>(t.op_alpha)};
}

/// Returns the functions of all targets without Direct3D 9's special cases, which render states set.
BlendFunction functionOf(const BlendState& blend, size_t target) {
  if (target != 0 && blend.independent) return blend.others[target - 1];
  return {blend.enable, blend.src, blend.dst, blend.op, blend.srcAlpha, blend.dstAlpha, blend.opAlpha};
}

aerogpu_ext_target_blend targetOf(const BlendFunction& f, uint8_t mask) {
  const auto factor = [](Blend b) {
    return isFactor(static_cast<uint32_t>(b)) ? static_cast<uint8_t>(b) : static_cast<uint8_t>(Blend::One);
  };
  return {f.enable,           factor(f.src),      factor(f.dst),      uint8_t(f.op),
          factor(f.srcAlpha), factor(f.dstAlpha), uint8_t(f.opAlpha), mask};
}

bool isOfDirect3D10(Blend factor) {
  return factor > Blend::InvSrcColor2;
}

}  // namespace

Result<void> setBlend(DrawState& state, const aerogpu_cmd_ext_set_blend& packet,
                      std::span<const aerogpu_ext_target_blend> targets) {
  for (size_t i = 0; i < targets.size(); ++i)
    if (auto known = needEnumerators(i, targets[i]); !known) return known;
  BlendState& blend = state.blend;
  const BlendFunction first = functionOf(targets[0]);
  blend.enable = first.enable;
  blend.separateAlpha = true;
  blend.src = first.src;
  blend.dst = first.dst;
  blend.op = first.op;
  blend.srcAlpha = first.srcAlpha;
  blend.dstAlpha = first.dstAlpha;
  blend.opAlpha = first.opAlpha;
  blend.independent = false;
  blend.others = {};
  for (size_t i = 0; i < kMaxColorTargets; ++i) {
    const aerogpu_ext_target_blend& target = targets[std::min(i, targets.size() - 1)];
    blend.writeMask[i] = target.write_mask & 15;
    blend.independent |= functionOf(target) != first;
  }
  for (size_t i = 1; blend.independent && i < kMaxColorTargets; ++i)
    blend.others[i - 1] = functionOf(targets[std::min(i, targets.size() - 1)]);
  for (size_t i = 0; i < 4; ++i) blend.constant[i] = floatOf(packet.blend_constant_rgba_f32[i]);
  blend.sampleMask = packet.sample_mask;
  blend.dxbcAlphaToCoverage = (packet.flags & AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE) != 0;
  state.dirty |= kDirtyBlend;
  return {};
}

bool needsSetBlend(const BlendState& blend) {
  if (blend.independent || blend.dxbcAlphaToCoverage) return true;
  for (const Blend factor : {blend.src, blend.dst, blend.srcAlpha, blend.dstAlpha})
    if (isOfDirect3D10(factor)) return true;
  // Render states have masks for the first four targets; SET_BLEND_STATE sets one mask.
  constexpr size_t kMasks = 4;
  return std::any_of(blend.writeMask.begin() + kMasks, blend.writeMask.end(),
                     [&](uint8_t mask) { return mask != blend.writeMask.back(); });
}

BlendPacket blendPacket(const BlendState& blend) {
  BlendPacket out;
  out.fixed.target_count = kMaxColorTargets;
  for (size_t i = 0; i < kMaxColorTargets; ++i)
    out.targets[i] = targetOf(functionOf(blend, i), blend.writeMask[i]);
  for (size_t i = 0; i < 4; ++i) out.fixed.blend_constant_rgba_f32[i] = wordOf(blend.constant[i]);
  out.fixed.sample_mask = blend.sampleMask;
  if (blend.dxbcAlphaToCoverage) out.fixed.flags = AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE;
  return out;
}

Result<SamplerState> samplerFromBlock(const aerogpu_ext_sampler& block) {
  constexpr uint32_t kKnown = AEROGPU_EXT_SAMPLER_MIN_LINEAR | AEROGPU_EXT_SAMPLER_MAG_LINEAR |
                              AEROGPU_EXT_SAMPLER_MIP_LINEAR | AEROGPU_EXT_SAMPLER_ANISOTROPIC;
  if (block.filter & ~kKnown)
    return refused(ErrorCode::CmdDecode, "unknown filter of a sampler",
                   {{"filter", block.filter}, {"unknown", block.filter & ~kKnown}});
  if (!isAddress(block.address_u) || !isAddress(block.address_v) || !isAddress(block.address_w))
    return refused(
        ErrorCode::CmdDecode, "unknown address mode of a sampler",
        {{"address_u", block.address_u}, {"address_v", block.address_v}, {"address_w", block.address_w}});
  if (block.compare_func > static_cast<uint32_t>(CompareFunc::Always))
    return refused(ErrorCode::CmdDecode, "unknown comparison of a sampler",
                   {{"compare_func", block.compare_func}});
  const float bias = floatOf(block.mip_lod_bias_f32), least = floatOf(block.min_lod_f32),
              most = floatOf(block.max_lod_f32);
  if (std::isnan(bias) || std::isnan(least) || std::isnan(most))
    return refused(ErrorCode::CmdDecode, "a level of a sampler is no number",
                   {{"mip_lod_bias_f32", block.mip_lod_bias_f32},
                    {"min_lod_f32", block.min_lod_f32},
                    {"max_lod_f32", block.max_lod_f32}});
  const auto filter = [&](uint32_t linear) { return block.filter & linear ? Filter::Linear : Filter::Point; };
  SamplerState state;
  state.u = static_cast<AddressMode>(block.address_u);
  state.v = static_cast<AddressMode>(block.address_v);
  state.w = static_cast<AddressMode>(block.address_w);
  state.min = block.filter & AEROGPU_EXT_SAMPLER_ANISOTROPIC ? Filter::Anisotropic
                                                             : filter(AEROGPU_EXT_SAMPLER_MIN_LINEAR);
  state.mag = filter(AEROGPU_EXT_SAMPLER_MAG_LINEAR);
  state.mip = filter(AEROGPU_EXT_SAMPLER_MIP_LINEAR);
  if (block.compare_func != 0) state.compare = static_cast<CompareFunc>(block.compare_func);
  state.maxAnisotropy = std::max(block.max_anisotropy, 1u);
  state.lodBias = bias;
  // A least level below 0 is the first one. It takes precedence over the last one (Direct3D 11.3 functional
  // specification, 7.18.11).
  state.minLod = std::clamp(least, 0.0f, kAnyLod);
  state.maxLod = std::clamp(most, state.minLod, kAnyLod);
  for (size_t i = 0; i < 4; ++i) state.border[i] = block.border_color_rgba_f32[i];
  return state;
}

bool needsSamplerBlock(const SamplerState& sampler) {
  const SamplerState fresh;
  return sampler.maxLod != fresh.maxLod || sampler.compare != fresh.compare ||
         sampler.minLod != std::trunc(sampler.minLod) || !isD3dColor(sampler.border);
}

aerogpu_ext_sampler samplerBlock(const SamplerState& sampler) {
  aerogpu_ext_sampler block{};
  const auto filter = [&](Filter f, uint32_t linear) { block.filter |= f >= Filter::Linear ? linear : 0; };
  filter(sampler.mag, AEROGPU_EXT_SAMPLER_MAG_LINEAR);
  filter(sampler.mip, AEROGPU_EXT_SAMPLER_MIP_LINEAR);
  filter(sampler.min, AEROGPU_EXT_SAMPLER_MIN_LINEAR);
  if (sampler.min == Filter::Anisotropic) block.filter |= AEROGPU_EXT_SAMPLER_ANISOTROPIC;
  block.address_u = static_cast<uint8_t>(sampler.u);
  block.address_v = static_cast<uint8_t>(sampler.v);
  block.address_w = static_cast<uint8_t>(sampler.w);
  block.compare_func = static_cast<uint8_t>(sampler.compare);
  block.max_anisotropy = sampler.maxAnisotropy;
  // A bias of Direct3D 9 may be no number.
  block.mip_lod_bias_f32 = std::isnan(sampler.lodBias) ? 0 : wordOf(sampler.lodBias);
  block.min_lod_f32 = wordOf(sampler.minLod);
  block.max_lod_f32 = wordOf(sampler.maxLod);
  for (size_t i = 0; i < 4; ++i) block.border_color_rgba_f32[i] = sampler.border[i];
  return block;
}

}  // namespace aerogpu::core
