// SPDX-License-Identifier: MIT
// Layers of targets and viewports that geometry shaders choose (docs/abi/d3d10-states.md, LAYER), in pixels.
#include <limits>

#include "renderer/vulkan/test/token_fixture.h"

namespace aerogpu::test {
namespace {

using namespace dxbc;

constexpr uint32_t kLayerIndex = 4, kViewportIndex = 5;  // D3D10_SB_NAME
constexpr uint32_t kScissorTest = 174;                   // D3DRS_SCISSORTESTENABLE
constexpr uint32_t kBlue = 0xFF0000FF, kGreen = 0xFF00FF00, kRed = 0xFFFF0000, kWhite = 0xFFFFFFFF;
constexpr Pixel kNothing = {0, 0, 0, 0};

Pixel pixelOf(uint32_t color) {
  return {static_cast<uint8_t>(color), static_cast<uint8_t>(color >> 8), static_cast<uint8_t>(color >> 16),
          static_cast<uint8_t>(color >> 24)};
}

/// A triangle that covers the viewport, at a depth, and the index that the shader gives it.
struct Chosen {
  uint32_t index, color;
  float z = 0.5f;
};

/// Makes the triangles of each point, whatever the point is; o2.x is the system value.
TokenShader choosingTokens(uint32_t systemValue, const std::vector<Chosen>& triangles) {
  Tokens t = geometryDeclarations(kPoints, kTriangleStrip, static_cast<uint32_t>(triangles.size()) * 3);
  op(t, 0x67, {dst(kOutput, 2, 1), {systemValue}});
  for (const Chosen& c : triangles) {
    for (uint32_t i = 0; i < 3; ++i) {
      const auto channel = [&](uint32_t shift) { return static_cast<float>(c.color >> shift & 255) / 255; };
      op(t, kMov, {dst(kOutput, 0, 15), four(i == 1 ? 3.0f : -1.0f, i == 2 ? -3.0f : 1.0f, c.z, 1)});
      op(t, kMov, {dst(kOutput, 1, 15), four(channel(16), channel(8), channel(0), channel(24))});
      op(t, kMov, {dst(kOutput, 2, 1), immediate(c.index)});
      op(t, kEmit, {});
    }
    op(t, kCut, {});
  }
  op(t, kRet, {});
  TokenShader shader = geometryShader(t);
  shader.outputs.push_back({systemValue, 2, 1});
  return shader;
}

class LayersTest : public TokenShadersTest {
protected:
  void SetUp() override {
    TokenShadersTest::SetUp();
    if (!(capsFlags() & AEROGPU_CAPS_LAYERS)) GTEST_SKIP() << "this device does not have them";
    CommandWriter w;
    bindPoint(w);
    run(w);
  }
  void bindPoint(CommandWriter& w) {
    stream(w, 0, vertexBuffer(w, std::vector<Vertex>{at(1, 1, kRed)}), sizeof(Vertex));
    topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  }
  /// Draws one point with a geometry shader.
  void drawWith(CommandWriter& w, const TokenShader& gs) {
    bind(w, gs);
    draw(w, 1);
  }
  uint32_t view(CommandWriter& w, uint32_t texture, aerogpu_format format, uint32_t first, uint32_t count,
                uint32_t mip = 0) {
    const uint32_t h = gpu().handle();
    w.packet(aerogpu_cmd_create_texture_view{{}, h, texture, format, mip, 1, first, count, 0});
    return h;
  }
  void viewports(CommandWriter& w, const std::vector<std::array<float, 4>>& rects) {
    std::vector<aerogpu_ext_viewport> list;
    for (const auto& r : rects) {
      const auto bits = [&](size_t i) { return std::bit_cast<uint32_t>(r[i]); };
      list.push_back({bits(0), bits(1), bits(2), bits(3), 0, std::bit_cast<uint32_t>(1.0f)});
    }
    w.packet(aerogpu_cmd_ext_set_viewports{}, list.data(), list.size());
  }
  /// Expects one colour in each pixel of a layer.
  void expectLayer(uint32_t texture, uint32_t layer, const Pixel& want, const char* what,
                   uint32_t side = kSize, uint32_t mip = 0) {
    const Bytes got = read(texture, kBgra, side, side, mip, layer);
    for (uint32_t i = 0; i < side * side; ++i)
      ASSERT_EQ(pixel(got, side, i % side, i / side), want) << what << ", layer " << layer << ", pixel " << i;
  }
  /// Expects the colour of each column of the target.
  void expectColumns(const std::array<uint32_t, kSize>& want, const char* what) {
    const Bytes got = result();
    for (uint32_t i = 0; i < kSize * kSize; ++i)
      ASSERT_EQ(pixel(got, kSize, i % kSize, i / kSize), pixelOf(want[i % kSize])) << what << ", pixel " << i;
  }
};

// LAYER-1, LAYER-2
TEST_F(LayersTest, EachTriangleHasItsLayer) {
  CommandWriter w;
  const uint32_t array = texture(w, kBgra, kSize, kSize, 1, 5);
  target(w, view(w, array, kBgra, 1, 3));
  drawWith(w, choosingTokens(kLayerIndex, {{2, kRed}, {1, kGreen}, {0, kBlue}}));
  run(w);
  expectLayer(array, 0, kNothing, "before the view");
  expectLayer(array, 1, pixelOf(kBlue), "chosen");
  expectLayer(array, 2, pixelOf(kGreen), "chosen");
  expectLayer(array, 3, pixelOf(kRed), "chosen");
  expectLayer(array, 4, kNothing, "behind the view");
  for (const uint32_t beyond : {3u, 4u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    clearColor(w, 0, 0, 0, 0);
    drawWith(w, choosingTokens(kLayerIndex, {{beyond, kWhite}}));
    run(w);
    expectLayer(array, 1, pixelOf(kWhite), "there is no such layer");
    for (const uint32_t other : {0u, 2u, 3u, 4u})
      expectLayer(array, other, kNothing, "there is no such layer");
  }
  // Without an index, and with another number of layers for the same shader.
  clearColor(w, 0, 0, 0, 0);
  bind(w, 0);
  drawVertices(w, {at(-1, -1, kRed), at(20, -1, kRed), at(-1, 20, kRed)});
  bindPoint(w);
  const TokenShader third = choosingTokens(kLayerIndex, {{2, kGreen}});
  target(w, view(w, array, kBgra, 0, 2));
  drawWith(w, third);
  run(w);
  EXPECT_EQ(pixel(read(array, kBgra, kSize, kSize, 0, 1), kSize, 1, 1), pixelOf(kRed))
      << "no geometry shader";
  expectLayer(array, 0, pixelOf(kGreen), "fewer layers");
  target(w, view(w, array, kBgra, 0, 3));
  draw(w, 1);
  run(w);
  expectLayer(array, 2, pixelOf(kGreen), "more layers");
}

// LAYER-1: clears, also in the midst of a pass, and targets with different numbers of layers.
TEST_F(LayersTest, ClearsReachEachLayer) {
  CommandWriter w;
  const uint32_t a = texture(w, kBgra, kSize, kSize, 1, 4), b = texture(w, kBgra, kSize, kSize, 1, 3);
  packets::setTargets(w, std::array{view(w, a, kBgra, 1, 3), view(w, b, kBgra, 0, 2)}, 0);
  clearColor(w, 0, 0, 1, 1);
  run(w);
  for (uint32_t layer = 0; layer < 4; ++layer)
    expectLayer(a, layer, layer == 1 || layer == 2 ? pixelOf(kBlue) : kNothing, "the first target");
  for (uint32_t layer = 0; layer < 3; ++layer)
    expectLayer(b, layer, layer < 2 ? pixelOf(kBlue) : kNothing, "the second target");
  drawWith(w, choosingTokens(kLayerIndex, {{1, kRed}, {2, kWhite}}));  // there are two
  clearColor(w, 0, 1, 0, 1);
  drawWith(w, choosingTokens(kLayerIndex, {{1, kRed}}));
  run(w);
  for (uint32_t layer = 0; layer < 4; ++layer)
    expectLayer(a, layer,
                layer == 1   ? pixelOf(kGreen)
                : layer == 2 ? pixelOf(kRed)
                             : kNothing,
                "cleared between draws");
  target(w, a);
  clearColor(w, 1, 1, 1, 1);
  run(w);
  expectLayer(a, 0, pixelOf(kWhite), "the texture itself is its first layer");
  expectLayer(a, 1, pixelOf(kGreen), "the texture itself is its first layer");
}

// LAYER-1, LAYER-2: each layer has its depth.
TEST_F(LayersTest, DepthHasLayers) {
  CommandWriter w;
  constexpr auto kD32 = AEROGPU_FORMAT_D32_FLOAT;
  const uint32_t array = texture(w, kBgra, kSize, kSize, 1, 2);
  const uint32_t depth = texture(w, kD32, kSize, kSize, 1, 2, AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  packets::setTargets(w, std::array{view(w, array, kBgra, 0, 2)}, view(w, depth, kD32, 0, 2));
  packets::clear(w, AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH, {0, 0, 0, 0}, 0.75f, 0);
  renderState(w, kZEnable, 1u);
  drawWith(w, choosingTokens(kLayerIndex,
                             {{0, kRed, 0.25f}, {0, kBlue, 0.5f}, {1, kGreen, 0.5f}, {1, kWhite, 0.9f}}));
  renderState(w, kZEnable, 0u);
  run(w);
  expectLayer(array, 0, pixelOf(kRed), "what is nearer stays");
  expectLayer(array, 1, pixelOf(kGreen), "the other layer has its own depth");
}

// LAYER-1: slices of a volume's mip.
TEST_F(LayersTest, SlicesAreLayers) {
  CommandWriter w;
  const uint32_t volume = gpu().handle();
  aerogpu_cmd_ext_create_texture c{};
  c.texture_handle = volume;
  c.kind = AEROGPU_EXT_TEXTURE_VOLUME;
  c.format = kBgra;
  c.width = c.height = kSize * 2;
  c.depth = 8;
  c.mip_levels = 2;
  c.array_layers = c.sample_count = 1;
  w.packet(c);
  target(w, view(w, volume, kBgra, 1, 3, 1));
  clearColor(w, 0, 0, 1, 1);
  drawWith(w, choosingTokens(kLayerIndex, {{1, kGreen}, {3, kRed}}));
  run(w);
  const Pixel want[] = {kNothing, pixelOf(kRed), pixelOf(kGreen), pixelOf(kBlue)};
  for (uint32_t z = 0; z < 4; ++z) expectLayer(volume, z, want[z], "a slice", kSize, 1);
}

// LAYER-6: the pixel shader makes a colour of the number, which is beyond the layers.
TEST_F(LayersTest, PixelShadersReadTheLayer) {
  constexpr uint32_t kDclInputPsSiv = 0x64, kConstant = 1u << 11, kUtof = 0x56;
  Tokens t;
  op(t, kDclInputPsSiv | kConstant, {dst(kInput, 2, 1), {kLayerIndex}});
  op(t, 0x65, {dst(kOutput, 0, 15)});
  op(t, kUtof, {dst(kOutput, 0, 15), src(kInput, 2, 0)});
  op(t, kRet, {});
  CommandWriter w;
  m_pixel = make(w, AEROGPU_SHADER_STAGE_PIXEL,
                 {program(kPs40, t), {{1, 0, 15}, {0, 1, 15}, {kLayerIndex, 2, 1}}, {{0, 0, 15}}, {}});
  const uint32_t array = texture(w, kBgra, kSize, kSize, 1, 2);
  target(w, view(w, array, kBgra, 0, 2));
  clearColor(w, 0, 1, 0, 1);
  drawWith(w, choosingTokens(kLayerIndex, {{1, kRed}, {3, kRed}}));
  run(w);
  expectLayer(array, 0, pixelOf(kWhite), "3");
  expectLayer(array, 1, pixelOf(kWhite), "1");
  drawWith(w, choosingTokens(kLayerIndex, {{0, kRed}}));
  run(w);
  expectLayer(array, 0, kNothing, "0");
  // Without a geometry shader it is 0.
  clearColor(w, 0, 1, 0, 1);
  bind(w, 0);
  drawVertices(w, {at(-1, -1, kRed), at(20, -1, kRed), at(-1, 20, kRed)});
  run(w);
  EXPECT_EQ(pixel(read(array, kBgra, kSize, kSize), kSize, 1, 1), kNothing) << "no geometry shader";
  // A register that the number shares: with what became of it.
  Tokens shared = geometryDeclarations(kPoints, kTriangleStrip, 3);
  op(shared, 0x67, {dst(kOutput, 2, 1), {kLayerIndex}});
  op(shared, 0x65, {dst(kOutput, 2, 2)});
  for (uint32_t i = 0; i < 3; ++i) {
    op(shared, kMov, {dst(kOutput, 0, 15), four(i == 1 ? 3.0f : -1.0f, i == 2 ? -3.0f : 1.0f, 0.5f, 1)});
    op(shared, kMov, {dst(kOutput, 1, 15), four(1, 1, 1, 1)});
    op(shared, kMov, {dst(kOutput, 2, 1), immediate(3)});
    op(shared, kMov, {dst(kOutput, 2, 2), immediate(0)});
    op(shared, kEmit, {});
  }
  op(shared, kRet, {});
  TokenShader both = geometryShader(shared);
  both.outputs.push_back({kLayerIndex, 2, 1});
  both.outputs.push_back({0, 2, 2});
  clearColor(w, 0, 1, 0, 1);
  bindPoint(w);
  drawWith(w, both);
  run(w);
  expectLayer(array, 0, kNothing, "3 became 0");
}

// LAYER-3, LAYER-5
TEST_F(LayersTest, EachTriangleHasItsViewport) {
  CommandWriter w;
  viewports(w, {{0, 0, 2, 8}, {2, 0, 1, 8}, {5, 0, 2, 8}});
  drawWith(w,
           choosingTokens(kViewportIndex, {{0, kRed}, {1, kGreen}, {2, kBlue}, {3, kWhite}, {15, kWhite}}));
  run(w);
  expectColumns({kRed, kRed, kGreen, 0, 0, kBlue, kBlue, 0}, "three viewports");
  for (const uint32_t beyond : {16u, 17u, 0xFFFFFFFFu}) {
    clearColor(w, 0, 0, 0, 0);
    drawWith(w, choosingTokens(kViewportIndex, {{beyond, kWhite}}));
    run(w);
    expectColumns({kWhite, kWhite, 0, 0, 0, 0, 0, 0}, "there is no such viewport");
  }
  // The first may be empty.
  clearColor(w, 0, 0, 0, 0);
  viewports(w, {{0, 0, 0, 0}, {4, 0, 4, 8}});
  drawWith(w, choosingTokens(kViewportIndex, {{0, kRed}, {1, kGreen}}));
  run(w);
  expectColumns({0, 0, 0, 0, kGreen, kGreen, kGreen, kGreen}, "an empty one");
  // Sixteen, and then one again.
  clearColor(w, 0, 0, 0, 0);
  std::vector<std::array<float, 4>> sixteen(16, {0, 0, 1, 8});
  sixteen[15] = {7, 0, 1, 8};
  viewports(w, sixteen);
  drawWith(w, choosingTokens(kViewportIndex, {{15, kBlue}, {14, kRed}}));
  viewport(w, 3, 0, 1, 8);
  drawWith(w, choosingTokens(kViewportIndex, {{0, kGreen}, {1, kWhite}, {15, kWhite}}));
  run(w);
  expectColumns({kRed, 0, 0, kGreen, 0, 0, 0, kBlue}, "SET_VIEWPORT empties the others");
}

// LAYER-4, LAYER-5
TEST_F(LayersTest, EachViewportHasItsScissors) {
  CommandWriter w;
  viewports(w, {{0, 0, 8, 8}, {0, 0, 8, 8}, {0, 0, 8, 8}});
  renderState(w, kScissorTest, 1u);
  const aerogpu_ext_scissor rects[] = {{1, 0, 2, 8}, {4, 0, 1, 8}};
  w.packet(aerogpu_cmd_ext_set_scissors{}, rects, 2);
  drawWith(w, choosingTokens(kViewportIndex, {{0, kRed}, {1, kGreen}, {2, kBlue}}));
  run(w);
  expectColumns({0, kRed, kRed, 0, kGreen, 0, 0, 0}, "two rectangles");
  clearColor(w, 0, 0, 0, 0);
  scissor(w, 6, 0, 2, 8);
  drawWith(w, choosingTokens(kViewportIndex, {{0, kRed}, {1, kGreen}}));
  renderState(w, kScissorTest, 0u);
  run(w);
  expectColumns({0, 0, 0, 0, 0, 0, kRed, kRed}, "SET_SCISSOR empties the others");
}

// LAYER-3, LAYER-4
TEST_F(LayersTest, WhatIsRefused) {
  CommandWriter w;
  const auto code = [&](uint32_t count, float width) {
    std::vector<aerogpu_ext_viewport> list(count,
                                           {0, 0, std::bit_cast<uint32_t>(width), 0x41000000, 0, 0x3F800000});
    w.packet(aerogpu_cmd_ext_set_viewports{}, list.data(), list.size());
    const uint32_t error = gpu().submit(w, m_context).result.last_error_code;
    w.reset();
    return error;
  };
  constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kNone = AEROGPU_ERROR_NONE;
  EXPECT_EQ(code(0, 1), kDecode);
  EXPECT_EQ(code(17, 1), kDecode);
  EXPECT_EQ(code(2, -1), kDecode);
  EXPECT_EQ(code(2, std::numeric_limits<float>::infinity()), kDecode);
  EXPECT_EQ(code(16, 1), kNone);
  const auto scissors = [&](uint32_t count, int32_t width) {
    std::vector<aerogpu_ext_scissor> list(count, {0, 0, width, 1});
    w.packet(aerogpu_cmd_ext_set_scissors{}, list.data(), list.size());
    const uint32_t error = gpu().submit(w, m_context).result.last_error_code;
    w.reset();
    return error;
  };
  EXPECT_EQ(scissors(0, 1), kDecode);
  EXPECT_EQ(scissors(17, 1), kDecode);
  EXPECT_EQ(scissors(2, -1), kDecode);
  EXPECT_EQ(scissors(16, 1), kNone);
  gpu().takeErrorLines();
}

}  // namespace
}  // namespace aerogpu::test
