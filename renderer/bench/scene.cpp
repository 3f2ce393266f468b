// SPDX-License-Identifier: MIT
#include "renderer/bench/scene.h"

#include <cstdio>
#include <cstring>

#include "aerogpu/d3d9/assembler.h"
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"

namespace aerogpu::bench {

using test::Harness;

std::vector<uint32_t> assemble(const std::string& text) {
  const d3d9::Assembly assembly = d3d9::assemble(text);
  if (!assembly.ok()) std::fprintf(stderr, "aerogpu-bench: %s\n", assembly.errorText().c_str());
  return assembly.tokens;
}

uint32_t createQuadLayout(CommandWriter& w, Harness& harness) {
  // One float4 at TEXCOORD0 of stream 0, then D3DDECL_END.
  const struct {
    uint16_t stream, offset;
    uint8_t type, method, usage, index;
  } elements[] = {{0, 0, 3, 0, 0, 0}, {0xFF, 0, 17, 0, 0, 0}};
  aerogpu_cmd_create_input_layout layout{};
  layout.input_layout_handle = harness.handle();
  w.packet(layout, elements, sizeof elements);
  return layout.input_layout_handle;
}

uint32_t createQuadShader(CommandWriter& w, Harness& harness) {
  const uint32_t shader = harness.handle();
  packets::createShader(
      w, shader, AEROGPU_SHADER_STAGE_VERTEX,
      assemble("vs_2_0\ndcl_position v0\ndef c1, 0, 0, 0, 1\nmad r0.xy, v0, c0, c0.zwzw\nmov r0.zw, c1\n"
               "mov oPos, r0\nmov oT0.xy, v0.zwzw\n"));
  return shader;
}

Scene::Scene(const char* backend, uint32_t width, uint32_t height)
    : m_harness({.backend = backend,
                 .flags = AEROGPU_RENDERER_LEND_GUEST_MEMORY,
                 .guestBytes = uint64_t{160} << 20}) {
  if (!m_harness.ok()) {
    std::fprintf(stderr, "aerogpu-bench: %s\n", m_harness.createError().c_str());
    return;
  }
  createObjects(width, height);
}

void Scene::createObjects(uint32_t width, uint32_t height) {
  CommandWriter w;
  m_target = m_harness.handle();
  Harness::createTexture(w, m_target, AEROGPU_FORMAT_B8G8R8A8_UNORM, width, height,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
  m_vertices = m_harness.handle();
  packets::createBuffer(w, m_vertices, sizeof kQuad, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::upload(w, m_vertices, 0, {reinterpret_cast<const uint8_t*>(kQuad), sizeof kQuad});
  m_layout = createQuadLayout(w, m_harness);
  m_vs = createQuadShader(w, m_harness);
  for (uint32_t i = 0; i < DirectVk::kPipelines; ++i) {
    m_ps[i] = m_harness.handle();
    char text[256];
    std::snprintf(
        text, sizeof text,
        "ps_2_0\ndef c0, %f, 0.75, 0.5, 0.5\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, c0\n"
        "mov oC0, r0\n",
        1.0 - 0.1 * i);
    packets::createShader(w, m_ps[i], AEROGPU_SHADER_STAGE_PIXEL, assemble(text));
  }
  for (uint32_t i = 0; i < DirectVk::kTextures; ++i) {
    m_textures[i] = m_harness.handle();
    Harness::createTexture(w, m_textures[i], AEROGPU_FORMAT_B8G8R8A8_UNORM, 64, 64,
                           AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, m_textures[i], 0,
                    std::vector<uint8_t>(size_t{64} * 64 * 4, static_cast<uint8_t>(100 + i * 10)));
  }
  m_ready = run(w);
  if (!m_ready) std::fprintf(stderr, "aerogpu-bench: the scene's objects could not be made\n");
}

void Scene::setOneState(CommandWriter& w, uint32_t texture) {
  packets::setTargets(w, {&m_target, 1});
  Harness::clear(w, AEROGPU_CLEAR_COLOR, 0, 0, 0, 0);
  packets::renderState(w, static_cast<uint32_t>(d3d9::RenderStateType::CullMode),
                       static_cast<uint32_t>(d3d9::CullMode::None));
  packets::renderState(w, static_cast<uint32_t>(d3d9::RenderStateType::AlphaBlendEnable), 0);
  aerogpu_cmd_set_input_layout layout{};
  layout.input_layout_handle = m_layout;
  w.packet(layout);
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
  packets::bindShaders(w, m_vs, m_ps[0]);
  const float place[4] = {1, 1, 0, 0};
  packets::setConstantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 0, place);
  packets::setTexture(w, 0, texture ? texture : m_textures[0], AEROGPU_SHADER_STAGE_PIXEL);
}

CommandWriter Scene::frame(std::span<const DirectVk::Draw> draws, bool blend) {
  CommandWriter w;
  packets::setTargets(w, {&m_target, 1});
  Harness::clear(w, AEROGPU_CLEAR_COLOR, 0, 0, 0, 0);
  using d3d9::RenderStateType;
  const auto renderState = [&](RenderStateType state, auto value) {
    aerogpu_cmd_set_render_state c{};
    c.state = static_cast<uint32_t>(state);
    c.value = static_cast<uint32_t>(value);
    w.packet(c);
  };
  renderState(RenderStateType::CullMode, d3d9::CullMode::None);
  renderState(RenderStateType::AlphaBlendEnable, blend);
  renderState(RenderStateType::SrcBlend, d3d9::Blend::SrcAlpha);
  renderState(RenderStateType::DestBlend, d3d9::Blend::InvSrcAlpha);
  aerogpu_cmd_set_input_layout layout{};
  layout.input_layout_handle = m_layout;
  w.packet(layout);
  aerogpu_cmd_set_vertex_buffers vertices{};
  const aerogpu_vertex_buffer_binding binding{m_vertices, sizeof kQuad[0], 0, 0};
  w.packet(vertices, &binding, 1);
  aerogpu_cmd_set_primitive_topology topology{};
  topology.topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
  w.packet(topology);
  uint32_t pipeline = UINT32_MAX, texture = UINT32_MAX;
  for (const DirectVk::Draw& draw : draws) {
    if (draw.pipeline != pipeline) {
      pipeline = draw.pipeline;
      aerogpu_cmd_bind_shaders bind{};
      bind.vs = m_vs;
      bind.ps = m_ps[pipeline];
      w.packet(bind);
    }
    if (draw.newConstants) {
      aerogpu_cmd_set_shader_constants_f constants{};
      constants.stage = AEROGPU_SHADER_STAGE_VERTEX;
      constants.vec4_count = 1;
      w.packetWithTail(AEROGPU_CMD_SET_SHADER_CONSTANTS_F, constants, draw.place, sizeof draw.place);
    }
    if (draw.texture != texture) {
      texture = draw.texture;
      aerogpu_cmd_set_texture set{};
      set.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
      set.texture = m_textures[texture];
      w.packet(set);
    }
    aerogpu_cmd_draw d{};
    d.vertex_count = 6;
    d.instance_count = 1;
    w.packet(d);
  }
  return w;
}

}  // namespace aerogpu::bench
