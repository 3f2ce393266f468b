// SPDX-License-Identifier: MIT
// Samples of four texels (XSTATE-11) against a model: the order of the texels is that of AMD's drivers (Wine,
// dlls/d3d9/tests/visual.c, test_fetch4), which texel is the first that of point sampling.
// AEROGPU_ORACLE_SEED and AEROGPU_ORACLE_COUNT choose others than the first few.
#include <algorithm>
#include <cmath>
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/float_target.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kGet4 = 0x34544547, kGet1 = 0x31544547;  // "GET4", "GET1"
constexpr uint32_t kWrap = 1, kClamp = 3;                   // D3DTADDRESS_*; 2 is MIRROR

/// Texel `i` of a row of `size`.
uint32_t addressed(uint32_t mode, int i, uint32_t texels) {
  const auto size = static_cast<int>(texels);
  const auto modulo = [](int a, int b) { return ((a % b) + b) % b; };
  if (mode == kClamp) return static_cast<uint32_t>(std::clamp(i, 0, size - 1));
  if (mode == kWrap) return static_cast<uint32_t>(modulo(i, size));
  const int m = modulo(i, 2 * size);
  return static_cast<uint32_t>(m < size ? m : 2 * size - 1 - m);
}

struct Layout {
  aerogpu_format format;
  uint32_t bytes;
  double (*value)(const uint8_t* texel);
};
double half(const uint8_t* p) {
  const int bits = p[0] | p[1] << 8, exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
double single(const uint8_t* p) {
  float value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
constexpr Layout kLayouts[] = {
    {AEROGPU_FORMAT_D3D9_L8, 1, [](const uint8_t* p) { return p[0] / 255.0; }},
    {AEROGPU_FORMAT_D3D9_A8, 1, [](const uint8_t* p) { return p[0] / 255.0; }},
    {AEROGPU_FORMAT_D3D9_L16, 2, [](const uint8_t* p) { return (p[0] | p[1] << 8) / 65535.0; }},
    {AEROGPU_FORMAT_D3D9_R16F, 2, half},
    {AEROGPU_FORMAT_D3D9_R32F, 4, single},
};

class Gather : public FloatTargetTest {
protected:
  void gathers(std::mt19937& random, const Layout& layout);
  static States biased(uint32_t bias, uint32_t u = kClamp, uint32_t v = kClamp) {
    return {{kMagFilter, 1}, {kMinFilter, 2}, {kMipFilter, 0},
            {kAddressU, u},  {kAddressV, v},  {kMipMapLodBias, bias}};
  }
};

void Gather::gathers(std::mt19937& random, const Layout& layout) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t width = 1 + below(9), height = 1 + below(9);
  Bytes bytes(size_t{width} * height * layout.bytes);
  for (size_t i = 0; i < size_t{width} * height; ++i) {
    uint8_t* texel = &bytes[i * layout.bytes];
    const float value = static_cast<float>(below(4096)) / 1024 - 1;
    for (uint32_t k = 0; k < layout.bytes; ++k) texel[k] = static_cast<uint8_t>(random());
    if (layout.format == AEROGPU_FORMAT_D3D9_R16F)
      texel[1] = static_cast<uint8_t>(0x20 + below(0x30));  // finite
    if (layout.format == AEROGPU_FORMAT_D3D9_R32F) std::memcpy(texel, &value, sizeof value);
  }
  CommandWriter w;
  const uint32_t t = texture(w, layout.format, width, height);
  packets::upload(w, t, 0, bytes);
  run(w);
  const uint32_t modes[2] = {1 + below(3), 1 + below(3)};
  const auto coordinate = [&] { return static_cast<float>(below(3 * 256)) / 256 - 1 + 1.0f / 640; };
  const std::array<float, 3> from = {coordinate(), coordinate(), 0};
  const std::array<float, 3> to = {from[0] + 1.3f, from[1] + 0.7f, 0};
  const auto got = sampled(t, from, to, biased(kGet4, modes[0], modes[1]));
  uint32_t compared = 0;
  for (uint32_t y = 0; y < kSide; ++y)
    for (uint32_t x = 0; x < kSide; ++x) {
      const double u = (from[0] + double{to[0] - from[0]} * (x + 0.5) / kSide) * width;
      const double v = (from[1] + double{to[1] - from[1]} * (y + 0.5) / kSide) * height;
      if (std::fabs(u - std::nearbyint(u)) < 0.01 || std::fabs(v - std::nearbyint(v)) < 0.01) continue;
      const auto texel = [&](int right, int down) {
        const uint32_t column = addressed(modes[0], static_cast<int>(std::floor(u)) + right, width);
        const uint32_t row = addressed(modes[1], static_cast<int>(std::floor(v)) + down, height);
        return layout.value(&bytes[(size_t{row} * width + column) * layout.bytes]);
      };
      const Color want = {texel(1, 0), texel(0, 1), texel(1, 1), texel(0, 0)};
      for (size_t k = 0; k < 4; ++k)
        ASSERT_NEAR(got[y * kSide + x][k], want[k], 1e-5)
            << "channel " << k << " of pixel " << x << "," << y << ", format " << layout.format << ", "
            << width << "x" << height << " address modes " << modes[0] << "," << modes[1];
      ++compared;
    }
  EXPECT_GT(compared, 50u);
  packets::destroyResource(w, t);
  run(w);
}

// XSTATE-11
TEST_F(Gather, GivesOneChannelOfFourTexels) {
  uint32_t formats = 0;
  for (const Layout& layout : kLayouts) {
    const uint32_t caps = capsOf(layout.format);
    ASSERT_EQ((caps & AEROGPU_FORMAT_CAP_GATHER) != 0, (caps & AEROGPU_FORMAT_CAP_SAMPLE) != 0)
        << layout.format;
    if (!(caps & AEROGPU_FORMAT_CAP_SAMPLE)) continue;  // a device without the format
    ++formats;
    forSeeds(6, [&](uint32_t seed) {
      std::mt19937 random(seed);
      gathers(random, layout);
    });
  }
  EXPECT_GE(formats, 3u) << "bytes and floats are on every device";
}

// XSTATE-11
TEST_F(Gather, GivesFourDepths) {
  for (const auto format : {AEROGPU_FORMAT_D3D9_INTZ, AEROGPU_FORMAT_D3D9_DF16, AEROGPU_FORMAT_D3D9_DF24}) {
    if (!(capsOf(format) & AEROGPU_FORMAT_CAP_GATHER)) continue;
    SCOPED_TRACE(format);
    CommandWriter w;
    const uint32_t color = texture(w, kFloats, kSide, kSide), depth = texture(w, format, kSide, kSide);
    states(w);
    target(w, color, depth);
    Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 1);
    renderState(w, kZEnable, 1u);
    renderState(w, kZFunc, 8u);
    bindShaders(w, shader(w, kVs3), shader(w, "ps_3_0\nmov oC0, c0\n"));
    // The texel at 5, 9 is 0.25, those right of it and below it 0.5 and 0.75; all others are 1.
    for (const auto& [x, y, z] : {std::tuple{5, 9, 0.25f}, {6, 9, 0.5f}, {5, 10, 0.75f}}) {
      scissor(w, x, y, 1, 1);
      renderState(w, kScissorTestEnable, 1u);
      drawQuad(w, {}, {}, 1, z);
    }
    renderState(w, kScissorTestEnable, 0u);
    target(w, color);
    run(w);
    const auto got = sampled(depth, {}, {1, 1, 0}, biased(kGet4));
    const double expected[4] = {0.5, 0.75, 1, 0.25};
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(got[9 * kSide + 5][k], expected[k], 1.0 / 60000) << k;
    EXPECT_NEAR(got[8 * kSide + 4][2], 0.25, 1.0 / 60000) << "the texel below on the right";
  }
}

