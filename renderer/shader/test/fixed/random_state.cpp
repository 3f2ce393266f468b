// SPDX-License-Identifier: MIT
#include "renderer/shader/test/fixed/random_state.h"

#include <bit>
#include <cmath>

namespace aerogpu::shader::fixed {

using d3d9::DeclType;
using d3d9::SamplerType;
using d3d9::Usage;
using enum d3d9::RenderStateType;
using enum d3d9::TextureStageStateType;

/// Returns a matrix that turns, scales unequally and moves.
FloatMatrix RandomState::affine(double low, double high, double far) {
  double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int axis = 0; axis < 3; ++axis) {
    const double angle = static_cast<double>(number(0, 6.28)), c = std::cos(angle), s = std::sin(angle);
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (auto& row : m) {
      const double x = row[a], y = row[b];
      row[a] = c * x - s * y;
      row[b] = s * x + c * y;
    }
  }
  FloatMatrix out{};
  for (size_t i = 0; i < 3; ++i) {
    const double scale = static_cast<double>(number(low, high));
    for (size_t j = 0; j < 3; ++j) out[4 * i + j] = static_cast<float>(m[i][j] * scale);
    out[12 + i] = number(-far, far);
  }
  out[15] = 1;
  return out;
}

void RandomState::declaration(State& s) {
  uint16_t offset = 0;
  const auto add = [&](DeclType type, Usage usage, uint32_t index) {
    s.declaration.push_back({0, offset, type, d3d9::DeclMethod::Default, usage, static_cast<uint8_t>(index)});
    offset = static_cast<uint16_t>(offset + d3d9::kDeclTypes[static_cast<size_t>(type)].bytes);
  };
  const auto floats = [](uint32_t n) { return static_cast<DeclType>(n - 1); };
  add(chance(90) ? DeclType::Float3 : DeclType::Float4, Usage::Position, 0);
  if (chance(80)) add(DeclType::Float3, Usage::Normal, 0);
  if (chance(60)) add(DeclType::D3dColor, Usage::Color, 0);
  if (chance(50)) add(DeclType::D3dColor, Usage::Color, 1);
  if (chance(15)) add(DeclType::Float1, Usage::PointSize, 0);
  if (chance(70)) add(floats(1 + below(4)), Usage::BlendWeight, 0);
  if (chance(60)) add(chance(50) ? DeclType::UByte4 : DeclType::D3dColor, Usage::BlendIndices, 0);
  if (chance(70)) add(DeclType::Float3, Usage::Position, 1);
  if (chance(60)) add(DeclType::Float3, Usage::Normal, 1);
  const uint32_t sets = below(9);
  for (uint32_t i = 0; i < sets; ++i)
    if (chance(80)) add(floats(1 + below(4)), Usage::TexCoord, i);
}

void RandomState::light(State& s) {
  d3d9::FixedLight l;
  l.type = static_cast<d3d9::LightType>(1 + below(3));
  for (float* c : {l.diffuse, l.specular, l.ambient})
    for (int i = 0; i < 4; ++i) c[i] = number(0, 0.8);
  for (int i = 0; i < 3; ++i) {
    l.position[i] = number(-10, 10);
    l.direction[i] = number(-1, 1);
  }
  if (std::fabs(l.direction[0]) + std::fabs(l.direction[1]) < 0.1f) l.direction[1] = -1;
  l.range = chance(20) ? number(2, 12) : 1000;
  l.falloff = chance(50) ? 1 : number(0.25, 4);
  l.attenuation0 = chance(80) ? number(0.2, 1.5) : 0;
  l.attenuation1 = chance(50) ? number(0.01, 0.2) : 0;
  l.attenuation2 = chance(30) || l.attenuation0 + l.attenuation1 == 0 ? number(0.01, 0.05) : 0;
  l.theta = number(0.1, 2);
  l.phi = l.theta + number(0.1, 1);
  s.lights.push_back(l);
}

