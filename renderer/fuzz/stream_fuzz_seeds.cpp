// SPDX-License-Identifier: MIT
// Writes the seed corpus of stream_fuzz: one stream per opcode of the command table, and some that work
// together. Usage: stream_fuzz-seeds FOLDER
#include <cstdio>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_writer.hpp"
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"
#include "renderer/test/harness.h"
#include "renderer/test/memory_packets.h"
#include "renderer/test/token_shaders.h"

namespace {

using aerogpu::CommandWriter;
using aerogpu::test::Allocation;
using aerogpu::test::copyMemory;
using aerogpu::test::fillMemory;
using aerogpu::test::Harness;

/// Allocation 1 is linear, or scattered over pages whose list lies at 0x400 (zero unless a stream writes it:
/// page 0, many times) or, so that addresses may be any bytes, in the allocation itself.
enum class Layout { Linear, Scattered, OwnList };

std::vector<uint8_t> table(Layout layout) {
  aerogpu_alloc_table_header header{
      AEROGPU_ALLOC_TABLE_MAGIC, AEROGPU_ABI_VERSION_U32, 0, 2, sizeof(aerogpu_alloc_entry), 0};
  aerogpu_alloc_entry entries[] = {{1, 0, 0x1000, 0x4000, 0},
                                   {2, AEROGPU_ALLOC_FLAG_READONLY, 0x8000, 0x1000, 0}};
  if (layout != Layout::Linear) {
    entries[0].flags = AEROGPU_ALLOC_FLAG_EXT_SCATTER;
    entries[0].gpa = layout == Layout::OwnList ? 0 : 0x400;
  }
  header.size_bytes = sizeof header + sizeof entries;
  std::vector<uint8_t> bytes(header.size_bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, entries, sizeof entries);
  return bytes;
}

void write(const std::string& folder, const std::string& name, const CommandWriter& w,
           Layout layout = Layout::Linear) {
  const std::vector<uint8_t> t = table(layout);
  const auto size = static_cast<uint32_t>(t.size());
  std::ofstream out(folder + "/" + name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), sizeof size);
  out.write(reinterpret_cast<const char*>(t.data()), static_cast<std::streamsize>(t.size()));
  out.write(reinterpret_cast<const char*>(w.data()), static_cast<std::streamsize>(w.size()));
}

/// Writes streams that run in turns as the kernel driver's and in two spaces.
void writeTurns(const std::string& folder, const std::string& name, std::span<const CommandWriter> turns) {
  const std::vector<uint8_t> t = table(Layout::Linear);
  const uint32_t size = static_cast<uint32_t>(t.size()) | 1u << 31;
  std::ofstream out(folder + "/" + name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), sizeof size);
  out.write(reinterpret_cast<const char*>(t.data()), static_cast<std::streamsize>(t.size()));
  for (const CommandWriter& w : turns)
    out.write(reinterpret_cast<const char*>(w.data()), static_cast<std::streamsize>(w.size()));
}

/// Writes streams of two spaces that draw to one texture and present; one space ends before the other.
void twoSpaces(const std::string& folder) {
  CommandWriter turns[6];
  Harness::createTexture(turns[0], 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, 1, 64);
  aerogpu_cmd_export_shared_surface share{};
  share.resource_handle = 1;
  share.share_token = 77;
  turns[0].packet(share);
  for (const uint32_t space : {1u, 2u}) {
    aerogpu_cmd_ext_grant grant{};
    grant.share_token = 77;
    grant.space = space;
    turns[0].packet(grant);
    aerogpu_cmd_ext_name_space name{};
    name.space = space;
    name.image_name[0] = 'a';
    turns[0].packet(name);
    aerogpu_cmd_ext_space_process process{};
    process.space = space;
    process.process = 7;
    turns[0].packet(process);
    aerogpu_cmd_ext_charge_space charge{};
    charge.space = space;
    turns[0].packet(charge);
    aerogpu_cmd_import_shared_surface import{};
    import.out_resource_handle = 5;
    import.share_token = 77;
    turns[space].packet(import);
    const uint32_t color = 5;
    for (CommandWriter* w : {&turns[space], &turns[3 + space]}) {
      aerogpu::packets::setTargets(*w, {&color, 1}, 0);
      Harness::clear(*w, AEROGPU_CLEAR_COLOR, 0, 1, 0, 1);
    }
  }
  aerogpu::packets::present(turns[3]);
  aerogpu_cmd_ext_destroy_space destroy{};
  destroy.space = 1;
  turns[3].packet(destroy);
  aerogpu_cmd_release_shared_surface release{};
  release.share_token = 77;
  turns[3].packet(release);
  writeTurns(folder, "two-spaces", turns);
}

