// SPDX-License-Identifier: MIT
// Shaders of the fixed function (d3d9/), run by the interpreter of the shader oracle, against the CPU's fixed
// function (reference.h) over random states; the translator accepts them, and they keep the limits of their
// models. By hand: AEROGPU_FIXED_SEED=N AEROGPU_FIXED_COUNT=N shader-fixed-test.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "aerogpu/d3d9/disassembler.h"
#include "renderer/shader/test/fixed/model_rules.h"
#include "renderer/shader/test/fixed/random_state.h"
#include "renderer/shader/test/oracle/oracle.h"
#include "renderer/shader/test/validate.h"
#include "renderer/test/seeds.h"

namespace aerogpu::shader::fixed {
namespace {

using d3d9::SamplerType;
using oracle::Range;
using oracle::Vector;

using aerogpu::test::setting;

/// Samples reference.h's textures, of ranges. The level does not matter: neighbouring pixels are alike.
Vector sample(SamplerType type, const Vector& at, const Range&) {
  const Range z = type == SamplerType::Texture2D ? Range(0) : at[2];
  const double cube = type == SamplerType::TextureCube ? 0.2 : 0;
  const auto plane = [&](double x, double y, double w, double c) {
    const Range sum =
        oracle::exactSum(oracle::exactSum(oracle::exactProduct(x, at[0]), oracle::exactProduct(y, at[1])),
                         oracle::exactProduct(w, z));
    return oracle::clamped(oracle::widened(oracle::exactSum(sum, c), oracle::kUlp, oracle::kUlp), 0, 1);
  };
  return {plane(0.25, 0.125, 0.0625, 0.3 + cube), plane(0.125, -0.25, 0.125, 0.6 - cube),
          plane(-0.25, 0.125, -0.125, 0.5), plane(0.0625, 0.0625, 0.25, 0.4 + cube)};
}
Range levelOf(SamplerType, const Vector&, const Vector&) {
  return 0;
}

/// A difference above this, relative to the number (at least 1), is an error. Constants are floats and the
/// reference is not, which in the longest chains makes 100 units in the last place.
constexpr double kTolerance = 1e-4;

struct Tally {
  uint64_t compared = 0, vague = 0;

