// SPDX-License-Identifier: MIT
// Draw forms: rasterization, indices, inline vertices, streams, topologies.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "aerogpu/aerogpu_cmd_d3d10_stream_output.h"
#include "renderer/test/geometry_tokens.h"
#include "renderer/trace/test/corpus/recorder.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kRed = argb(255, 255, 0, 0), kGreen = argb(255, 0, 255, 0), kBlue = argb(255, 0, 64, 255),
                   kGrey = argb(255, 128, 100, 50);

Picture clear(Recorder& r) {
  Picture out;
  packets::clearColor(r.w, {0.2f, 0.4f, 0.6f, 1});
  out.fill(0, 0, kSide, kSide, {0.2, 0.4, 0.6});
  return out;
}

/// A point is inside if all three edges agree; no centre lies on an edge.
Picture triangle(Recorder& r) {
  const double corners[3][2] = {{5.3, 2.1}, {60.7, 20.9}, {17.2, 57.4}};
  r.showColors();
  std::vector<Vertex> v;
  for (const auto& c : corners) v.push_back(Recorder::vertex(c[0], c[1], kRed));
  r.draw(v);
  Picture out;
  out.paint(0, 0, kSide, kSide, [&](uint32_t x, uint32_t y) {
    for (int i = 0; i < 3; ++i) {
      const auto &a = corners[i], &b = corners[(i + 1) % 3];
      if ((b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0]) < 0) return Rgb{};
    }
    return rgbOf(kRed);
  });
  return out;
}

Picture interpolatedColors(Recorder& r) {
  r.showColors();
  auto v = Recorder::quad(0, 0, kSide, kSide, 0);
  for (Vertex& each : v) each.color = argb(255, each.x > 0 ? 255 : 0, each.y < 0 ? 255 : 0, 77);
  r.draw(v);
  Picture out;
  out.paint(0, 0, kSide, kSide, [](uint32_t x, uint32_t y) {
    return Rgb{(x + 0.5) / kSide, (y + 0.5) / kSide, 77 / 255.0};
  });
  return out;
}

Picture flatShading(Recorder& r) {
  r.showColors();
  r.renderState(kShadeMode, 1u);  // D3DSHADE_FLAT: the first vertex of a triangle says
  auto v = Recorder::quad(8, 8, 40, 40, kBlue);
  v[0].color = v[3].color = kGreen;
  r.draw(v);
  Picture out;
  out.fill(8, 8, 40, 40, rgbOf(kGreen));
  return out;
}

Picture culling(Recorder& r) {
  r.showColors();
  r.renderState(kCullMode, 3u);  // D3DCULL_CCW: what goes round clockwise stays
  r.draw(Recorder::quad(4, 4, 20, 20, kRed));
  auto turned = Recorder::quad(30, 4, 50, 20, kGreen);
  std::swap(turned[1], turned[2]);
  std::swap(turned[4], turned[5]);
  r.draw(turned);
  Picture out;
  out.fill(4, 4, 20, 20, rgbOf(kRed));
  return out;
}

template <class Index>
void drawTwoQuads(Recorder& r, uint32_t format) {
  const auto a = Recorder::quad(2, 3, 30, 31, kRed), b = Recorder::quad(33, 34, 60, 61, kBlue);
  std::vector<Vertex> v(2);  // the base skips these
  for (const auto& quad : {a, b}) v.insert(v.end(), {quad[0], quad[1], quad[2], quad[5]});
  r.showColors();
  r.bindVertices(v);
  const Index indices[] = {9, 0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7};  // the first is not drawn
  packets::setIndexBuffer(r.w, r.buffer(indices, sizeof indices, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER),
                          format);
  packets::drawIndexed(r.w, 12, 1, 2);
}
Picture twoQuads() {
  Picture out;
  out.fill(2, 3, 30, 31, rgbOf(kRed));
  out.fill(33, 34, 60, 61, rgbOf(kBlue));
  return out;
}
Picture indexed16(Recorder& r) {
  drawTwoQuads<uint16_t>(r, AEROGPU_INDEX_FORMAT_UINT16);
  return twoQuads();
}
Picture indexed32(Recorder& r) {
  drawTwoQuads<uint32_t>(r, AEROGPU_INDEX_FORMAT_UINT32);
  return twoQuads();
}

