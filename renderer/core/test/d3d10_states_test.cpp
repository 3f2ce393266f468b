// SPDX-License-Identifier: MIT
// Packets of Direct3D 10's fixed state in the canonical state, and back.
#include "renderer/core/d3d10_states.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/caps_base.h"
#include "renderer/core/d3d9_states.h"
#include "renderer/test/harness.h"

namespace aerogpu::core {
namespace {

uint32_t bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

constexpr aerogpu_ext_target_blend kPlain{0, 2, 1, 1, 2, 1, 1, 15}, kOther{1, 19, 2, 3, 1, 18, 4, 7};

BlendState blendOf(const std::vector<aerogpu_ext_target_blend>& targets, uint32_t flags = 0) {
  DrawState state;
  aerogpu_cmd_ext_set_blend c{};
  c.flags = flags;
  c.sample_mask = 0xF0F0;
  c.blend_constant_rgba_f32[3] = bits(2.5f);
  EXPECT_TRUE(setBlend(state, c, targets).ok());
  return state.blend;
}

/// A saved state has the packet that blendPacket() returns.
void expectSaved(const BlendState& blend) {
  EXPECT_TRUE(needsSetBlend(blend));
  const BlendPacket packet = blendPacket(blend);
  DrawState again;
  ASSERT_TRUE(setBlend(again, packet.fixed, packet.targets).ok());
  EXPECT_EQ(again.blend, blend);
}

// DXS-1, DXS-3
TEST(Direct3d10Blend, PacketsSayAllOfIt) {
  expectSaved(blendOf({kPlain, kOther}));
  expectSaved(blendOf({kOther}));
  expectSaved(blendOf({kPlain}, AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE));
  aerogpu_ext_target_blend masked = kPlain;
  masked.write_mask = 1;
  expectSaved(blendOf({kPlain, kPlain, kPlain, kPlain, kPlain, masked, kPlain}));
  EXPECT_FALSE(blendOf({kPlain, kPlain, masked}).independent) << "masks alone are no other function";
  EXPECT_FALSE(needsSetBlend(blendOf({kPlain}))) << "other packets say it too";
}

// DXS-5
TEST(Direct3d10Blend, StatesOfDirect3d9EndTheDifference) {
  for (const uint32_t number : {19u, 20u, 27u, 171u, 206u, 207u, 208u, 209u}) {
    DrawState state;
    state.blend = blendOf({kPlain, kOther});
    EXPECT_TRUE(state.blend.independent);
    setRenderState(state, number, 1);
    EXPECT_FALSE(state.blend.independent) << number;
    EXPECT_EQ(state.blend.others, BlendState{}.others) << number;
  }
  for (const uint32_t number : {168u, 190u, 162u, 193u, 194u}) {
    DrawState state;
    state.blend = blendOf({kPlain, kOther});
    setRenderState(state, number, 1);
    EXPECT_TRUE(state.blend.independent) << number << " is of all targets, or of one";
  }
  DrawState state;
  state.blend = blendOf({kPlain, kOther}, AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE);
  setBlendState(state, {});
  EXPECT_FALSE(state.blend.independent);
  EXPECT_TRUE(state.blend.dxbcAlphaToCoverage);
}

aerogpu_ext_sampler samplerOf(float least, float most) {
  return {AEROGPU_EXT_SAMPLER_MAG_LINEAR | AEROGPU_EXT_SAMPLER_ANISOTROPIC,
          2,
          4,
          5,
          7,
          9,
          bits(0.25f),
          bits(least),
          bits(most),
          {bits(-1), bits(NAN), bits(2), bits(1e9f)}};
}

// DXS-6, DXS-7
TEST(Direct3d10Samplers, BlocksSayAllOfIt) {
  for (const auto& [least, most] : {std::pair{1.5f, 3.75f}, {0.0f, 0.0f}, {3.0f, 1000.0f}}) {
    const auto state = samplerFromBlock(samplerOf(least, most));
    ASSERT_TRUE(state.ok());
    EXPECT_TRUE(needsSamplerBlock(*state));
    const auto again = samplerFromBlock(samplerBlock(*state));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *state);
    EXPECT_EQ(state->minLod, least);
    EXPECT_EQ(state->maxLod, most);
    EXPECT_EQ(state->min, Filter::Anisotropic);
    EXPECT_EQ(state->mag, Filter::Linear);
    EXPECT_EQ(state->mip, Filter::Point);
    EXPECT_EQ(state->compare, CompareFunc::GreaterEqual);
  }
  EXPECT_EQ(samplerFromBlock(samplerOf(3, 1))->maxLod, 3) << "the least level takes precedence";
  EXPECT_EQ(samplerFromBlock(samplerOf(-INFINITY, INFINITY))->minLod, 0);
  EXPECT_EQ(samplerFromBlock(samplerOf(-INFINITY, INFINITY))->maxLod, kAnyLod);
  EXPECT_FALSE(needsSamplerBlock({}));
}

// EXT-9: without the flag the packets are refused, also where the GPU could.
TEST(Direct3d10States, TheBaseSetLacksThem) {
  EXPECT_FALSE(base1Limits().capsFlags & AEROGPU_CAPS_D3D10_STATES);
  test::Harness::Options options;
  options.caps = "base-1";
  for (const bool isBase : {true, false}) {
    test::Harness h(isBase ? options : test::Harness::Options{});
    const aerogpu_ext_sampler sampler = samplerOf(0, 1);
    const auto refused = [&](auto write) {
      CommandWriter w;
      write(w);
      const auto done = h.submit(w);
      EXPECT_EQ(done.result.error_count, isBase ? 1u : 0u);
      EXPECT_EQ(done.result.last_error_code, isBase ? uint32_t{AEROGPU_ERROR_BACKEND} : 0u);
    };
    refused([](CommandWriter& w) { w.packet(aerogpu_cmd_ext_set_blend{}, &kPlain, 1); });
    refused([&](CommandWriter& w) { w.packet(aerogpu_cmd_ext_set_samplers{}, &sampler, 1); });
    refused([](CommandWriter& w) { w.packet(aerogpu_cmd_ext_set_depth_bias{}); });
    h.takeGuestLines();
  }
}

}  // namespace
}  // namespace aerogpu::core