  std::string compare(const std::string& name, const Range& got, double expected) {
    const double slack = kTolerance * std::max(1.0, std::fabs(expected));
    if (got.unknown() || got.hi - got.lo > 20 * slack) {
      ++vague;
      return {};
    }
    ++compared;
    if (expected >= got.lo - slack && expected <= got.hi + slack) return {};
    return name + " is " + std::to_string(got.lo) + " to " + std::to_string(got.hi) + ", expected " +
           std::to_string(expected) + "\n";
  }
  std::string compare(const std::string& name, const Vector& got, const Vec& expected, size_t count = 4) {
    std::string wrong;
    for (size_t i = 0; i < count; ++i) wrong += compare(name + "." + "xyzw"[i], got[i], expected[i]);
    return wrong;
  }
};

struct Shader {
  std::array<uint32_t, d3d9::kFixedShaderTokens> buffer;
  d3d9::FixedShader info;
  oracle::Code code;
  std::span<const uint32_t> tokens() const { return {buffer.data(), info.tokens}; }
  std::string text() const { return d3d9::disassemble(tokens()).text; }
};

/// Checks the rules for every shader, whatever it computes.
void accept(Shader& s, bool validates) {
  ASSERT_EQ(s.info.error, d3d9::FixedError::None);
  s.code = oracle::decode(s.tokens());
  ASSERT_EQ(s.code.error, "");
  ASSERT_EQ(brokenRules(s.code, s.info), "") << s.text();
  const auto program = parse(s.tokens());
  ASSERT_TRUE(program.ok()) << program.error().message << "\n" << s.text();
  if (!validates) return;
  const auto module = emit(*program);
  ASSERT_TRUE(module.ok()) << module.error().message;
  ASSERT_EQ(test::validate(module->words), "") << s.text();
}

struct Draw {
  d3d9::FixedVertexKey key;
  uint8_t coordinates;
  bool specular;
};

oracle::Constants vertexConstants(const State& state, const d3d9::FixedVertexKey& key) {
  d3d9::FixedVertexConstants values;
  // A shader may not read registers that the filler leaves alone.
  for (auto& c : values.c)
    for (float& x : c) x = std::nanf("");
  for (auto& i : values.i)
    for (int32_t& x : i) x = 200;
  std::vector<const d3d9::FixedLight*> lights;
  for (const d3d9::FixedLight& light : state.lights) lights.push_back(&light);
  d3d9::FixedVertexValues v;
  v.render = state.render;
  v.world = reinterpret_cast<const float(*)[16]>(state.world.data());
  v.worlds = static_cast<uint32_t>(state.world.size());
  v.view = state.view.data();
  v.projection = state.projection.data();
  v.texture = reinterpret_cast<const float(*)[16]>(state.texture.data());
  v.lights = lights.data();
  v.lightCount = static_cast<uint32_t>(lights.size());
  v.material = state.material;
  v.viewportHeight = state.viewportHeight;
  d3d9::fillFixedVertexConstants(key, v, values);
  oracle::Constants out;
  for (size_t i = 0; i < 256; ++i)
    std::copy(std::begin(values.c[i]), std::end(values.c[i]), out.f[i].begin());
  for (size_t i = 0; i < 2; ++i) std::copy(std::begin(values.i[i]), std::end(values.i[i]), out.i[i].begin());
  return out;
}

std::string runVertex(const Shader& s, const State& state, const Draw& draw, const Vertex& vertex,
                      Tally& tally) {
  const oracle::Constants constants = s.code.with(vertexConstants(state, draw.key));
  oracle::Lane lane(s.code, constants, sample, levelOf);
  for (const oracle::Declaration& d : s.code.declarations) {
    const auto value = vertex.find({d.usage, d.usageIndex});
    if (value == vertex.end()) return "an input that the vertex lacks\n";
    for (size_t i = 0; i < 4; ++i) lane.v[d.number][i] = value->second[i];
  }
  oracle::runAlone(lane);
  if (lane.gaveUp) return "the interpreter gave up\n";
  const VertexResult expected = processVertex(state, vertex);
  const auto clampedColor = [](Vector c) {
    for (Range& x : c) x = oracle::clamped(x, 0, 1);
    return c;
  };
  std::string wrong = tally.compare("oPos", lane.oPosition, expected.position) +
                      tally.compare("oD0", clampedColor(lane.d[0]), expected.diffuse);
  if (draw.specular) wrong += tally.compare("oD1", clampedColor(lane.d[1]), expected.specular);
  if (draw.key.fog) wrong += tally.compare("oFog", oracle::clamped(lane.oFog[0], 0, 1), expected.fog);
  if (!draw.key.fog && expected.fog != 1) wrong += "no fog\n";
  if (draw.key.points) wrong += tally.compare("oPts", lane.oPointSize[0], expected.pointSize);
  for (uint32_t i = 0; i < d3d9::kFixedStages; ++i)
    if (draw.coordinates >> i & 1)
      wrong += tally.compare("oT" + std::to_string(i), lane.o[i], expected.coordinates[i]);
  return wrong;
}

TEST(FixedFunction, VerticesOfRandomStates) {
  const uint32_t first = setting("AEROGPU_FIXED_SEED", 0), count = setting("AEROGPU_FIXED_COUNT", 3000);
  Tally tally;
  uint32_t slots = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    RandomState random(seed);
    const State state = random.vertexState();
    const d3d9::FixedVertexInputs inputs =
        d3d9::fixedVertexInputs(state.declaration.data(), state.declaration.size());
    Draw draw;
    draw.coordinates =
        static_cast<uint8_t>(random.chance(50) ? random.below(256) : (1u << random.below(3)) - 1);
    draw.specular = random.chance(60);
    draw.key = d3d9::fixedVertexKey(state.states(), inputs, draw.coordinates, draw.specular);
    auto shader = std::make_unique<Shader>();
    shader->info = d3d9::writeFixedVertexShader(draw.key, shader->buffer.data(), shader->buffer.size());
    accept(*shader, seed % 16 == 0);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    slots = std::max(slots, shader->info.arithmeticSlots);
    for (int i = 0; i < 3; ++i) {
      const std::string wrong = runVertex(*shader, state, draw, random.vertex(state), tally);
      ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << shader->text();
    }
  }
  std::cout << count << " states, " << tally.compared << " numbers compared, " << tally.vague
            << " too vague; most slots " << slots << "\n";
  EXPECT_GT(tally.compared, 60 * tally.vague);
}

TEST(FixedFunction, PixelsOfRandomStates) {
  const uint32_t first = setting("AEROGPU_FIXED_SEED", 0), count = setting("AEROGPU_FIXED_COUNT", 4000);
  Tally tally;
  uint32_t larger = 0, hardLarger = 0, hardCount = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    RandomState random(seed);
    const bool hard = seed % 8 == 0;
    const State state = random.pixelState(hard);
    const d3d9::FixedVertexInputs inputs =
        d3d9::fixedVertexInputs(state.declaration.data(), state.declaration.size());
    for (const bool own : {false, true}) {
      const d3d9::FixedPixelKey key = d3d9::fixedPixelKey(state.states(), own ? &inputs : nullptr);
      auto shader = std::make_unique<Shader>();
      shader->info = d3d9::writeFixedPixelShader(key, true, shader->buffer.data(), shader->buffer.size());
      accept(*shader, seed % 16 == 0);
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
      hardCount += hard;
      if (shader->info.version.minor) {
        ++(hard ? hardLarger : larger);
        std::array<uint32_t, d3d9::kFixedShaderTokens> other;
        EXPECT_EQ(d3d9::writeFixedPixelShader(key, false, other.data(), other.size()).error,
                  d3d9::FixedError::TooMany);
      }
      oracle::Constants constants;
      for (auto& c : constants.f) c.fill(std::nanf(""));
      float values[d3d9::kFixedPixelConstants][4];
      for (auto& c : values)
        for (float& x : c) x = std::nanf("");
      d3d9::fillFixedPixelConstants(key, state.states(), values);
      for (size_t i = 0; i < d3d9::kFixedPixelConstants; ++i)
        std::copy(std::begin(values[i]), std::end(values[i]), constants.f[i].begin());
      constants = shader->code.with(constants);
      for (int i = 0; i < 3; ++i) {
        PixelInputs in = random.pixel();
        in.divisorInW = own;
        oracle::Lane lane(shader->code, constants, sample, levelOf);
        for (size_t k = 0; k < 4; ++k) {
          lane.v[0][k] = in.diffuse[k];
          if (d3d9::fixedSpecularRead(key)) lane.v[1][k] = in.specular[k];
          for (size_t n = 0; n < d3d9::kFixedStages; ++n)
            if (d3d9::fixedCoordinatesRead(key) >> n & 1) lane.t[n][k] = in.coordinates[n][k];
        }
        oracle::runAlone(lane);
        ASSERT_FALSE(lane.gaveUp);
        const std::string wrong = tally.compare("oC0", lane.color[0], processPixel(state, in));
        ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << shader->text();
      }
    }
  }
  std::cout << count << " states, " << tally.compared << " numbers compared, " << tally.vague
            << " too vague; " << larger << " of " << 2 * count - hardCount << " and " << hardLarger << " of "
            << hardCount << " hard ones need ps_2_x\n";
  EXPECT_GT(hardLarger, 0u);
  EXPECT_GT(tally.compared, 60 * tally.vague);
}

