// SPDX-License-Identifier: MIT
// blt_draw.cpp: copies by the driver's own draws: those that no packet does, and on devices without blits everything
// that is scaled or converted.
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"
#include "guest-drivers/umd-d3d9/blt.ps.h"
#include "guest-drivers/umd-d3d9/blt.vs.h"
#include "guest-drivers/umd-d3d9/transfers/blt.h"

namespace aero {
namespace {

using Rs = aerogpu::d3d9::RenderStateType;
using Samp = aerogpu::d3d9::SamplerStateType;

/** Position in clip space and texture coordinates of a corner. */
struct Corner {
  float x, y, u, v;
};

constexpr aerogpu::d3d9::VertexElement kElements[] = {
    {0, 0, aerogpu::d3d9::DeclType::Float2, aerogpu::d3d9::DeclMethod::Default, aerogpu::d3d9::Usage::Position, 0},
    {0, 8, aerogpu::d3d9::DeclType::Float2, aerogpu::d3d9::DeclMethod::Default, aerogpu::d3d9::Usage::TexCoord, 0},
    aerogpu::d3d9::kDeclEnd};

template <class Enum> constexpr uint32_t number(Enum value) {
  return static_cast<uint32_t>(value);
}

}  // namespace

void Blits::destroy() {
  m_vertexShader.destroy(m_objects);
  m_pixelShader.destroy(m_objects);
  m_objects.destroy<aerogpu_cmd_destroy_input_layout>(m_layout);
}

bool Blits::makeObjects() {
  if (m_layout) return true;
  if (!m_vertexShader.handle() &&
      failed(m_vertexShader.create(m_objects, AEROGPU_SHADER_STAGE_VERTEX, k_blt_vs, sizeof k_blt_vs)))
    return false;
  if (!m_pixelShader.handle() &&
      failed(m_pixelShader.create(m_objects, AEROGPU_SHADER_STAGE_PIXEL, k_blt_ps, sizeof k_blt_ps)))
    return false;
  const uint32_t layout = m_objects.take();
  auto *packet = layout ? m_objects.context.append<aerogpu_cmd_create_input_layout>(sizeof kElements) : nullptr;
  if (!packet) return false;
  packet->input_layout_handle = layout;
  memcpy(Context::elementsOf(packet), kElements, sizeof kElements);
  m_layout = layout;
  return true;
}

bool Blits::drawMapped(Surface &from, uint32_t fromView, Surface &to, const Mapping &mapping) {
  const uint32_t target = makeObjects() ? surfaceView(m_objects, to) : 0;
  if (!target || m_pipeline.prepareClear() == Prepared::Failed) return false;
  Context &context = m_objects.context;

  const struct {
    Rs state;
    uint32_t value;
  } kStates[] = {{Rs::ZEnable, 0},           {Rs::FillMode, number(aerogpu::d3d9::FillMode::Solid)},
                 {Rs::AlphaTestEnable, 0},   {Rs::CullMode, number(aerogpu::d3d9::CullMode::None)},
                 {Rs::AlphaBlendEnable, 0},  {Rs::FogEnable, 0},
                 {Rs::StencilEnable, 0},     {Rs::ColorWriteEnable, 15},
                 {Rs::ScissorTestEnable, 0}, {Rs::SrgbWriteEnable, mapping.toSrgb},
                 {Rs::ClipPlaneEnable, 0},   {Rs::MultisampleMask, 0xFFFFFFFF}};
  for (const auto &each : kStates)
    if (!m_pipeline.renderStates.force(context, number(each.state), each.value)) return false;
  const uint32_t filter =
      number(mapping.linear ? aerogpu::d3d9::TextureFilter::Linear : aerogpu::d3d9::TextureFilter::Point);
  const uint32_t clamp = number(aerogpu::d3d9::TextureAddress::Clamp);
  const struct {
    Samp state;
    uint32_t value;
  } kSampler[] = {{Samp::AddressU, clamp},   {Samp::AddressV, clamp}, {Samp::MagFilter, filter},
                  {Samp::MinFilter, filter}, {Samp::MipFilter, 0},    {Samp::MipMapLodBias, 0},
                  {Samp::MaxMipLevel, 0},    {Samp::SrgbTexture, 0}};
  for (const auto &each : kSampler)
    if (!m_pipeline.samplers.force(context, 0, number(each.state), each.value)) return false;

  // Pixel centres are whole numbers: pixel n reaches from n - 1/2 to n + 1/2.
  const auto clipX = [&](uint32_t x) { return (static_cast<float>(x) - 0.5f) * 2 / static_cast<float>(to.width) - 1; };
  const auto clipY = [&](uint32_t y) { return 1 - (static_cast<float>(y) - 0.5f) * 2 / static_cast<float>(to.height); };
  float left = static_cast<float>(mapping.from.left) / static_cast<float>(from.width);
  float right = static_cast<float>(mapping.from.right) / static_cast<float>(from.width);
  float top = static_cast<float>(mapping.from.top) / static_cast<float>(from.height);
  float bottom = static_cast<float>(mapping.from.bottom) / static_cast<float>(from.height);
  if (mapping.mirrorX) std::swap(left, right);
  if (mapping.mirrorY) std::swap(top, bottom);
  const Rect &area = mapping.to;
  const Corner corners[4] = {{clipX(area.left), clipY(area.top), left, top},
                             {clipX(area.right), clipY(area.top), right, top},
                             {clipX(area.left), clipY(area.bottom), left, bottom},
                             {clipX(area.right), clipY(area.bottom), right, bottom}};
  ViewportState viewport;
  viewport.width = to.width;
  viewport.height = to.height;
  uint32_t offset;
  if (!m_pipeline.textures.force(context, 0, fromView) || !m_pipeline.targets.force(context, &target, 1, 0) ||
      !m_pipeline.viewport.force(context, viewport) ||
      !m_pipeline.shaders.force(context, m_vertexShader.handle(), m_pixelShader.handle(), m_layout) ||
      !m_draws.ring().place(m_objects, corners, sizeof corners, offset) ||
      !m_pipeline.streams.force(context, 0, {m_draws.ring().handle(), offset, sizeof(Corner)}) ||
      !m_pipeline.topology.force(context, AEROGPU_TOPOLOGY_TRIANGLESTRIP) ||
      !context.ensure(sizeof(aerogpu_cmd_draw), 2))
    return false;
  if (from.image->crossesContexts) context.use(from.image->memory, false);
  if (to.image->crossesContexts) context.use(to.image->memory, true);
  aerogpu_cmd_draw draw = {};
  draw.vertex_count = 4;
  draw.instance_count = 1;
  return context.send(draw);
}

}  // namespace aero
