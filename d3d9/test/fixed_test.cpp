// SPDX-License-Identifier: MIT
// Tests keys, limits and registers of the fixed function (fixed_function.h, fixed_constants.h).
// renderer/shader/test/fixed runs its shaders and tests their results.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include "aerogpu/d3d9/fixed_constants.h"
#include "aerogpu/d3d9/states.h"

namespace aerogpu::d3d9 {
namespace {

using enum RenderStateType;
using enum TextureStageStateType;

/// States at their defaults, and vertices with everything.
struct Case {
  uint32_t render[kFixedRenderStates] = {};
  uint32_t stage[kFixedStages][kFixedStageStates] = {};
  FixedVertexInputs inputs;
  FixedStates states;

  Case() {
    for (const StateInfo& s : kRenderStates) render[s.number] = s.defaultValue;
    for (uint32_t n = 0; n < kFixedStages; ++n)
      for (const StateInfo& s : kTextureStageStates)
        stage[n][s.number] = textureStageDefault(static_cast<TextureStageStateType>(s.number), n);
    states.render = render;
    states.stage = stage;
    for (SamplerType& t : states.textures) t = SamplerType::Texture2D;
    inputs.normal = inputs.pointSize = inputs.color0 = inputs.color1 = inputs.position1 = inputs.normal1 =
        true;
    inputs.weights = 3;
    inputs.indices = BlendIndices::Integers;
    for (uint8_t& c : inputs.coordinates) c = 2;
  }
  Case(const Case&) = delete;
  uint32_t& rs(RenderStateType type) { return render[static_cast<uint32_t>(type)]; }
  uint32_t& tss(uint32_t n, TextureStageStateType type) { return stage[n][static_cast<uint32_t>(type)]; }
  FixedVertexKey vertex() const { return fixedVertexKey(states, inputs, 0xFF, true); }
  FixedPixelKey pixel() const { return fixedPixelKey(states, nullptr); }
};

/// Returns cases of which, for every state, at least one depends on it.
std::vector<std::function<void(Case&)>> rich() {
  const auto stages = [](Case& s) {
    for (uint32_t i = 0; i < 8; ++i) {
      s.tss(i, ColorOp) = i % 2 ? 26 : 25;
      s.tss(i, AlphaOp) = 26;
    }
    s.rs(FogEnable) = 1;
    s.rs(FogVertexMode) = 3;
    s.rs(PointScaleEnable) = 1;
    s.rs(SpecularEnable) = 1;
  };
  return {[=](Case& s) {
            stages(s);
            s.rs(VertexBlend) = 3;
          },
          [=](Case& s) {
            stages(s);
            s.rs(VertexBlend) = kVertexBlendTweening;
          }};
}

TEST(FixedFunction, KeysHoldWhatChangesInstructionsAndNothingElse) {
  const std::set<RenderStateType> vertexStates = {Lighting,
                                                  ColorVertex,
                                                  LocalViewer,
                                                  NormalizeNormals,
                                                  DiffuseMaterialSource,
                                                  SpecularMaterialSource,
                                                  AmbientMaterialSource,
                                                  EmissiveMaterialSource,
                                                  VertexBlend,
                                                  IndexedVertexBlendEnable,
                                                  FogEnable,
                                                  FogTableMode,
                                                  FogVertexMode,
                                                  RangeFogEnable,
                                                  PointScaleEnable};
  const std::set<TextureStageStateType> vertexStageStates = {TexCoordIndex, TextureTransformFlags};
  const std::set<TextureStageStateType> pixelStageStates = {
      ColorOp,   ColorArg0, ColorArg1, ColorArg2, AlphaOp,
      AlphaArg0, AlphaArg1, AlphaArg2, ResultArg, TextureTransformFlags};
  const uint32_t values[] = {0,  1,   2,   3,   4,          5,          6,          16,
                             34, 255, 256, 258, 0x00010000, 0x00020001, 0x3F000000, 0xFFFFFFFF};
  /// True if a value of `state` changes a case's vertex key, and its pixel key.
  const auto changes = [&](auto state) {
    std::pair<bool, bool> changed;
    for (const auto& make : rich()) {
      Case base, other;
      make(base);
      make(other);
      for (const uint32_t value : values) {
        state(other) = value;
        changed.first |= !(base.vertex() == other.vertex());
        changed.second |= !(base.pixel() == other.pixel());
      }
    }
    return changed;
  };
  for (const StateInfo& info : kRenderStates) {
    const auto type = static_cast<RenderStateType>(info.number);
    const auto [vertexChanges, pixelChanges] = changes([&](Case & c) -> auto& { return c.rs(type); });
    EXPECT_EQ(vertexChanges, vertexStates.contains(type)) << info.name;
    EXPECT_EQ(pixelChanges, type == SpecularEnable) << info.name;
  }
  for (const StateInfo& info : kTextureStageStates) {
    const auto type = static_cast<TextureStageStateType>(info.number);
    const auto [vertexChanges, pixelChanges] = changes([&](Case & c) -> auto& { return c.tss(2, type); });
    EXPECT_EQ(vertexChanges, vertexStageStates.contains(type)) << info.name;
    EXPECT_EQ(pixelChanges, pixelStageStates.contains(type)) << info.name;
  }
}

TEST(FixedFunction, StatesThatDrawAlikeShareAKey) {
  Case a, b;
  b.tss(0, ColorArg0) = 3;         // MODULATE has no third argument
  b.tss(3, ColorOp) = 4;           // after stage 1, which is off
  b.tss(0, AlphaArg1) = 2 | 0x20;  // alpha of alpha
  EXPECT_EQ(a.pixel(), b.pixel());
  EXPECT_EQ(hash(a.pixel()), hash(b.pixel()));
  a.tss(0, ColorOp) = 3;  // SELECTARG2 of one is SELECTARG1 of the other
  a.tss(0, ColorArg2) = 4;
  b.tss(0, ColorOp) = 2;
  b.tss(0, ColorArg1) = 4;
  EXPECT_EQ(a.pixel(), b.pixel());
  EXPECT_EQ(fixedCoordinatesRead(a.pixel()), 1);  // alpha still reads the texture
  a.tss(0, AlphaArg1) = 0;
  EXPECT_EQ(fixedCoordinatesRead(a.pixel()), 0);
  EXPECT_TRUE(fixedSpecularRead(a.pixel()));

  a.rs(Lighting) = b.rs(Lighting) = 0;
  b.rs(LocalViewer) = 0;
  b.rs(DiffuseMaterialSource) = 2;
  b.rs(NormalizeNormals) = 1;
  EXPECT_EQ(a.vertex(), b.vertex());
  EXPECT_EQ(hash(a.vertex()), hash(b.vertex()));
  b.tss(5, TexCoordIndex) = 0x00010000;
  EXPECT_NE(hash(a.vertex()), hash(b.vertex()));
  EXPECT_EQ(fixedVertexKey(a.states, a.inputs, 0xDF, true),
            fixedVertexKey(
                b.states,
                [&] {
                  FixedVertexInputs in = b.inputs;  // inputs that no shader reads may be missing
                  in.normal = false;
                  return in;
                }(),
                0xDF, true));
}

/// Calls `f` with a key for each combination that could be the longest shader.
template <class F>
void largestVertexKeys(F f) {
  FixedVertexKey key;
  key.normal = 2;
  key.colors = 3;
  key.lighting = key.specular = 1;
  key.points = FixedVertexKey::kScaledVertexSize;
  key.rangeFog = 1;
  std::vector<FixedCoordinates> choices;
  for (uint8_t source : {uint8_t{FixedCoordinates::kSet0}, uint8_t{FixedCoordinates::kNormal},
                         uint8_t{FixedCoordinates::kPosition}, uint8_t{FixedCoordinates::kReflection},
                         uint8_t{FixedCoordinates::kSphere}})
    for (uint8_t components = 1; components <= 4; ++components)
      for (uint8_t transform : {0, 2, 3, 4})
        for (uint8_t divisor = 0; divisor <= (transform ? transform : components); ++divisor)
          choices.push_back({source, components, transform, divisor});
  for (uint8_t fog : {FixedVertexKey::kLinear, FixedVertexKey::kExp2})
    for (uint8_t local : {0, 1})
      for (uint8_t mode = 0; mode < 3; ++mode)
        for (const FixedCoordinates& c : choices) {
          key.fog = fog;
          key.localViewer = local;
          key.tweening = mode == 0 ? 2 : 0;
          key.blending = mode != 0;
          key.matrices = mode ? 4 : 1;
          key.weights = mode ? 3 : 0;
          key.indices = mode == 2 ? 2 : 0;
          for (uint8_t i = 0; i < kFixedStages; ++i) {
            key.coordinates[i] = c;
            if (c.source == FixedCoordinates::kSet0)
              key.coordinates[i].source = static_cast<uint8_t>(c.source + i);
          }
          key.coordinates[0].source = FixedCoordinates::kSphere;
          f(key);
        }
}

TEST(FixedFunction, TheLargestVertexShaderFits) {
  std::array<uint32_t, kFixedShaderTokens> tokens;
  uint32_t slots = 0, size = 0;
  largestVertexKeys([&](const FixedVertexKey& key) {
    const FixedShader s = writeFixedVertexShader(key, tokens.data(), tokens.size());
    ASSERT_EQ(s.error, FixedError::None);
    ASSERT_LE(s.arithmeticSlots, 256u);
    slots = std::max(slots, s.arithmeticSlots);
    size = std::max(size, s.tokens);
  });
  std::cout << "largest vertex shader: " << slots << " slots, " << size << " tokens\n";
}

TEST(FixedFunction, StagesThatDoNotFitBecomeTheLargerModelOrAnError) {
  std::array<uint32_t, kFixedShaderTokens> tokens;
  Case s;
  for (uint32_t i = 0; i < 8; ++i) {
    s.tss(i, ColorOp) = 22 + i % 2;  // BUMPENVMAP, BUMPENVMAPLUMINANCE
    s.tss(i, TextureTransformFlags) = 256 + 3;
  }
  // Seven bumps end in a read that waits for seven others.
  s.tss(7, ColorOp) = 2;
  FixedShader bumps = writeFixedPixelShader(s.pixel(), false, tokens.data(), tokens.size());
  EXPECT_EQ(bumps.error, FixedError::TooMany);
  EXPECT_GT(bumps.dependentReads, 4u);
  bumps = writeFixedPixelShader(s.pixel(), true, tokens.data(), tokens.size());
  EXPECT_EQ(bumps.error, FixedError::None);
  EXPECT_EQ(bumps.version, (Version{Stage::Pixel, 2, 1}));
  EXPECT_EQ(tokens[0], 0xFFFF0201u);
  // Two of them fit: a map, a map that it moves, and a picture.
  s.tss(3, ColorOp) = 1;
  s.tss(2, ColorOp) = 2;
  EXPECT_EQ(writeFixedPixelShader(s.pixel(), false, tokens.data(), tokens.size()).error, FixedError::None);

  // Three complemented arguments in each operation, no two alike in a stage.
  for (uint32_t i = 0; i < 8; ++i) {
    s.tss(i, ColorOp) = 25;
    s.tss(i, AlphaOp) = 25;
    s.tss(i, TextureTransformFlags) = 256 + 3;
    const TextureStageStateType args[] = {ColorArg0, ColorArg1, ColorArg2, AlphaArg0, AlphaArg1, AlphaArg2};
    for (uint32_t k = 0; k < 6; ++k) s.tss(i, args[k]) = 0x10 | (k + 1);
  }
  FixedShader large = writeFixedPixelShader(s.pixel(), false, tokens.data(), tokens.size());
  EXPECT_EQ(large.error, FixedError::TooMany);
  EXPECT_GT(large.arithmeticSlots, 64u);
  large = writeFixedPixelShader(s.pixel(), true, tokens.data(), tokens.size());
  EXPECT_EQ(large.error, FixedError::None);
  EXPECT_LE(large.arithmeticSlots + large.textureSlots, 512u);
  std::cout << "large pixel shader: " << large.arithmeticSlots << " and " << large.textureSlots << " slots\n";
}

TEST(FixedFunction, NothingIsWrittenBehindTheBuffer) {
  Case s;
  std::array<uint32_t, kFixedShaderTokens> whole, part;
  const FixedShader vertex = writeFixedVertexShader(s.vertex(), whole.data(), whole.size());
  const FixedShader pixel = writeFixedPixelShader(s.pixel(), false, whole.data(), whole.size());
  for (size_t capacity = 0; capacity < 200; ++capacity) {
    part.fill(0xCAFE);
    EXPECT_EQ(writeFixedVertexShader(s.vertex(), part.data(), capacity).error,
              capacity < vertex.tokens ? FixedError::NoRoom : FixedError::None);
    EXPECT_EQ(part[capacity], 0xCAFEu);
    part.fill(0xCAFE);
    EXPECT_EQ(writeFixedPixelShader(s.pixel(), false, part.data(), capacity).error,
              capacity < pixel.tokens ? FixedError::NoRoom : FixedError::None);
    EXPECT_EQ(part[capacity], 0xCAFEu);
  }
}

TEST(FixedFunction, InputsOfADeclaration) {
  const auto element = [](DeclType type, Usage usage, uint8_t index) {
    return VertexElement{0, 0, type, DeclMethod::Default, usage, index};
  };
  const VertexElement all[] = {
      element(DeclType::Float3, Usage::Position, 0),    element(DeclType::Float3, Usage::Position, 1),
      element(DeclType::Float3, Usage::Normal, 0),      element(DeclType::Float3, Usage::Normal, 1),
      element(DeclType::Float2, Usage::BlendWeight, 0), element(DeclType::D3dColor, Usage::BlendIndices, 0),
      element(DeclType::Float1, Usage::PointSize, 0),   element(DeclType::D3dColor, Usage::Color, 0),
      element(DeclType::UByte4N, Usage::Color, 1),      element(DeclType::Short4N, Usage::TexCoord, 3),
      element(DeclType::Float16x2, Usage::TexCoord, 7), element(DeclType::Float4, Usage::TexCoord, 9)};
  const FixedVertexInputs in = fixedVertexInputs(all, std::size(all));
  EXPECT_TRUE(in.normal && in.normal1 && in.position1 && in.pointSize && in.color0 && in.color1);
  EXPECT_FALSE(in.transformed);
  EXPECT_EQ(in.weights, 2);
  EXPECT_EQ(in.indices, BlendIndices::Color);
  EXPECT_EQ(in.coordinates[3], 4);
  EXPECT_EQ(in.coordinates[7], 2);
  EXPECT_EQ(in.coordinates[0], 0);
  const VertexElement transformed[] = {element(DeclType::Float4, Usage::PositionT, 0)};
  EXPECT_TRUE(fixedVertexInputs(transformed, 1).transformed);
}

TEST(FixedFunction, ClipPlanesGoToClipSpace) {
  const float view[16] = {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 2, 3, 5, 1};
  const float projection[16] = {1.5f, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1.25f, 1, 0, 0, -1.25f, 0};
  const float plane[4] = {1, -2, 0.5f, 3};
  float clip[4];
  ASSERT_TRUE(fixedClipPlane(plane, view, projection, clip));
  for (const std::array<double, 4>& p :
       {std::array<double, 4>{0, 0, 0, 1}, {1, 2, 3, 1}, {-4, 0.5, 2, 1}, {7, -7, 1, 1}}) {
    std::array<double, 4> q = p;
    for (const float* m : {view, projection}) {
      std::array<double, 4> next{};
      for (size_t j = 0; j < 4; ++j)
        for (size_t i = 0; i < 4; ++i) next[j] += q[i] * static_cast<double>(m[4 * i + j]);
      q = next;
    }
    double inWorld = 0, inClip = 0;
    for (size_t i = 0; i < 4; ++i) {
      inWorld += p[i] * static_cast<double>(plane[i]);
      inClip += q[i] * static_cast<double>(clip[i]);
    }
    EXPECT_NEAR(inClip, inWorld, 1e-4);
  }
  const float flat[16] = {};
  EXPECT_FALSE(fixedClipPlane(plane, view, flat, clip));
  EXPECT_EQ(clip[0], 0);
}

TEST(FixedFunction, EightLightsCountAndLoopsSayWhere) {
  Case s;
  const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  std::vector<FixedLight> lights(11);
  std::vector<const FixedLight*> pointers;
  for (size_t i = 0; i < lights.size(); ++i) {
    lights[i].type = i % 3 ? LightType::Point : LightType::Directional;
    lights[i].direction[2] = 2;
    lights[i].diffuse[0] = static_cast<float>(i);
    pointers.push_back(&lights[i]);
  }
  FixedVertexValues v;
  v.render = s.render;
  v.world = reinterpret_cast<const float(*)[16]>(identity);
  v.worlds = 1;
  v.view = v.projection = identity;
  v.texture = reinterpret_cast<const float(*)[16]>(identity);
  v.lights = pointers.data();
  v.lightCount = static_cast<uint32_t>(pointers.size());
  FixedVertexConstants out;
  fillFixedVertexConstants(s.vertex(), v, out);
  EXPECT_EQ(out.i[0][0], 4);  // 0, 3, 6, 9
  EXPECT_EQ(out.i[0][1], 0);
  EXPECT_EQ(out.i[1][0], 4);
  EXPECT_EQ(out.i[1][1], 24);
  EXPECT_EQ(out.i[1][2], 6);
  EXPECT_EQ(out.c[kFixedLight + 18][0], 9);  // the fourth
  EXPECT_EQ(out.c[kFixedLight + 3][2], -1);  // towards the light, length 1
  EXPECT_EQ(out.c[kFixedLight + 24][0], 1);
}

}  // namespace
}  // namespace aerogpu::d3d9
