// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/state/output.h"

#include "aerogpu/aerogpu_cmd_extension.h"

namespace aero {
namespace {

// D3DRENDERSTATETYPE. Direct3D 10's numbers of comparisons and stencil operations are those of Direct3D 9.
enum : uint32_t {
  kStencilFail = 53,
  kStencilZFail = 54,
  kStencilPass = 55,
  kStencilFunc = 56,
  kStencilRef = 57,
  kTwoSidedStencilMode = 185,
  kBackStencilFail = 186,
  kBackStencilZFail = 187,
  kBackStencilPass = 188,
  kBackStencilFunc = 189,
};

}  // namespace

void OutputState::setTargets(View *const *colors, uint32_t count, View *depth) {
  m_colorCount = 0;
  for (uint32_t i = 0; i < kTargets; i++) {
    m_colors[i] = i < count ? colors[i] : nullptr;
    if (m_colors[i]) m_colorCount = i + 1;
  }
  m_depthTarget = depth;
  m_dirty |= kTargetsBit | kBlend;  // what blending the device can do depends on the targets
}

void OutputState::setBlend(const BlendState *state, const FLOAT *factor, UINT sampleMask) {
  m_blend = state ? *state : BlendState{};
  memcpy(m_factor, factor, sizeof m_factor);
  m_sampleMask = sampleMask;
  m_dirty |= kBlend;
}

void OutputState::setDepthStencil(const DepthStencilState *state, UINT reference) {
  m_depth = state ? *state : DepthStencilState{};
  m_reference = reference;
  m_dirty |= kDepth;
}

void OutputState::setRasterizer(const RasterizerState *state) {
  const uint32_t ccw = m_rasterizer.block.front_ccw;
  m_rasterizer = state ? *state : RasterizerState{};
  m_dirty |= kRasterizer;
  if (m_rasterizer.block.front_ccw != ccw) m_dirty |= kDepth;  // the sides of the stencil
}

void OutputState::setViewports(const D3D10_DDI_VIEWPORT *viewports, UINT count) {
  const D3D10_DDI_VIEWPORT first = count ? viewports[0] : D3D10_DDI_VIEWPORT{0, 0, 0, 0, 0, 1};
  // Bits: a number that differs from itself is sent again. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  if (!memcmp(&first, &m_viewport, sizeof first)) return;
  m_viewport = first;
  m_dirty |= kViewport;
}

void OutputState::setScissors(const D3D10_DDI_RECT *rects, UINT count) {
  const D3D10_DDI_RECT first = count ? rects[0] : D3D10_DDI_RECT{0, 0, 0, 0};
  if (!memcmp(&first, &m_scissor, sizeof first)) return;
  m_scissor = first;
  m_dirty |= kScissor;
}

bool OutputState::sendStates(const uint32_t (*states)[2], uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    auto *packet = m_objects.context.append<aerogpu_cmd_set_render_state>();
    if (!packet) return false;
    packet->state = states[i][0];
    packet->value = states[i][1];
  }
  return true;
}

HRESULT OutputState::sendTargets() {
  aerogpu_cmd_set_render_targets packet = {};
  packet.color_count = m_colorCount;
  for (uint32_t i = 0; i < m_colorCount; i++) {
    if (!m_colors[i]) continue;
    packet.colors[i] = m_colors[i]->handle(m_objects);
    if (!packet.colors[i]) return m_objects.context.result(false);
  }
  if (m_depthTarget) {
    packet.depth_stencil = m_depthTarget->handle(m_objects);
    if (!packet.depth_stencil) return m_objects.context.result(false);
  }
  return m_objects.context.result(m_objects.context.send(packet));
}

HRESULT OutputState::sendBlend() {
  for (uint32_t i = 0; m_colorCount > 1 && i < m_colorCount; i++)
    if (m_blend.isDualSource(i)) return kNotAvailable;  // a second colour takes the place of a second target
  auto *packet = m_objects.context.append<aerogpu_cmd_ext_set_blend>(m_blend.count);
  if (!packet) return m_objects.context.result(false);
  packet->flags = m_blend.flags;
  packet->sample_mask = m_sampleMask;
  memcpy(packet->blend_constant_rgba_f32, m_factor, sizeof m_factor);
  memcpy(Context::elementsOf(packet), m_blend.targets, m_blend.count * sizeof m_blend.targets[0]);
  return kOk;
}

bool OutputState::sendDepth() {
  aerogpu_cmd_set_depth_stencil_state packet = {};
  packet.state = m_depth.block;
  if (!m_objects.context.send(packet)) return false;
  if (!m_depth.block.stencil_enable) return true;
  // Direct3D 9's states are of clockwise faces, and those named CCW of the others.
  const bool isSwapped = m_rasterizer.block.front_ccw;
  const StencilSide &clockwise = isSwapped ? m_depth.back : m_depth.front;
  const StencilSide &other = isSwapped ? m_depth.front : m_depth.back;
  const uint32_t states[][2] = {{kStencilFail, clockwise.fail},    {kStencilZFail, clockwise.depthFail},
                                {kStencilPass, clockwise.pass},    {kStencilFunc, clockwise.function},
                                {kStencilRef, m_reference & 0xFF}, {kTwoSidedStencilMode, 1},
                                {kBackStencilFail, other.fail},    {kBackStencilZFail, other.depthFail},
                                {kBackStencilPass, other.pass},    {kBackStencilFunc, other.function}};
  return sendStates(states, sizeof states / sizeof states[0]);
}

bool OutputState::sendRasterizer() {
  aerogpu_cmd_set_rasterizer_state packet = {};
  packet.state = m_rasterizer.block;
  aerogpu_cmd_ext_set_depth_bias bias = {};
  memcpy(&bias.slope_scaled_f32, &m_rasterizer.slopeScaledDepthBias, sizeof bias.slope_scaled_f32);
  memcpy(&bias.clamp_f32, &m_rasterizer.depthBiasClamp, sizeof bias.clamp_f32);
  return m_objects.context.send(packet) && m_objects.context.send(bias);
}

HRESULT OutputState::send() {
  Context &context = m_objects.context;
  const uint32_t dirty = m_dirty & kAll;
  HRESULT result = kOk;
  if (dirty & kTargetsBit) result = sendTargets();
  if (!failed(result) && dirty & kBlend) result = sendBlend();
  if (failed(result)) return result;
  bool sent = true;
  if (dirty & kRasterizer) sent = sendRasterizer();
  if (dirty & kDepth) sent = sent && sendDepth();
  if (dirty & kViewport) {
    aerogpu_cmd_set_viewport packet = {};
    memcpy(&packet.x_f32, &m_viewport, sizeof m_viewport);
    sent = sent && context.send(packet);
  }
  if (dirty & kScissor) {
    aerogpu_cmd_set_scissor packet = {};
    packet.x = m_scissor.left;
    packet.y = m_scissor.top;
    packet.width = m_scissor.right > m_scissor.left ? m_scissor.right - m_scissor.left : 0;
    packet.height = m_scissor.bottom > m_scissor.top ? m_scissor.bottom - m_scissor.top : 0;
    sent = sent && context.send(packet);
  }
  m_dirty &= ~kAll;
  return context.result(sent);
}

}  // namespace aero