/// Programs may set any states: each gives shaders that the translator accepts.
TEST(FixedFunction, StatesWithoutMeaning) {
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    RandomState random(seed);
    State state = random.vertexState();
    const auto garbage = [&] {
      return random.chance(50) ? random.below(300) : random.below(0x10000) * 0x10001u;
    };
    for (uint32_t& value : state.render) value = garbage();
    for (auto& stage : state.stage)
      for (uint32_t& value : stage) value = garbage();
    for (SamplerType& type : state.textures)
      type = random.chance(50) ? SamplerType::Texture2D : SamplerType::Unknown;
    const d3d9::FixedVertexInputs inputs =
        d3d9::fixedVertexInputs(state.declaration.data(), state.declaration.size());
    const d3d9::FixedPixelKey pixelKey = d3d9::fixedPixelKey(state.states(), &inputs);
    const d3d9::FixedVertexKey vertexKey = d3d9::fixedVertexKey(
        state.states(), inputs, d3d9::fixedCoordinatesRead(pixelKey), d3d9::fixedSpecularRead(pixelKey));
    auto vertex = std::make_unique<Shader>(), pixel = std::make_unique<Shader>();
    vertex->info = d3d9::writeFixedVertexShader(vertexKey, vertex->buffer.data(), vertex->buffer.size());
    pixel->info = d3d9::writeFixedPixelShader(pixelKey, true, pixel->buffer.data(), pixel->buffer.size());
    accept(*vertex, false);
    accept(*pixel, false);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace aerogpu::shader::fixed