// XSTATE-11
TEST_F(Gather, IsForOneValueOfOneStateWithOneFilter) {
  CommandWriter w;
  const uint32_t l8 = texture(w, AEROGPU_FORMAT_D3D9_L8, 2, 2),
                 rgba = texture(w, AEROGPU_FORMAT_B8G8R8A8_UNORM, 2, 2);
  packets::upload(w, l8, 0, Bytes{0x10, 0x40, 0x80, 0xFF});
  packets::upload(w, rgba, 0, Bytes(16, 0x33));
  run(w);
  const auto at = [&](uint32_t t, const States& s) { return sampled(t, {0, 0, 0}, {1, 1, 0}, s)[0]; };
  const auto expectColor = [](const Color& got, const Color& want, const char* what) {
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(got[k], want[k], 1e-5) << what << " " << k;
  };
  const Color one = {16 / 255.0, 16 / 255.0, 16 / 255.0, 1};
  const Color four = {64 / 255.0, 128 / 255.0, 1, 16 / 255.0};
  expectColor(at(l8, biased(kGet4)), four, "GET4");
  expectColor(at(l8, biased(kGet1)), one, "GET1");
  expectColor(at(l8, biased(0)), one, "a bias");
  expectColor(at(rgba, biased(kGet4)), {0.2, 0.2, 0.2, 0.2}, "four channels");
  States linear = biased(kGet4);
  linear.push_back({kMagFilter, 2});
  linear.push_back({kMinFilter, 2});
  expectColor(at(l8, linear), one, "a corner of a linear filter");
}

}  // namespace
}  // namespace aerogpu::test
