// SPDX-License-Identifier: MIT
// Test support: draws that stream out, and a model of what they write (D3D11.3 functional specification, 8.10
// "Primitive Topologies" and 14 "Stream Output Stage").
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "aerogpu/aerogpu_caps.h"
#include "aerogpu/aerogpu_cmd_d3d10_stream_output.h"
#include "renderer/test/geometry_tokens.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {

using StreamElements = std::vector<aerogpu_ext_stream_element>;
using Primitives = std::vector<std::vector<uint32_t>>;  ///< numbers of their vertices

/// What a vertex brings; o0 is the position, o1 the rest.
struct StreamVertex {
  std::array<float, 4> o0, o1;
  float component(uint32_t reg, uint32_t i) const { return reg == 0 ? o0[i] : o1[i]; }
};

/// Returns the vertex of a number: all components differ. Number 0 is in pixel 4, 4 of the target.
inline StreamVertex streamVertex(uint32_t number) {
  const auto n = static_cast<float>(number);
  return {{(n + 4) / 64, -(n + 2) / 32, 0.5f, 1}, {n + 0.25f, n + 0.5f, -n, n * 1024}};
}

/// Returns the vertices of each primitive as they are streamed out: those of neighbours are not.
inline Primitives primitivesOf(uint32_t topology, const std::vector<uint32_t>& v) {
  Primitives all;
  const auto count = static_cast<uint32_t>(v.size());
  const auto list = [&](uint32_t step, const std::vector<uint32_t>& at) {
    for (uint32_t i = 0; i + step <= count; i += step) {
      all.emplace_back();
      for (const uint32_t k : at) all.back().push_back(v[i + k]);
    }
  };
  switch (topology) {
    case AEROGPU_TOPOLOGY_POINTLIST:
      list(1, {0});
      break;
    case AEROGPU_TOPOLOGY_LINELIST:
      list(2, {0, 1});
      break;
    case AEROGPU_TOPOLOGY_TRIANGLELIST:
      list(3, {0, 1, 2});
      break;
    case AEROGPU_TOPOLOGY_LINELIST_ADJ:
      list(4, {1, 2});
      break;
    case AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ:
      list(6, {0, 2, 4});
      break;
    case AEROGPU_TOPOLOGY_LINESTRIP:
      for (uint32_t i = 0; i + 2 <= count; ++i) all.push_back({v[i], v[i + 1]});
      break;
    case AEROGPU_TOPOLOGY_LINESTRIP_ADJ:
      for (uint32_t i = 0; i + 4 <= count; ++i) all.push_back({v[i + 1], v[i + 2]});
      break;
    case AEROGPU_TOPOLOGY_TRIANGLESTRIP:
      // Every second triangle is turned, so that all face one way.
      for (uint32_t i = 0; i + 3 <= count; ++i)
        all.push_back({v[i], v[i + (i & 1 ? 2 : 1)], v[i + (i & 1 ? 1 : 2)]});
      break;
    default:
      break;
  }
  return all;
}

/// The buffers and counters that the specification has.
class StreamModel {
public:
  struct Target {
    Bytes bytes;
    uint32_t filled = 0;
  };
  std::array<std::optional<Target>, 4> targets;
  std::array<uint32_t, 4> strides{};
  StreamElements elements;
  uint64_t written = 0, needed = 0;

  void draw(const Primitives& primitives) {
    for (const auto& primitive : primitives) {
      ++needed;
      bool fits = true;
      for (const aerogpu_ext_stream_element& e : elements) {
        const auto& target = targets[e.output_slot];
        fits = fits && target &&
               target->bytes.size() >= target->filled + strides[e.output_slot] * primitive.size();
      }
      m_full = m_full || !fits;
      if (m_full) continue;
      ++written;
      for (const uint32_t vertex : primitive) add(streamVertex(vertex));
    }
    m_full = false;
  }

private:
  void add(const StreamVertex& v) {
    std::array<uint32_t, 4> at{};
    for (const aerogpu_ext_stream_element& e : elements)
      for (uint32_t i = 0; i < 4; ++i) {
        if (!(e.mask >> i & 1)) continue;
        Target& target = *targets[e.output_slot];
        if (e.register_index != AEROGPU_EXT_STREAM_GAP) {
          const float value = v.component(e.register_index, i);
          std::memcpy(target.bytes.data() + target.filled + at[e.output_slot], &value, 4);
        }
        at[e.output_slot] += 4;
      }
    for (uint32_t slot = 0; slot < 4; ++slot)
      if (at[slot] != 0) targets[slot]->filled += strides[slot];
  }

  bool m_full = false;  ///< since some primitive did not fit
};

