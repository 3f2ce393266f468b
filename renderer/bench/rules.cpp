// SPDX-License-Identifier: MIT
// The cost of Direct3D 9's own rules: counted samples, the work after each vertex, the alpha test.
#include <cmath>
#include <cstring>

#include "aerogpu/d3d9/states.h"
#include "renderer/bench/pair.h"

namespace aerogpu::bench {
namespace {

using test::Allocation;

/// A buffer of quad vertices that are placed by constants, for the benchmark's time.
class Quad {
public:
  Quad() : m_buffer(scene().harness().handle()) {
    CommandWriter w;
    packets::createBuffer(w, m_buffer, sizeof kQuad, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
    packets::upload(w, m_buffer, 0, {reinterpret_cast<const uint8_t*>(kQuad), sizeof kQuad});
    scene().run(w);
  }
  ~Quad() {
    CommandWriter w;
    packets::destroyResource(w, m_buffer);
    scene().run(w);
  }
  Quad(const Quad&) = delete;
  Quad& operator=(const Quad&) = delete;
  void bind(CommandWriter& w) const { packets::setVertexBuffer(w, 0, m_buffer, sizeof kQuad[0]); }

private:
  const uint32_t m_buffer;
};

/// Measures 100 draws of one state in an occlusion query, whose count is in memory at the end of the frame.
void occlusion100Draws(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  static const Allocation memory = scene().harness().allocate(4096);
  const Quad quad;
  std::vector<DirectVk::Draw> draws(100);
  CommandWriter frame;
  aerogpu_cmd_ext_query_begin begin{};
  begin.type = AEROGPU_EXT_QUERY_OCCLUSION;
  frame.packet(begin);
  scene().setOneState(frame);
  quad.bind(frame);
  for (uint32_t i = 0; i < draws.size(); ++i) {
    const uint32_t row = i / 10;
    draws[i] = {{0.1f, 0.1f, static_cast<float>(i % 10) / 5 - 1, static_cast<float>(row) / 5 - 1}};
    packets::setConstantsF(frame, AEROGPU_SHADER_STAGE_VERTEX, 0, draws[i].place);
    packets::draw(frame, 6);
  }
  aerogpu_cmd_ext_query_end end{};
  end.type = AEROGPU_EXT_QUERY_OCCLUSION;
  end.alloc_id = memory.id;
  frame.packet(end);
  uint64_t counted = 0;
  pair(
      state, [&] { counted = direct().countFrame(draws); },
      [&] {
        if (!scene().run(frame)) state.SkipWithError("the frame had errors");
      });
  uint64_t ours = 0;
  std::memcpy(&ours, scene().harness().bytes(memory).data(), sizeof ours);
  if (ours == 0 || counted == 0) state.SkipWithError("nothing was counted");
}
BENCHMARK(occlusion100Draws)->UseManualTime()->Unit(benchmark::kMillisecond);

/// Measures our work after each vertex (its position's offset, point size, 0 times anything), which direct
/// Vulkan does not do: draws 262140 vertices of triangles that cover no pixel.
void vertexEpilogue(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  constexpr uint32_t kVertices = 262140;
  std::vector<uint8_t> bytes(size_t{kVertices} * sizeof kQuad[0]);
  for (uint32_t i = 0; i < kVertices; ++i) {
    const uint32_t column = i / 3 % 512, row = i / 3 / 512;
    const float x = static_cast<float>(column) / 256 - 1, y = static_cast<float>(row) / 128 - 1;
    const float vertex[4] = {x, y, 0, 0};
    std::memcpy(&bytes[size_t{i} * sizeof vertex], vertex, sizeof vertex);
  }
  const uint32_t buffer = scene().harness().handle();
  CommandWriter create, frame, drop;
  packets::createBuffer(create, buffer, bytes.size(), AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::upload(create, buffer, 0, bytes);
  if (!scene().run(create)) return state.SkipWithError("no buffer");
  scene().setOneState(frame);
  packets::setVertexBuffer(frame, 0, buffer, sizeof kQuad[0]);
  packets::draw(frame, kVertices);
  direct().setVertices(bytes);
  pair(
      state, [&] { direct().drawVertices(kVertices); },
      [&] {
        if (!scene().run(frame)) state.SkipWithError("the frame had errors");
      });
  packets::destroyResource(drop, buffer);
  scene().run(drop);
}
BENCHMARK(vertexEpilogue)->UseManualTime()->Unit(benchmark::kMillisecond);

/// Measures 20 blended full-screen quads whose pixels all pass the alpha test; direct_ms is ours without it.
void alphaTest(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  const Quad quad;
  CommandWriter frames[2];
  using d3d9::RenderStateType;
  for (const bool tests : {false, true}) {
    CommandWriter& w = frames[tests];
    scene().setOneState(w);
    // Blended: a software renderer leaves out opaque quads that later ones cover.
    packets::renderState(w, static_cast<uint32_t>(RenderStateType::AlphaBlendEnable), 1);
    packets::renderState(w, static_cast<uint32_t>(RenderStateType::SrcBlend), 5);   // D3DBLEND_SRCALPHA
    packets::renderState(w, static_cast<uint32_t>(RenderStateType::DestBlend), 6);  // D3DBLEND_INVSRCALPHA
    packets::renderState(w, static_cast<uint32_t>(RenderStateType::AlphaTestEnable), tests);
    packets::renderState(w, static_cast<uint32_t>(RenderStateType::AlphaRef), 1);
    packets::renderState(w, static_cast<uint32_t>(RenderStateType::AlphaFunc), 7);  // D3DCMP_GREATEREQUAL
    quad.bind(w);
    const float place[4] = {2, 2, -1, -1};
    packets::setConstantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 0, place);
    for (int i = 0; i < 20; ++i) packets::draw(w, 6);
    packets::renderState(w, static_cast<uint32_t>(RenderStateType::AlphaTestEnable), 0);
  }
  pair(
      state, [&] { scene().run(frames[0]); }, [&] { scene().run(frames[1]); });
}
BENCHMARK(alphaTest)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aerogpu::bench
