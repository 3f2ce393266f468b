// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/gdi/gdi_resources.h"

#include "aerogpu/aerogpu_cmd_binding.h"
#include "aerogpu/aerogpu_cmd_resource.h"
#include "aerogpu/aerogpu_cmd_shader.h"
#include "aerogpu/aerogpu_cmd_state.h"
#include "aerogpu/aerogpu_format.h"
#include "aerogpu/d3d9/declaration.h"
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"
#include "guest-drivers/kmd/gdi/gdi_copy.psa.h"
#include "guest-drivers/kmd/gdi/gdi_fill.psa.h"
#include "guest-drivers/kmd/gdi/gdi_gamma.psa.h"
#include "guest-drivers/kmd/gdi/gdi_key.psa.h"
#include "guest-drivers/kmd/gdi/gdi_rect.vsa.h"
#include "guest-drivers/kmd/gdi/gdi_rop.psa.h"
#include "guest-drivers/kmd/gdi/gdi_text.psa.h"

namespace aero {
namespace {

constexpr uint32_t kVerticesPerRect = 6;
struct Vertex {
  int16_t x, y;  // corner, 0 or 1
  int16_t rect;
  int16_t unused;
};
constexpr uint32_t kVertexBytes = sizeof(Vertex) * kGdiRectsPerDraw * kVerticesPerRect;

namespace d3d9 = aerogpu::d3d9;
using d3d9::SamplerStateType;
constexpr uint32_t kSamplers = 3;

struct ShaderCode {
  const uint32_t *tokens;
  uint32_t bytes;
};
ShaderCode codeOf(GdiShader shader) {
  switch (shader) {
  case GdiShader::Fill:
    return {k_gdi_fill, sizeof k_gdi_fill};
  case GdiShader::Copy:
    return {k_gdi_copy, sizeof k_gdi_copy};
  case GdiShader::Key:
    return {k_gdi_key, sizeof k_gdi_key};
  case GdiShader::Rop:
    return {k_gdi_rop, sizeof k_gdi_rop};
  case GdiShader::Text:
    return {k_gdi_text, sizeof k_gdi_text};
  default:
    return {k_gdi_gamma, sizeof k_gdi_gamma};
  }
}

void makeShader(PacketWriter &packets, uint32_t handle, uint32_t stage, ShaderCode code) {
  auto *packet = packets.append<aerogpu_cmd_create_shader_dxbc>(code.bytes);
  if (!packet) return;
  packet->shader_handle = handle;
  packet->stage = stage;
  memcpy(PacketWriter::elementsOf(packet), code.tokens, code.bytes);
}

void makeVertices(PacketWriter &packets, const GdiResources &resources) {
  const d3d9::VertexElement elements[] = {
      {0, 0, d3d9::DeclType::Short4, d3d9::DeclMethod::Default, d3d9::Usage::Position, 0}, d3d9::kDeclEnd};
  auto *layout = packets.append<aerogpu_cmd_create_input_layout>(sizeof elements);
  if (layout) {
    layout->input_layout_handle = resources.layout();
    memcpy(PacketWriter::elementsOf(layout), elements, sizeof elements);
  }
  if (auto *packet = packets.append<aerogpu_cmd_create_buffer>()) {
    packet->buffer_handle = resources.vertices();
    packet->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    packet->size_bytes = kVertexBytes;
  }
  auto *packet = packets.append<aerogpu_cmd_upload_resource>(kVertexBytes);
  if (!packet) return;
  packet->resource_handle = resources.vertices();
  uint8_t *tail = PacketWriter::elementsOf(packet);
  constexpr int16_t kCorners[kVerticesPerRect][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
  for (uint32_t i = 0; i < kGdiRectsPerDraw * kVerticesPerRect; i++) {
    const int16_t *corner = kCorners[i % kVerticesPerRect];
    const Vertex vertex = {corner[0], corner[1], static_cast<int16_t>(i / kVerticesPerRect), 0};
    memcpy(tail + i * sizeof vertex, &vertex, sizeof vertex);
  }
}

template <class Value> void samplerState(PacketWriter &packets, uint32_t slot, SamplerStateType state, Value value) {
  auto *packet = packets.append<aerogpu_cmd_set_sampler_state>();
  if (!packet) return;
  packet->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
  packet->slot = slot;
  packet->state = static_cast<uint32_t>(state);
  packet->value = static_cast<uint32_t>(value);
}

}  // namespace

uint32_t GdiResources::scratchFormat(uint32_t number) {
  constexpr uint32_t kFormats[kScratchFormats] = {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                                  AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM};
  return kFormats[number % kScratchFormats];
}

uint32_t GdiResources::scratch(uint32_t format, uint32_t which) const {
  for (uint32_t i = 0; i < kScratchFormats; i++)
    if (scratchFormat(i) == format) return firstScratch() + which * kScratchFormats + i;
  return 0;
}

bool gdiSetup(PacketWriter &packets, uint32_t firstHandle, uint32_t step) {
  const GdiResources resources{firstHandle};
  switch (step) {
  case 0:
    makeShader(packets, resources.vertexShader(), AEROGPU_SHADER_STAGE_VERTEX, {k_gdi_rect, sizeof k_gdi_rect});
    for (uint32_t i = 0; i < static_cast<uint32_t>(GdiShader::Count); i++)
      makeShader(packets, resources.shader(static_cast<GdiShader>(i)), AEROGPU_SHADER_STAGE_PIXEL,
                 codeOf(static_cast<GdiShader>(i)));
    break;
  case 1:
    makeVertices(packets, resources);
    break;
  default:
    for (uint32_t i = 0; i < 2 * kScratchFormats; i++)
      if (auto *packet = packets.append<aerogpu_cmd_create_texture2d>()) {
        packet->texture_handle = resources.firstScratch() + i;
        packet->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
        packet->format = GdiResources::scratchFormat(i);
        packet->width = kScratchWidth;
        packet->height = kScratchHeight;
        packet->mip_levels = 1;
        packet->array_layers = 1;
      }
  }
  return !packets.full();
}

bool gdiTeardown(PacketWriter &packets, uint32_t firstHandle, uint32_t steps) {
  const GdiResources resources{firstHandle};
  const auto destroyShader = [&](uint32_t handle) {
    if (auto *packet = packets.append<aerogpu_cmd_destroy_shader>()) packet->shader_handle = handle;
  };
  const auto destroyResource = [&](uint32_t handle) {
    if (auto *packet = packets.append<aerogpu_cmd_destroy_resource>()) packet->resource_handle = handle;
  };
  if (steps > 0) {
    destroyShader(resources.vertexShader());
    for (uint32_t i = 0; i < static_cast<uint32_t>(GdiShader::Count); i++)
      destroyShader(resources.shader(static_cast<GdiShader>(i)));
  }
  if (steps > 1) {
    if (auto *packet = packets.append<aerogpu_cmd_destroy_input_layout>())
      packet->input_layout_handle = resources.layout();
    destroyResource(resources.vertices());
  }
  if (steps > 2)
    for (uint32_t i = 0; i < 2 * kScratchFormats; i++) destroyResource(resources.firstScratch() + i);
  return !packets.full();
}

bool gdiBegin(PacketWriter &packets, uint32_t firstHandle) {
  const GdiResources resources{firstHandle};
  const size_t mark = packets.used();
  if (auto *packet = packets.append<aerogpu_cmd_set_input_layout>()) packet->input_layout_handle = resources.layout();
  const aerogpu_vertex_buffer_binding binding = {resources.vertices(), sizeof(Vertex), 0, 0};
  packets.packet(aerogpu_cmd_set_vertex_buffers{}, &binding, 1);
  if (auto *packet = packets.append<aerogpu_cmd_set_primitive_topology>())
    packet->topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
  if (auto *packet = packets.append<aerogpu_cmd_set_rasterizer_state>()) {
    packet->state.fill_mode = AEROGPU_FILL_SOLID;
    packet->state.cull_mode = AEROGPU_CULL_NONE;
  }
  if (auto *packet = packets.append<aerogpu_cmd_set_depth_stencil_state>())
    packet->state.depth_func = AEROGPU_COMPARE_ALWAYS;
  for (uint32_t slot = 0; slot < kSamplers; slot++) {
    samplerState(packets, slot, SamplerStateType::AddressU, d3d9::TextureAddress::Clamp);
    samplerState(packets, slot, SamplerStateType::AddressV, d3d9::TextureAddress::Clamp);
    samplerState(packets, slot, SamplerStateType::MagFilter, d3d9::TextureFilter::Point);
    samplerState(packets, slot, SamplerStateType::MinFilter, d3d9::TextureFilter::Point);
    samplerState(packets, slot, SamplerStateType::MipFilter, d3d9::TextureFilter::None);
  }
  if (!packets.full() && packets.room() >= kGdiEndBytes) return true;
  packets.rewind(mark);
  return false;
}

void gdiEnd(PacketWriter &packets) {
  for (uint32_t slot = 0; slot < kSamplers; slot++)
    if (auto *packet = packets.append<aerogpu_cmd_set_texture>()) {
      packet->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
      packet->slot = slot;
    }
  packets.append<aerogpu_cmd_set_render_targets>();
}

}  // namespace aero
