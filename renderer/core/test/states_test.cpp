// SPDX-License-Identifier: MIT
// Render states, sampler states and state blocks end in one canonical state; the last packet wins.
#include <gtest/gtest.h>

#include <bit>

#include "aerogpu/d3d9/states.h"
#include "renderer/core/d3d9_states.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::core;

// Numbers of D3DRENDERSTATETYPE (d3d9types.h), written out here to catch a slip in the table.
// STATE-19
TEST(RenderStates, EachNumberReachesItsField) {
  DrawState s;
  const auto set = [&](uint32_t number, uint32_t value) { setRenderState(s, number, value); };
  const auto f = [](float v) { return std::bit_cast<uint32_t>(v); };
  set(7, 1), set(8, 2), set(9, 1), set(14, 0), set(15, 1), set(19, 5), set(20, 6), set(22, 2), set(23, 3),
      set(24, 0x1FF);
  set(25, 4), set(26, 1), set(27, 1), set(28, 1), set(34, 0x11223344), set(35, 3), set(36, f(1.5f)),
      set(37, f(2.5f));
  set(38, f(0.25f)), set(48, 1), set(52, 1), set(53, 2), set(54, 3), set(55, 4), set(56, 5), set(57, 0x181);
  set(58, 0xF0), set(59, 0x0F), set(136, 0), set(140, 2), set(152, 0x7F), set(154, f(4)), set(155, f(2)),
      set(156, 1);
  set(157, 1), set(158, f(3)), set(159, f(4)), set(160, f(5)), set(161, 0), set(162, 0xAA), set(166, f(32));
  set(168, 7), set(171, 5), set(174, 1), set(175, f(0.5f)), set(176, 1), set(185, 1), set(186, 5),
      set(187, 6);
  set(188, 7), set(189, 2), set(190, 1), set(191, 2), set(192, 4), set(193, 0x80FF4020), set(194, 1),
      set(195, f(0.125f));
  set(206, 1), set(207, 2), set(208, 1), set(209, 3);
  EXPECT_TRUE(s.depthStencil.depthEnable);
  EXPECT_EQ(s.rasterizer.fill, FillMode::Wireframe);
  EXPECT_EQ(s.rasterizer.shade, ShadeMode::Flat);
  EXPECT_FALSE(s.depthStencil.depthWrite);
  EXPECT_TRUE(s.pixelPipe.alphaTest);
  EXPECT_EQ(s.blend.src, Blend::SrcAlpha);
  EXPECT_EQ(s.blend.dst, Blend::InvSrcAlpha);
  EXPECT_EQ(s.rasterizer.cull, CullMode::Cw);
  EXPECT_EQ(s.depthStencil.depthFunc, CompareFunc::Equal);
  EXPECT_EQ(s.pixelPipe.alphaRef, 0xFF) << "eight bits count";
  EXPECT_EQ(s.pixelPipe.alphaFunc, CompareFunc::LessEqual);
  EXPECT_TRUE(s.blend.dither);
  EXPECT_TRUE(s.blend.enable);
  EXPECT_TRUE(s.pixelPipe.fogEnable);
  EXPECT_EQ(s.pixelPipe.fogColor, 0x11223344u);
  EXPECT_EQ(s.pixelPipe.fogTable, FogMode::Linear);
  EXPECT_EQ(s.pixelPipe.fogStart, 1.5f);
  EXPECT_EQ(s.pixelPipe.fogEnd, 2.5f);
  EXPECT_EQ(s.pixelPipe.fogDensity, 0.25f);
  EXPECT_TRUE(s.pixelPipe.rangeFog);
  EXPECT_TRUE(s.depthStencil.stencilEnable);
  EXPECT_EQ(s.depthStencil.front.fail, StencilOp::Zero);
  EXPECT_EQ(s.depthStencil.front.depthFail, StencilOp::Replace);
  EXPECT_EQ(s.depthStencil.front.pass, StencilOp::IncrSat);
  EXPECT_EQ(s.depthStencil.front.func, CompareFunc::Greater);
  EXPECT_EQ(s.depthStencil.reference, 0x81);
  EXPECT_EQ(s.depthStencil.readMask, 0xF0);
  EXPECT_EQ(s.depthStencil.writeMask, 0x0F);
  EXPECT_FALSE(s.rasterizer.clipping);
  EXPECT_EQ(s.pixelPipe.fogVertex, FogMode::Exp2);
  EXPECT_EQ(s.rasterizer.clipPlaneMask, 0x3F) << "six planes";
  EXPECT_EQ(s.pixelPipe.pointSize, 4);
  EXPECT_EQ(s.pixelPipe.pointSizeMin, 2);
  EXPECT_EQ(s.pixelPipe.pointSizeMax, 32);
  EXPECT_TRUE(s.pixelPipe.pointSprite && s.pixelPipe.pointScale);
  EXPECT_EQ(s.pixelPipe.pointScaleA, 3);
  EXPECT_EQ(s.pixelPipe.pointScaleB, 4);
  EXPECT_EQ(s.pixelPipe.pointScaleC, 5);
  EXPECT_FALSE(s.rasterizer.multisample);
  EXPECT_EQ(s.blend.sampleMask, 0xAAu);
  EXPECT_EQ(s.blend.writeMask[0], 7);
  EXPECT_EQ(s.blend.writeMask[1], 1);
  EXPECT_EQ(s.blend.writeMask[2], 2);
  EXPECT_EQ(s.blend.writeMask[3], 4);
  EXPECT_EQ(s.blend.op, BlendOp::Max);
  EXPECT_TRUE(s.rasterizer.scissorEnable);
  EXPECT_EQ(s.rasterizer.slopeScaledDepthBias, 0.5f);
  EXPECT_EQ(s.rasterizer.depthBias, 0.125f);
  EXPECT_FALSE(s.rasterizer.depthBiasIsInteger);
  EXPECT_TRUE(s.rasterizer.antialiasedLine);
  EXPECT_TRUE(s.depthStencil.twoSided);
  EXPECT_EQ(s.depthStencil.back.fail, StencilOp::DecrSat);
  EXPECT_EQ(s.depthStencil.back.depthFail, StencilOp::Invert);
  EXPECT_EQ(s.depthStencil.back.pass, StencilOp::Incr);
  EXPECT_EQ(s.depthStencil.back.func, CompareFunc::Less);
  EXPECT_EQ(s.blend.constant, (std::array<float, 4>{1, 64 / 255.0f, 32 / 255.0f, 128 / 255.0f}));
  EXPECT_TRUE(s.blend.srgbWrite && s.blend.separateAlpha);
  EXPECT_EQ(s.blend.srcAlpha, Blend::One);
  EXPECT_EQ(s.blend.dstAlpha, Blend::Zero);
  EXPECT_EQ(s.blend.opAlpha, BlendOp::RevSubtract);
}