/// Writes copies and fills of memory: linear, through page lists, into the list in use, overlapping.
void memoryAlone(const std::string& folder) {
  CommandWriter w;
  const Allocation both{1}, fixed{2};
  copyMemory(w, both, 0x100, both, 0, 0x2800);
  copyMemory(w, both, 0, both, 0x1004, 0x2000);
  copyMemory(w, both, 0x3FFC, fixed, 0xFFC, 4);
  fillMemory(w, both, 0xFF8, 0x1000, 0x1010);
  copyMemory(w, both, 8, fixed, 0, 0x1000);
  copyMemory(w, fixed, 0, both, 0, 4);
  write(folder, "memory", w);
  write(folder, "memory-scattered", w, Layout::Scattered);
  write(folder, "memory-own-list", w, Layout::OwnList);
}

void everythingTogether(const std::string& folder) {
  CommandWriter w;
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1,
                         1, 1, 64);
  Harness::createTexture(w, 2, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 16, 16,
                         AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  Harness::createTexture(w, 3, AEROGPU_FORMAT_BC1_RGBA_UNORM, 16, 16, AEROGPU_RESOURCE_USAGE_TEXTURE, 3, 2);
  aerogpu::packets::createBuffer(w, 4, 256, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, 1);
  aerogpu::packets::dirtyRange(w, 1, 0, 1024);
  aerogpu::packets::dirtyRange(w, 4, 4, 100);
  const std::vector<uint8_t> bytes(128, 0x5A);
  aerogpu::packets::upload(w, 3, 0, bytes);
  const uint32_t color = 1;
  aerogpu::packets::setTargets(w, {&color, 1}, 2);
  Harness::clear(w, 7, 1, 0, 0, 1);
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = 5;
  view.texture_handle = 1;
  view.format = AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB;
  view.mip_level_count = view.array_layer_count = 1;
  w.packet(view);
  aerogpu_cmd_copy_texture2d copy{};
  copy.dst_texture = copy.src_texture = 1;
  copy.dst_x = 8;
  copy.width = copy.height = 8;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  aerogpu_cmd_export_shared_surface share{};
  share.resource_handle = 1;
  share.share_token = 77;
  w.packet(share);
  aerogpu_cmd_import_shared_surface import{};
  import.out_resource_handle = 6;
  import.share_token = 77;
  w.packet(import);
  w.packet(aerogpu_cmd_present{});
  aerogpu::packets::attachBacking(w, 6, 1, 128, 0x800);
  aerogpu::packets::dirtyRange(w, 1, 256, 512);
  aerogpu::packets::attachBacking(w, 4, 1, 0, 0x1000);
  aerogpu::packets::writeValue(w, 1, 0x1008, 0x1122334455667788);
  aerogpu::packets::dirtyRange(w, 4, 0, 256);
  aerogpu::packets::attachBacking(w, 6, 0);
  aerogpu::packets::destroyResource(w, 1);
  write(folder, "together", w);
  write(folder, "together-scattered", w, Layout::Scattered);
  write(folder, "together-own-list", w, Layout::OwnList);
}

