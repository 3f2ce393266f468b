// SPDX-License-Identifier: MIT
// The packets of docs/abi/d3d9-states.md, and the rules of draws that games rely on, in pixels.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint8_t kPositionT = 9;  // D3DDECLUSAGE

class D3d9StatesTest : public DrawTest {
protected:
  void clipPlanes(CommandWriter& w, uint32_t first, const std::vector<std::array<float, 4>>& planes) {
    std::vector<aerogpu_ext_clip_plane> wire(planes.size());
    for (size_t i = 0; i < planes.size(); ++i)
      for (size_t k = 0; k < 4; ++k) wire[i].coefficients_f32[k] = std::bit_cast<uint32_t>(planes[i][k]);
    w.packet(
        aerogpu_cmd_ext_set_clip_planes{.first = first, .plane_count = static_cast<uint32_t>(planes.size())},
        wire.data(), wire.size());
  }
  void stage(CommandWriter& w, uint32_t number, uint32_t state, uint32_t value) {
    w.packet(aerogpu_cmd_ext_set_texture_stage{.stage = number, .state = state, .value = value});
  }
  void stage(CommandWriter& w, uint32_t number, uint32_t state, float value) {
    stage(w, number, state, std::bit_cast<uint32_t>(value));
  }
  void setState(CommandWriter& w, uint32_t state, uint32_t value) {
    w.packet(aerogpu_cmd_ext_set_state{.state = state, .value = value});
  }
  void frequency(CommandWriter& w, uint32_t first, const std::vector<uint32_t>& steps) {
    w.packet(aerogpu_cmd_ext_set_stream_frequency{.first = first,
                                                  .step_count = static_cast<uint32_t>(steps.size())},
             steps.data(), steps.size());
  }
  /// Returns the drawn parts of the target, a letter a pixel.
  std::vector<std::string> shape() {
    const Bytes got = result();
    std::vector<std::string> rows(kSize);
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x) rows[y] += pixel(got, kSize, x, y)[3] ? 'X' : '.';
    return rows;
  }
  /// Clears the target to 0 and draws a quad over all of it.
  void drawAll(CommandWriter& w, float z = 0.5f) {
    clearColor(w, 0, 0, 0, 0);
    drawVertices(w, quad(0, 0, kSize, kSize, 0xFFFFFFFF, z));
  }
};

// XSTATE-1, XSTATE-2, XSTATE-3
TEST_F(D3d9StatesTest, ClipPlanesCutWhileTheyAreEnabled) {
  CommandWriter w;
  // x >= 0 (the right half; pixel 4's centre is right of the middle by half a pixel less), y >= 0, x <= 0.5.
  clipPlanes(w, 0, {{1, 0, 0, 0}, {0, 1, 0, 0}});
  clipPlanes(w, 5, {{-1, 0, 0, 0.5f}});
  run(w);
  drawAll(w);
  run(w);
  EXPECT_EQ(shape(), std::vector<std::string>(8, "XXXXXXXX")) << "none is enabled";
  renderState(w, kClipPlaneEnable, 1u);
  if (deviceIsBare()) {
    drawAll(w);
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND});
    (void)gpu().takeErrorLines();
    return;
  }
  const auto expect = [&](uint32_t enabled, const std::vector<std::string>& wanted) {
    renderState(w, kClipPlaneEnable, enabled);
    drawAll(w);
    run(w);
    EXPECT_EQ(shape(), wanted) << enabled;
  };
  const std::string none = "........", all = "XXXXXXXX", right = "....XXXX", middle = "....XX..";
  expect(1, std::vector<std::string>(8, right));
  expect(3, {right, right, right, right, none, none, none, none});
  expect(2, {all, all, all, all, none, none, none, none});
  expect(0x21, std::vector<std::string>(8, middle));
  expect(0x20, std::vector<std::string>(8, "XXXXXX.."));
  // Another plane in the same slot, under the same shaders.
  clipPlanes(w, 5, {{-1, 0, 0, -0.5f}});
  expect(0x20, std::vector<std::string>(8, "XX......"));
  clipPlanes(w, 4, {{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB}) << "a seventh plane";
  expect(0x20, std::vector<std::string>(8, "XX......"));
  w.packet(aerogpu_cmd_ext_reset_context{});
  run(w);
}

