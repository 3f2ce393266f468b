// SPDX-License-Identifier: MIT
// Targets that are sampled by the draws that write them. Direct3D 9 leaves the result open; GPUs read the
// content from before the draw, and programs rely on that.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kDepthUsage = AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL | AEROGPU_RESOURCE_USAGE_TEXTURE;

class SampledTargetTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    CommandWriter w;
    m_vsTex = shader(w, "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n");
    m_psTex = shader(w, "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, c0\nmov oC0, r0\n");
    bindShaders(w, m_vsTex, m_psTex);
    layout(w, {{0, 0, 2, 0, 0, 0}, {1, 0, 2, 0, 5, 0}});
    samplerState(w, 0, kAddressU, 3);
    samplerState(w, 0, kAddressV, 3);
    scale(w, 1);
    run(w);
  }
  void scale(CommandWriter& w, float factor) {
    constantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0, {{factor, factor, factor, factor}});
  }
  /// Covers the target with texture coordinates 0..1, the third `reference`, at depth `z`.
  void drawWhole(CommandWriter& w, float reference = 0, float z = 0.5f) {
    using C = std::array<float, 3>;
    stream(w, 0, vertexBuffer(w, quad(0, 0, 8, 8, 0, z)), sizeof(Vertex));
    stream(w, 1,
           vertexBuffer<C>(w, {{0, 0, reference},
                               {1, 0, reference},
                               {0, 1, reference},
                               {0, 1, reference},
                               {1, 0, reference},
                               {1, 1, reference}}),
           12);
    draw(w, 6);
  }
  uint32_t view(CommandWriter& w, uint32_t t, uint32_t mip) {
    aerogpu_cmd_create_texture_view c{};
    c.view_handle = gpu().handle();
    c.texture_handle = t;
    c.format = kBgra;
    c.base_mip_level = mip;
    c.mip_level_count = c.array_layer_count = 1;
    w.packet(c);
    return c.view_handle;
  }

  uint32_t m_vsTex = 0, m_psTex = 0;
};

// STATE-22
TEST_F(SampledTargetTest, EachDrawReadsWhatWasThereBefore) {
  CommandWriter w;
  Bytes data(256);
  for (size_t i = 0; i < 256; ++i) data[i] = static_cast<uint8_t>(i);
  packets::upload(w, m_target, 0, data);
  setTexture(w, 0, m_target);
  scale(w, 0.5f);
  drawWhole(w);
  run(w);
  Bytes got = result();
  for (size_t i = 0; i < 256; ++i) EXPECT_NEAR(got[i], data[i] / 2.0, 1) << i;
  // No state changes between these two draws.
  draw(w, 6);
  draw(w, 6);
  run(w);
  got = result();
  for (size_t i = 0; i < 256; ++i) EXPECT_NEAR(got[i], data[i] / 8.0, 1.5) << i;
}

/// A copy serves one draw: later draws sample their own textures.
// STATE-22
TEST_F(SampledTargetTest, OtherDrawsAreAsBefore) {
  CommandWriter w;
  const uint32_t other = texture(w, kBgra, 8, 8), plain = texture(w, kBgra, 1, 1);
  packets::upload(w, plain, 0, Bytes{200, 100, 50, 255});
  packets::upload(w, m_target, 0, Bytes(256, 40));
  setTexture(w, 0, m_target);
  scale(w, 2);
  drawWhole(w);
  setTexture(w, 0, plain);
  scale(w, 1);
  target(w, other);
  drawWhole(w);
  setTexture(w, 0, m_target);
  stream(w, 0, vertexBuffer(w, quad(0, 0, 4, 8, 0)), sizeof(Vertex));
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(4, 4), (Pixel{80, 80, 80, 80}));
  const Bytes got = read(other, kBgra, kSize, kSize);
  EXPECT_EQ(pixel(got, kSize, 1, 1), (Pixel{80, 80, 80, 80}));
  EXPECT_EQ(pixel(got, kSize, 6, 1), (Pixel{200, 100, 50, 255}));
}

/// Direct3D 9 programs make mip levels by drawing to one while the whole texture is bound.
// STATE-22
TEST_F(SampledTargetTest, LevelsAreMadeFromTheOnesAbove) {
  for (const uint32_t mipFilter : {0u, 1u}) {
    CommandWriter w;
    const uint32_t t = texture(w, kBgra, 8, 8, 4);
    target(w, t);
    clearColor(w, 1, 1, 1, 1);
    setTexture(w, 0, t);
    samplerState(w, 0, kMipFilter, mipFilter);
    scale(w, 0.5f);
    for (uint32_t mip = 1; mip < 4; ++mip) {
      target(w, view(w, t, mip));
      const auto size = static_cast<float>(8 >> mip);
      viewport(w, 0, 0, size, size);
      // With a mip filter the draw's own scale would choose the level that is drawn: a finer one is
      // requested.
      samplerState(w, 0, kMaxMipLevel, mipFilter ? 0 : mip - 1);
      samplerState(w, 0, kMipMapLodBias, std::bit_cast<uint32_t>(mipFilter ? -1.0f : 0.0f));
      drawWhole(w);
    }
    samplerState(w, 0, kMaxMipLevel, 0);
    samplerState(w, 0, kMipMapLodBias, 0);
    run(w);
    for (uint32_t mip = 0; mip < 4; ++mip)
      EXPECT_NEAR(pixel(read(t, kBgra, 8 >> mip, 8 >> mip, mip), 8 >> mip, 0, 0)[0], 255 >> mip, 1)
          << "mip filter " << mipFilter << ", level " << mip;
  }
}

