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

/** Copies the elements; false if they are set already. */
template <class Element> bool setAll(Element *to, UINT &toCount, const Element *from, UINT count) {
  // Bits: a number that differs from itself is sent again. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  if (count == toCount && !memcmp(to, from, count * sizeof *to)) return false;
  memcpy(to, from, count * sizeof *to);
  toCount = count;
  return true;
}

aerogpu_ext_scissor scissorOf(const D3D10_DDI_RECT &rect) {
  return {rect.left, rect.top, rect.right > rect.left ? rect.right - rect.left : 0,
          rect.bottom > rect.top ? rect.bottom - rect.top : 0};
}

}  // namespace

/** Returns how many of so many viewports, or rectangles, are sent: one at least. */
UINT OutputState::fewer(UINT count) const {
  const UINT most = m_objects.formats.hasLayers() ? kMostViewports : 1;
  return count < 1 ? 1 : count < most ? count : most;
}

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
  const D3D10_DDI_VIEWPORT none = {0, 0, 0, 0, 0, 1};
  if (setAll(m_viewports, m_viewportCount, count ? viewports : &none, fewer(count))) m_dirty |= kViewport;
}

void OutputState::setScissors(const D3D10_DDI_RECT *rects, UINT count) {
  const D3D10_DDI_RECT none = {0, 0, 0, 0};
  if (setAll(m_scissors, m_scissorCount, count ? rects : &none, fewer(count))) m_dirty |= kScissor;
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

bool OutputState::sendViewports() {
  static_assert(sizeof(D3D10_DDI_VIEWPORT) == sizeof(aerogpu_ext_viewport));
  if (m_viewportCount > 1) {
    auto *packet = m_objects.context.append<aerogpu_cmd_ext_set_viewports>(m_viewportCount);
    if (packet) memcpy(Context::elementsOf(packet), m_viewports, m_viewportCount * sizeof m_viewports[0]);
    return packet;
  }
  aerogpu_cmd_set_viewport packet = {};
  memcpy(&packet.x_f32, &m_viewports[0], sizeof m_viewports[0]);
  return m_objects.context.send(packet);
}

bool OutputState::sendScissors() {
  if (m_scissorCount > 1) {
    auto *packet = m_objects.context.append<aerogpu_cmd_ext_set_scissors>(m_scissorCount);
    for (UINT i = 0; packet && i < m_scissorCount; i++) Context::elementsOf(packet)[i] = scissorOf(m_scissors[i]);
    return packet;
  }
  const aerogpu_ext_scissor one = scissorOf(m_scissors[0]);
  aerogpu_cmd_set_scissor packet = {};
  packet.x = one.x;
  packet.y = one.y;
  packet.width = one.width;
  packet.height = one.height;
  return m_objects.context.send(packet);
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
  if (dirty & kViewport) sent = sent && sendViewports();
  if (dirty & kScissor) sent = sent && sendScissors();
  m_dirty &= ~kAll;
  return context.result(sent);
}

}  // namespace aero