// XSTATE-4, XSTATE-5
TEST_F(D3d9StatesTest, BumpMatricesOfStages) {
  CommandWriter w;
  // Stage 0: du, dv = (64, 128) / 255 everywhere. Stage 1: 4x4, texel x, y is (x, y) * 16.
  const uint32_t bump = texture(w, kBgra, 1, 1), map = texture(w, kBgra, 4, 4);
  packets::upload(w, bump, 0, std::vector<uint8_t>{255, 128, 64, 255});
  std::vector<uint8_t> texels;
  for (uint8_t y = 0; y < 4; ++y)
    for (uint8_t x = 0; x < 4; ++x) texels.insert(texels.end(), {0, uint8_t(y * 16), uint8_t(x * 16), 255});
  packets::upload(w, map, 0, texels);
  setTexture(w, 0, bump);
  setTexture(w, 1, map);
  const uint32_t vs =
                     shader(w,
                            "vs_1_1\ndcl_position v0\ndef c0, 0.125, 0.125, 0, 1\nmov oPos, v0\nmov oT0, c0\n"
                            "mov oT1, c0\n"),
                 bem = shader(w, "ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n"),
                 beml = shader(w, "ps_1_1\ntex t0\ntexbeml t1, t0\nmov r0, t1\n");
  const auto sampled = [&](uint32_t ps) {
    bindShaders(w, vs, ps);
    drawAll(w);
    run(w);
    return result(4, 4);
  };
  EXPECT_EQ(sampled(bem), (Pixel{0, 0, 0, 255})) << "no matrix: texel 0, 0";
  stage(w, 1, 7, 1.0f);  // 00: u + 0.25
  EXPECT_EQ(sampled(bem), (Pixel{0, 0, 16, 255})) << "texel 1, 0";
  stage(w, 1, 10, 1.0f);  // 11: v + 0.5
  EXPECT_EQ(sampled(bem), (Pixel{0, 32, 16, 255})) << "texel 1, 2";
  stage(w, 1, 8, 1.0f);  // 01: v + 0.25
  EXPECT_EQ(sampled(bem), (Pixel{0, 48, 16, 255})) << "texel 1, 3";
  stage(w, 1, 9, 1.0f);  // 10: u + 0.5
  EXPECT_EQ(sampled(bem), (Pixel{0, 48, 48, 255})) << "texel 3, 3";
  // Blue is 1: times 2 minus 1 is 1.
  EXPECT_EQ(sampled(beml), (Pixel{0, 0, 0, 0})) << "no luminance";
  stage(w, 1, 23, 0.5f);
  expectNear(sampled(beml), {0, 24, 24, 128}, 1, "the offset");  // alpha lies between two steps
  stage(w, 1, 22, 0.5f);
  EXPECT_EQ(sampled(beml), (Pixel{0, 48, 48, 255})) << "and the scale";
  stage(w, 1, 11, 7u);  // TEXCOORDINDEX: nothing here
  stage(w, 0, 7, 5.0f);
  EXPECT_EQ(sampled(beml), (Pixel{0, 48, 48, 255}));
}