/// A depth target is sampled unchanged while no draw writes it; a draw that writes it samples its old
/// content.
// STATE-22
TEST_F(SampledTargetTest, ADepthTargetCompares) {
  CommandWriter w;
  const uint32_t d = texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSize, kSize, 1, 1, kDepthUsage);
  target(w, m_target, d);
  Harness::clear(w, AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, 0, 0, 0, 0, 0.5f);
  setTexture(w, 0, d);
  renderState(w, kZEnable, 1u);
  renderState(w, kZFunc, 4u);
  const auto sample = [&](bool write, float reference, float z) {
    renderState(w, kZWriteEnable, write ? 1u : 0u);
    clearColor(w, 0.2f, 0.2f, 0.2f, 0.2f);
    drawWhole(w, reference, z);
    run(w);
    return +result(4, 4)[0];
  };
  EXPECT_EQ(sample(false, 0.4f, 0.45f), 255);
  EXPECT_EQ(sample(false, 0.6f, 0.45f), 0);
  EXPECT_EQ(sample(false, 0.4f, 0.75f), 51) << "hidden by the depth test";
  EXPECT_EQ(sample(true, 0.4f, 0.25f), 255) << "0.5 before the draw";
  EXPECT_EQ(sample(true, 0.4f, 0.125f), 0) << "0.25 before the draw";
  EXPECT_EQ(sample(false, 0.1f, 0.1f), 255);
  EXPECT_EQ(sample(false, 0.2f, 0.1f), 0);
  EXPECT_EQ(sample(false, 0.2f, 0.2f), 51);
  // Only the write changes.
  renderState(w, kZWriteEnable, 1u);
  drawWhole(w, 0.1f, 0.0625f);
  renderState(w, kZWriteEnable, 0u);
  clearColor(w, 0.2f, 0.2f, 0.2f, 0.2f);
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(4, 4)[0], 0) << "0.0625 is there";
  // A clear between two draws that only read.
  Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 0.5f);
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(4, 4)[0], 255);
  // Stencil is in the same image.
  renderState(w, kStencilEnable, 1u);
  renderState(w, kStencilPass, 3u);
  renderState(w, kStencilRef, 7u);
  clearColor(w, 0.2f, 0.2f, 0.2f, 0.2f);
  draw(w, 6);
  renderState(w, kStencilPass, 1u);
  renderState(w, kStencilFunc, 3u);
  drawWhole(w, 0.6f, 0.0625f);
  renderState(w, kStencilEnable, 0u);
  run(w);
  EXPECT_EQ(result(4, 4)[0], 0) << "the stencil test passed and 0.5 was read";
}

/// An unneeded depth target does not cut the picture.
// DRAW-15
TEST_F(SampledTargetTest, ASmallerDepthTargetCutsOnlyWhatNeedsIt) {
  CommandWriter w;
  const uint32_t d = texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4, 4, 1, 1, kDepthUsage);
  const uint32_t white = texture(w, kBgra, 1, 1);
  packets::upload(w, white, 0, Bytes(4, 255));
  setTexture(w, 0, white);
  target(w, m_target, d);
  clearColor(w, 0.2f, 0.2f, 0.2f, 0.2f);
  run(w);
  EXPECT_EQ(result(6, 6)[0], 51) << "cleared";
  Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 0.25f);
  drawWhole(w);
  run(w);
  EXPECT_EQ(result(6, 6)[0], 255) << "no test";
  EXPECT_EQ(result(1, 1)[0], 255) << "no test";
  clearColor(w, 0.2f, 0.2f, 0.2f, 0.2f);
  renderState(w, kZEnable, 1u);
  scale(w, 0.5f);
  drawWhole(w, 0, 0.125f);
  renderState(w, kZEnable, 0u);
  scale(w, 1);
  stream(w, 0, vertexBuffer(w, quad(0, 4, 8, 8, 0)), sizeof(Vertex));
  draw(w, 6);
  renderState(w, kStencilEnable, 1u);
  renderState(w, kStencilFunc, 1u);
  draw(w, 6);
  renderState(w, kStencilEnable, 0u);
  run(w);
  EXPECT_NEAR(result(1, 1)[0], 128, 1) << "tested";
  EXPECT_EQ(result(6, 1)[0], 51) << "there is no depth to test";
  EXPECT_EQ(result(1, 6)[0], 255) << "no test";
  EXPECT_EQ(result(6, 6)[0], 255) << "no test";
}

}  // namespace
}  // namespace aerogpu::test
