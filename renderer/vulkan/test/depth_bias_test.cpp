// SPDX-License-Identifier: MIT
// Depth bias on both depth formats, against sums made here. D3DRS_DEPTHBIAS: "Depth Bias (Direct3D 9)"; the
// integer bias of a rasteriser state: "Depth Bias" of Direct3D 10.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class DepthBiasTest : public DrawTest {
protected:
  static constexpr aerogpu_format kFormats[] = {AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D32_FLOAT};
  /// A float holds 1 + bias in steps of 2^-23, and 24 bits hold a depth to half of 2^-24.
  static constexpr double kTolerance = 0x1p-24 + 0x1p-25 + 1e-9;

  void SetUp() override {
    DrawTest::SetUp();
    CommandWriter w;
    m_float = texture(w, AEROGPU_FORMAT_D32_FLOAT, kSize, kSize, 1, 1, AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
    renderState(w, kZEnable, 1u);
    renderState(w, kZFunc, 8u);
    run(w);
  }
  void bind(CommandWriter& w, aerogpu_format format) {
    target(w, m_target, format == AEROGPU_FORMAT_D32_FLOAT ? m_float : m_depth);
    Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 0);
  }
  double depthAt(aerogpu_format format, uint32_t x, uint32_t y) {
    const bool isFloat = format == AEROGPU_FORMAT_D32_FLOAT;
    const Bytes bytes = read(isFloat ? m_float : m_depth, format, kSize, kSize);
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + size_t{y * kSize + x} * 4, 4);
    return isFloat ? double{std::bit_cast<float>(word)} : static_cast<double>(word & 0xFFFFFF) / 0xFFFFFF;
  }
  /// True unless a device without VK_EXT_depth_range_unrestricted clamps: it only shifts within [0, 1].
  static bool exact(float bias, float minDepth, float maxDepth) {
    return !deviceLacks("VK_EXT_depth_range_unrestricted") ||
           (minDepth + bias >= 0 && minDepth + bias <= 1 && maxDepth + bias >= 0 && maxDepth + bias <= 1);
  }
  /// True if a bias in depth may be one in steps of a 24-bit format, whose length is the device's choice
  /// (Vulkan 1.3, "Depth Bias"); lavapipe's are 2^-23.
  static bool countsSteps() { return deviceLacks("VK_EXT_depth_range_unrestricted") && !deviceIsBare(); }
  uint32_t m_float = 0;
};

// DRAW-21
TEST_F(DepthBiasTest, IsAddedAsItIsAtEveryDepth) {
  struct Range {
    float min, max;
  };
  for (const aerogpu_format format : kFormats)
    for (const Range range : {Range{0, 1}, Range{0.25f, 0.75f}, Range{0.5f, 0}})
      for (const float z : {0.0078125f, 0.125f, 0.4375f, 0.75f, 0.9375f})
        for (const float bias : {0.125f, -0.125f, 0x1p-12f, -0x1p-16f, 1e-5f, -3e-6f, 0x1p-23f, -0x1p-24f}) {
          if (!exact(bias, range.min, range.max)) continue;
          const double plain = double{range.min} + double{z} * (double{range.max} - range.min);
          // Only VK_EXT_depth_bias_control clamps a depth past the viewport's range to its end; past 0 and 1,
          // 24 bits clamp it too.
          const auto [low, high] = std::minmax(range.min, range.max);
          if (plain + bias < low || plain + bias > high)
            if (low > 0 || high < 1 || format == AEROGPU_FORMAT_D32_FLOAT) continue;
          CommandWriter w;
          bind(w, format);
          viewport(w, 0, 0, kSize, kSize, range.min, range.max);
          renderState(w, kDepthBias, bias);
          drawVertices(w, quad(0, 0, 8, 8, 0, z));
          run(w);
          EXPECT_NEAR(depthAt(format, 3, 3), std::clamp(plain + bias, 0.0, 1.0), kTolerance)
              << "z " << z << " bias " << bias << " in " << range.min << ".." << range.max << " format "
              << format;
        }
}

// DRAW-21
TEST_F(DepthBiasTest, ComesAfterClipping) {
  if (deviceLacks("VK_EXT_depth_range_unrestricted"))
    GTEST_SKIP() << "needs VK_EXT_depth_bias_control or VK_EXT_depth_range_unrestricted";
  for (const aerogpu_format format : kFormats) {
    // In range before the bias: drawn, and held at the end of the range (24 bits hold no more).
    CommandWriter w;
    bind(w, format);
    renderState(w, kDepthBias, 0.25f);
    drawVertices(w, quad(0, 0, 8, 8, ~0u, 0.875f));
    run(w);
    EXPECT_EQ(result(3, 3)[0], 255);
    if (format == AEROGPU_FORMAT_D24_UNORM_S8_UINT) {
      EXPECT_EQ(depthAt(format, 3, 3), 1.0);
    }
    // Out of range before the bias: clipped, although the bias would lead back in.
    clearColor(w, 0, 0, 0, 0);
    renderState(w, kDepthBias, -0.25f);
    drawVertices(w, quad(0, 0, 8, 8, ~0u, 1.125f));
    renderState(w, kDepthBias, 0.25f);
    drawVertices(w, quad(0, 0, 8, 8, ~0u, -0.125f));
    run(w);
    EXPECT_EQ(result(3, 3)[0], 0);
  }
}