// XSTATE-6
TEST_F(D3d9StatesTest, ProjectedCoordinatesOfStages) {
  CommandWriter w;
  const uint32_t map = texture(w, kBgra, 4, 4);
  std::vector<uint8_t> texels;
  for (uint8_t y = 0; y < 4; ++y)
    for (uint8_t x = 0; x < 4; ++x) texels.insert(texels.end(), {0, uint8_t(y * 16), uint8_t(x * 16), 255});
  packets::upload(w, map, 0, texels);
  setTexture(w, 0, map);
  samplerState(w, 0, kAddressU, 3u);
  samplerState(w, 0, kAddressV, 3u);
  const uint32_t vs = shader(
                     w, "vs_1_1\ndcl_position v0\ndef c0, 0.75, 0.875, 2, 4\nmov oPos, v0\nmov oT0, c0\n"),
                 ps = shader(w, "ps_1_1\ntex t0\nmov r0, t0\n"),
                 later = shader(w, "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
  const auto sampled = [&](uint32_t shader, uint32_t flags) {
    stage(w, 0, 24, flags);
    bindShaders(w, vs, shader);
    drawAll(w);
    run(w);
    const Pixel p = result(4, 4);
    return std::pair{p[2] / 16, p[1] / 16};
  };
  EXPECT_EQ(sampled(ps, 0), std::pair(3, 3));
  EXPECT_EQ(sampled(ps, 3), std::pair(3, 3)) << "a count alone";
  EXPECT_EQ(sampled(ps, 256 + 3), std::pair(1, 1)) << "0.375, 0.4375";
  EXPECT_EQ(sampled(ps, 256 + 4), std::pair(0, 0)) << "0.1875, 0.21875";
  EXPECT_EQ(sampled(ps, 256), std::pair(0, 0)) << "the fourth";
  EXPECT_EQ(sampled(ps, 256 + 2), std::pair(3, 3)) << "0.857, 1";
  EXPECT_EQ(sampled(later, 256 + 4), std::pair(3, 3)) << "a later model";
}

// XSTATE-7, XSTATE-8
TEST_F(D3d9StatesTest, FogInW) {
  CommandWriter w;
  const uint32_t vs = shader(
                     w, "vs_2_0\ndcl_position v0\ndef c0, 40, 0, 0, 0\nmul r0, v0, c0.x\nmov oPos, r0\n"),
                 ps = shader(w, "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n");
  bindShaders(w, vs, ps);  // w is 40, z 0.5
  renderState(w, kFogEnable, 1u);
  renderState(w, kFogColor, 0u);
  renderState(w, kFogTableMode, 3u);  // linear
  renderState(w, kFogStart, 20.0f);
  renderState(w, kFogEnd, 100.0f);
  drawAll(w);
  run(w);
  EXPECT_EQ(result(4, 4)[0], 255) << "z is before the fog";
  setState(w, AEROGPU_EXT_STATE_FOG_W, 7);
  setState(w, 99, 1);
  drawAll(w);
  run(w);
  EXPECT_NEAR(result(4, 4)[0], 255 * 60 / 80, 1) << "(100 - 40) / 80";
  renderState(w, kFogTableMode, 0u);
  drawAll(w);
  run(w);
  EXPECT_EQ(result(4, 4)[0], 0) << "no table: the factor of the vertex, of which there is none";
  renderState(w, kFogTableMode, 3u);
  setState(w, AEROGPU_EXT_STATE_FOG_W, 0);
  drawAll(w);
  run(w);
  EXPECT_EQ(result(4, 4)[0], 255);
}

// XSTATE-9
TEST_F(D3d9StatesTest, AlphaToCoverageWritesSomeSamples) {
  CommandWriter w;
  const uint32_t thick = gpu().handle();
  w.packet(aerogpu_cmd_ext_create_texture{.texture_handle = thick,
                                          .usage_flags = AEROGPU_RESOURCE_USAGE_RENDER_TARGET,
                                          .format = kBgra,
                                          .width = kSize,
                                          .height = kSize,
                                          .depth = 1,
                                          .mip_levels = 1,
                                          .array_layers = 1,
                                          .sample_count = 4});
  const aerogpu_ext_blit_rect all{{0, 0, kSize, kSize}, {0, 0, kSize, kSize}};
  const auto drawn = [&](uint32_t color, bool enable) {
    target(w, thick);
    clearColor(w, 0, 0, 0, 0);
    setState(w, AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, enable);
    drawVertices(w, quad(0, 0, kSize, kSize, color));
    w.packet(aerogpu_cmd_ext_blit{.dst_texture = m_target, .src_texture = thick, .rect_count = 1}, &all, 1);
    target(w, m_target);
    run(w);
    double mean = 0;  // pixels may share their samples out differently
    for (uint32_t i = 0; i < kSize * kSize; ++i) mean += result(i % kSize, i / kSize)[0] / 64.0;
    return mean;
  };
  EXPECT_EQ(drawn(0x80FFFFFF, false), 255);
  // How many of four, and which, is the GPU's choice.
  const double few = drawn(0x20FFFFFF, true), some = drawn(0x60FFFFFF, true), most = drawn(0xA0FFFFFF, true);
  EXPECT_TRUE(few <= some && some <= most) << few << " " << some << " " << most;
  EXPECT_GT(some, 0);
  EXPECT_LT(some, 255);
  EXPECT_EQ(drawn(0x00FFFFFF, true), 0);
  EXPECT_EQ(drawn(0xFFFFFFFF, true), 255);
  EXPECT_EQ(drawn(0x00FFFFFF, false), 255);
}

// XSTATE-9
TEST_F(D3d9StatesTest, AlphaToCoverageWithOneSample) {
  CommandWriter w;
  setState(w, AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE, 1);
  clearColor(w, 0, 0, 0, 0);
  drawVertices(w, quad(0, 0, kSize, kSize, 0x01FFFFFF));
  run(w);
  EXPECT_EQ(result(4, 4), (Pixel{255, 255, 255, 1}));
}

// XSTATE-10
TEST_F(D3d9StatesTest, StreamsGoOnByInstances) {
  CommandWriter w;
  // Stream 1: a place for every two instances, stream 2: a colour for each, stream 3: a constant.
  const uint32_t vs =
      shader(w,
             "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_color v2\nadd r0, v0, v1\nmov oPos, "
             "r0\nmov oD0, v2\n");
  bindShaders(w, vs, m_ps);
  layout(w, {{0, 0, 2, 0, 0, 0}, {1, 0, 1, 0, 5, 0}, {2, 0, 4, 0, 10, 0}});
  const std::vector<Vertex> unit = quad(0, 0, 2, 2, 0);
  stream(w, 0, vertexBuffer(w, unit), sizeof(Vertex));
  // Offsets in clip space: 2 pixels are 0.5. Only x and y: w of a FLOAT2 is 1, so places are halved.
  const uint32_t bound = vertexBuffer(w, std::vector<std::array<float, 2>>{{1.0f, 0}, {1.0f, -1.0f}});
  stream(w, 1, bound, 8);
  const std::vector<uint32_t> colors = {0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFFFFFFFF};
  stream(w, 2, vertexBuffer(w, colors), 4);
  // Both to the same place: w doubles, so that the quad is half as large and its corner at (-1 + 1) / 2 = 0.
  frequency(w, 1, {2, 1});
  clearColor(w, 0, 0, 0, 0);
  draw(w, 6, 4);
  if (deviceIsBare()) {
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND}) << "a GPU without divisors";
    (void)gpu().takeErrorLines();
    return;
  }
  run(w);
  const auto colorAt = [&](uint32_t x, uint32_t y) {
    const Pixel p = result(x, y);
    return uint32_t{p[3]} << 24 | uint32_t{p[2]} << 16 | uint32_t{p[1]} << 8 | p[0];
  };
  // Instances 0 and 1 go to (1, 0), 2 and 3 to (1, -1); the later one of each is on top.
  EXPECT_EQ(colorAt(4, 2), 0xFF00FF00u);
  EXPECT_EQ(colorAt(4, 4), 0xFFFFFFFFu);
  frequency(w, 0, {0, 1, 4});
  stream(w, 2, vertexBuffer(w, colors), 4);  // another buffer continues like the previous one
  clearColor(w, 0, 0, 0, 0);
  draw(w, 6, 2);
  run(w);
  EXPECT_EQ(colorAt(4, 2), 0xFFFF0000u) << "one colour for four instances";
  EXPECT_EQ(colorAt(4, 4), 0xFFFF0000u);
  frequency(w, 31, {1, 1});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB}) << "a 33rd stream";
  frequency(w, 0, {0, 0, 0});
  const std::vector<std::array<float, 2>> places(6, {0, 0});
  stream(w, 1, vertexBuffer(w, places), 8);
  stream(w, 2, vertexBuffer(w, std::vector<uint32_t>(6, 0xFF112233)), 4);
  clearColor(w, 0, 0, 0, 0);
  draw(w, 6);
  run(w);
  EXPECT_EQ(colorAt(2, 2), 0xFF112233u) << "each with the vertices again";
}