/// Writes updates from linear, scattered and read-only memory, read-backs over bytes that are updated next,
/// promises kept and broken, draws with their own vertices, presents with damage, levels, written values,
/// memory attached elsewhere, a reset context.
void streaming(const std::string& folder) {
  CommandWriter w;
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 2,
                         1, 1, 64);
  aerogpu::packets::createBuffer(w, 4, 256, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  const uint32_t vs[] = {0xFFFE0200, 0x0200001F, 0x80000000, 0x900F0000,
                         0x02000001, 0xC00F0000, 0x90E40000, 0x0000FFFF};
  aerogpu::packets::createShader(w, 5, AEROGPU_SHADER_STAGE_VERTEX, vs);
  aerogpu::packets::bindShaders(w, 5, 0);
  const uint8_t elements[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
  aerogpu::packets::useInputLayout(w, 7, elements);
  const uint32_t color = 1;
  aerogpu::packets::setTargets(w, {&color, 1}, 0);
  aerogpu::packets::setVertexBuffer(w, 0, 4, 12, 0);
  for (uint32_t i = 0; i < 4; ++i) {
    w.packet(aerogpu_cmd_ext_update_buffer{.buffer = 4,
                                           .flags = i,
                                           .dst_offset_bytes = uint64_t{i} * 36,
                                           .size_bytes = 36,
                                           .src_alloc_id = 1 + i % 2,
                                           .src_offset_bytes = uint64_t{i} * 100});
    aerogpu::packets::draw(w, 3, 1, i * 3);
    w.packet(aerogpu_cmd_ext_read_texture{.texture = 1,
                                          .x = i,
                                          .width = 4,
                                          .height = 4,
                                          .depth = 1,
                                          .dst_alloc_id = 1,
                                          .dst_row_pitch_bytes = 40,
                                          .dst_offset_bytes = uint64_t{i} * 50});
    w.packet(aerogpu_cmd_ext_update_texture{.texture = 1,
                                            .flags = 3 - i,
                                            .mip_level = i % 2,
                                            .x = 1,
                                            .width = 6,
                                            .height = 6,
                                            .depth = 1,
                                            .src_alloc_id = 1,
                                            .src_row_pitch_bytes = 24 + i,
                                            .src_offset_bytes = i});
    const float vertices[] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 0};
    w.packetWithTail(
        AEROGPU_CMD_EXT_DRAW_INLINE,
        aerogpu_cmd_ext_draw_inline{.vertex_count = 3, .vertex_stride_bytes = 12, .index_count = i % 3},
        vertices, sizeof vertices);
    const aerogpu_ext_rect rects[] = {{i, 0, i + 3, 3}, {2, 2, 99, 99}};
    w.packetWithTail(AEROGPU_CMD_EXT_PRESENT_RECTS, aerogpu_cmd_ext_present_rects{.rect_count = 2}, rects,
                     sizeof rects);
    w.packet(aerogpu_cmd_ext_generate_mips{.texture = 1, .flags = i});
    w.packet(aerogpu_cmd_ext_write_value{.alloc_id = 1, .offset_bytes = uint64_t{i} * 512, .value = i});
    w.packet(aerogpu_cmd_ext_attach_backing{.resource_handle = i % 2 ? 4u : 1u,
                                            .backing_alloc_id = i / 2 + 1,
                                            .backing_offset_bytes = i * 8,
                                            .row_pitch_bytes = 64 + i});
    aerogpu::packets::dirtyRange(w, i % 2 ? 4 : 1, 0, 64);
  }
  w.packet(aerogpu_cmd_ext_reset_context{});
  aerogpu::packets::draw(w, 3, 1, 0);
  write(folder, "streaming", w);
  write(folder, "streaming-scattered", w, Layout::Scattered);
  write(folder, "streaming-own-list", w, Layout::OwnList);
}

/// Writes a draw with shaders and a layout by register.
void registers(const std::string& folder) {
  namespace dxbc = aerogpu::test::dxbc;
  CommandWriter w;
  dxbc::createShader(w, 1, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexTokens());
  dxbc::createShader(w, 2, AEROGPU_SHADER_STAGE_PIXEL, dxbc::pixelTokens());
  dxbc::createLayout(w, 3, {{0, 0, 6, 0, 0, 0}, {1, 0, 30, 12, 0, 0}});
  aerogpu::packets::bindShaders(w, 1, 2);
  w.packet(aerogpu_cmd_set_input_layout{{}, 3, 0});
  aerogpu::packets::draw(w, 3, 1, 0);
  write(folder, "registers", w);
}