Picture fanAndStrip(Recorder& r) {
  r.showColors();
  const auto a = Recorder::quad(2, 3, 30, 31, kRed), b = Recorder::quad(33, 34, 60, 61, kBlue);
  r.draw({a[0], a[1], a[5], a[2]}, AEROGPU_TOPOLOGY_TRIANGLEFAN);
  r.draw({b[0], b[1], b[2], b[5]}, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
  return twoQuads();
}

Picture points(Recorder& r) {
  r.showColors();
  r.draw({Recorder::vertex(3.5, 4.5, kRed), Recorder::vertex(10.5, 60.5, kGreen)},
         AEROGPU_TOPOLOGY_POINTLIST);
  r.renderState(kPointSize, 6.0f);
  r.draw({Recorder::vertex(40, 30, kBlue)}, AEROGPU_TOPOLOGY_POINTLIST);
  Picture out;
  out.fill(3, 4, 4, 5, rgbOf(kRed));
  out.fill(10, 60, 11, 61, rgbOf(kGreen));
  out.fill(37, 27, 43, 33, rgbOf(kBlue));
  return out;
}

Picture inlineDraws(Recorder& r) {
  r.showColors();
  Picture out;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t color = argb(255, i * 16, 255 - i * 16, 40);
    const auto v = Recorder::quad(i * 4, i * 2, i * 4 + 3, i * 2 + 20, color);
    std::vector<Vertex> corners = {v[0], v[1], v[2], v[5]};
    const uint16_t indices[] = {0, 1, 2, 2, 1, 3};
    std::vector<uint8_t> bytes(corners.size() * sizeof(Vertex) + sizeof indices);
    std::memcpy(bytes.data(), corners.data(), corners.size() * sizeof(Vertex));
    std::memcpy(bytes.data() + corners.size() * sizeof(Vertex), indices, sizeof indices);
    aerogpu_cmd_ext_draw_inline c{};
    c.vertex_count = 4;
    c.vertex_stride_bytes = sizeof(Vertex);
    c.index_count = 6;
    c.index_format = AEROGPU_INDEX_FORMAT_UINT16;
    r.w.packetWithTail(AEROGPU_CMD_EXT_DRAW_INLINE, c, bytes.data(), bytes.size());
    out.fill(i * 4, i * 2, i * 4 + 3, i * 2 + 20, rgbOf(color));
  }
  return out;
}