/// Sets D3DTSS_TEXCOORDINDEX and TEXTURETRANSFORMFLAGS of a stage.
void RandomState::coordinates(State& s, uint32_t stage) {
  const uint32_t mode = chance(60) ? 0 : below(6);
  s.tss(stage, TexCoordIndex) = mode << 16 | (chance(95) ? below(8) : below(12));
  static constexpr uint32_t kFlags[] = {0, 0, 1, 2, 3, 4, 256, 258, 259, 260, 257, 0xFFFFFFFF, 5, 264};
  s.tss(stage, TextureTransformFlags) = kFlags[below(14)];
}

State RandomState::vertexState() {
  State s;
  declaration(s);
  s.world.clear();
  for (uint32_t i = 0; i < d3d9::kFixedMaxMatrices; ++i) s.world.push_back(affine(0.5, 1.5, 4));
  const uint32_t odd = below(20);
  if (odd == 0)  // not affine
    for (const size_t i : {3, 7, 11}) s.world[0][i] = number(-0.25, 0.25);
  if (odd == 1)  // flat
    for (const size_t i : {0, 1, 2}) s.world[0][i] = 0;
  s.view = odd == 1 ? s.view : affine(1, 1, 6);
  s.projection = {number(0.5, 2), 0, 0, 0, 0, number(0.5, 2), 0, 0, number(-0.2, 0.2), 0, 1.01f, 1, 0, 0,
                  -0.5f,          0};
  for (FloatMatrix& m : s.texture)
    for (float& x : m) x = number(-1, 1);
  s.rs(Lighting) = chance(75);
  for (uint32_t i = below(9); i; --i) light(s);
  if (chance(10)) s.lights.clear();
  for (float* c : {s.material.diffuse, s.material.ambient, s.material.specular, s.material.emissive})
    for (int i = 0; i < 4; ++i) c[i] = number(0, c == s.material.emissive ? 0.3 : 1);
  s.material.power = chance(20) ? 0 : number(1, chance(10) ? 200 : 30);
  s.rs(Ambient) = color() & 0xFF3F3F3F;
  s.rs(ColorVertex) = chance(80);
  for (const auto state :
       {DiffuseMaterialSource, SpecularMaterialSource, AmbientMaterialSource, EmissiveMaterialSource})
    s.rs(state) = chance(95) ? below(3) : below(9);
  s.rs(LocalViewer) = chance(50);
  s.rs(NormalizeNormals) = chance(60);
  s.rs(SpecularEnable) = chance(60);
  s.rs(FogEnable) = chance(60);
  s.rs(FogVertexMode) = below(5);
  s.rs(FogTableMode) = chance(15) ? 1 + below(3) : 0;
  s.rs(RangeFogEnable) = chance(50);
  s.setReal(FogStart, number(0, 8));
  s.setReal(FogEnd, number(8.5, 30));
  s.setReal(FogDensity, number(0, 0.3));
  static constexpr uint32_t kBlends[] = {0, 0, 0, 1, 2, 3, 255, 255, 256, 7};
  s.rs(VertexBlend) = kBlends[below(10)];
  s.rs(IndexedVertexBlendEnable) = chance(50);
  s.setReal(TweenFactor, number(-0.5, 1.5));
  s.rs(PointScaleEnable) = chance(30);
  s.setReal(PointSize, number(0.25, 8));
  s.setReal(PointSizeMin, number(0, 4));
  s.setReal(PointSizeMax, number(5, 300));
  s.setReal(PointScaleA, number(0.1, 2));
  s.setReal(PointScaleB, number(0, 1));
  s.setReal(PointScaleC, number(0, 0.5));
  s.viewportHeight = number(1, 1080);
  for (uint32_t i = 0; i < d3d9::kFixedStages; ++i) coordinates(s, i);
  return s;
}

Vertex RandomState::vertex(const State& state) {
  Vertex v;
  for (const d3d9::VertexElement& e : state.declaration) {
    Vec value = {0, 0, 0, 1};
    const uint32_t count = d3d9::kDeclTypes[static_cast<size_t>(e.type)].components;
    for (uint32_t i = 0; i < count; ++i) {
      switch (e.usage) {
        case Usage::Color:
          value[i] = static_cast<double>(static_cast<float>(below(256)) / 255.0f);
          break;
        case Usage::BlendIndices:
          value[i] = below(d3d9::kFixedMaxMatrices);
          if (e.type == DeclType::D3dColor)
            value[i] = static_cast<double>(static_cast<float>(value[i]) / 255.0f);
          break;
        case Usage::BlendWeight:
          value[i] = static_cast<double>(number(0, 0.4));
          break;
        case Usage::PointSize:
          value[i] = static_cast<double>(number(0.25, 8));
          break;
        case Usage::Position:
          value[i] = i == 3 ? 1 : static_cast<double>(number(-4, 4));
          break;
        case Usage::TexCoord:
          value[i] = static_cast<double>(i + 1 == count ? number(0.5, 2) : number(-2, 2));
          break;
        default:
          value[i] = static_cast<double>(number(-1, 1));
          break;
      }
    }
    v[{e.usage, e.usageIndex}] = value;
  }
  return v;
}

