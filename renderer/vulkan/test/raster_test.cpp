// SPDX-License-Identifier: MIT
// Rasteriser states: culling, fill modes, scissor, viewport, depth clipping, flat shading, points.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class RasterTest : public DrawTest {
protected:
  uint32_t coveredPixels() {
    const Bytes got = result();
    uint32_t n = 0;
    for (size_t i = 3; i < got.size(); i += 4) n += got[i] != 0;
    return n;
  }
};

// STATE-7
TEST_F(RasterTest, CullingByWindingOnScreen) {
  auto cw = quad(0, 0, 8, 8, 0xFFFFFFFF), ccw = cw;
  std::swap(ccw[1], ccw[2]);
  std::swap(ccw[4], ccw[5]);
  // D3DCULL: 1 none, 2 clockwise, 3 counter-clockwise triangles are left out.
  for (uint32_t mode = 1; mode <= 3; ++mode)
    for (const bool clockwise : {true, false}) {
      CommandWriter w;
      clearColor(w, 0, 0, 0, 0);
      renderState(w, kCullMode, mode);
      drawVertices(w, clockwise ? cw : ccw);
      run(w);
      const bool visible = mode == 1 || (mode == 2) != clockwise;
      EXPECT_EQ(coveredPixels(), visible ? 64u : 0u) << mode << clockwise;
    }
}

TEST_F(RasterTest, FillModes) {
  if (deviceIsBare()) GTEST_SKIP() << "needs fillModeNonSolid";
  const auto q = quad(0, 0, 8, 8, 0xFFFFFFFF);
  CommandWriter w;
  renderState(w, kFillMode, 2u);  // wireframe: edges only
  drawVertices(w, {at(1, 1, ~0u), at(6, 1, ~0u), at(1, 6, ~0u)});
  run(w);
  EXPECT_NE(result(3, 1)[0], 0);
  EXPECT_NE(result(1, 3)[0], 0);
  EXPECT_EQ(result(2, 3)[0], 0);
  renderState(w, kFillMode, 1u);  // points: corners only
  clearColor(w, 0, 0, 0, 0);
  drawVertices(w, {at(1, 1, ~0u), at(6, 1, ~0u), at(1, 6, ~0u)});
  run(w);
  EXPECT_EQ(coveredPixels(), 3u);
  EXPECT_NE(result(6, 1)[0], 0);
}

// STATE-10
TEST_F(RasterTest, ScissorAndViewport) {
  CommandWriter w;
  renderState(w, kScissorTestEnable, 1u);
  scissor(w, 2, 3, 4, 2);
  drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF));
  run(w);
  const Bytes got = result();
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x)
      EXPECT_EQ(pixel(got, kSize, x, y)[0], x >= 2 && x < 6 && y >= 3 && y < 5 ? 255 : 0) << x << "," << y;
  // A scissor rectangle past the target is clipped, a viewport moves and scales, and no pixel leaves it.
  scissor(w, 1, -5, 1000, 1000);
  target(w, m_target, m_depth);
  viewport(w, 0, 0, kSize, kSize);
  renderState(w, kScissorTestEnable, 0u);
  Harness::clear(w, AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 0);
  renderState(w, kScissorTestEnable, 1u);
  viewport(w, 4, 2, 4, 4, 0.25f, 0.75f);
  renderState(w, kZEnable, 1u);
  renderState(w, kZFunc, 8u);
  std::vector<Vertex> big = quad(0, 0, 8, 8, 0xFFFFFFFF, 0.5f);
  for (Vertex& v : big) v.x *= 3, v.y *= 3;
  drawVertices(w, big);
  run(w);
  EXPECT_EQ(coveredPixels(), 16u);
  uint32_t word;
  const Bytes ds = read(m_depth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSize, kSize);
  std::memcpy(&word, ds.data() + size_t{3 * kSize + 5} * 4, 4);
  EXPECT_NEAR(static_cast<double>(word & 0xFFFFFF), 0.5 * 0xFFFFFF, 4);  // 0.25 + 0.5 * 0.5
}