// DRAW-21
TEST_F(DepthBiasTest, PointsAndLinesHaveNone) {
  const auto depthOf = [&](CommandWriter& w, const std::vector<Vertex>& v, uint32_t topology) {
    bind(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT);
    drawVertices(w, v, topology);
    run(w);
    return depthAt(AEROGPU_FORMAT_D24_UNORM_S8_UINT, 3, 3);
  };
  if (countsSteps()) GTEST_SKIP() << "needs VK_EXT_depth_range_unrestricted";
  CommandWriter w;
  renderState(w, kDepthBias, 0.25f);
  renderState(w, kSlopeScaleDepthBias, 1.0f);
  const std::vector<Vertex> line = {at(0, 3, ~0u, 0.5f), at(8, 3, ~0u, 0.5f)}, point = {at(3, 3, ~0u, 0.5f)};
  const auto whole = quad(0, 0, 8, 8, 0, 0.5f);
  EXPECT_NEAR(depthOf(w, whole, AEROGPU_TOPOLOGY_TRIANGLELIST), 0.75, kTolerance);
  EXPECT_NEAR(depthOf(w, line, AEROGPU_TOPOLOGY_LINELIST), 0.5, kTolerance);
  EXPECT_NEAR(depthOf(w, whole, AEROGPU_TOPOLOGY_TRIANGLESTRIP), 0.75, kTolerance);
  EXPECT_NEAR(depthOf(w, line, AEROGPU_TOPOLOGY_LINESTRIP), 0.5, kTolerance);
  EXPECT_NEAR(depthOf(w, point, AEROGPU_TOPOLOGY_POINTLIST), 0.5, kTolerance);
  EXPECT_NEAR(depthOf(w, whole, AEROGPU_TOPOLOGY_TRIANGLELIST), 0.75, kTolerance);
}

TEST_F(DepthBiasTest, SlopeScales) {
  for (const aerogpu_format format : kFormats) {
    CommandWriter w;
    bind(w, format);
    renderState(w, kDepthBias, 0.0f);
    // Slope scale times the larger of the depth slopes in x and y, here 1/16 a pixel.
    renderState(w, kSlopeScaleDepthBias, 2.0f);
    auto sloped = quad(0, 0, 8, 8, 0, 0);
    for (Vertex& v : sloped) v.z = 0.25f + (v.x + 1) / 4;  // 0.5 across 8 pixels
    drawVertices(w, sloped);
    run(w);
    // Pixel x lies (x + 0.5) / 8 of the way across the quad.
    const double z = 0.25 + (-0.125 + (3 + 0.5) / 8.0 * 2) / 4;
    EXPECT_NEAR(depthAt(format, 3, 3), z + 2 * 0.0625, 1e-3);
    // Both at once.
    renderState(w, kDepthBias, -0.125f);
    drawVertices(w, sloped);
    run(w);
    if (exact(-0.125f, 0, 1)) {
      EXPECT_NEAR(depthAt(format, 3, 3), z + 2 * 0.0625 - 0.125, 1e-3);
    }
    renderState(w, kSlopeScaleDepthBias, 0.0f);
    renderState(w, kDepthBias, 0.0f);
    drawVertices(w, quad(0, 0, 8, 8, 0, 0.25f));
    run(w);
    EXPECT_NEAR(depthAt(format, 3, 3), 0.25, 1e-7) << "the bias went away";
  }
}

// STATE-7
TEST_F(DepthBiasTest, IntegersCountSteps) {
  constexpr int32_t kSteps = 1000;
  for (const aerogpu_format format : kFormats)
    for (const float z : {0.125f, 0.3125f, 0.75f}) {
      const bool isFloat = format == AEROGPU_FORMAT_D32_FLOAT;
      if (!isFloat && deviceLacks("VK_EXT_depth_range_unrestricted")) continue;
      CommandWriter w;
      bind(w, format);
      aerogpu_cmd_set_rasterizer_state c{};
      c.state.cull_mode = AEROGPU_CULL_NONE;
      c.state.depth_bias = kSteps;
      w.packet(c);
      drawVertices(w, quad(0, 0, 8, 8, 0, z));
      run(w);
      // A step of 24 bits, or of a float of the largest depth of the primitive.
      const double step = isFloat ? std::exp2(std::floor(std::log2(z)) - 23) : 0x1p-24;
      EXPECT_NEAR(depthAt(format, 3, 3), z + kSteps * step, isFloat ? 2 * step : kTolerance) << z << format;
    }
}

TEST_F(DepthBiasTest, FarthestDepthAShaderWritesIsOne) {
  CommandWriter w;
  const uint32_t ps = shader(w, "ps_2_0\ndef c0, 2, 0, 0, 1\nmov oC0, c0\nmov oDepth, c0.x\n");
  bindShaders(w, m_vs, ps);
  if (deviceIsBare()) GTEST_SKIP() << "needs depthClamp";
  for (const aerogpu_format format : kFormats) {
    bind(w, format);
    renderState(w, kDepthBias, 0.0f);
    drawVertices(w, quad(0, 0, 8, 8, 0, 0.25f));
    run(w);
    EXPECT_EQ(depthAt(format, 3, 3), 1.0);
  }
}

}  // namespace
}  // namespace aerogpu::test