/// Writes a D3D9 draw with all its parts: shaders, constants, streams, a texture, states, a present.
void drawing(const std::string& folder) {
  CommandWriter w;
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1,
                         1, 1, 64);
  Harness::createTexture(w, 2, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 16, 16,
                         AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  Harness::createTexture(w, 3, AEROGPU_FORMAT_B8G8R8A8_UNORM, 4, 4, AEROGPU_RESOURCE_USAGE_TEXTURE, 3);
  // Two triangles: position and texture coordinates, followed by their indices.
  const float vertices[] = {-1, -1, 0, 0, 1, 1, -1, 0, 1, 1, -1, 1, 0, 0, 0, 1, 1, 0, 1, 0};
  const uint16_t indices[] = {0, 1, 2, 2, 1, 3};
  aerogpu::packets::createBuffer(w, 4, sizeof vertices + sizeof indices,
                                 AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  const auto bytes = [](const auto& array) {
    return std::span(reinterpret_cast<const uint8_t*>(array), sizeof array);
  };
  aerogpu::packets::upload(w, 4, 0, bytes(vertices));
  aerogpu::packets::upload(w, 4, sizeof vertices, bytes(indices));
  aerogpu::packets::upload(w, 3, 0, std::vector<uint8_t>(64, 0xC3));
  // vs_2_0: dcl_position v0; dcl_texcoord v1; mul oPos, v0, c0; mov oT0, v1
  const uint32_t vs[] = {0xFFFE0200, 0x0200001F, 0x80000000, 0x900F0000, 0x0200001F,
                         0x80000005, 0x900F0001, 0x03000005, 0xC00F0000, 0x90E40000,
                         0xA0E40000, 0x02000001, 0xE00F0000, 0x90E40001, 0x0000FFFF};
  // ps_2_0: dcl t0; dcl_2d s0; texld r0, t0, s0; mul r0, r0, c0; mov oC0, r0
  const uint32_t ps[] = {0xFFFF0200, 0x0200001F, 0x80000000, 0xB00F0000, 0x0200001F, 0x90000000, 0xA00F0800,
                         0x03000042, 0x800F0000, 0xB0E40000, 0xA0E40800, 0x03000005, 0x800F0000, 0x80E40000,
                         0xA0E40000, 0x02000001, 0x800F0800, 0x80E40000, 0x0000FFFF};
  const auto shader = [&](uint32_t handle, uint32_t stage, std::span<const uint32_t> code) {
    aerogpu_cmd_create_shader_dxbc c{};
    c.shader_handle = handle;
    c.stage = stage;
    w.packet(c, code.data(), code.size_bytes());
  };
  shader(5, AEROGPU_SHADER_STAGE_VERTEX, vs);
  shader(6, AEROGPU_SHADER_STAGE_PIXEL, ps);
  aerogpu_cmd_bind_shaders bind{};
  bind.vs = 5;
  bind.ps = 6;
  w.packet(bind);
  const uint8_t elements[] = {0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 12, 0, 1, 0, 5, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
  aerogpu_cmd_create_input_layout layout{};
  layout.input_layout_handle = 7;
  w.packet(layout, elements, sizeof elements);
  aerogpu_cmd_set_input_layout useLayout{};
  useLayout.input_layout_handle = 7;
  w.packet(useLayout);
  const aerogpu_vertex_buffer_binding stream{4, 20, 0, 0};
  aerogpu_cmd_set_vertex_buffers streams{};
  w.packet(streams, &stream, 1);
  aerogpu_cmd_set_index_buffer index{};
  index.buffer = 4;
  index.offset_bytes = sizeof vertices;
  w.packet(index);
  aerogpu_cmd_set_primitive_topology topology{};
  topology.topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
  w.packet(topology);
  for (const uint32_t stage : {AEROGPU_SHADER_STAGE_VERTEX, AEROGPU_SHADER_STAGE_PIXEL}) {
    const float ones[] = {1, 1, 1, 1};
    aerogpu_cmd_set_shader_constants_f constants{};
    constants.stage = stage;
    constants.vec4_count = 1;
    w.packetWithTail(AEROGPU_CMD_SET_SHADER_CONSTANTS_F, constants, ones, sizeof ones);
  }
  aerogpu_cmd_set_texture texture{};
  texture.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
  texture.texture = 3;
  w.packet(texture);
  aerogpu_cmd_set_sampler_state sampler{};
  sampler.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
  sampler.state = static_cast<uint32_t>(aerogpu::d3d9::SamplerStateType::MinFilter);
  sampler.value = static_cast<uint32_t>(aerogpu::d3d9::TextureFilter::Linear);
  w.packet(sampler);
  using aerogpu::d3d9::RenderStateType;
  for (const auto state : {RenderStateType::AlphaBlendEnable, RenderStateType::ZEnable,
                           RenderStateType::StencilEnable, RenderStateType::FogEnable}) {
    aerogpu_cmd_set_render_state render{};
    render.state = static_cast<uint32_t>(state);
    render.value = 1;
    w.packet(render);
  }
  const aerogpu_ext_clip_plane plane{{0x3F800000, 0, 0, 0}};
  aerogpu_cmd_ext_set_clip_planes planes{};
  w.packet(planes, &plane, 1);
  aerogpu_cmd_ext_set_texture_stage stage{};
  stage.state = 7;
  stage.value = 0x3F800000;
  w.packet(stage);
  aerogpu_cmd_ext_set_state fog{};
  fog.state = AEROGPU_EXT_STATE_FOG_W;
  fog.value = 1;
  w.packet(fog);
  const aerogpu_ext_target_blend blends[] = {{1, 5, 16, 1, 2, 19, 5, 15}, {0, 2, 1, 1, 2, 1, 1, 3}};
  w.packet(aerogpu_cmd_ext_set_blend{}, blends, 2);
  const aerogpu_ext_sampler plain{15, 1,          4,          5,          3,
                                  16, 0x3F000000, 0x3F800000, 0x40500000, {0, 0, 0x40000000, 0}};
  w.packet(aerogpu_cmd_ext_set_samplers{}, &plain, 1);
  w.packet(aerogpu_cmd_ext_set_depth_bias{{}, 0x3F800000, 0x3D000000});
  const aerogpu_ext_viewport viewports[] = {{0, 0, 0x41000000, 0x41000000, 0, 0x3F800000},
                                            {0x40800000, 0, 0x40800000, 0x41000000, 0, 0x3F000000}};
  w.packet(aerogpu_cmd_ext_set_viewports{}, viewports, 2);
  const aerogpu_ext_scissor scissors[] = {{0, 0, 8, 8}, {1, 2, 3, 4}};
  w.packet(aerogpu_cmd_ext_set_scissors{}, scissors, 2);
  const aerogpu_ext_stream_element streamed[] = {
      {0, 0, 0, 15}, {0, 0, AEROGPU_EXT_STREAM_GAP, 1}, {0, 1, 1, 3}};
  w.packet(aerogpu_cmd_ext_set_stream_output{{}, 0, 0, {20, 8, 0, 0}}, streamed, 3);
  const aerogpu_ext_stream_target streamTargets[] = {{4, 16}, {0, AEROGPU_EXT_STREAM_APPEND}};
  w.packet(aerogpu_cmd_ext_set_stream_targets{}, streamTargets, 2);
  w.packet(aerogpu_cmd_ext_query_begin{{}, 4, AEROGPU_EXT_QUERY_STREAM_STATISTICS});
  w.packet(aerogpu_cmd_ext_draw_auto{});
  w.packet(aerogpu_cmd_ext_set_stream_output{});
  const uint32_t step = 1;
  aerogpu_cmd_ext_set_stream_frequency frequency{};
  frequency.first = 1;
  w.packet(frequency, &step, 1);
  aerogpu_cmd_ext_query_begin begin{};
  begin.type = AEROGPU_EXT_QUERY_OCCLUSION;
  w.packet(begin);
  const uint32_t color = 1;
  aerogpu::packets::setTargets(w, {&color, 1}, 2);
  Harness::clear(w, 7, 0, 1, 0, 1);
  aerogpu_cmd_draw draw{};
  draw.vertex_count = 3;
  draw.instance_count = 1;
  w.packet(draw);
  aerogpu_cmd_draw_indexed indexed{};
  indexed.index_count = 6;
  indexed.instance_count = 1;
  w.packet(indexed);
  aerogpu_cmd_ext_query_end end{};
  end.type = AEROGPU_EXT_QUERY_OCCLUSION;
  end.alloc_id = 1;
  end.offset_bytes = 0x1000;
  w.packet(end);
  end.type = AEROGPU_EXT_QUERY_TIMESTAMP;
  end.offset_bytes = 0x1010;
  w.packet(end);
  w.packet(aerogpu_cmd_present{});
  write(folder, "drawing", w);
}

/// Writes textures in formats of Direct3D 10, views of their families, fills, copies and draws.
void dxgiFormats(const std::string& folder) {
  CommandWriter w;
  Harness::createTexture(w, 1, AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS, 8, 8,
                         AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 2, 2);
  Harness::createTexture(w, 2, AEROGPU_FORMAT_DXGI_R8G8B8A8_SNORM, 8, 8, AEROGPU_RESOURCE_USAGE_TEXTURE);
  Harness::createTexture(w, 3, AEROGPU_FORMAT_DXGI_D24_UNORM_S8_UINT, 8, 8,
                         AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  uint32_t handle = 10;
  for (const auto& [texture, format] : {std::pair{1u, AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT},
                                        {1u, AEROGPU_FORMAT_DXGI_R8G8B8A8_SINT},
                                        {3u, AEROGPU_FORMAT_DXGI_R24_UNORM_X8_TYPELESS},
                                        {3u, AEROGPU_FORMAT_DXGI_X24_TYPELESS_G8_UINT}}) {
    aerogpu_cmd_create_texture_view view{};
    view.view_handle = handle++;
    view.texture_handle = texture;
    view.format = format;
    view.mip_level_count = view.array_layer_count = 1;
    w.packet(view);
  }
  w.packet(
      aerogpu_cmd_ext_fill{.texture = 10, .flags = AEROGPU_EXT_FILL_COLOR, .color_rgba_f32 = {0x437F0000}});
  aerogpu_cmd_copy_texture2d copy{};
  copy.dst_texture = 2;
  copy.src_texture = 1;
  copy.width = copy.height = 8;
  w.packet(copy);
  const uint32_t color = 11;
  aerogpu::packets::setTargets(w, {&color, 1}, 0);
  Harness::clear(w, 1, 1, 2, 3, 1);
  aerogpu::packets::setTexture(w, 0, 12);
  aerogpu::packets::setTexture(w, 1, 13);
  write(folder, "dxgi-formats", w);
}

/// Writes shapes of Direct3D 10: a slice as target, mips of a volume, a row, a typed view, a copy of odd
/// bytes.
void shapes(const std::string& folder) {
  CommandWriter w;
  aerogpu_cmd_ext_create_texture c{};
  c.format = AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM;
  c.width = 8;
  c.mip_levels = 2;
  c.array_layers = c.sample_count = 1;
  for (const uint32_t kind : {AEROGPU_EXT_TEXTURE_VOLUME, AEROGPU_EXT_TEXTURE_1D}) {
    c.texture_handle = kind;
    c.kind = kind;
    c.height = c.depth = kind == AEROGPU_EXT_TEXTURE_1D ? 1 : 4;
    w.packet(c);
    w.packet(aerogpu_cmd_ext_generate_mips{{}, kind, AEROGPU_EXT_MIPS_LINEAR});
  }
  w.packet(aerogpu_cmd_create_texture_view{
      {}, 5, AEROGPU_EXT_TEXTURE_VOLUME, AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM, 0, 1, 2, 1, 0});
  aerogpu::packets::setTarget(w, 5);
  Harness::clear(w, 1, 1, 0, 0, 1);
  for (const uint32_t buffer : {6u, 7u}) aerogpu::packets::createBuffer(w, buffer, 64, 0);
  w.packet(aerogpu_cmd_copy_buffer{{}, 6, 7, 1, 2, 3, 0, 0});
  const aerogpu_shader_resource_buffer_binding view{6, 16, 32, AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM};
  w.packet(aerogpu_cmd_set_shader_resource_buffers{{}, AEROGPU_SHADER_STAGE_PIXEL, 0, 0, 0}, &view, 1);
  write(folder, "shapes", w);
}

/// Writes textures of every kind in formats of Direct3D 9: uploads, blits, fills, resolves of samples.
void kinds(const std::string& folder) {
  CommandWriter w;
  const auto create = [&](uint32_t handle, uint32_t kind, aerogpu_format format, uint32_t depth,
                          uint32_t samples) {
    aerogpu_cmd_ext_create_texture c{};
    c.texture_handle = handle;
    c.kind = kind;
    c.format = format;
    c.width = c.height = 8;
    c.depth = depth;
    c.mip_levels = samples > 1 ? 1 : 2;
    c.array_layers = kind == AEROGPU_EXT_TEXTURE_CUBE ? 6 : 1;
    c.sample_count = samples;
    w.packet(c);
  };
  create(1, AEROGPU_EXT_TEXTURE_VOLUME, AEROGPU_FORMAT_D3D9_L6V5U5, 4, 1);
  create(2, AEROGPU_EXT_TEXTURE_CUBE, AEROGPU_FORMAT_D3D9_A16B16G16R16F, 1, 1);
  create(3, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_B8G8R8A8_UNORM, 1, 4);
  create(4, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_B8G8R8A8_UNORM, 1, 1);
  create(5, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_D3D9_D16, 1, 4);
  create(6, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_D3D9_DF16, 1, 1);
  aerogpu::packets::upload(w, 1, 0, std::vector<uint8_t>(256, 0x5A));
  const uint32_t color = 3;
  aerogpu::packets::setTargets(w, {&color, 1}, 5);
  Harness::clear(w, 3, 1, 0, 0, 1);
  const aerogpu_ext_blit_rect whole{{0, 0, 8, 8}, {0, 0, 8, 8}};
  for (const auto& [dst, src] : {std::pair{4u, 3u}, {6u, 5u}, {2u, 1u}, {2u, 4u}}) {
    aerogpu_cmd_ext_blit blit{};
    blit.dst_texture = dst;
    blit.src_texture = src;
    w.packet(blit, &whole, 1);
  }
  aerogpu_cmd_ext_blit keyed{};
  keyed.dst_texture = 4;
  keyed.src_texture = 3;
  keyed.flags = AEROGPU_EXT_BLIT_SRC_COLOR_KEY | AEROGPU_EXT_BLIT_MIRROR_X;
  keyed.color_key = 0x00FF00FF;
  w.packet(keyed, &whole, 1);
  keyed.flags = AEROGPU_EXT_BLIT_DST_COLOR_KEY | AEROGPU_EXT_BLIT_LINEAR;
  w.packet(keyed, &whole, 1);
  for (const uint32_t yuv : {AEROGPU_FORMAT_D3D9_NV12, AEROGPU_FORMAT_D3D9_YV12}) {
    aerogpu_cmd_create_texture2d planes{};
    planes.texture_handle = yuv;
    planes.format = yuv;
    planes.width = 8;
    planes.height = 12;
    planes.mip_levels = planes.array_layers = 1;
    w.packet(planes);
    aerogpu::packets::upload(w, yuv, 0, std::vector<uint8_t>(96, 0x9A));
    aerogpu_cmd_ext_blit toColors{};
    toColors.dst_texture = 4;
    toColors.src_texture = yuv;
    w.packet(toColors, &whole, 1);
  }
  aerogpu_cmd_ext_fill fill{};
  fill.texture = 1;
  fill.array_layer = 2;
  fill.flags = AEROGPU_EXT_FILL_COLOR;
  w.packet(fill, &whole.dst, 1);
  write(folder, "kinds", w);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  const uint8_t tail[192] = {};
#define SEED_FIXED(NAME, STRUCT)                                                              \
  {                                                                                           \
    CommandWriter w;                                                                          \
    w.packetWithTail(AEROGPU_CMD_##NAME, (struct aerogpu_cmd_##STRUCT){}, tail, sizeof tail); \
    write(folder, #NAME, w);                                                                  \
  }
#define SEED_TAIL(NAME, STRUCT, ELEM, COUNT)                        \
  {                                                                 \
    CommandWriter w;                                                \
    struct aerogpu_cmd_##STRUCT fixed = {};                         \
    constexpr size_t kElement = sizeof(ELEM);                       \
    fixed.COUNT = sizeof tail / kElement;                           \
    w.packetWithTail(AEROGPU_CMD_##NAME, fixed, tail, sizeof tail); \
    write(folder, #NAME, w);                                        \
  }
  AEROGPU_CMD_TABLE(SEED_FIXED, SEED_TAIL, SEED_FIXED)
  twoSpaces(folder);
  memoryAlone(folder);
  everythingTogether(folder);
  drawing(folder);
  registers(folder);
  kinds(folder);
  shapes(folder);
  dxgiFormats(folder);
  streaming(folder);
  return 0;
}
