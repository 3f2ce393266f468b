// SPDX-License-Identifier: MIT
#include "states.h"

#include "aerogpu/d3d9/states.h"

namespace aero {
namespace {

using aerogpu::d3d9::StateInfo;
using aerogpu::d3d9::StateKind;
using Rs = aerogpu::d3d9::RenderStateType;
using Samp = aerogpu::d3d9::SamplerStateType;

/** What the driver has to know of a state. */
struct StateRule {
  bool sent = false;  // the device has such a state
  bool isEnum = false;
  uint16_t first = 0, last = 0;
  uint32_t defaultValue = 0;
};

template <uint32_t kCount> struct StateRules {
  StateRule rows[kCount] = {};
};

constexpr StateRule ruleOf(const StateInfo &info) {
  return {true, info.kind == StateKind::Enum, static_cast<uint16_t>(info.first), static_cast<uint16_t>(info.last),
          info.defaultValue};
}

/** States that do nothing on the device (docs/abi/state.md, "State"), or that only the fixed function reads. */
constexpr bool isUnused(const StateInfo &info) {
  using aerogpu::d3d9::StatePart;
  if (info.part == StatePart::VertexProcessing || info.part == StatePart::Tessellation ||
      info.part == StatePart::TextureBlending || info.part == StatePart::Debugging)
    return true;
  switch (static_cast<Rs>(info.number)) {
  case Rs::LastPixel:
  case Rs::ClipPlaneEnable:
  case Rs::DitherEnable:
  case Rs::AntialiasedLineEnable:
  case Rs::MultisampleAntialias:
  case Rs::MultisampleMask:
  case Rs::PointScaleEnable:
  case Rs::PointScaleA:
  case Rs::PointScaleB:
  case Rs::PointScaleC:
  case Rs::RangeFogEnable:
  case Rs::FogVertexMode:
    return true;
  default:
    return info.number >= static_cast<uint32_t>(Rs::Wrap0) && info.number <= static_cast<uint32_t>(Rs::Wrap7)
               ? true
               : info.number >= static_cast<uint32_t>(Rs::Wrap8) && info.number <= static_cast<uint32_t>(Rs::Wrap15);
  }
}

constexpr StateRules<256> renderRules() {
  StateRules<256> rules;
  for (const StateInfo &info : aerogpu::d3d9::kRenderStates) {
    StateRule rule = ruleOf(info);
    rule.sent = !isUnused(info);
    // Blending with a second source colour is Direct3D 9Ex' and in no caps bit.
    const auto state = static_cast<Rs>(info.number);
    if (state == Rs::SrcBlend || state == Rs::DestBlend || state == Rs::SrcBlendAlpha || state == Rs::DestBlendAlpha)
      rule.last = 15;
    rules.rows[info.number] = rule;
  }
  return rules;
}

constexpr StateRules<16> samplerRules() {
  StateRules<16> rules;
  for (const StateInfo &info : aerogpu::d3d9::kSamplerStates) {
    rules.rows[info.number] = ruleOf(info);
    if (static_cast<Samp>(info.number) == Samp::ElementIndex || static_cast<Samp>(info.number) == Samp::DMapOffset)
      rules.rows[info.number].sent = false;
  }
  return rules;
}

constexpr StateRules<256> kRenderRules = renderRules();
constexpr StateRules<16> kSamplerRules = samplerRules();

constexpr uint32_t sane(const StateRule &rule, uint32_t value) {
  return rule.isEnum && (value < rule.first || value > rule.last) ? rule.defaultValue : value;
}

uint32_t lowestBit(uint64_t bits) {
  return static_cast<uint32_t>(__builtin_ctzll(bits));
}

}  // namespace

SamplerSlot slotOf(uint32_t sampler) {
  return sampler < kVertexSamplers ? SamplerSlot{AEROGPU_SHADER_STAGE_PIXEL, sampler}
                                   : SamplerSlot{AEROGPU_SHADER_STAGE_VERTEX, sampler - kVertexSamplers};
}

uint32_t saneRenderState(uint32_t state, uint32_t value) {
  return state < 256 ? sane(kRenderRules.rows[state], value) : value;
}

uint32_t saneSamplerState(uint32_t state, uint32_t value) {
  if (state >= 16) return value;
  const bool isFilter =
      state == static_cast<uint32_t>(Samp::MagFilter) || state == static_cast<uint32_t>(Samp::MinFilter);
  constexpr uint32_t kLinear = 2, kFlatCubic = 4, kGaussianCubic = 5;  // D3DTEXTUREFILTERTYPE of Direct3D 8
  if (isFilter && (value == kFlatCubic || value == kGaussianCubic)) return kLinear;
  return sane(kSamplerRules.rows[state], value);
}

uint32_t samplerStateOf(uint32_t textureStageState) {
  switch (textureStageState) {
  case D3DDDITSS_ADDRESSU:
    return static_cast<uint32_t>(Samp::AddressU);
  case D3DDDITSS_ADDRESSV:
    return static_cast<uint32_t>(Samp::AddressV);
  case D3DDDITSS_ADDRESSW:
    return static_cast<uint32_t>(Samp::AddressW);
  case D3DDDITSS_BORDERCOLOR:
    return static_cast<uint32_t>(Samp::BorderColor);
  case D3DDDITSS_MAGFILTER:
    return static_cast<uint32_t>(Samp::MagFilter);
  case D3DDDITSS_MINFILTER:
    return static_cast<uint32_t>(Samp::MinFilter);
  case D3DDDITSS_MIPFILTER:
    return static_cast<uint32_t>(Samp::MipFilter);
  case D3DDDITSS_MIPMAPLODBIAS:
    return static_cast<uint32_t>(Samp::MipMapLodBias);
  case D3DDDITSS_MAXMIPLEVEL:
    return static_cast<uint32_t>(Samp::MaxMipLevel);
  case D3DDDITSS_MAXANISOTROPY:
    return static_cast<uint32_t>(Samp::MaxAnisotropy);
  case D3DDDITSS_SRGBTEXTURE:
    return static_cast<uint32_t>(Samp::SrgbTexture);
  default:
    return 0;
  }
}

RenderStates::RenderStates() {
  for (uint32_t i = 0; i < kCount; i++) m_wanted[i] = m_sent[i] = kRenderRules.rows[i].defaultValue;
  memset(m_known, 0xFF, sizeof m_known);  // a new context has the defaults (STATE-1)
}

void RenderStates::set(uint32_t state, uint32_t value) {
  if (state >= kCount || !kRenderRules.rows[state].sent) return;
  value = sane(kRenderRules.rows[state], value);
  if (m_wanted[state] == value) return;
  m_wanted[state] = value;
  mark(state);
}

bool RenderStates::emitDirty(Context &context) {
  for (uint32_t word = 0; word < kCount / 64; word++) {
    while (m_dirty[word]) {
      const uint32_t bit = lowestBit(m_dirty[word]), state = word * 64 + bit;
      const uint64_t mask = uint64_t{1} << bit;
      if (m_sent[state] != m_wanted[state] || !(m_known[word] & mask)) {
        aerogpu_cmd_set_render_state packet = {};
        packet.state = state;
        packet.value = m_wanted[state];
        if (!context.send(packet)) return false;
        m_sent[state] = m_wanted[state];
        m_known[word] |= mask;
      }
      m_dirty[word] &= ~mask;
    }
  }
  m_isDirty = false;
  return true;
}

bool RenderStates::force(Context &context, uint32_t state, uint32_t value) {
  if (m_sent[state] == value && m_known[state / 64] >> state % 64 & 1) return true;
  aerogpu_cmd_set_render_state packet = {};
  packet.state = state;
  packet.value = value;
  if (!context.send(packet)) return false;
  m_sent[state] = value;
  m_known[state / 64] |= uint64_t{1} << state % 64;
  if (m_wanted[state] != value) mark(state);
  return true;
}

void RenderStates::forget() {
  memset(m_known, 0, sizeof m_known);
  for (uint32_t i = 0; i < kCount; i++)
    if (kRenderRules.rows[i].sent) mark(i);
}

SamplerStates::SamplerStates() {
  for (uint32_t sampler = 0; sampler < kSamplerCount; sampler++) {
    for (uint32_t i = 0; i < kStates; i++)
      m_wanted[sampler][i] = m_sent[sampler][i] = kSamplerRules.rows[i].defaultValue;
    m_known[sampler] = 0xFFFF;
  }
}

void SamplerStates::set(uint32_t sampler, uint32_t state, uint32_t value) {
  if (sampler >= kSamplerCount || state >= kStates || !kSamplerRules.rows[state].sent) return;
  value = saneSamplerState(state, value);
  if (m_wanted[sampler][state] == value) return;
  m_wanted[sampler][state] = value;
  m_dirty[sampler] |= static_cast<uint16_t>(1u << state);
  m_dirtySamplers |= 1u << sampler;
}

bool SamplerStates::emitDirty(Context &context) {
  while (m_dirtySamplers) {
    const uint32_t sampler = lowestBit(m_dirtySamplers);
    const SamplerSlot slot = slotOf(sampler);
    while (m_dirty[sampler]) {
      const uint32_t state = lowestBit(m_dirty[sampler]);
      const auto mask = static_cast<uint16_t>(1u << state);
      if (m_sent[sampler][state] != m_wanted[sampler][state] || !(m_known[sampler] & mask)) {
        aerogpu_cmd_set_sampler_state packet = {};
        packet.shader_stage = slot.stage;
        packet.slot = slot.slot;
        packet.state = state;
        packet.value = m_wanted[sampler][state];
        if (!context.send(packet)) return false;
        m_sent[sampler][state] = m_wanted[sampler][state];
        m_known[sampler] |= mask;
      }
      m_dirty[sampler] = static_cast<uint16_t>(m_dirty[sampler] & ~mask);
    }
    m_dirtySamplers &= ~(1u << sampler);
  }
  return true;
}

bool SamplerStates::force(Context &context, uint32_t sampler, uint32_t state, uint32_t value) {
  const auto mask = static_cast<uint16_t>(1u << state);
  if (m_sent[sampler][state] == value && m_known[sampler] & mask) return true;
  const SamplerSlot slot = slotOf(sampler);
  aerogpu_cmd_set_sampler_state packet = {};
  packet.shader_stage = slot.stage;
  packet.slot = slot.slot;
  packet.state = state;
  packet.value = value;
  if (!context.send(packet)) return false;
  m_sent[sampler][state] = value;
  m_known[sampler] |= mask;
  if (m_wanted[sampler][state] != value) {
    m_dirty[sampler] |= mask;
    m_dirtySamplers |= 1u << sampler;
  }
  return true;
}

void SamplerStates::forget() {
  for (uint32_t sampler = 0; sampler < kSamplerCount; sampler++) {
    m_known[sampler] = 0;
    for (uint32_t i = 0; i < kStates; i++)
      if (kSamplerRules.rows[i].sent) m_dirty[sampler] |= static_cast<uint16_t>(1u << i);
    m_dirtySamplers |= 1u << sampler;
  }
}

}  // namespace aero