// STATE-1: setting each default of the reference pages does not change a new context.
TEST(RenderStates, ANewContextHasTheDefaults) {
  DrawState fresh, s;
  for (const d3d9::StateInfo& row : d3d9::kRenderStates) setRenderState(s, row.number, row.defaultValue);
  EXPECT_EQ(s.blend, fresh.blend);
  EXPECT_EQ(s.depthStencil, fresh.depthStencil);
  EXPECT_EQ(s.rasterizer, fresh.rasterizer);
  EXPECT_EQ(s.pixelPipe, fresh.pixelPipe);
  for (const d3d9::StateInfo& row : d3d9::kSamplerStates) {
    SamplerState sampler;
    EXPECT_FALSE(setSamplerState(sampler, row.number, row.defaultValue)) << row.name;
  }
}

TEST(RenderStates, EachMarksTheGroupsThatDependOnIt) {
  const auto dirty = [](uint32_t number) {
    DrawState s;
    s.dirty = 0;
    setRenderState(s, number, 1);
    return s.dirty;
  };
  for (const d3d9::StateInfo& row : d3d9::kRenderStates) {
    const uint32_t bits = dirty(row.number);
    switch (row.part) {
      case d3d9::StatePart::DepthStencil:
        EXPECT_EQ(bits, kDirtyDepthStencil) << row.name;
        break;
      case d3d9::StatePart::AlphaTest:
      case d3d9::StatePart::Fog:
      case d3d9::StatePart::Points:
        EXPECT_EQ(bits, kDirtyPixelPipe) << row.name;
        break;
      case d3d9::StatePart::Blending:
        EXPECT_EQ(bits, kDirtyBlend | (row.number == 194 ? kDirtyTargets : 0u)) << row.name;
        break;
      case d3d9::StatePart::Rasterizer:  // texture wrapping and the last pixel of lines are not implemented
        EXPECT_TRUE(bits == 0 || bits == (kDirtyRasterizer | kDirtyScissor)) << row.name;
        EXPECT_EQ(bits == 0, row.number == 16 || (row.number >= 128 && row.number <= 135) ||
                                 (row.number >= 198 && row.number <= 205))
            << row.name;
        break;
      default:
        EXPECT_EQ(bits, 0u) << row.name;
    }
  }
}