State RandomState::pixelState(bool hard) {
  State s;
  const uint32_t stages = hard ? 8 : below(6);
  const auto argument = [&] {
    const uint32_t select = chance(97) ? below(7) : below(16);
    return select | (chance(hard ? 90 : 25) ? 0x10u : 0u) | (chance(20) ? 0x20u : 0u);
  };
  for (uint32_t i = 0; i < d3d9::kFixedStages; ++i) {
    const bool on = i < stages;
    const auto operation = [&] { return chance(97) ? 2 + below(25) : below(30); };
    s.tss(i, ColorOp) = on ? operation() : 1;
    if (hard) s.tss(i, ColorOp) = chance(30) ? 26u : 2 + below(25);
    s.tss(i, AlphaOp) = chance(20) ? s.tss(i, ColorOp) : chance(15) ? 1u : operation();
    for (const auto type : {ColorArg0, ColorArg1, ColorArg2, AlphaArg0, AlphaArg1, AlphaArg2})
      s.tss(i, type) = argument();
    if (chance(20)) {
      s.tss(i, AlphaOp) = s.tss(i, ColorOp);
      s.tss(i, AlphaArg0) = s.tss(i, ColorArg0);
      s.tss(i, AlphaArg1) = s.tss(i, ColorArg1);
      s.tss(i, AlphaArg2) = s.tss(i, ColorArg2);
    }
    s.tss(i, ResultArg) = chance(25) ? 5 : 1;
    s.tss(i, Constant) = color();
    for (const auto type :
         {BumpEnvMat00, BumpEnvMat01, BumpEnvMat10, BumpEnvMat11, BumpEnvLScale, BumpEnvLOffset})
      s.tss(i, type) = std::bit_cast<uint32_t>(number(-1, 1));
    static constexpr SamplerType kTypes[] = {SamplerType::Texture2D, SamplerType::Texture2D,
                                             SamplerType::TextureCube, SamplerType::TextureVolume,
                                             SamplerType::Unknown};
    s.textures[i] = kTypes[below(5)];
    coordinates(s, i);
    if (chance(60)) s.tss(i, TextureTransformFlags) = 0;
  }
  if (hard && chance(20))  // each stage moves the next one's texture
    for (uint32_t i = 0; i + 1 < stages; ++i) {
      s.tss(i, ColorOp) = 22 + below(2);
      s.textures[i] = SamplerType::Texture2D;
    }
  else if (hard && chance(20))  // six different arguments, complemented, in each stage
    for (uint32_t i = 0; i < stages; ++i) {
      uint32_t arg = below(7);
      s.textures[i] = SamplerType::Texture2D;
      s.tss(i, ColorOp) = 25;
      s.tss(i, AlphaOp) = 25 + below(2);
      for (const auto type : {ColorArg0, ColorArg1, ColorArg2, AlphaArg0, AlphaArg1, AlphaArg2})
        s.tss(i, type) = 0x10 | arg++ % 7;
    }
  s.rs(TextureFactor) = color();
  s.rs(SpecularEnable) = chance(40);
  declaration(s);
  return s;
}

PixelInputs RandomState::pixel() {
  PixelInputs in;
  for (Vec* c : {&in.diffuse, &in.specular})
    for (double& x : *c) x = below(256) / 256.0;
  for (Vec& t : in.coordinates)
    for (size_t i = 0; i < 4; ++i) t[i] = static_cast<double>(i ? number(0.5, 2) : number(-2, 2));
  in.divisorInW = chance(50);
  return in;
}

}  // namespace aerogpu::shader::fixed
