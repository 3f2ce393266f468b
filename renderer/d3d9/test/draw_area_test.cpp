// SPDX-License-Identifier: MIT
// Tests draw area and viewport against "Viewports and Clipping", "Scissor Test", "Rasterization Rules" and
// "Directly Mapping Texels to Pixels" of the Direct3D 9 documentation.
#include "renderer/d3d9/draw_area.h"

#include <gtest/gtest.h>

#include <cmath>

#include "renderer/d3d9/draw_rules.h"

namespace aerogpu::d3d9 {
namespace {

constexpr ViewportLimits kLimits{-32768, 32767, 16384, 16384};

core::DrawState withViewport(core::Viewport viewport) {
  core::DrawState state;
  state.viewport = viewport;
  state.viewportSet = true;
  return state;
}

void useDxbc(core::DrawState& state) {
  auto shader = core::makeRef<core::Shader>();
  shader->family = core::ShaderFamily::Dxbc;
  state.shaders[static_cast<size_t>(core::Stage::Vertex)] = shader;
}

TEST(DrawArea, IsTheTargetsUntilSomethingNarrowsIt) {
  core::DrawState state;
  EXPECT_EQ(drawArea(state, 640, 480), (PixelRect{0, 0, 640, 480}));
  state.scissor = {10, 20, 30, 40};
  EXPECT_EQ(drawArea(state, 640, 480), (PixelRect{0, 0, 640, 480})) << "D3DRS_SCISSORTESTENABLE is FALSE";
  state.rasterizer.scissorEnable = true;
  EXPECT_EQ(drawArea(state, 640, 480), (PixelRect{10, 20, 30, 40}));
  state.scissor = {600, 470, 100, 100};
  EXPECT_EQ(drawArea(state, 640, 480), (PixelRect{600, 470, 40, 10}));
  state.scissor = {0x7FFFFFFF, 0, 0x7FFFFFFF, 10};
  EXPECT_TRUE(drawArea(state, 640, 480).empty());
}

TEST(DrawArea, ViewportAndScissorMeet) {
  core::DrawState state = withViewport({100, 50, 200, 100, 0, 1});
  EXPECT_EQ(drawArea(state, 640, 480), (PixelRect{100, 50, 200, 100}));
  EXPECT_EQ(drawArea(state, 150, 60), (PixelRect{100, 50, 50, 10})) << "smaller targets";
  state.rasterizer.scissorEnable = true;
  state.scissor = {0, 0, 120, 60};
  EXPECT_EQ(drawArea(state, 640, 480), (PixelRect{100, 50, 20, 10}));
  state.scissor = {0, 0, 100, 60};
  EXPECT_TRUE(drawArea(state, 640, 480).empty());
}

TEST(DrawArea, APixelBelongsToTheViewportThatHasItsCentre) {
  EXPECT_EQ(drawArea(withViewport({1.4f, 1.6f, 2, 2, 0, 1}), 16, 16), (PixelRect{1, 2, 2, 2}));
  EXPECT_EQ(drawArea(withViewport({-3, -3, 5, 4, 0, 1}), 16, 16), (PixelRect{0, 0, 2, 1}));
  for (const float bad : {0.0f, -1.0f, NAN, INFINITY})
    EXPECT_TRUE(drawArea(withViewport({0, 0, bad, 4, 0, 1}), 16, 16).empty()) << bad;
  EXPECT_TRUE(drawArea(withViewport({NAN, 0, 4, 4, 0, 1}), 16, 16).empty());
}

/// Returns the GPU's coordinate of clip-space x; pixel n has its centre at n + 0.5.
float gpuX(const core::Viewport& v, float clip) {
  return v.x + (clip + 1) / 2 * v.width;
}

// "Rasterization Rules": the centre of the upper left pixel is (0, 0). Clip-space -1 is screen coordinate X
// of the viewport, so it is the centre of pixel X.
TEST(GpuViewport, Direct3D9HasPixelCentresAtIntegers) {
  core::Viewport v;
  ASSERT_TRUE(gpuViewport(withViewport({4, 8, 32, 16, 0, 1}), kLimits, 64, 64, v));
  EXPECT_EQ(gpuX(v, -1), 4.5f);
  EXPECT_EQ(gpuX(v, 0), 4 + 16 + 0.5f);
  EXPECT_EQ(v.y, 8.5f);
  EXPECT_EQ(v.height, 16);
}

TEST(GpuViewport, Direct3D10HasThemAtHalves) {
  core::DrawState state = withViewport({4, 8, 32, 16, 0, 1});
  useDxbc(state);
  core::Viewport v;
  ASSERT_TRUE(gpuViewport(state, kLimits, 64, 64, v));
  EXPECT_EQ(gpuX(v, -1), 4);
  EXPECT_EQ(v.y, 8);
}

TEST(GpuViewport, IsTheWholeTargetUntilOneIsSet) {
  core::Viewport v;
  ASSERT_TRUE(gpuViewport(core::DrawState(), kLimits, 640, 480, v));
  EXPECT_EQ(v.width, 640);
  EXPECT_EQ(v.height, 480);
  EXPECT_EQ(v.minDepth, 0);
  EXPECT_EQ(v.maxDepth, 1);
}

TEST(GpuViewport, DepthStaysBetween0And1AndMayRunBackwards) {
  core::Viewport v;
  ASSERT_TRUE(gpuViewport(withViewport({0, 0, 8, 8, 0.75f, 0.25f}), kLimits, 8, 8, v));
  EXPECT_EQ(v.minDepth, 0.75f);
  EXPECT_EQ(v.maxDepth, 0.25f);
  ASSERT_TRUE(gpuViewport(withViewport({0, 0, 8, 8, -2, 3}), kLimits, 8, 8, v));
  EXPECT_EQ(v.minDepth, 0);
  EXPECT_EQ(v.maxDepth, 1);
  EXPECT_FALSE(gpuViewport(withViewport({0, 0, 8, 8, NAN, 1}), kLimits, 8, 8, v));
}

TEST(GpuViewport, WhatTheGpuCannotTakeShowsNothing) {
  core::Viewport v;
  for (const core::Viewport& bad : {core::Viewport{0, 0, 0, 8, 0, 1},
                                    {0, 0, 8, -8, 0, 1},
                                    {NAN, 0, 8, 8, 0, 1},
                                    {0, 0, 16385, 8, 0, 1},
                                    {32760, 0, 8, 8, 0, 1},
                                    {0, -32768, 8, 8, 0, 1}})
    EXPECT_FALSE(gpuViewport(withViewport(bad), kLimits, 8, 8, v)) << bad.x << " " << bad.width;
  // Another half a pixel still has to fit.
  EXPECT_TRUE(gpuViewport(withViewport({32766 - 8, -32767, 8, 8, 0, 1}), kLimits, 8, 8, v));
  EXPECT_LE(v.x + v.width, kLimits.high);
}

TEST(WidenForSamples, PositionsStayWhereTheyWere) {
  const ViewportLimits limits{-32768, 32767, 16384, 16384};
  core::Viewport v{10.5f, 3.5f, 100, 7, 0, 1};
  const core::Viewport before = v;
  const PositionScale scale = widenForSamples(v, limits);
  EXPECT_FLOAT_EQ(v.x, 10);
  EXPECT_FLOAT_EQ(v.y, 3);
  for (const float x : {-1.0f, -0.5f, 0.0f, 0.25f, 1.0f}) {
    const auto at = [x](float from, float size, float by) { return from + (x * by + 1) * size / 2; };
    EXPECT_NEAR(at(v.x, v.width, scale.x), at(before.x, before.width, 1), 1e-4);
    EXPECT_NEAR(at(v.y, v.height, scale.y), at(before.y, before.height, 1), 1e-4);
  }
  core::Viewport largest{0.5f, 0.5f, 16384, 16384, 0, 1};
  EXPECT_FLOAT_EQ(widenForSamples(largest, limits).x, 1);
  EXPECT_FLOAT_EQ(largest.width, 16384);
}

TEST(DrawRules, StripsAndSampleMasks) {
  using core::ShaderFamily;
  using core::Topology;
  EXPECT_FALSE(restartsStrips(ShaderFamily::D3d9, Topology::TriangleStrip));
  EXPECT_TRUE(restartsStrips(ShaderFamily::Dxbc, Topology::TriangleStrip));
  EXPECT_TRUE(restartsStrips(ShaderFamily::Dxbc, Topology::LineStripAdj));
  EXPECT_FALSE(restartsStrips(ShaderFamily::Dxbc, Topology::TriangleList));
  core::DrawState state;
  state.blend.sampleMask = 0xFFFFFFFE;
  EXPECT_FALSE(sampleMaskHidesAll(state)) << "D3DRS_MULTISAMPLEMASK has no effect with one sample";
  useDxbc(state);
  EXPECT_TRUE(sampleMaskHidesAll(state));
  state.blend.sampleMask = 1;
  EXPECT_FALSE(sampleMaskHidesAll(state));
}

}  // namespace
}  // namespace aerogpu::d3d9
