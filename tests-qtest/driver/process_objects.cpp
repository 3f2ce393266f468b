// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/process_objects.h"

#include <functional>

#include "aerogpu/cmd_packets.hpp"

namespace aerogpu::host {

namespace {

// ps_2_0 and vs_2_0, each a single "mov out, c0".
constexpr uint32_t kPixelShader[] = {0xFFFF0200, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF};
constexpr uint32_t kVertexShader[] = {0xFFFE0200, 0x02000001, 0xC00F0000, 0xA0E40000, 0x0000FFFF};
// D3DVERTEXELEMENT9: stream 0, offset 0, FLOAT3, POSITION; D3DDECL_END.
constexpr uint8_t kLayout[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};

template <class Packet>
Stream one(uint32_t opcode, const std::function<void(Packet&)>& fill, const void* tail = nullptr,
           size_t tailBytes = 0) {
  Packet packet{};
  fill(packet);
  Stream stream;
  stream.writer().packetWithTail(opcode, packet, tail, tailBytes);
  return stream;
}

}  // namespace

Stream makeObjects(const Objects& o, uint32_t allocId) {
  Stream s;
  s.createTexture(o.texture, 64, 64, AEROGPU_FORMAT_B8G8R8A8_UNORM, allocId);
  packets::createTexture(s.writer(), {.handle = o.depth,
                                      .format = AEROGPU_FORMAT_D24_UNORM_S8_UINT,
                                      .width = 64,
                                      .height = 64,
                                      .usage = AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL});
  packets::createBuffer(s.writer(), o.buffer, 4096,
                        AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER | AEROGPU_RESOURCE_USAGE_INDEX_BUFFER |
                            AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER | AEROGPU_RESOURCE_USAGE_STORAGE);
  aerogpu_cmd_create_texture_view view{};
  view.view_handle = o.view;
  view.texture_handle = o.texture;
  view.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  view.mip_level_count = view.array_layer_count = 1;
  s.writer().packet(AEROGPU_CMD_CREATE_TEXTURE_VIEW, view);
  packets::createShader(s.writer(), o.vertexShader, AEROGPU_SHADER_STAGE_VERTEX, kVertexShader);
  packets::createShader(s.writer(), o.pixelShader, AEROGPU_SHADER_STAGE_PIXEL, kPixelShader);
  packets::useInputLayout(s.writer(), o.inputLayout, kLayout);
  aerogpu_cmd_create_sampler sampler{};
  sampler.sampler_handle = o.sampler;
  s.writer().packet(AEROGPU_CMD_CREATE_SAMPLER, sampler);
  return s;
}

std::vector<Use> usesOf(const Objects& their, const Objects& own) {
  std::vector<Use> uses;
  const auto add = [&](const char* what, Stream stream) { uses.push_back({what, std::move(stream)}); };
  uint32_t word = 0;
  add("dirty range", Stream().dirty(their.texture, 0, 4096));
  add("upload", Stream().upload(their.buffer, 0, &word, sizeof word));
  add("copy from a texture", Stream().copyTexture(own.texture, their.texture, 4, 4, false));
  add("copy to a texture", Stream().copyTexture(their.texture, own.texture, 4, 4, false));
  add("copy from a buffer", Stream().copyBuffer(own.buffer, their.buffer, 4, false));
  add("copy to a buffer", Stream().copyBuffer(their.buffer, own.buffer, 4, false));
  add("a view of a texture",
      one<aerogpu_cmd_create_texture_view>(AEROGPU_CMD_CREATE_TEXTURE_VIEW, [&](auto& p) {
        p.view_handle = newHandle();
        p.texture_handle = their.texture;
        p.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
        p.mip_level_count = p.array_layer_count = 1;
      }));
  add("a vertex shader",
      one<aerogpu_cmd_bind_shaders>(AEROGPU_CMD_BIND_SHADERS, [&](auto& p) { p.vs = their.vertexShader; }));
  add("a pixel shader",
      one<aerogpu_cmd_bind_shaders>(AEROGPU_CMD_BIND_SHADERS, [&](auto& p) { p.ps = their.pixelShader; }));
  add("a domain shader of the longer packet",
      one<aerogpu_cmd_bind_shaders>(
          AEROGPU_CMD_BIND_SHADERS, [](auto&) {}, std::vector<uint32_t>{0, 0, their.vertexShader}.data(),
          12));
  add("an input layout", one<aerogpu_cmd_set_input_layout>(AEROGPU_CMD_SET_INPUT_LAYOUT, [&](auto& p) {
        p.input_layout_handle = their.inputLayout;
      }));
  add("a render target", Stream().target(their.texture));
  add("the eighth render target",
      one<aerogpu_cmd_set_render_targets>(AEROGPU_CMD_SET_RENDER_TARGETS, [&](auto& p) {
        p.color_count = 8;
        p.colors[7] = their.texture;
      }));
  add("a depth buffer", one<aerogpu_cmd_set_render_targets>(AEROGPU_CMD_SET_RENDER_TARGETS,
                                                            [&](auto& p) { p.depth_stencil = their.depth; }));
  const aerogpu_vertex_buffer_binding vertices[2] = {{}, {their.buffer, 16, 0, 0}};
  add("a vertex buffer, the second of two",
      one<aerogpu_cmd_set_vertex_buffers>(
          AEROGPU_CMD_SET_VERTEX_BUFFERS, [](auto& p) { p.buffer_count = 2; }, vertices, sizeof vertices));
  add("an index buffer", one<aerogpu_cmd_set_index_buffer>(AEROGPU_CMD_SET_INDEX_BUFFER,
                                                           [&](auto& p) { p.buffer = their.buffer; }));
  const auto bindTexture = [&](uint32_t handle) {
    return one<aerogpu_cmd_set_texture>(AEROGPU_CMD_SET_TEXTURE, [&](auto& p) {
      p.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
      p.texture = handle;
    });
  };
  add("a texture", bindTexture(their.texture));
  add("a view", bindTexture(their.view));
  const uint32_t samplers[2] = {0, their.sampler};
  add("a sampler, the second of two", one<aerogpu_cmd_set_samplers>(
                                          AEROGPU_CMD_SET_SAMPLERS,
                                          [](auto& p) {
                                            p.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
                                            p.sampler_count = 2;
                                          },
                                          samplers, sizeof samplers));
  const auto pixelStage = [](auto& p) {
    p.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    if constexpr (requires { p.buffer_count; })
      p.buffer_count = 1;
    else
      p.uav_count = 1;
  };
  const aerogpu_constant_buffer_binding constants{their.buffer, 0, 256, 0};
  add("a constant buffer", one<aerogpu_cmd_set_constant_buffers>(AEROGPU_CMD_SET_CONSTANT_BUFFERS, pixelStage,
                                                                 &constants, sizeof constants));
  const aerogpu_shader_resource_buffer_binding resource{their.buffer, 0, 0, 0};
  add("a buffer of a shader resource",
      one<aerogpu_cmd_set_shader_resource_buffers>(AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, pixelStage,
                                                   &resource, sizeof resource));
  const aerogpu_unordered_access_buffer_binding unordered{their.buffer, 0, 0, 0xFFFFFFFF};
  add("a buffer of unordered access",
      one<aerogpu_cmd_set_unordered_access_buffers>(AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, pixelStage,
                                                    &unordered, sizeof unordered));
  return uses;
}

std::vector<Use> endsOf(const Objects& their) {
  std::vector<Use> uses;
  const auto destroy = [&](const char* what, uint32_t opcode, uint32_t handle) {
    uses.push_back({what, one<aerogpu_cmd_destroy_resource>(opcode, [&](auto& p) {
                      p.resource_handle = handle;  // the five packets have one layout
                    })});
  };
  destroy("a texture's end", AEROGPU_CMD_DESTROY_RESOURCE, their.texture);
  destroy("a buffer's end", AEROGPU_CMD_DESTROY_RESOURCE, their.buffer);
  destroy("a view's end", AEROGPU_CMD_DESTROY_TEXTURE_VIEW, their.view);
  destroy("a shader's end", AEROGPU_CMD_DESTROY_SHADER, their.vertexShader);
  destroy("an input layout's end", AEROGPU_CMD_DESTROY_INPUT_LAYOUT, their.inputLayout);
  destroy("a sampler's end", AEROGPU_CMD_DESTROY_SAMPLER, their.sampler);
  uses.push_back({"a buffer under a handle that is in use", Stream().createBuffer(their.buffer, 16, 0)});
  uses.push_back({"a texture under a handle that is in use",
                  Stream().createTexture(their.texture, 4, 4, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0)});
  return uses;
}

}  // namespace aerogpu::host