/// Changes vertices between draws: writes consecutive ones, then over those of an earlier draw.
Picture streamedVertices(Recorder& r) {
  constexpr uint32_t kQuad = 6 * sizeof(Vertex);
  r.showColors();
  std::vector<uint8_t> bytes;
  Picture out;
  for (uint32_t i = 0; i < 12; ++i) {
    const uint32_t x = i % 4 * 16, y = i / 4 * 20, color = argb(255, 20 * i, 90, 255 - 20 * i);
    const auto v = Recorder::quad(x + 1, y + 1, x + 15, y + 19, color);
    const auto* from = reinterpret_cast<const uint8_t*>(v.data());
    bytes.insert(bytes.end(), from, from + kQuad);
    out.fill(x + 1, y + 1, x + 15, y + 19, rgbOf(color));
  }
  const Allocation memory = r.memory(bytes);
  const uint32_t buffer = r.handle();
  packets::createBuffer(r.w, buffer, kQuad * 4, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::setVertexBuffer(r.w, 0, buffer, sizeof(Vertex));
  constexpr uint32_t kFlags[] = {AEROGPU_EXT_UPDATE_NO_OVERWRITE, AEROGPU_EXT_UPDATE_DISCARD, 0};
  for (uint32_t i = 0; i < 12; ++i) {
    const uint32_t flags = kFlags[i / 4], at = flags == AEROGPU_EXT_UPDATE_NO_OVERWRITE ? i % 4 : 0;
    aerogpu_cmd_ext_update_buffer c{};
    c.buffer = buffer;
    c.flags = flags;
    c.dst_offset_bytes = uint64_t{at} * kQuad;
    c.size_bytes = kQuad;
    c.src_alloc_id = memory.id;
    c.src_offset_bytes = uint64_t{i} * kQuad;
    r.w.packet(c);
    packets::draw(r.w, 6, 1, at * 6);
  }
  return out;
}

/// Names vertices in guest memory by dirty ranges: each draw sees the memory as it was when its range was
/// named.
Picture dirtyVertices(Recorder& r) {
  r.showColors();
  const Allocation memory = r.memory(std::vector<uint8_t>(4096));
  const uint32_t buffer = r.handle();
  packets::createBuffer(r.w, buffer, 4096, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, memory.id);
  packets::setVertexBuffer(r.w, 0, buffer, sizeof(Vertex));
  Picture out;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t color = argb(255, 255 - 60 * i, 30, 60 * i);
    const auto v = Recorder::quad(i * 16, i * 16, i * 16 + 16, kSide, color);
    std::memcpy(r.harness().bytes(memory).data(), v.data(), v.size() * sizeof(Vertex));
    packets::dirtyRange(r.w, buffer, 0, v.size() * sizeof(Vertex));
    packets::draw(r.w, 6);
    r.submit();
    out.fill(i * 16, i * 16, i * 16 + 16, kSide, rgbOf(color));
  }
  return out;
}

/// Stream 1 advances every second instance: a place and a colour for two quads each, which stream 2 moves.
Picture instances(Recorder& r) {
  struct Element {
    uint16_t stream, offset;
    uint8_t type, method, usage, index;
  };
  const Element elements[] = {
      {0, 0, 3, 0, 0, 0}, {1, 0, 4, 0, 10, 0}, {2, 0, 1, 0, 5, 0}, {0xFF, 0, 17, 0, 0, 0}};
  packets::useInputLayout(r.w, r.handle(), {reinterpret_cast<const uint8_t*>(elements), sizeof elements});
  r.shaders(
      "vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nmov r0, v0\nadd r0.xy, r0, v2\nmov oPos, "
      "r0\nmov oD0, v1\n",
      "ps_2_0\ndcl v0\nmov oC0, v0\n");
  r.bindVertices(Recorder::quad(0, 0, 12, 12, 0));
  const uint32_t colors[] = {kRed, kGreen};
  float places[4][2];
  Picture out;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t x = i * 16, y = i * 12;
    places[i][0] = static_cast<float>(x) / (kSide / 2);
    places[i][1] = -static_cast<float>(y) / (kSide / 2);
    out.fill(x, y, x + 12, y + 12, rgbOf(colors[i / 2]));
  }
  packets::setVertexBuffer(r.w, 1, r.buffer(colors, sizeof colors, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER), 4);
  packets::setVertexBuffer(r.w, 2, r.buffer(places, sizeof places, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER), 8);
  const uint32_t steps[] = {0, 2, 1};
  aerogpu_cmd_ext_set_stream_frequency c{};
  c.step_count = 3;
  r.w.packetWithTail(AEROGPU_CMD_EXT_SET_STREAM_FREQUENCY, c, steps, sizeof steps);
  packets::draw(r.w, 6, 4);
  return out;
}

