// SPDX-License-Identifier: MIT
// The packets that tests, benchmarks, fuzzer seeds, the demo and the driver host mostly send: fewer arguments, floats
// in place of their bits, usual values as defaults. For any other packet use CommandWriter::packet() with its
// structure. Header-only, C++20. Checks nothing: tests compose invalid streams on purpose.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "aerogpu_format.h"
#include "cmd_writer.hpp"

namespace aerogpu::packets {

/// Describes a texture to create. `usage`: enum aerogpu_resource_usage_flags; `rowPitch` (bytes) counts only with
/// `allocId`; 0 means no backing.
struct Texture {
  uint32_t handle = 0, format = AEROGPU_FORMAT_B8G8R8X8_UNORM, width = 0, height = 0, usage = 0;
  uint32_t mips = 1, layers = 1, rowPitch = 0, allocId = 0, allocOffset = 0;
};
/// The usage of a texture that is drawn into and shown.
inline constexpr uint32_t kShown = AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT;

inline void createTexture(CommandWriter& w, const Texture& t) {
  aerogpu_cmd_create_texture2d p{};
  p.texture_handle = t.handle;
  p.usage_flags = t.usage;
  p.format = t.format;
  p.width = t.width;
  p.height = t.height;
  p.mip_levels = t.mips;
  p.array_layers = t.layers;
  p.row_pitch_bytes = t.rowPitch;
  p.backing_alloc_id = t.allocId;
  p.backing_offset_bytes = t.allocOffset;
  w.packet(p);
}

/// Creates a texture that is drawn into and shown, over the start of an allocation: B8G8R8X8, tight rows.
inline void createShown(CommandWriter& w, uint32_t handle, uint32_t width, uint32_t height, uint32_t allocId) {
  Texture t;
  t.handle = handle;
  t.width = width;
  t.height = height;
  t.usage = kShown;
  t.rowPitch = width * 4;
  t.allocId = allocId;
  createTexture(w, t);
}

inline void createBuffer(CommandWriter& w, uint32_t handle, uint64_t size, uint32_t usage = 0, uint32_t allocId = 0,
                         uint32_t allocOffset = 0) {
  aerogpu_cmd_create_buffer p{};
  p.buffer_handle = handle;
  p.usage_flags = usage;
  p.size_bytes = size;
  p.backing_alloc_id = allocId;
  p.backing_offset_bytes = allocOffset;
  w.packet(p);
}

inline void destroyResource(CommandWriter& w, uint32_t handle) {
  aerogpu_cmd_destroy_resource p{};
  p.resource_handle = handle;
  w.packet(p);
}

inline void upload(CommandWriter& w, uint32_t handle, uint64_t offset, std::span<const uint8_t> bytes) {
  aerogpu_cmd_upload_resource p{};
  p.resource_handle = handle;
  p.offset_bytes = offset;
  w.packet(p, bytes.data(), bytes.size());
}

inline void dirtyRange(CommandWriter& w, uint32_t handle, uint64_t offset, uint64_t size) {
  aerogpu_cmd_resource_dirty_range p{};
  p.resource_handle = handle;
  p.offset_bytes = offset;
  p.size_bytes = size;
  w.packet(p);
}

/// Copies from the start of one buffer to the start of another. `flags`: enum aerogpu_copy_flags.
inline void copyBuffer(CommandWriter& w, uint32_t to, uint32_t from, uint64_t size,
                       uint32_t flags = AEROGPU_COPY_FLAG_WRITEBACK_DST) {
  aerogpu_cmd_copy_buffer p{};
  p.dst_buffer = to;
  p.src_buffer = from;
  p.size_bytes = size;
  p.flags = flags;
  w.packet(p);
}

/// Copies between the upper left corners of two textures; from the given mip level or layer of the source.
inline void copyTexture(CommandWriter& w, uint32_t to, uint32_t from, uint32_t width, uint32_t height,
                        uint32_t flags = AEROGPU_COPY_FLAG_WRITEBACK_DST, uint32_t fromMip = 0,
                        uint32_t fromLayer = 0) {
  aerogpu_cmd_copy_texture2d p{};
  p.dst_texture = to;
  p.src_texture = from;
  p.src_mip_level = fromMip;
  p.src_array_layer = fromLayer;
  p.width = width;
  p.height = height;
  p.flags = flags;
  w.packet(p);
}

/// Replaces the backing of a resource, by EXT_ATTACH_BACKING. `rowPitch` (bytes) counts for textures only.
inline void attachBacking(CommandWriter& w, uint32_t handle, uint32_t allocId, uint32_t rowPitch = 0,
                          uint32_t allocOffset = 0) {
  aerogpu_cmd_ext_attach_backing p{};
  p.resource_handle = handle;
  p.backing_alloc_id = allocId;
  p.backing_offset_bytes = allocOffset;
  p.row_pitch_bytes = rowPitch;
  w.packet(p);
}

/// Writes a word of guest memory once all earlier work is done, by EXT_WRITE_VALUE.
inline void writeValue(CommandWriter& w, uint32_t allocId, uint64_t offset, uint64_t value) {
  aerogpu_cmd_ext_write_value p{};
  p.alloc_id = allocId;
  p.offset_bytes = offset;
  p.value = value;
  w.packet(p);
}

/// Binds at most AEROGPU_MAX_RENDER_TARGETS of `colors`; the count is written as given.
inline void setTargets(CommandWriter& w, std::span<const uint32_t> colors, uint32_t depth = 0) {
  aerogpu_cmd_set_render_targets p{};
  p.color_count = static_cast<uint32_t>(colors.size());
  p.depth_stencil = depth;
  for (size_t i = 0; i < colors.size() && i < AEROGPU_MAX_RENDER_TARGETS; ++i) p.colors[i] = colors[i];
  w.packet(p);
}
inline void setTarget(CommandWriter& w, uint32_t color) {
  setTargets(w, {&color, 1});
}

struct Rgba {
  float r = 0, g = 0, b = 0, a = 1;
};
/// Clears the bound targets. `flags`: enum aerogpu_clear_flags.
inline void clear(CommandWriter& w, uint32_t flags, Rgba color, float depth = 1, uint32_t stencil = 0) {
  aerogpu_cmd_clear p{};
  p.flags = flags;
  const float rgba[] = {color.r, color.g, color.b, color.a};
  for (int i = 0; i < 4; ++i) p.color_rgba_f32[i] = std::bit_cast<uint32_t>(rgba[i]);
  p.depth_f32 = std::bit_cast<uint32_t>(depth);
  p.stencil = stencil;
  w.packet(p);
}
inline void clearColor(CommandWriter& w, Rgba color) {
  clear(w, AEROGPU_CLEAR_COLOR, color);
}

/// Creates a shader. `stage`: enum aerogpu_shader_stage; `tokens`: a D3D9 token stream with its end token.
inline void createShader(CommandWriter& w, uint32_t handle, uint32_t stage, std::span<const uint32_t> tokens) {
  aerogpu_cmd_create_shader_dxbc p{};
  p.shader_handle = handle;
  p.stage = stage;
  w.packet(p, tokens.data(), tokens.size_bytes());
}

inline void destroyShader(CommandWriter& w, uint32_t handle) {
  aerogpu_cmd_destroy_shader p{};
  p.shader_handle = handle;
  w.packet(p);
}

inline void bindShaders(CommandWriter& w, uint32_t vertex, uint32_t pixel) {
  aerogpu_cmd_bind_shaders p{};
  p.vs = vertex;
  p.ps = pixel;
  w.packet(p);
}

/// Creates an input layout and binds it. `blob`: an array of D3DVERTEXELEMENT9 with its end element, or an ILAY blob.
inline void useInputLayout(CommandWriter& w, uint32_t handle, std::span<const uint8_t> blob) {
  aerogpu_cmd_create_input_layout create{};
  create.input_layout_handle = handle;
  w.packet(create, blob.data(), blob.size());
  aerogpu_cmd_set_input_layout bind{};
  bind.input_layout_handle = handle;
  w.packet(bind);
}

inline void destroyInputLayout(CommandWriter& w, uint32_t handle) {
  aerogpu_cmd_destroy_input_layout p{};
  p.input_layout_handle = handle;
  w.packet(p);
}

/// Sets a D3DRENDERSTATETYPE to a value; floats as their bits.
inline void renderState(CommandWriter& w, uint32_t state, uint32_t value) {
  w.packet(aerogpu_cmd_set_render_state{{}, state, value});
}
/// Sets a D3DSAMPLERSTATETYPE to a value.
inline void samplerState(CommandWriter& w, uint32_t slot, uint32_t state, uint32_t value,
                         uint32_t stage = AEROGPU_SHADER_STAGE_PIXEL) {
  w.packet(aerogpu_cmd_set_sampler_state{{}, stage, slot, state, value});
}
/// Binds a texture or view; 0 unbinds.
inline void setTexture(CommandWriter& w, uint32_t slot, uint32_t texture, uint32_t stage = AEROGPU_SHADER_STAGE_PIXEL) {
  w.packet(aerogpu_cmd_set_texture{{}, stage, slot, texture, 0});
}
/// Sets float constants from register `first` on, four floats a register; ignores an incomplete last register.
inline void setConstantsF(CommandWriter& w, uint32_t stage, uint32_t first, std::span<const float> values) {
  const auto count = static_cast<uint32_t>(values.size() / 4);
  w.packetWithTail(AEROGPU_CMD_SET_SHADER_CONSTANTS_F, aerogpu_cmd_set_shader_constants_f{{}, stage, first, count, 0},
                   values.data(), size_t{count} * 16);
}

struct Viewport {
  float x = 0, y = 0, width = 0, height = 0, minDepth = 0, maxDepth = 1;
};
inline void setViewport(CommandWriter& w, const Viewport& v) {
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  w.packet(aerogpu_cmd_set_viewport{
      {}, bits(v.x), bits(v.y), bits(v.width), bits(v.height), bits(v.minDepth), bits(v.maxDepth)});
}

/// Binds a vertex buffer; `stride` and `offset` in bytes.
inline void setVertexBuffer(CommandWriter& w, uint32_t slot, uint32_t buffer, uint32_t stride, uint32_t offset = 0) {
  const aerogpu_vertex_buffer_binding binding{buffer, stride, offset, 0};
  aerogpu_cmd_set_vertex_buffers p{};
  p.start_slot = slot;
  w.packet(p, &binding, 1);
}

/// Sets the topology, an enum aerogpu_primitive_topology.
inline void setTopology(CommandWriter& w, uint32_t topology) {
  aerogpu_cmd_set_primitive_topology p{};
  p.topology = topology;
  w.packet(p);
}

inline void draw(CommandWriter& w, uint32_t vertices, uint32_t instances = 1, uint32_t first = 0) {
  aerogpu_cmd_draw p{};
  p.vertex_count = vertices;
  p.instance_count = instances;
  p.first_vertex = first;
  w.packet(p);
}

/// Binds an index buffer. `format`: enum aerogpu_index_format; `offset` in bytes.
inline void setIndexBuffer(CommandWriter& w, uint32_t buffer, uint32_t format = AEROGPU_INDEX_FORMAT_UINT16,
                           uint32_t offset = 0) {
  w.packet(aerogpu_cmd_set_index_buffer{{}, buffer, format, offset, 0});
}
inline void drawIndexed(CommandWriter& w, uint32_t indices, uint32_t first = 0, int32_t baseVertex = 0,
                        uint32_t instances = 1) {
  w.packet(aerogpu_cmd_draw_indexed{{}, indices, instances, first, baseVertex, 0});
}

/// Runs a compute shader over the whole of one storage buffer, `groups` thread groups side by side.
inline void dispatch(CommandWriter& w, uint32_t shader, uint32_t buffer, uint32_t groups = 1) {
  aerogpu_cmd_bind_shaders bind{};
  bind.cs = shader;
  w.packet(bind);
  aerogpu_cmd_set_unordered_access_buffers set{};
  set.shader_stage = AEROGPU_SHADER_STAGE_COMPUTE;
  const aerogpu_unordered_access_buffer_binding binding{buffer, 0, 0, 0xFFFFFFFFu};
  w.packet(set, &binding, 1);
  aerogpu_cmd_dispatch p{};
  p.group_count_x = groups;
  p.group_count_y = p.group_count_z = 1;
  w.packet(p);
}

/// Presents scanout 0. `flags`: enum aerogpu_present_flags.
inline void present(CommandWriter& w, uint32_t flags = 0) {
  aerogpu_cmd_present p{};
  p.flags = flags;
  w.packet(p);
}

}  // namespace aerogpu::packets