// STATE-18
TEST(RenderStates, ValuesOutsideTheEnumerationCountAsOthers) {
  constexpr uint32_t kMost = 0xFFFFFFFF;
  const auto blend = [](uint32_t number, uint32_t value, auto BlendState::*field) {
    DrawState s;
    s.blend.src = s.blend.dst = s.blend.srcAlpha = s.blend.dstAlpha = Blend::DestColor;
    s.blend.op = s.blend.opAlpha = BlendOp::Max;
    setRenderState(s, number, value);
    return s.blend.*field;
  };
  for (const uint32_t value : {0u, 18u, 31u}) {
    EXPECT_EQ(blend(19, value, &BlendState::src), Blend::Zero) << value;
    EXPECT_EQ(blend(207, value, &BlendState::srcAlpha), Blend::Zero) << value;
  }
  for (const uint32_t value : {32u, kMost}) {
    EXPECT_EQ(blend(19, value, &BlendState::src), Blend::One) << value;
    EXPECT_EQ(blend(207, value, &BlendState::srcAlpha), Blend::One) << value;
  }
  for (const uint32_t value : {0u, 18u, 32u, kMost}) {
    EXPECT_EQ(blend(20, value, &BlendState::dst), Blend::Zero) << value;
    EXPECT_EQ(blend(208, value, &BlendState::dstAlpha), Blend::Zero) << value;
    EXPECT_EQ(blend(171, value, &BlendState::op), BlendOp::Add) << value;
    EXPECT_EQ(blend(209, value, &BlendState::opAlpha), BlendOp::Add) << value;
  }
  for (const uint32_t value : {0u, 4u, kMost}) {
    DrawState s;
    s.rasterizer.fill = FillMode::Point;
    setRenderState(s, 8, value);
    setRenderState(s, 22, value);
    EXPECT_EQ(s.rasterizer.fill, FillMode::Solid) << value;
    EXPECT_EQ(s.rasterizer.cull, CullMode::None) << value;
  }
  // The other values become the state's default.
  for (const uint32_t value : {9u, kMost}) {
    DrawState s;
    const DrawState fresh;
    s.depthStencil.depthFunc = s.depthStencil.front.func = s.depthStencil.back.func = CompareFunc::Never;
    s.depthStencil.front.fail = s.depthStencil.front.depthFail = s.depthStencil.front.pass = StencilOp::Zero;
    s.depthStencil.back.fail = s.depthStencil.back.depthFail = s.depthStencil.back.pass = StencilOp::Zero;
    s.pixelPipe.alphaFunc = CompareFunc::Never;
    s.pixelPipe.fogTable = FogMode::Exp;
    for (const uint32_t number : {23u, 25u, 35u, 53u, 54u, 55u, 56u, 186u, 187u, 188u, 189u})
      setRenderState(s, number, value);
    EXPECT_EQ(s.depthStencil, fresh.depthStencil) << value;
    EXPECT_EQ(s.pixelPipe, fresh.pixelPipe) << value;
  }
}

// STATE-18
TEST(SamplerStates, ValuesOutsideTheEnumerationCountAsOthers) {
  for (const uint32_t value : {0u, 6u, 9u, 0xFFFFFFFFu}) {
    SamplerState s;
    s.u = s.v = s.w = AddressMode::Border;
    for (const uint32_t number : {1u, 2u, 3u}) setSamplerState(s, number, value);
    EXPECT_TRUE(s.u == AddressMode::Wrap && s.v == AddressMode::Wrap && s.w == AddressMode::Wrap) << value;
  }
  for (const uint32_t value : {0u, 4u, 9u, 0xFFFFFFFFu}) {
    SamplerState s;
    s.mag = s.min = Filter::Anisotropic;
    setSamplerState(s, 5, value);
    setSamplerState(s, 6, value);
    EXPECT_EQ(s.mag, Filter::Point) << value;
    EXPECT_EQ(s.min, Filter::Point) << value;
  }
  for (const uint32_t value : {3u, 6u, 8u, 9u, 0xFFFFFFFFu}) {
    SamplerState s;
    setSamplerState(s, 7, value);
    EXPECT_EQ(s.mip, value <= 8 ? Filter::Linear : Filter::None) << value;
  }
}

// STATE-3
TEST(RenderStates, UnknownAndFixedFunctionOnesAreIgnored) {
  DrawState s;
  s.dirty = 0;
  for (const uint32_t number : {0u, 1u, 60u, 137u, 139u, 300u, 0xFFFFFFFFu}) setRenderState(s, number, 1);
  EXPECT_EQ(s.dirty, 0u);
}