Picture clipPlanes(Recorder& r) {
  r.showColors();
  // The part left of x = 0.26 stays: -x + 0.26 w.
  aerogpu_ext_clip_plane plane{};
  const float coefficients[] = {-1, 0, 0, 0.26f};
  for (int i = 0; i < 4; ++i) plane.coefficients_f32[i] = std::bit_cast<uint32_t>(coefficients[i]);
  aerogpu_cmd_ext_set_clip_planes c{};
  c.first = 2;
  c.plane_count = 1;
  r.w.packetWithTail(AEROGPU_CMD_EXT_SET_CLIP_PLANES, c, &plane, sizeof plane);
  r.renderState(kClipPlaneEnable, 4u);
  r.draw(Recorder::quad(10, 10, 60, 30, kGrey));
  r.renderState(kClipPlaneEnable, 0u);
  r.draw(Recorder::quad(10, 40, 60, 50, kGreen));
  Picture out;
  // The centre of pixel x is at x / 32 - 1.
  for (uint32_t x = 10; x < 60; ++x)
    if (x / 32.0 - 1 <= 0.26) out.fill(x, 10, x + 1, 30, rgbOf(kGrey));
  out.fill(10, 40, 60, 50, rgbOf(kGreen));
  return out;
}

/// A query around draws changes nothing; its result goes to guest memory.
Picture occlusionQuery(Recorder& r) {
  r.showColors();
  const Allocation memory = r.memory(std::vector<uint8_t>(64));
  aerogpu_cmd_ext_query_begin begin{};
  begin.slot = 3;
  begin.type = AEROGPU_EXT_QUERY_OCCLUSION;
  aerogpu_cmd_ext_query_end end{};
  end.slot = 3;
  end.type = AEROGPU_EXT_QUERY_OCCLUSION;
  end.alloc_id = memory.id;
  r.draw(Recorder::quad(0, 0, 10, 10, kRed));
  r.w.packet(begin);
  r.draw(Recorder::quad(20, 20, 50, 40, kGreen));
  r.w.packet(end);
  r.draw(Recorder::quad(50, 50, 60, 60, kBlue));
  Picture out;
  out.fill(0, 0, 10, 10, rgbOf(kRed));
  out.fill(20, 20, 50, 40, rgbOf(kGreen));
  out.fill(50, 50, 60, 60, rgbOf(kBlue));
  return out;
}

/// Shaders of tokens and a layout by register, which have pixels' centres at one half.
Picture tokenShaders(Recorder& r) {
  constexpr uint32_t kFloat4 = 2, kBgra8 = 87;  // DXGI_FORMAT
  const uint32_t vs = r.handle(), ps = r.handle(), layout = r.handle();
  dxbc::createShader(r.w, vs, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexTokens());
  dxbc::createShader(r.w, ps, AEROGPU_SHADER_STAGE_PIXEL, dxbc::pixelTokens());
  dxbc::createLayout(
      r.w, layout,
      {{0, 0, kFloat4, offsetof(Vertex, x), 0, 0}, {1, 0, kBgra8, offsetof(Vertex, color), 0, 0}});
  packets::bindShaders(r.w, vs, ps);
  r.w.packet(aerogpu_cmd_set_input_layout{{}, layout, 0});
  constexpr float kHalf = 1.0f / kSide;
  auto v = Recorder::quad(8, 16, 40, 56, kBlue);
  for (Vertex& each : v) {
    each.x += kHalf;
    each.y -= kHalf;
  }
  r.draw(v);
  Picture out;
  out.fill(8, 16, 40, 56, rgbOf(kBlue));
  return out;
}