// DRAW-22
TEST_F(D3d9StatesTest, ASecondSourceColor) {
  CommandWriter w;
  const uint32_t ps =
      shader(w,
             "ps_2_0\ndcl v0\ndef c0, 0.25, 0.5, 0.75, 0.5\nmov r0, v0\nmov r1, c0\nmov oC0, r0\n"
             "mov oC1, r1\n");
  bindShaders(w, m_vs, ps);
  renderState(w, kAlphaBlendEnable, 1u);
  renderState(w, kSrcBlend, 16u);   // SRCCOLOR2
  renderState(w, kDestBlend, 17u);  // INVSRCCOLOR2
  clearColor(w, 0.4f, 0.4f, 0.4f, 0.4f);
  drawVertices(w, quad(0, 0, kSize, kSize, 0xFFFFFFFF));
  if (deviceIsBare()) {
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND});
    (void)gpu().takeErrorLines();
    return;
  }
  run(w);
  // 1 * s + 0.4 * (1 - s)
  expectNear(result(4, 4),
             {unorm8(0.4f + 0.6f * 0.75f), unorm8(0.4f + 0.6f * 0.5f), unorm8(0.4f + 0.6f * 0.25f),
              unorm8(0.4f + 0.6f * 0.5f)},
             1);
  // Without blending the same shader writes two targets, of which one is bound.
  renderState(w, kAlphaBlendEnable, 0u);
  drawVertices(w, quad(0, 0, kSize, kSize, 0xFF336699));
  run(w);
  EXPECT_EQ(result(4, 4), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  // A shader without oC1 has a second source of 0.
  renderState(w, kAlphaBlendEnable, 1u);
  bindShaders(w, m_vs, m_ps);
  drawVertices(w, quad(0, 0, kSize, kSize, 0xFFFFFFFF));
  run(w);
  EXPECT_EQ(result(4, 4), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  packets::setTargets(w, std::array{m_target, texture(w, kBgra, kSize, kSize)}, 0);
  drawVertices(w, quad(0, 0, kSize, kSize, 0xFFFFFFFF));
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND}) << "two targets";
  (void)gpu().takeErrorLines();
}