// STATE-4, STATE-5, STATE-6
TEST(StateBlocks, TheLastPacketWins) {
  DrawState s;
  aerogpu_blend_state blend{};
  blend.enable = 1;
  blend.src_factor = AEROGPU_BLEND_CONSTANT;
  blend.dst_factor = AEROGPU_BLEND_INV_DEST_ALPHA;
  blend.blend_op = AEROGPU_BLEND_OP_REV_SUBTRACT;
  blend.color_write_mask = 5;
  setBlendState(s, blend);
  EXPECT_EQ(s.blend.src, Blend::BlendFactor);
  EXPECT_EQ(s.blend.dst, Blend::InvDestAlpha);
  EXPECT_EQ(s.blend.op, BlendOp::RevSubtract);
  EXPECT_EQ(s.blend.writeMask[7], 5);
  setRenderState(s, 19, 9);
  EXPECT_EQ(s.blend.src, Blend::DestColor);
  setBlendState(s, blend);
  EXPECT_EQ(s.blend.src, Blend::BlendFactor);

  aerogpu_depth_stencil_state ds{1, 0, AEROGPU_COMPARE_GREATER, 1, 3, 4, {}};
  setDepthStencilState(s, ds);
  EXPECT_EQ(s.depthStencil.depthFunc, CompareFunc::Greater);
  EXPECT_EQ(s.depthStencil.readMask, 3);
}

// STATE-7
TEST(StateBlocks, CullingNamesAWindingOnTheScreen) {
  const auto cull = [](uint32_t mode, uint32_t frontCcw) {
    DrawState s;
    aerogpu_rasterizer_state r{};
    r.cull_mode = mode;
    r.front_ccw = frontCcw;
    setRasterizerState(s, r);
    return s.rasterizer.cull;
  };
  EXPECT_EQ(cull(AEROGPU_CULL_NONE, 0), CullMode::None);
  EXPECT_EQ(cull(AEROGPU_CULL_BACK, 0), CullMode::Ccw);
  EXPECT_EQ(cull(AEROGPU_CULL_FRONT, 0), CullMode::Cw);
  EXPECT_EQ(cull(AEROGPU_CULL_BACK, 1), CullMode::Cw);
  EXPECT_EQ(cull(AEROGPU_CULL_FRONT, 1), CullMode::Ccw);
}

// STATE-19
TEST(SamplerStates, EachNumberReachesItsFieldAndChangesAreReported) {
  SamplerState s;
  const auto set = [&](uint32_t number, uint32_t value) { return setSamplerState(s, number, value); };
  EXPECT_TRUE(set(1, 3) && set(2, 4) && set(3, 5) && set(4, 0xFF00FF00) && set(5, 2) && set(6, 3) &&
              set(7, 2));
  EXPECT_TRUE(set(8, std::bit_cast<uint32_t>(-1.0f)) && set(9, 2) && set(10, 8) && set(11, 1));
  EXPECT_FALSE(set(11, 1)) << "the same again";
  EXPECT_EQ(s.u, AddressMode::Clamp);
  EXPECT_EQ(s.v, AddressMode::Border);
  EXPECT_EQ(s.w, AddressMode::MirrorOnce);
  EXPECT_EQ(s.border, (std::array<uint32_t, 4>{0, 0x3F800000, 0, 0x3F800000})) << "RGBA";
  EXPECT_EQ(s.mag, Filter::Linear);
  EXPECT_EQ(s.min, Filter::Anisotropic);
  EXPECT_EQ(s.mip, Filter::Linear);
  EXPECT_EQ(s.lodBias, -1);
  EXPECT_EQ(s.minLod, 2);
  EXPECT_EQ(s.maxAnisotropy, 8u);
  EXPECT_TRUE(s.srgb);
  // XSTATE-11
  EXPECT_FALSE(s.gather);
  EXPECT_TRUE(set(8, 0x34544547)) << "GET4";
  EXPECT_TRUE(s.gather);
  EXPECT_EQ(s.lodBias, 0);
  EXPECT_TRUE(set(8, 0x31544547)) << "GET1";
  EXPECT_FALSE(s.gather);
  EXPECT_EQ(s.lodBias, 0);
  EXPECT_TRUE(set(8, 0x34544547) && set(8, 0)) << "any other value too";
  EXPECT_FALSE(s.gather);
}

}  // namespace