TEST_F(RasterTest, DepthClipping) {
  if (deviceIsBare()) GTEST_SKIP() << "needs depthClamp";
  CommandWriter w;
  drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF, 1.5f));
  run(w);
  EXPECT_EQ(coveredPixels(), 0u);
  aerogpu_cmd_set_rasterizer_state c{};
  c.state.flags = AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
  w.packet(c);
  drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF, 1.5f));
  run(w);
  EXPECT_EQ(coveredPixels(), 64u);
}

// DRAW-1
TEST_F(RasterTest, FlatShadingTakesTheFirstVertex) {
  CommandWriter w;
  renderState(w, kShadeMode, 1u);
  auto q = quad(0, 0, 8, 8, 0xFF0000FF);
  q[0].color = 0xFFFF0000;
  q[3].color = 0xFF00FF00;
  drawVertices(w, q);
  run(w);
  EXPECT_EQ(result(1, 1), (Pixel{0, 0, 255, 255}));
  EXPECT_EQ(result(6, 6), (Pixel{0, 255, 0, 255}));
  renderState(w, kShadeMode, 2u);
  drawVertices(w, q);
  run(w);
  EXPECT_NE(result(2, 2)[0], 0);  // now a mixture
}

// One shader for both: it writes a size only if points are drawn.
TEST_F(RasterTest, PointsBehindTriangles) {
  if (deviceIsBare()) GTEST_SKIP() << "needs largePoints";
  CommandWriter w;
  renderState(w, kPointSize, 4.0f);
  std::vector<Vertex> both = quad(0, 0, 1, 1, 0xFFFFFFFF);
  both.push_back(at(3.5f, 3.5f, 0xFFFFFFFF));
  stream(w, 0, vertexBuffer(w, both), sizeof(Vertex));
  for (int i = 0; i < 2; ++i) {
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    draw(w, 6);
    topology(w, AEROGPU_TOPOLOGY_POINTLIST);
    draw(w, 1, 1, 6);
    run(w);
    EXPECT_EQ(coveredPixels(), 1u + 16u);
    clearColor(w, 0, 0, 0, 0);
  }
}

TEST_F(RasterTest, PointSizeAndSprites) {
  if (deviceIsBare()) GTEST_SKIP() << "needs largePoints";
  CommandWriter w;
  renderState(w, kPointSize, 4.0f);
  // The centre lies between pixels 3 and 4: a square of four pixels a side around it.
  drawVertices(w, {at(3.5f, 3.5f, 0xFFFFFFFF)}, AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  EXPECT_EQ(coveredPixels(), 16u);
  EXPECT_NE(result(2, 2)[0], 0);
  EXPECT_NE(result(5, 5)[0], 0);
  renderState(w, kPointSizeMax, 2.0f);
  clearColor(w, 0, 0, 0, 0);
  drawVertices(w, {at(3.5f, 3.5f, 0xFFFFFFFF)}, AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  EXPECT_EQ(coveredPixels(), 4u);
  renderState(w, kPointSizeMax, 64.0f);
  renderState(w, kPointSize, 1.0f);
  renderState(w, kPointSizeMin, 4.0f);
  clearColor(w, 0, 0, 0, 0);
  drawVertices(w, {at(3.5f, 3.5f, 0xFFFFFFFF)}, AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  EXPECT_EQ(coveredPixels(), 16u);
  // A sprite's texture coordinates run from 0 to 1 across the point (D3DRS_POINTSPRITEENABLE).
  renderState(w, kPointSpriteEnable, 1u);
  const uint32_t vs = shader(w, "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oT0, v1\n");
  const uint32_t ps =
      shader(w, "ps_2_0\ndef c0, 0, 0, 0, 1\ndcl t0.xy\nmov r0, c0\nmov r0.xy, t0\nmov oC0, r0\n");
  bindShaders(w, vs, ps);
  clearColor(w, 0, 0, 0, 0);
  drawVertices(w, {at(3.5f, 3.5f, 0)}, AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  for (uint32_t i = 0; i < 4; ++i) {
    const auto want = unorm8((static_cast<float>(i) + 0.5f) / 4);
    EXPECT_NEAR(result(2 + i, 3)[2], want, 2);  // x in red
    EXPECT_NEAR(result(3, 2 + i)[1], want, 2);  // y in green
  }
}

}  // namespace
}  // namespace aerogpu::test
