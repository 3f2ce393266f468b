// SPDX-License-Identifier: MIT
// Tests the depth bias against "Depth Bias (Direct3D 9)": offset = m * D3DRS_SLOPESCALEDEPTHBIAS +
// D3DRS_DEPTHBIAS, and "Depth Bias" of Direct3D 10, whose integer counts the depth buffer's steps.
#include "renderer/d3d9/depth_bias.h"

#include <gtest/gtest.h>

#include <cmath>

#include "renderer/d3d9/depth_stencil.h"

namespace aerogpu::d3d9 {
namespace {

core::RasterizerState biased(float bias, float slope = 0, bool integer = false) {
  core::RasterizerState state;
  state.depthBias = bias;
  state.slopeScaledDepthBias = slope;
  state.depthBiasIsInteger = integer;
  return state;
}

constexpr DepthBiasWays kNoWays{}, kInDepth{true, false}, kAnyRange{false, true};

TEST(DepthBias, ADepthCanBeGivenAsItIs) {
  const DepthBias b = depthBias(biased(0.125f, 2), DepthSteps::Float32, kInDepth, 0, 1);
  EXPECT_TRUE(b.inDepth && b.any());
  EXPECT_EQ(b.constant, 0.125f);
  EXPECT_EQ(b.slope, 2);
  EXPECT_EQ(b.shift, 0);
}

TEST(DepthBias, ElseTheDepthRangeMoves) {
  for (const DepthSteps steps : {DepthSteps::Fixed, DepthSteps::Float32}) {
    const DepthBias b = depthBias(biased(0.125f, 3), steps, kNoWays, 0.25f, 0.75f);
    EXPECT_EQ(b.shift, 0.125f);
    EXPECT_EQ(b.constant, 0);
    EXPECT_EQ(b.slope, 3) << "the slope's part stays";
    EXPECT_EQ(depthBias(biased(0.125f), steps, kAnyRange, 0, 1).shift, 0.125f);
  }
}

TEST(DepthBias, WhereItCannotMoveStepsAreLeft) {
  const DepthBias b = depthBias(biased(0.125f), DepthSteps::Fixed, kNoWays, 0, 1);
  EXPECT_EQ(b.shift, 0);
  EXPECT_FALSE(b.inDepth);
  EXPECT_EQ(b.constant, 2097152) << "an eighth of 2^24 steps";
}

TEST(DepthBias, AnIntegerCountsSteps) {
  const DepthBias fixed = depthBias(biased(4, 0, true), DepthSteps::Fixed, kInDepth, 0, 1);
  EXPECT_TRUE(fixed.inDepth);
  EXPECT_EQ(fixed.constant, 4 / 16777216.0f);
  EXPECT_EQ(depthBias(biased(4, 0, true), DepthSteps::Fixed16, kInDepth, 0, 1).constant, 4 / 65536.0f);
  EXPECT_EQ(depthBias(biased(0.125f), DepthSteps::Fixed16, kNoWays, 0, 1).constant, 8192);
  const DepthBias steps = depthBias(biased(4, 0, true), DepthSteps::Float32, kInDepth, 0, 1);
  EXPECT_FALSE(steps.inDepth) << "steps of a float depth follow the primitive";
  EXPECT_EQ(steps.constant, 4);
}

TEST(DepthBias, AShiftIsExactAndNeverVanishes) {
  const DepthBias tiny = depthBias(biased(-0x1p-40f), DepthSteps::Fixed, kAnyRange, 0, 1);
  EXPECT_LT(tiny.shift, 0);
  const DepthBias odd = depthBias(biased(1e-5f), DepthSteps::Fixed, kAnyRange, 0, 0.9f);
  EXPECT_EQ((0.9f + odd.shift) - 0.9f, odd.shift);
  EXPECT_NEAR(odd.shift, 1e-5f, 0x1p-24f);
}

// DXS-9
TEST(DepthBias, AClampCountsForTheSum) {
  core::RasterizerState state = biased(0.125f);
  state.depthBiasClamp = 0.0625f;
  for (const DepthSteps steps : {DepthSteps::Fixed, DepthSteps::Fixed16, DepthSteps::Float32}) {
    const DepthBias b = depthBias(state, steps, kAnyRange, 0, 1);
    EXPECT_EQ(b.shift, 0.0625f);
    EXPECT_FALSE(b.any()) << "without a slope the GPU has nothing to clamp";
  }
  state.depthBias = -0.125f;
  EXPECT_EQ(depthBias(state, DepthSteps::Fixed, kAnyRange, 0, 1).shift, -0.125f) << "a clamp has a side";
  state.depthBiasClamp = -0.03125f;
  EXPECT_EQ(depthBias(state, DepthSteps::Fixed, kAnyRange, 0, 1).shift, -0.03125f);
  state.slopeScaledDepthBias = 2;
  const DepthBias both = depthBias(state, DepthSteps::Fixed, kAnyRange, 0, 1);
  EXPECT_EQ(both.shift, 0);
  EXPECT_EQ(both.constant, -0.125f * 16777216);
  EXPECT_EQ(both.clamp, -0.03125f);
  core::RasterizerState integer = biased(64, 0, true);
  integer.depthBiasClamp = 1e-6f;
  EXPECT_EQ(depthBias(integer, DepthSteps::Float32, kAnyRange, 0, 1).clamp, 1e-6f)
      << "steps of float depth are the primitive's";
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    integer.depthBiasClamp = bad;
    EXPECT_EQ(depthBias(integer, DepthSteps::Float32, kAnyRange, 0, 1).clamp, 0) << bad;
  }
}

TEST(DepthBias, WhatIsNoneOrNoNumberDoesNothing) {
  for (const float bad : {0.0f, NAN, INFINITY, -INFINITY}) {
    const DepthBias b = depthBias(biased(bad, bad), DepthSteps::Fixed, kInDepth, 0, 1);
    EXPECT_TRUE(b.shift == 0 && !b.any()) << bad;
  }
  EXPECT_FALSE(depthBias(biased(0.5f, 1), DepthSteps::None, kInDepth, 0, 1).any()) << "no depth buffer";
  EXPECT_EQ(depthBias(biased(-1e30f), DepthSteps::Fixed, kInDepth, 0, 1).constant, -1) << "all of the range";
}

// D3DRS_TWOSIDEDSTENCILMODE, D3DRS_ZENABLE, D3DRS_CLIPPING.
TEST(DepthStencil, WhatCounts) {
  core::DepthStencilState ds;
  ds.front.func = CompareFunc::Less;
  ds.back.func = CompareFunc::Greater;
  EXPECT_EQ(counterClockwiseFace(ds).func, CompareFunc::Less);
  ds.twoSided = true;
  EXPECT_EQ(counterClockwiseFace(ds).func, CompareFunc::Greater);
  EXPECT_FALSE(writesDepth(ds)) << "D3DZB_FALSE";
  ds.depthEnable = true;
  EXPECT_TRUE(writesDepth(ds));
  ds.depthWrite = false;
  EXPECT_FALSE(writesDepth(ds));
}

// DRAW-18
TEST(DepthStencil, ClippingIsForTransformedVerticesWithADepth) {
  core::DrawState state;
  EXPECT_TRUE(clipsDepth(state));
  state.rasterizer.clipping = false;
  EXPECT_TRUE(clipsDepth(state)) << "vertices that a shader transforms";
  state.inputLayout = core::makeRef<core::InputLayout>();
  EXPECT_TRUE(clipsDepth(state));
  state.inputLayout->pretransformed = true;
  state.depthStencil.depthEnable = true;
  state.depthTarget.texture = core::makeRef<core::Texture>();
  EXPECT_FALSE(clipsDepth(state));
  state.rasterizer.clipping = true;
  EXPECT_TRUE(clipsDepth(state));
  state.depthStencil.depthEnable = false;
  EXPECT_FALSE(clipsDepth(state)) << "nothing looks at the depth";
  state.depthStencil.depthEnable = true;
  state.depthTarget.texture = {};
  EXPECT_FALSE(clipsDepth(state));
  state = {};
  state.rasterizer.depthClip = false;
  EXPECT_FALSE(clipsDepth(state));
}

}  // namespace
}  // namespace aerogpu::d3d9
