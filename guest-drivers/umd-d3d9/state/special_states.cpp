// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/special_states.h"

#include <bit>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/d3d9/states.h"

namespace aero {
namespace {

using SpecialState = aerogpu::d3d9::RenderStateType;

constexpr uint32_t kMostZBias = 16;  // page "D3DRENDERSTATETYPE" of Direct3D 8

constexpr uint32_t fourccOf(char a, char b, char c, char d) {
  return static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 8 | static_cast<uint32_t>(c) << 16 |
         static_cast<uint32_t>(d) << 24;
}

/** Sends the value unless it was sent. */
bool sendExtension(Context &context, uint32_t state, uint32_t value, uint32_t &sent) {
  if (value == sent) return true;
  auto *packet = context.append<aerogpu_cmd_ext_set_state>();
  if (!packet) return false;
  packet->state = state;
  packet->value = value;
  sent = value;
  return true;
}

}  // namespace

bool SpecialStates::set(uint32_t state, uint32_t value) {
  if (state == D3DDDIRS_ZBIAS) {
    note(m_zBias, value < kMostZBias ? value : kMostZBias);
    return true;
  }
  switch (static_cast<SpecialState>(state)) {
  case SpecialState::PointSize: {
    constexpr uint32_t kOff = fourccOf('A', '2', 'M', '0'), kOn = fourccOf('A', '2', 'M', '1');
    // No size is a NaN: other drivers' FOURCCs are.
    if ((value & 0x7FFFFFFF) > 0x7F800000) return true;
    if (value != kOff && value != kOn) return false;
    note(m_coverageForAll, uint32_t{value == kOn});
    return true;
  }
  case SpecialState::AdaptiveTessY:
    note(m_coverageForAlphaTest, uint32_t{value == fourccOf('A', 'T', 'O', 'C')});
    return true;
  case SpecialState::AlphaTestEnable:
    note(m_alphaTest, value);
    return true;
  case SpecialState::ClipPlaneEnable:
    note(m_planes, value & 0x3F);
    return true;
  case SpecialState::Clipping:
    note(m_clipping, value);
    return true;
  case SpecialState::DepthBias:
    note(m_depthBias, value);
    return true;
  case SpecialState::StencilEnable:
    note(m_stencil, value);
    return true;
  default:
    return false;
  }
}

/** Returns the float by which depths change: Direct3D 9's bias, and that of Direct3D 8 and older, which moves polygons
 * towards the eye in whole steps. A step is that of 16-bit depth, so that one is enough in each format; DXVK does the
 * same (src/d3d8/d3d8_caps.h). */
uint32_t SpecialStates::depthBias() const {
  if (!m_zBias) return m_depthBias;
  constexpr float kStep = 1.0f / 65535;
  return std::bit_cast<uint32_t>(std::bit_cast<float>(m_depthBias) - static_cast<float>(m_zBias) * kStep);
}

bool SpecialStates::emit(Context &context, RenderStates &renderStates, bool transformed, bool hasStencil) {
  // Alpha that determines coverage is not tested as well.
  const uint32_t coverage = m_coverageForAll || (m_coverageForAlphaTest && m_alphaTest) ? 1 : 0;
  renderStates.set(static_cast<uint32_t>(SpecialState::AlphaTestEnable), coverage ? 0 : m_alphaTest);
  // D3DPMISCCAPS_CLIPTLVERTS: vertices in screen space are clipped whatever the program says, their depth too.
  renderStates.set(static_cast<uint32_t>(SpecialState::Clipping), transformed ? 1 : m_clipping);
  renderStates.set(static_cast<uint32_t>(SpecialState::DepthBias), depthBias());
  renderStates.set(static_cast<uint32_t>(SpecialState::StencilEnable), hasStencil ? m_stencil : 0);
  // Vertices in screen space have no position in the space of the planes.
  const uint32_t planes = transformed ? 0 : m_planes;
  renderStates.set(static_cast<uint32_t>(SpecialState::ClipPlaneEnable), planes);
  if (!context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES)) return true;
  return m_clipPlanes.emit(context, planes) && sendExtension(context, AEROGPU_EXT_STATE_FOG_W, m_fogW, m_sent.fogW) &&
         sendExtension(context, AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, coverage, m_sent.coverage);
}

void SpecialStates::forget() {
  constexpr uint32_t kUnknown = 0xFFFFFFFF;  // no value of them
  m_sent = {kUnknown, kUnknown};
  m_clipPlanes.forget();
  m_isDirty.set();
}

}  // namespace aero