// DRAW-17
TEST_F(D3d9StatesTest, IndicesPastTheirBufferAreNotThere) {
  CommandWriter w;
  std::vector<Vertex> v = quad(0, 0, 4, kSize, 0xFFFFFFFF);
  const std::vector<Vertex> second = quad(4, 0, 8, kSize, 0xFFFFFFFF);
  v.insert(v.end(), second.begin(), second.end());
  stream(w, 0, vertexBuffer(w, v), sizeof(Vertex));
  // 8 indices: one of the two quads, and two indices more.
  const std::vector<uint16_t> numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  packets::setIndexBuffer(w, buffer(w, numbers.data(), 16, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER));
  clearColor(w, 0, 0, 0, 0);
  drawIndexed(w, 12);
  run(w);
  EXPECT_EQ(shape(), std::vector<std::string>(8, "XXXX....")) << "six of them make triangles";
  clearColor(w, 0, 0, 0, 0);
  drawIndexed(w, 3, 8);
  drawIndexed(w, 3, 0xFFFFFFFF);
  drawIndexed(w, 0xFFFFFFF, 6);
  run(w);
  EXPECT_EQ(shape(), std::vector<std::string>(8, "........"));
}

// DRAW-18
TEST_F(D3d9StatesTest, ClippingIsForTransformedVertices) {
  if (deviceIsBare()) GTEST_SKIP() << "needs depthClamp";
  CommandWriter w;
  const std::vector<std::string> all(8, "XXXXXXXX"), none(8, "........");
  const auto drawn = [&](bool clipping, bool depth) {
    renderState(w, kClipping, uint32_t{clipping});
    renderState(w, kZEnable, uint32_t{depth});
    renderState(w, kZFunc, 8u);
    drawAll(w, 1.5f);
    run(w);
    return shape();
  };
  target(w, m_target, m_depth);
  EXPECT_EQ(drawn(true, true), none);
  EXPECT_EQ(drawn(false, true), none) << "vertices of a shader are always cut";
  EXPECT_EQ(drawn(false, false), none);
  const uint32_t vs = shader(w, "vs_2_0\ndcl_positiont v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\n");
  bindShaders(w, vs, m_ps);
  layout(w, {{0, 0, 2, 0, kPositionT, 0}, {0, 12, 4, 0, 10, 0}});
  EXPECT_EQ(drawn(true, true), none);
  EXPECT_EQ(drawn(false, true), all);
  EXPECT_EQ(drawn(true, false), all) << "nobody looks at the depth";
  EXPECT_EQ(drawn(true, true), none);
  target(w, m_target);
  EXPECT_EQ(drawn(true, true), all) << "there is none";
}

}  // namespace
}  // namespace aerogpu::test
