// SPDX-License-Identifier: MIT
// Tests specialisation and push constants against the pages D3DRENDERSTATETYPE, "Pixel Fog" and "ps_3_0".
#include "renderer/d3d9/pixel_pipe.h"

#include <gtest/gtest.h>

namespace aerogpu::d3d9 {
namespace {

shader::ShaderInfo model(uint8_t major, uint8_t minor) {
  shader::ShaderInfo info;
  info.version = {Stage::Pixel, major, minor};
  return info;
}
constexpr uint32_t kAlphaTest = 1u << shader::kSpecAlphaTest, kFog = 1u << shader::kSpecFog,
                   kSprite = 1u << shader::kSpecPointSprite;

TEST(Specialization, AlphaTestUnlessEveryAlphaPasses) {
  core::DrawState state;
  EXPECT_EQ(specialization(state, model(2, 0)), 0u);
  state.pixelPipe.alphaFunc = CompareFunc::GreaterEqual;
  EXPECT_EQ(specialization(state, model(2, 0)), 0u) << "D3DRS_ALPHATESTENABLE is FALSE";
  state.pixelPipe.alphaTest = true;
  EXPECT_EQ(specialization(state, model(2, 0)), kAlphaTest);
  EXPECT_EQ(specialization(state, model(3, 0)), kAlphaTest);
  state.pixelPipe.alphaFunc = CompareFunc::Always;
  EXPECT_EQ(specialization(state, model(2, 0)), 0u);
}

TEST(Specialization, Model3DoesItsOwnFog) {
  core::DrawState state;
  state.pixelPipe.fogEnable = true;
  EXPECT_EQ(specialization(state, model(1, 1)), kFog);
  EXPECT_EQ(specialization(state, model(1, 4)), kFog);
  EXPECT_EQ(specialization(state, model(2, 0xFF)), kFog);
  EXPECT_EQ(specialization(state, model(3, 0)), 0u);
}

TEST(Specialization, SpritesAreOfPointsOnly) {
  core::DrawState state;
  state.pixelPipe.pointSprite = true;
  EXPECT_EQ(specialization(state, model(2, 0)), 0u);
  state.topology = core::Topology::PointList;
  EXPECT_EQ(specialization(state, model(2, 0)), kSprite);
  state.pixelPipe.pointSprite = false;
  EXPECT_EQ(specialization(state, model(2, 0)), 0u);
}

TEST(PushConstants, HaveTheStatesInTheShadersUnits) {
  core::DrawState state;
  state.vsConstants.b = 0x8001;
  state.psConstants.b = 0x4002;
  core::PixelPipeState& p = state.pixelPipe;
  p.alphaFunc = CompareFunc::NotEqual;
  p.alphaRef = 0x80;
  p.fogColor = 0x7FFF3300;  // D3DCOLOR: alpha, red, green, blue
  p.fogTable = FogMode::Exp2;
  p.fogVertex = FogMode::Linear;
  p.fogStart = 0.25f;
  p.fogEnd = 0.75f;
  p.fogDensity = 0.5f;
  p.pointSize = 5;
  p.pointSizeMin = 2;
  p.pointSizeMax = 32;
  const shader::PushConstants push = pushConstants(state, {1, 100}, {});
  EXPECT_EQ(push.vsBools, 0x8001u);
  EXPECT_EQ(push.psBools, 0x4002u);
  EXPECT_EQ(push.alphaFunc, 6u) << "D3DCMP_NOTEQUAL";
  EXPECT_EQ(push.alphaRef, 128 / 255.0f);
  EXPECT_EQ(push.fogColor[0], 1);
  EXPECT_EQ(push.fogColor[1], 51 / 255.0f);
  EXPECT_EQ(push.fogColor[2], 0);
  EXPECT_EQ(push.fogMode, static_cast<uint32_t>(shader::FogSource::Exp2));
  EXPECT_EQ(push.fogStart, 0.25f);
  EXPECT_EQ(push.fogEnd, 0.75f);
  EXPECT_EQ(push.fogDensity, 0.5f);
  EXPECT_EQ(push.pointSize, 5);
  EXPECT_EQ(push.pointSizeMin, 2);
  EXPECT_EQ(push.pointSizeMax, 32);
  EXPECT_EQ(push.alphaSteps, 255.0f);
  EXPECT_EQ(push.reserved[0], 0u);
}

// "Pixel Fog": with D3DFOG_NONE as table mode the vertex shader's fog output is the factor.
TEST(PushConstants, WithoutATableFogIsTheVertexShaders) {
  core::DrawState state;
  state.pixelPipe.fogVertex = FogMode::Exp;
  EXPECT_EQ(pushConstants(state, {1, 64}, {}).fogMode, static_cast<uint32_t>(shader::FogSource::Vertex));
}

TEST(PushConstants, PointsKeepToTheGpusSizes) {
  core::DrawState state;
  state.pixelPipe.pointSizeMin = 0.25f;
  state.pixelPipe.pointSizeMax = 4096;
  const shader::PushConstants push = pushConstants(state, {0.5f, 64}, {});
  EXPECT_EQ(push.pointSizeMin, 0.5f);
  EXPECT_EQ(push.pointSizeMax, 64);
}

}  // namespace
}  // namespace aerogpu::d3d9
