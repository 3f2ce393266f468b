// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/encoder.h"

#include <cstring>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_packets.hpp"
#include "aerogpu/d3d9/state_values.h"

namespace aerogpu::guest {

namespace {
using d3d9::SamplerStateType;
using d3d9::TextureAddress;
using d3d9::TextureFilter;
}  // namespace

void Encoder::createBuffer(uint32_t handle, uint32_t usage, uint64_t size, uint32_t allocId) {
  m_out.packet(aerogpu_cmd_create_buffer{{}, handle, usage, size, allocId, 0, 0});
}

void Encoder::createTexture(uint32_t handle, uint32_t usage, uint32_t format, uint32_t width, uint32_t height,
                            uint32_t mips, uint32_t pitch, uint32_t allocId) {
  m_out.packet(
      aerogpu_cmd_create_texture2d{{}, handle, usage, format, width, height, mips, 1, pitch, allocId, 0, 0});
}

void Encoder::dirtyRange(uint32_t handle, uint64_t offset, uint64_t size) {
  m_out.packet(aerogpu_cmd_resource_dirty_range{{}, handle, 0, offset, size});
}

void Encoder::upload(uint32_t handle, uint64_t offset, const void* bytes, size_t size) {
  m_out.packet(aerogpu_cmd_upload_resource{{}, handle, 0, offset, 0}, bytes, size);
}

void Encoder::copyTexture(uint32_t destination, uint32_t source, uint32_t width, uint32_t height, uint32_t x,
                          uint32_t y) {
  m_out.packet(
      aerogpu_cmd_copy_texture2d{{}, destination, source, 0, 0, 0, 0, x, y, 0, 0, width, height, 0, 0});
}

void Encoder::copyRect(uint32_t destination, uint32_t source, const Rect& rect) {
  const auto x = static_cast<uint32_t>(rect.x), y = static_cast<uint32_t>(rect.y);
  m_out.packet(aerogpu_cmd_copy_texture2d{{},
                                          destination,
                                          source,
                                          0,
                                          0,
                                          0,
                                          0,
                                          x,
                                          y,
                                          x,
                                          y,
                                          static_cast<uint32_t>(rect.w),
                                          static_cast<uint32_t>(rect.h),
                                          0,
                                          0});
}

void Encoder::createShader(uint32_t handle, uint32_t stage, std::span<const uint32_t> tokens) {
  packets::createShader(m_out, handle, stage, tokens);
}

void Encoder::createInputLayout(uint32_t handle, const void* elements, size_t bytes) {
  m_out.packet(aerogpu_cmd_create_input_layout{{}, handle, 0, 0}, elements, bytes);
}

void Encoder::bindShaders(uint32_t vertex, uint32_t pixel) {
  if (m_vertexShader == vertex && m_pixelShader == pixel) return;
  m_vertexShader = vertex;
  m_pixelShader = pixel;
  m_out.packet(aerogpu_cmd_bind_shaders{{}, vertex, pixel, 0, 0});
}

void Encoder::inputLayout(uint32_t handle) {
  if (m_layout == handle) return;
  m_layout = handle;
  m_out.packet(aerogpu_cmd_set_input_layout{{}, handle, 0});
}

void Encoder::vertexBuffer(uint32_t handle, uint32_t stride) {
  if (m_vertices == handle && m_stride == stride) return;
  m_vertices = handle;
  m_stride = stride;
  packets::setVertexBuffer(m_out, 0, handle, stride);
}

void Encoder::indexBuffer(uint32_t handle) {
  if (m_indices == handle) return;
  m_indices = handle;
  m_out.packet(aerogpu_cmd_set_index_buffer{{}, handle, AEROGPU_INDEX_FORMAT_UINT16, 0, 0});
}

void Encoder::topology(uint32_t topology) {
  if (m_topology == topology) return;
  m_topology = topology;
  m_out.packet(aerogpu_cmd_set_primitive_topology{{}, topology, 0});
}

void Encoder::target(uint32_t color, uint32_t depth, uint32_t width, uint32_t height) {
  m_out.packet(aerogpu_cmd_set_render_targets{{}, 1, depth, {color}});
  packets::setViewport(m_out, {.width = static_cast<float>(width), .height = static_cast<float>(height)});
}

void Encoder::texture(uint32_t slot, uint32_t handle) {
  m_out.packet(aerogpu_cmd_set_texture{{}, AEROGPU_SHADER_STAGE_PIXEL, slot, handle, 0});
}

void Encoder::sampler(uint32_t slot, SamplerMode mode) {
  if (m_samplers[slot] == static_cast<int>(mode) + 1) return;
  m_samplers[slot] = static_cast<int>(mode) + 1;
  const auto address = static_cast<uint32_t>(
      mode == SamplerMode::ClampPoint || mode == SamplerMode::ClampLinear ? TextureAddress::Clamp
                                                                          : TextureAddress::Wrap);
  const auto filter =
      static_cast<uint32_t>(mode == SamplerMode::ClampPoint ? TextureFilter::Point : TextureFilter::Linear);
  // Taking the nearest mip level is good enough for the model, which is never both tilted and far away.
  const auto mip =
      static_cast<uint32_t>(mode == SamplerMode::WrapMip ? TextureFilter::Point : TextureFilter::None);
  for (const auto& [state, value] :
       {std::pair{SamplerStateType::AddressU, address}, std::pair{SamplerStateType::AddressV, address},
        std::pair{SamplerStateType::MagFilter, filter}, std::pair{SamplerStateType::MinFilter, filter},
        std::pair{SamplerStateType::MipFilter, mip}})
    packets::samplerState(m_out, slot, static_cast<uint32_t>(state), value);
}

void Encoder::renderState(RenderStateType state, uint32_t value) {
  uint32_t& known = m_states[static_cast<uint32_t>(state)];
  if (known == value + 1) return;
  known = value + 1;
  m_out.packet(aerogpu_cmd_set_render_state{{}, static_cast<uint32_t>(state), value});
}

void Encoder::vertexConstants(uint32_t first, std::span<const float> values) {
  packets::setConstantsF(m_out, AEROGPU_SHADER_STAGE_VERTEX, first, values);
}

void Encoder::pixelConstants(uint32_t first, std::span<const float> values) {
  packets::setConstantsF(m_out, AEROGPU_SHADER_STAGE_PIXEL, first, values);
}

void Encoder::clear(uint32_t flags, std::array<float, 4> color, float depth) {
  packets::clear(m_out, flags, {color[0], color[1], color[2], color[3]}, depth);
}

void Encoder::draw(uint32_t vertices, uint32_t first) {
  packets::draw(m_out, vertices, 1, first);
}

void Encoder::drawIndexed(uint32_t indices, uint32_t first, int32_t baseVertex) {
  packets::drawIndexed(m_out, indices, first, baseVertex);
}

void Encoder::drawQuadsInline(const void* vertices, uint32_t quads, uint32_t stride) {
  const size_t vertexBytes = size_t{quads} * 4 * stride;
  std::vector<uint16_t> indices;
  indices.reserve(size_t{quads} * 6);
  for (uint32_t i = 0; i < quads; ++i)
    for (const uint32_t corner : {0u, 1u, 2u, 2u, 1u, 3u})
      indices.push_back(static_cast<uint16_t>(i * 4 + corner));
  m_inline.resize(vertexBytes + indices.size() * sizeof indices[0]);
  std::memcpy(m_inline.data(), vertices, vertexBytes);
  std::memcpy(m_inline.data() + vertexBytes, indices.data(), indices.size() * sizeof indices[0]);
  m_out.packetWithTail(
      AEROGPU_CMD_EXT_DRAW_INLINE,
      aerogpu_cmd_ext_draw_inline{{}, quads * 4, stride, quads * 6, AEROGPU_INDEX_FORMAT_UINT16},
      m_inline.data(), m_inline.size());
}

void Encoder::presentVsync(std::span<const Rect> damage) {
  std::vector<aerogpu_ext_rect> rects;
  for (const Rect& r : damage)
    rects.push_back({static_cast<uint32_t>(r.x), static_cast<uint32_t>(r.y), static_cast<uint32_t>(r.x + r.w),
                     static_cast<uint32_t>(r.y + r.h)});
  m_out.packetWithTail(AEROGPU_CMD_EXT_PRESENT_RECTS,
                       aerogpu_cmd_ext_present_rects{
                           {}, 0, AEROGPU_PRESENT_FLAG_VSYNC, 0, static_cast<uint32_t>(rects.size())},
                       rects.data(), rects.size() * sizeof rects[0]);
}

}  // namespace aerogpu::guest