/// Shaders and the layout of points, which become squares with the geometry shader.
struct Squares {
  explicit Squares(Recorder& r)
      : m_r(r), m_vs(r.handle()), m_gs(r.handle()), m_ps(r.handle()), m_layout(r.handle()) {
    constexpr uint32_t kFloat3 = 6, kBgra8 = 87;  // DXGI_FORMAT
    dxbc::createShader(r.w, m_vs, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexTokens());
    dxbc::createShader(r.w, m_gs, AEROGPU_SHADER_STAGE_GEOMETRY, dxbc::squareTokens(16 * 2.0f / kSide));
    dxbc::createShader(r.w, m_ps, AEROGPU_SHADER_STAGE_PIXEL, dxbc::pixelTokens());
    dxbc::createLayout(
        r.w, m_layout,
        {{0, 0, kFloat3, offsetof(Vertex, x), 0, 0}, {1, 0, kBgra8, offsetof(Vertex, color), 0, 0}});
    r.w.packet(aerogpu_cmd_set_input_layout{{}, m_layout, 0});
  }
  void bind(bool geometry) const {
    aerogpu_cmd_bind_shaders c{};
    c.vs = m_vs;
    c.ps = m_ps;
    c.reserved0 = geometry ? m_gs : 0;
    m_r.w.packet(c);
  }
  void drawPoint(float x, float y, uint32_t color) const {
    m_r.draw({Vertex{x * 2 / kSide - 1, 1 - y * 2 / kSide, 0.5f, 1, color}}, AEROGPU_TOPOLOGY_POINTLIST);
  }

private:
  Recorder& m_r;
  uint32_t m_vs, m_gs, m_ps, m_layout;
};

/// Points, of which a geometry shader makes squares.
Picture geometryShader(Recorder& r) {
  const Squares squares(r);
  squares.bind(true);
  squares.drawPoint(8, 8, kRed);
  squares.drawPoint(40, 20, kGreen);
  Picture out;
  out.fill(8, 8, 24, 24, rgbOf(kRed));
  out.fill(40, 20, 56, 36, rgbOf(kGreen));
  return out;
}

/// Squares that go to a buffer, one after the other, and from there to the picture.
Picture streamOutput(Recorder& r) {
  constexpr uint32_t kFloat4 = 2, kStride = 32;  // DXGI_FORMAT
  const Squares squares(r);
  squares.bind(true);
  const uint32_t between = r.handle(), layout = r.handle();
  packets::createBuffer(r.w, between, 32 * kStride);
  const aerogpu_ext_stream_element elements[] = {{0, 0, 1, 15}, {0, 0, 0, 15}};
  r.w.packet(aerogpu_cmd_ext_set_stream_output{{}, 0, AEROGPU_EXT_STREAM_NONE, {kStride, 0, 0, 0}}, elements,
             2);
  aerogpu_ext_stream_target target{between, 2 * kStride};
  r.w.packet(aerogpu_cmd_ext_set_stream_targets{}, &target, 1);
  squares.drawPoint(8, 8, kRed);
  r.submit();
  squares.drawPoint(40, 20, kGreen);
  r.w.packet(aerogpu_cmd_ext_set_stream_output{});
  r.w.packet(aerogpu_cmd_ext_set_stream_targets{});
  squares.bind(false);
  dxbc::createLayout(r.w, layout, {{1, 0, kFloat4, 0, 0, 0}, {0, 0, kFloat4, 16, 0, 0}});
  r.w.packet(aerogpu_cmd_set_input_layout{{}, layout, 0});
  packets::setVertexBuffer(r.w, 0, between, kStride, 2 * kStride);
  packets::setTopology(r.w, AEROGPU_TOPOLOGY_TRIANGLELIST);
  r.w.packet(aerogpu_cmd_ext_draw_auto{});
  Picture out;
  out.fill(8, 8, 24, 24, rgbOf(kRed));
  out.fill(40, 20, 56, 36, rgbOf(kGreen));
  return out;
}

}  // namespace

std::vector<Feature> drawFeatures() {
  return {{"clear", clear},
          {"triangle", triangle},
          {"interpolated_colors", interpolatedColors, 1},
          {"flat_shading", flatShading},
          {"culling", culling},
          {"indexed_16", indexed16},
          {"indexed_32", indexed32},
          {"fan_and_strip", fanAndStrip},
          {"points", points},
          {"inline_draws", inlineDraws},
          {"streamed_vertices", streamedVertices},
          {"dirty_vertices", dirtyVertices},
          {"instances", instances},
          {"clip_planes", clipPlanes},
          {"occlusion_query", occlusionQuery},
          {"token_shaders", tokenShaders},
          {"geometry_shader", geometryShader},
          {"stream_output", streamOutput}};
}

}  // namespace aerogpu::test
