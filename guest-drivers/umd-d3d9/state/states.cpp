// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/states.h"

#include "aerogpu/d3d9/states.h"

namespace aero {
namespace {

using aerogpu::d3d9::StateInfo;
using aerogpu::d3d9::StateKind;
using Rs = aerogpu::d3d9::RenderStateType;
using Samp = aerogpu::d3d9::SamplerStateType;

/** The driver's rule for a state. */
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

/** True for states that do nothing on the device (docs/abi/state.md, "State"), or that only the fixed function
 * reads. */
constexpr bool isUnused(const StateInfo &info) {
  using aerogpu::d3d9::StatePart;
  if (info.part == StatePart::VertexProcessing || info.part == StatePart::Tessellation ||
      info.part == StatePart::TextureBlending || info.part == StatePart::Debugging)
    return true;
  switch (static_cast<Rs>(info.number)) {
  case Rs::LastPixel:
  case Rs::DitherEnable:
  case Rs::AntialiasedLineEnable:
  case Rs::MultisampleAntialias:
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
    // Blending with a second source colour belongs to Direct3D 9Ex and has no caps bit.
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

// D3DTEXTURETRANSFORMFLAGS.
constexpr uint32_t kCountMask = 7, kByFourth = 4, kProjected = 256;

// The states that StageStates keeps, in its order.
constexpr uint32_t kStageStates[] = {D3DDDITSS_BUMPENVMAT00,         D3DDDITSS_BUMPENVMAT01,  D3DDDITSS_BUMPENVMAT10,
                                     D3DDDITSS_BUMPENVMAT11,         D3DDDITSS_BUMPENVLSCALE, D3DDDITSS_BUMPENVLOFFSET,
                                     D3DDDITSS_TEXTURETRANSFORMFLAGS};

constexpr uint32_t kTransformFlags = sizeof kStageStates / sizeof kStageStates[0] - 1;

/** Returns the index of a state in kStageStates, or one past the end if it is not there. */
constexpr uint32_t stageStateIndex(uint32_t state) {
  uint32_t index = 0;
  while (index < sizeof kStageStates / sizeof kStageStates[0] && kStageStates[index] != state) index++;
  return index;
}

uint32_t lowestBit(uint64_t bits) {
  return static_cast<uint32_t>(__builtin_ctzll(bits));
}

/** Calls send(n) for each bit n of `dirty`, from the lowest on, and clears the bit once it is sent. Returns false if
 * send() does. */
template <class Bits, class Send> bool sendDirty(Bits &dirty, Send send) {
  while (dirty) {
    if (!send(lowestBit(dirty))) return false;
    dirty = static_cast<Bits>(dirty & (dirty - 1));
  }
  return true;
}

}  // namespace

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

RenderStates::RenderStates(DirtyBit dirty) : m_isDirty(dirty) {
  for (uint32_t i = 0; i < kCount; i++) m_wanted[i] = m_sent[i] = kRenderRules.rows[i].defaultValue;
  memset(m_known, 0xFF, sizeof m_known);  // a new context has the defaults (STATE-1)
}

bool RenderStates::set(uint32_t state, uint32_t value) {
  if (state >= kCount || !kRenderRules.rows[state].sent) return false;
  value = sane(kRenderRules.rows[state], value);
  if (m_wanted[state] == value) return true;
  m_wanted[state] = value;
  mark(state);
  return true;
}

bool RenderStates::send(Context &context, uint32_t state, uint32_t value) {
  const uint64_t mask = uint64_t{1} << state % 64;
  if (m_sent[state] == value && m_known[state / 64] & mask) return true;
  auto *packet = context.append<aerogpu_cmd_set_render_state>();
  if (!packet) return false;
  packet->state = state;
  packet->value = value;
  m_sent[state] = value;
  m_known[state / 64] |= mask;
  return true;
}

bool RenderStates::emitDirty(Context &context) {
  for (uint32_t word = 0; word < kCount / 64; word++) {
    const auto sendBit = [&](uint32_t bit) { return send(context, word * 64 + bit, m_wanted[word * 64 + bit]); };
    if (!sendDirty(m_dirty[word], sendBit)) return false;
  }
  m_isDirty.clear();
  return true;
}

bool RenderStates::force(Context &context, uint32_t state, uint32_t value) {
  if (!send(context, state, value)) return false;
  if (m_wanted[state] != value) mark(state);
  return true;
}

void RenderStates::forget() {
  memset(m_known, 0, sizeof m_known);
  for (uint32_t i = 0; i < kCount; i++)
    if (kRenderRules.rows[i].sent) mark(i);
}

SamplerStates::SamplerStates(DirtyBit dirty) : m_isDirty(dirty) {
  for (uint32_t sampler = 0; sampler < kSamplerCount; sampler++) {
    for (uint32_t i = 0; i < kStates; i++)
      m_wanted[sampler][i] = m_sent[sampler][i] = kSamplerRules.rows[i].defaultValue;
    m_known[sampler] = 0xFFFF;
  }
}

void SamplerStates::set(uint32_t sampler, uint32_t state, uint32_t value) {
  if (sampler >= kSamplerCount || state >= kStates || !kSamplerRules.rows[state].sent) return;
  value = saneSamplerState(state, value);
  // GPUs used the lowest bit of values that the page does not list (D3DSAMP_SRGBTEXTURE).
  if (state == static_cast<uint32_t>(Samp::SrgbTexture)) value &= 1;
  if (m_wanted[sampler][state] == value) return;
  m_wanted[sampler][state] = value;
  mark(sampler, state);
}

bool SamplerStates::send(Context &context, uint32_t sampler, uint32_t state, uint32_t value) {
  const auto mask = static_cast<uint16_t>(1u << state);
  if (m_sent[sampler][state] == value && m_known[sampler] & mask) return true;
  auto *packet = context.append<aerogpu_cmd_set_sampler_state>();
  if (!packet) return false;
  const SamplerSlot slot = slotOf(sampler);
  packet->shader_stage = slot.stage;
  packet->slot = slot.slot;
  packet->state = state;
  packet->value = value;
  m_sent[sampler][state] = value;
  m_known[sampler] |= mask;
  return true;
}

bool SamplerStates::emitDirty(Context &context) {
  const bool sent = sendDirty(m_dirtySamplers, [&](uint32_t sampler) {
    const auto sendState = [&](uint32_t state) { return send(context, sampler, state, m_wanted[sampler][state]); };
    return sendDirty(m_dirty[sampler], sendState);
  });
  if (sent) m_isDirty.clear();
  return sent;
}

bool SamplerStates::force(Context &context, uint32_t sampler, uint32_t state, uint32_t value) {
  if (!send(context, sampler, state, value)) return false;
  if (m_wanted[sampler][state] != value) mark(sampler, state);
  return true;
}

void SamplerStates::forget() {
  for (uint32_t sampler = 0; sampler < kSamplerCount; sampler++) {
    m_known[sampler] = 0;
    for (uint32_t i = 0; i < kStates; i++)
      if (kSamplerRules.rows[i].sent) mark(sampler, i);
  }
}

void StageStates::set(uint32_t stage, uint32_t state, uint32_t value) {
  if (stage >= kStages) return;
  if (state == D3DDDITSS_TEXCOORDINDEX) {
    // The bits above the number generate coordinates from untransformed vertices, which is the runtime's work.
    constexpr uint32_t kNumber = 7;
    const uint32_t shift = stage * 4;
    const uint32_t coordinates = (m_coordinates & ~(0xFu << shift)) | (value & kNumber) << shift;
    if (coordinates == m_coordinates) return;
    m_coordinates = coordinates;
    m_isDirty.set();
    return;
  }
  const uint32_t index = stageStateIndex(state);
  if (index >= kStates || m_wanted[stage][index] == value) return;
  m_wanted[stage][index] = value;
  m_dirty[stage] |= static_cast<uint8_t>(1u << index);
  m_dirtyStages |= 1u << stage;
  m_isDirty.set();
}

bool StageStates::emit(Context &context, bool transformed) {
  if (m_transformed != transformed) {
    m_transformed = transformed;
    for (uint32_t stage = 0; stage < kStages; stage++)
      if (m_wanted[stage][kTransformFlags] & kProjected) {
        m_dirty[stage] |= 1u << kTransformFlags;
        m_dirtyStages |= 1u << stage;
      }
  }
  return sendDirty(m_dirtyStages, [&](uint32_t stage) {
    return sendDirty(m_dirty[stage], [&](uint32_t index) {
      auto *packet = context.append<aerogpu_cmd_ext_set_texture_stage>();
      if (!packet) return false;
      packet->stage = stage;
      packet->state = kStageStates[index];
      packet->value = m_wanted[stage][index];
      if (index == kTransformFlags && packet->value & kProjected && !transformed)
        packet->value = (packet->value & ~kCountMask) | kByFourth;
      return true;
    });
  });
}

void StageStates::forget() {
  for (uint8_t &states : m_dirty) states = (1u << kStates) - 1;
  m_dirtyStages = (1u << kStages) - 1;
  m_isDirty.set();
}

void ClipPlanes::set(uint32_t index, const float *coefficients) {
  aerogpu_ext_clip_plane plane;
  memcpy(&plane, coefficients, sizeof plane);
  if (index >= kCount || !memcmp(&m_wanted[index], &plane, sizeof plane)) return;
  m_wanted[index] = plane;
  m_dirty |= 1u << index;
}

bool ClipPlanes::emitDirty(Context &context) {
  const uint32_t first = lowestBit(m_dirty);
  const auto end = static_cast<uint32_t>(32 - __builtin_clz(m_dirty));
  auto *packet = context.append<aerogpu_cmd_ext_set_clip_planes>(end - first);
  if (!packet) return false;
  packet->first = first;
  memcpy(Context::elementsOf(packet), &m_wanted[first], (end - first) * sizeof m_wanted[0]);
  m_dirty = 0;
  return true;
}

bool StreamSteps::emit(Context &context, uint32_t mask, const uint32_t *steps) {
  return sendDirty(mask, [&](uint32_t stream) {
    const uint32_t bit = 1u << stream;
    if (m_sent[stream] == steps[stream] && !(m_unknown & bit)) return true;
    auto *packet = context.append<aerogpu_cmd_ext_set_stream_frequency>(1);
    if (!packet) return false;
    packet->first = stream;
    *Context::elementsOf(packet) = steps[stream];
    m_sent[stream] = steps[stream];
    m_unknown &= ~bit;
    m_stepping = steps[stream] ? m_stepping | bit : m_stepping & ~bit;
    return true;
  });
}

}  // namespace aero