class StreamTest : public DrawTest {
protected:
  static constexpr uint8_t kUntouched = 0xCD;
  static constexpr uint32_t kVertices = 64, kFloat4 = 2;

  void SetUp() override {
    DrawTest::SetUp();
    if (!(capsFlags() & AEROGPU_CAPS_STREAM_OUTPUT)) GTEST_SKIP() << "the GPU streams nothing out";
    m_results = gpu().allocate(4096);
    CommandWriter w;
    m_vertex = make(w, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexTokens());
    m_pixel = make(w, AEROGPU_SHADER_STAGE_PIXEL, dxbc::pixelTokens());
    m_layout = gpu().handle();
    dxbc::createLayout(w, m_layout, {{0, 0, kFloat4, 0, 0, 0}, {1, 0, kFloat4, 16, 0, 0}});
    w.packet(aerogpu_cmd_set_input_layout{{}, m_layout, 0});
    std::vector<StreamVertex> vertices;
    for (uint32_t i = 0; i < kVertices; ++i) vertices.push_back(streamVertex(i));
    m_source = vertexBuffer(w, vertices);
    bindSource(w);
    bind(w);
    run(w);
  }
  void TearDown() override {
    if (m_results.id != 0) gpu().forget(m_results);
    DrawTest::TearDown();
  }
  uint32_t make(CommandWriter& w, uint32_t stage, const dxbc::TokenShader& s) {
    const uint32_t h = gpu().handle();
    dxbc::createShader(w, h, stage, s);
    return h;
  }
  void bind(CommandWriter& w, uint32_t gs = 0) {
    aerogpu_cmd_bind_shaders c{};
    c.vs = m_vertex;
    c.ps = m_pixel;
    c.reserved0 = gs;
    w.packet(c);
  }
  void bindSource(CommandWriter& w) { stream(w, 0, m_source, sizeof(StreamVertex)); }
  /// Makes a buffer of untouched bytes.
  uint32_t target(CommandWriter& w, size_t size) {
    const Bytes bytes(size, kUntouched);
    return buffer(w, bytes.data(), size, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  }
  static void declare(CommandWriter& w, const StreamElements& elements, std::array<uint32_t, 4> strides,
                      bool rasterizes = true) {
    aerogpu_cmd_ext_set_stream_output c{};
    c.rasterized_stream = rasterizes ? 0 : AEROGPU_EXT_STREAM_NONE;
    std::ranges::copy(strides, c.stride_bytes);
    w.packet(c, elements.data(), elements.size());
  }
  static void setTargets(CommandWriter& w, const std::vector<aerogpu_ext_stream_target>& targets) {
    w.packet(aerogpu_cmd_ext_set_stream_targets{}, targets.data(), targets.size());
  }
  static void drawAuto(CommandWriter& w) { w.packet(aerogpu_cmd_ext_draw_auto{}); }
  void beginCount(CommandWriter& w, uint32_t slot = 0) {
    w.packet(aerogpu_cmd_ext_query_begin{.slot = slot, .type = AEROGPU_EXT_QUERY_STREAM_STATISTICS});
  }
  void endCount(CommandWriter& w, uint32_t slot = 0) {
    w.packet(aerogpu_cmd_ext_query_end{.slot = slot,
                                       .type = AEROGPU_EXT_QUERY_STREAM_STATISTICS,
                                       .alloc_id = m_results.id,
                                       .offset_bytes = slot * 32});
  }
  void expectCount(uint64_t written, uint64_t needed, uint32_t slot = 0) {
    aerogpu_ext_query_result got[2];
    std::memcpy(got, gpu().bytes(m_results).data() + slot * sizeof got, sizeof got);
    EXPECT_EQ(got[0].value, written);
    EXPECT_EQ(got[0].available, 1u);
    EXPECT_EQ(got[1].value, needed);
    EXPECT_EQ(got[1].available, 1u);
  }
  void expectBytes(uint32_t buffer, const Bytes& want, const std::string& what) {
    const Bytes got = gpu().readBuffer(buffer, want.size());
    ASSERT_EQ(got.size(), want.size()) << what;
    for (size_t i = 0; i < want.size(); i += 4) {
      float g = 0, w = 0;
      std::memcpy(&g, &got[i], 4);
      std::memcpy(&w, &want[i], 4);
      ASSERT_EQ(std::memcmp(&got[i], &want[i], 4), 0)
          << what << ": byte " << i << " is " << g << ", should be " << w;
    }
  }

  Allocation m_results;
  uint32_t m_vertex = 0, m_pixel = 0, m_layout = 0, m_source = 0;
};

}  // namespace aerogpu::test
