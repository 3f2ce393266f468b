// SPDX-License-Identifier: MIT
// Tests resolved factors against the formulas of the page D3DBLEND, computed with colours.
#include "renderer/d3d9/blending.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace aerogpu::d3d9 {
namespace {

using Color = std::array<float, 4>;
constexpr Color kSource{0.2f, 0.4f, 0.6f, 0.7f}, kConstant{0.1f, 0.3f, 0.5f, 0.9f};

/// Returns the page's factor for channel c (3 = alpha); not for factors that also set the other one.
float factor(Blend b, size_t c, const Color& dst) {
  switch (b) {
    case Blend::Zero:
      return 0;
    case Blend::One:
      return 1;
    case Blend::SrcColor:
      return kSource[c];
    case Blend::InvSrcColor:
      return 1 - kSource[c];
    case Blend::SrcAlpha:
      return kSource[3];
    case Blend::InvSrcAlpha:
      return 1 - kSource[3];
    case Blend::DestAlpha:
      return dst[3];
    case Blend::InvDestAlpha:
      return 1 - dst[3];
    case Blend::DestColor:
      return dst[c];
    case Blend::InvDestColor:
      return 1 - dst[c];
    case Blend::SrcAlphaSat:
      return c == 3 ? 1 : std::min(kSource[3], 1 - dst[3]);  // (f, f, f, 1)
    case Blend::BlendFactor:
      return kConstant[c];
    case Blend::InvBlendFactor:
      return 1 - kConstant[c];
    default:
      ADD_FAILURE() << "not a resolved factor: " << static_cast<int>(b);
      return -1;
  }
}

constexpr Blend kPlain[] = {
    Blend::Zero,        Blend::One,         Blend::SrcColor,      Blend::InvSrcColor, Blend::SrcAlpha,
    Blend::InvSrcAlpha, Blend::DestAlpha,   Blend::InvDestAlpha,  Blend::DestColor,   Blend::InvDestColor,
    Blend::SrcAlphaSat, Blend::BlendFactor, Blend::InvBlendFactor};

TEST(Blending, FactorsAreThoseOfThePage) {
  // A target with X8 keeps any byte there, and its alpha is 1.
  for (const bool opaque : {false, true}) {
    const Color stored{0.25f, 0.5f, 0.75f, 0.125f};
    Color dst = stored;
    if (opaque) dst[3] = 1;
    for (const Blend src : kPlain)
      for (const Blend d : kPlain) {
        core::BlendState state;
        state.src = src;
        state.dst = d;
        const Blending b = blendingOf(state, 0, opaque, true);
        for (size_t c = 0; c < 4; ++c) {
          EXPECT_EQ(factor(c < 3 ? b.src : b.srcAlpha, c, stored), factor(src, c, dst))
              << static_cast<int>(src) << " channel " << c << (opaque ? " opaque" : "");
          EXPECT_EQ(factor(c < 3 ? b.dst : b.dstAlpha, c, stored), factor(d, c, dst))
              << static_cast<int>(d) << " channel " << c << (opaque ? " opaque" : "");
        }
        EXPECT_NE(b.srcAlpha, Blend::SrcAlphaSat);
      }
  }
}

// D3DBLEND_BOTHSRCALPHA and D3DBLEND_BOTHINVSRCALPHA as source: the destination's own selection is
// overridden.
TEST(Blending, BothChoosesTwoFactors) {
  core::BlendState state;
  state.dst = Blend::One;
  state.src = Blend::BothSrcAlpha;
  Blending b = blendingOf(state, 0, false, true);
  EXPECT_EQ(b.src, Blend::SrcAlpha);
  EXPECT_EQ(b.dst, Blend::InvSrcAlpha);
  EXPECT_EQ(b.dstAlpha, Blend::InvSrcAlpha);
  state.src = Blend::BothInvSrcAlpha;
  b = blendingOf(state, 0, false, true);
  EXPECT_EQ(b.src, Blend::InvSrcAlpha);
  EXPECT_EQ(b.dst, Blend::SrcAlpha);
}

// D3DRS_SEPARATEALPHABLENDENABLE FALSE: alpha is blended like colour.
TEST(Blending, AlphaHasItsOwnOnlyWhenSeparate) {
  core::BlendState state;
  state.src = Blend::SrcAlpha;
  state.dst = Blend::InvSrcAlpha;
  state.op = BlendOp::RevSubtract;
  state.srcAlpha = Blend::Zero;
  state.dstAlpha = Blend::BlendFactor;
  state.opAlpha = BlendOp::Max;
  Blending b = blendingOf(state, 0, false, true);
  EXPECT_EQ(b.srcAlpha, Blend::SrcAlpha);
  EXPECT_EQ(b.dstAlpha, Blend::InvSrcAlpha);
  EXPECT_EQ(b.opAlpha, BlendOp::RevSubtract);
  state.separateAlpha = true;
  b = blendingOf(state, 0, false, true);
  EXPECT_EQ(b.srcAlpha, Blend::Zero);
  EXPECT_EQ(b.dstAlpha, Blend::BlendFactor);
  EXPECT_EQ(b.op, BlendOp::RevSubtract);
  EXPECT_EQ(b.opAlpha, BlendOp::Max);
}

TEST(Blending, WhatTheShaderDoesNotWriteStays) {
  core::BlendState state;
  state.writeMask = {1, 2, 4, 8, 15, 15, 15, 15};
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(blendingOf(state, i, false, true).writeMask, 1 << i);
    EXPECT_EQ(blendingOf(state, i, false, false).writeMask, 0);
  }
}

TEST(Blending, ASecondSourceCountsOnlyWhereItIsUsed) {
  core::BlendState state;
  state.srcAlpha = Blend::SrcColor2;
  EXPECT_FALSE(usesSecondSource(state, 1));
  state.enable = true;
  EXPECT_FALSE(usesSecondSource(state, 1)) << "alpha is not separate";
  state.separateAlpha = true;
  EXPECT_TRUE(usesSecondSource(state, 1));
  state = {};
  state.enable = true;
  state.dst = Blend::InvSrcColor2;
  EXPECT_TRUE(usesSecondSource(state, 1));
}

}  // namespace
}  // namespace aerogpu::d3d9
