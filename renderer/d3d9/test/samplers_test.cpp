// SPDX-License-Identifier: MIT
// Tests sampler kinds of ps_1_x ("tex - ps": it samples the bound texture) and the effective states
// (D3DSAMPLERSTATETYPE, D3DTEXTUREADDRESS, D3DTEXTUREFILTERTYPE).
#include "renderer/d3d9/samplers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aerogpu::d3d9 {
namespace {

void bindTexture(core::DrawState& state, uint32_t slot, uint32_t width, uint32_t height, uint32_t layers,
                 aerogpu_format format = AEROGPU_FORMAT_B8G8R8A8_UNORM) {
  auto texture = core::makeRef<core::Texture>();
  texture->desc.width = width;
  texture->desc.height = height;
  texture->desc.arrayLayers = layers;
  texture->desc.format = format;
  state.stages[static_cast<size_t>(core::Stage::Pixel)].resources[slot].texture = texture;
}

shader::ShaderInfo sampling(uint8_t major, uint8_t minor, uint32_t mask) {
  shader::ShaderInfo info;
  info.version = {Stage::Pixel, major, minor};
  info.samplerMask = mask;
  return info;
}

TEST(BoundSamplerTypes, OfModel1AreThoseOfTheTextures) {
  core::DrawState state;
  bindTexture(state, 0, 64, 64, 6);
  bindTexture(state, 1, 64, 64, 1);
  bindTexture(state, 2, 64, 32, 6);
  bindTexture(state, 4, 64, 64, 6);
  const SamplerTypes types = boundSamplerTypes(state, sampling(1, 4, 0xF));
  EXPECT_EQ(types[0], SamplerType::TextureCube) << "six square layers";
  EXPECT_EQ(types[1], SamplerType::Texture2D);
  EXPECT_EQ(types[2], SamplerType::Texture2D) << "six layers, not square";
  EXPECT_EQ(types[3], SamplerType::Unknown) << "nothing is bound";
  EXPECT_EQ(types[4], SamplerType::Unknown) << "the shader does not sample it";
  state.stages[static_cast<size_t>(core::Stage::Pixel)].resources[1].texture->desc.kind =
      core::TextureKind::Volume;
  EXPECT_EQ(boundSamplerTypes(state, sampling(1, 4, 0xF))[1], SamplerType::TextureVolume);
}

TEST(BoundSamplerTypes, OfLaterModelsAreThoseThatDifferFromTheDeclaredOnes) {
  core::DrawState state;
  bindTexture(state, 0, 64, 64, 6);
  bindTexture(state, 1, 64, 64, 1);
  for (const uint8_t major : {2, 3}) {
    shader::ShaderInfo info = sampling(major, 0, 7);
    info.samplerTypes.fill(SamplerType::Texture2D);
    EXPECT_EQ(boundSamplerTypes(state, info), SamplerTypes{}) << "six layers can be sampled as a plane";
    info.samplerTypes.fill(SamplerType::TextureCube);
    SamplerTypes want{};
    want[1] = SamplerType::Texture2D;
    EXPECT_EQ(boundSamplerTypes(state, info), want);
    info.samplerTypes.fill(SamplerType::TextureVolume);
    want[0] = SamplerType::TextureCube;
    EXPECT_EQ(boundSamplerTypes(state, info), want) << "nothing is bound to s2";
  }
}

bool compares(const core::ShaderResourceBinding& bound) {
  const core::Texture& t = *bound.texture;
  return t.desc.format == AEROGPU_FORMAT_D32_FLOAT || t.desc.format == AEROGPU_FORMAT_D24_UNORM_S8_UINT;
}

TEST(ShadowSamplers, AreThoseWithDepthThatTheShaderReads) {
  core::DrawState state;
  const core::StageBindings& stage = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  bindTexture(state, 0, 8, 8, 1);
  bindTexture(state, 1, 8, 8, 1, AEROGPU_FORMAT_D32_FLOAT);
  bindTexture(state, 15, 8, 8, 1, AEROGPU_FORMAT_D24_UNORM_S8_UINT);
  const auto shadows = [&](uint32_t mask) {
    shader::ShaderInfo info = sampling(3, 0, mask);
    info.samplerTypes.fill(SamplerType::Texture2D);
    return shadowSamplers(stage, info, {}, compares);
  };
  EXPECT_EQ(shadows(0xFFFF), 0x8002u);
  EXPECT_EQ(shadows(0x0007), 0x0002u);
  EXPECT_EQ(shadows(0), 0u);
}

TEST(ShadowSamplers, AreOfTheTypeThatTheShaderSamples) {
  core::DrawState state;
  const core::StageBindings& stage = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  bindTexture(state, 0, 8, 8, 1, AEROGPU_FORMAT_D32_FLOAT);
  bindTexture(state, 1, 8, 8, 6, AEROGPU_FORMAT_D32_FLOAT);
  shader::ShaderInfo info = sampling(3, 0, 3);
  for (const auto& [type, mask] : {std::pair{SamplerType::Texture2D, 3u},
                                   {SamplerType::TextureCube, 2u},
                                   {SamplerType::TextureVolume, 0u}}) {
    info.samplerTypes.fill(type);
    EXPECT_EQ(shadowSamplers(stage, info, {}, compares), mask);
  }
  SamplerTypes bound{};
  bound[1] = SamplerType::TextureCube;
  EXPECT_EQ(shadowSamplers(stage, info, bound, compares), 2u) << "ps_1_x: the bound texture says it";
}

TEST(DecodedSamplers, AreThoseThatAskForItAndThatTheGpuDoesNot) {
  core::DrawState state;
  core::StageBindings& stage = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  bindTexture(state, 0, 8, 8, 1, AEROGPU_FORMAT_B5G6R5_UNORM);
  bindTexture(state, 1, 8, 8, 1, AEROGPU_FORMAT_B8G8R8A8_UNORM);
  bindTexture(state, 2, 8, 8, 1, AEROGPU_FORMAT_D3D9_A4R4G4B4);
  bindTexture(state, 3, 8, 8, 1, AEROGPU_FORMAT_D3D9_L16);
  const auto decoded = [&](uint32_t mask) {
    return decodedSamplers(stage, sampling(3, 0, mask), [](const core::ShaderResourceBinding& bound) {
      return bound.texture->desc.format == AEROGPU_FORMAT_B5G6R5_UNORM ||
             bound.texture->desc.format == AEROGPU_FORMAT_D3D9_A4R4G4B4;
    });
  };
  EXPECT_EQ(decoded(0xFFFF), 0u);
  for (core::SamplerState& sampler : stage.samplers) sampler.srgb = true;
  EXPECT_EQ(decoded(0xFFFF), 5u) << "what the shader decodes, and nothing of what is unbound";
  EXPECT_EQ(decoded(0xFFFE), 4u) << "s0 is not sampled";
}

// XSTATE-11
TEST(GatheredSamplers, AreThoseThatAskForItAndHaveOneChannel) {
  core::DrawState state;
  core::StageBindings& stage = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  constexpr aerogpu_format kFormats[] = {AEROGPU_FORMAT_D3D9_L8, AEROGPU_FORMAT_D3D9_R32F,
                                         AEROGPU_FORMAT_D3D9_A8, AEROGPU_FORMAT_B8G8R8A8_UNORM};
  for (uint32_t i = 0; i < std::size(kFormats); ++i) bindTexture(state, i, 8, 8, 1, kFormats[i]);
  shader::ShaderInfo info = sampling(3, 0, 0xFFFF);
  info.samplerTypes.fill(SamplerType::Texture2D);
  const auto gathered = [&](const SamplerTypes& bound = {}) {
    return gatheredSamplers(stage, info, bound, [](const core::ShaderResourceBinding& resource) {
      const uint32_t format = resource.texture->desc.format;
      return format == AEROGPU_FORMAT_B8G8R8A8_UNORM ? Gathered::Nothing
             : format == AEROGPU_FORMAT_D3D9_A8      ? Gathered::Alpha
                                                     : Gathered::Red;
    });
  };
  EXPECT_EQ(gathered(), 0u) << "none asks for it";
  for (core::SamplerState& sampler : stage.samplers) sampler.gather = true;
  constexpr uint32_t kAlpha = 1u << (shader::kGatheredAlpha + 2);
  EXPECT_EQ(gathered(), 7u | kAlpha);
  stage.samplers[1].mag = TextureFilter::Linear;
  EXPECT_EQ(gathered(), 5u | kAlpha) << "only with the magnification filter POINT";
  SamplerTypes bound{};
  bound[0] = SamplerType::TextureVolume;
  EXPECT_EQ(gathered(bound), 4u | kAlpha) << "volumes are not";
  info.samplerMask = 1;
  EXPECT_EQ(gathered(), 1u) << "the shader samples s0 alone";
}

TEST(EffectiveSampler, ABorderColourNeedsABorder) {
  core::SamplerState s;
  s.border[1] = s.border[3] = std::bit_cast<uint32_t>(1.0f);
  EXPECT_EQ(effective(s).border, (std::array<uint32_t, 4>{}));
  for (const auto field : {&core::SamplerState::u, &core::SamplerState::v, &core::SamplerState::w}) {
    core::SamplerState bordered = s;
    bordered.*field = TextureAddress::Border;
    EXPECT_EQ(effective(bordered), bordered);
  }
}

TEST(EffectiveSampler, AnisotropyIsOfTheMinificationFilter) {
  core::SamplerState s;
  s.maxAnisotropy = 8;
  s.mag = TextureFilter::Anisotropic;
  EXPECT_EQ(effective(s).maxAnisotropy, 1u);
  s.min = TextureFilter::Anisotropic;
  EXPECT_EQ(effective(s).maxAnisotropy, 8u);
  s.maxAnisotropy = 1000;
  EXPECT_EQ(effective(s).maxAnisotropy, 16u);
}

TEST(EffectiveSampler, LevelsAndBias) {
  core::SamplerState s;
  s.minLod = 3;
  s.lodBias = -1.5f;
  EXPECT_EQ(effective(s), s);
  s.minLod = 1000;
  EXPECT_EQ(effective(s).minLod, 15) << "beyond the last level of any texture";
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    s.lodBias = bad;
    EXPECT_EQ(effective(s).lodBias, 0) << bad;
  }
}

}  // namespace
}  // namespace aerogpu::d3d9
