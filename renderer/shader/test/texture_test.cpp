// SPDX-License-Identifier: MIT
// Texture instructions and screen-space derivatives, executed. The textures are those of ShaderGpu.
#include <cmath>
#include <limits>

#include "renderer/shader/test/run_shader.h"

namespace aerogpu::shader::test {
namespace {

using Rows = std::vector<std::vector<Vec4>>;

TEST(Texture, TwoDimensional) {
  const auto pixels = runPixel("dcl_2d s3\ntexld r0, v0, s3\nmov oC0, r0\n",
                               {{{0.1f, 0.1f, 0, 0}}, {{0.9f, 0.1f, 9, 9}}, {{0.3f, 0.6f, -1, 5}}});
  expectNear(pixels[0], {0, 0, 0, 1}, 0, "0, 0");
  expectNear(pixels[1], {3, 0, 0, 1}, 0, "3, 0");
  expectNear(pixels[2], {1, 2, 0, 1}, 0, "1, 2");
}

TEST(Texture, Cube) {
  const auto pixels = runPixel(
      "dcl_cube s0\ntexld r0, v0, s0\nmov oC0, r0.x\n",
      {{{1, 0, 0, 0}}, {{-2, 0, 1, 0}}, {{0, 1, 0, 0}}, {{0, -1, 0, 0}}, {{0, 0, 3, 0}}, {{0, 0, -1, 0}}});
  for (int face = 0; face < 6; ++face) EXPECT_EQ(pixels[face][0], face);
}

TEST(Texture, Volume) {
  const auto pixels = runPixel("dcl_volume s15\ntexld r0, v0, s15\nmov oC0, r0\n",
                               {{{0.1f, 0.4f, 0.9f, 0}}, {{0.6f, 0.6f, 0.1f, 0}}});
  expectNear(pixels[0], {0, 1, 3, 1}, 0, "first");
  expectNear(pixels[1], {2, 2, 0, 1}, 0, "second");
}

TEST(Texture, Projected) {
  expectNear(runPixel("dcl_2d s0\ntexldp r0, v0, s0\nmov oC0, r0\n", {{{1.8f, 0.2f, 0, 2}}})[0], {3, 0, 0, 1},
             0, "2D");
  expectNear(runPixel("dcl_volume s0\ntexldp r0, v0, s0\nmov oC0, r0\n", {{{3.6f, 0.4f, 2.4f, 4}}})[0],
             {3, 0, 2, 1}, 0, "volume");
}

/// Points have no derivatives, so the level before the bias is 0.
TEST(Texture, Bias) {
  const auto pixels =
      runPixel("dcl_2d s0\ntexldb r0, v0, s0\nmov oC0, r0\n", {{{0.9f, 0.9f, 0, 0}}, {{0.9f, 0.9f, 0, -3}}});
  expectNear(pixels[0], {3, 3, 0, 1}, 0, "none");
  expectNear(pixels[1], {3, 3, 0, 1}, 0, "towards larger");
  Draw draw;
  draw.vs = passThrough(1);
  draw.ps = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexldb r0, v0, s0\nmov oC0, r0\n";
  // One texel a pixel: level 0, with a bias of 1 level 1.
  setQuad(draw, 4, 4, [](float x, float y) { return Vec4{x / 4, y / 4, 0, 1}; });
  const Picture picture = render(draw);
  expectNear(picture.color[0][0], {0, 0, 1, 1}, 0, "biased");
  expectNear(picture.color[0][15], {1, 1, 1, 1}, 0, "biased");
}

TEST(Texture, ExplicitLevel) {
  const Rows rows = {{{0.9f, 0.1f, 0, 0}}, {{0.9f, 0.1f, 0, 1}}, {{0.9f, 0.1f, 0, 2}}, {{0.9f, 0.1f, 0, 7}}};
  const std::vector<Vec4> expected = {{3, 0, 0, 1}, {1, 0, 1, 1}, {0, 0, 2, 1}, {0, 0, 2, 1}};
  const auto pixel = runPixel("dcl_2d s0\ntexldl r0, v0, s0\nmov oC0, r0\n", rows);
  const auto vertex = runVertex("dcl_2d s2\ntexldl r0, v1, s2\nmov o1, r0\n", rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    expectNear(pixel[i], expected[i], 0, "pixel shader");
    expectNear(vertex[i], expected[i], 0, "vertex shader");
  }
}

TEST(Texture, ExplicitLevelsBeyondAllThatThereAre) {
  const float inf = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  const Rows rows = {{{0.9f, 0.1f, 0, inf}},
                     {{0.9f, 0.1f, 0, -inf}},
                     {{0.9f, 0.1f, 0, none}},
                     {{0.9f, 0.1f, 0, 1e30f}},
                     {{0.9f, 0.1f, 0, -1e30f}}};
  const std::vector<Vec4> expected = {{0, 0, 2, 1}, {3, 0, 0, 1}, {3, 0, 0, 1}, {0, 0, 2, 1}, {3, 0, 0, 1}};
  const auto pixel = runPixel("dcl_2d s0\ntexldl r0, v0, s0\nmov oC0, r0\n", rows);
  const auto vertex = runVertex("dcl_2d s2\ntexldl r0, v1, s2\nmov o1, r0\n", rows);
  const auto constant =
      runPixel("dcl_2d s0\ndef c0, 0.9, 0.1, 0, 1e30\ntexldl r0, c0, s0\nmov oC0, r0\n", {rows[0]});
  // A pixel shader computes its infinity: between vertices NVIDIA's GPUs interpolate one to no number.
  const auto computed =
      runPixel("dcl_2d s0\nmov r1, v0\nmul r1.w, v0.w, v0.w\ntexldl r0, r1, s0\nmov oC0, r0\n", {rows[3]});
  for (size_t i = 0; i < rows.size(); ++i) {
    if (std::isfinite(rows[i][0][3]))
      expectNear(pixel[i], expected[i], 0, "pixel shader, row " + std::to_string(i));
    expectNear(vertex[i], expected[i], 0, "vertex shader, row " + std::to_string(i));
  }
  expectNear(constant[0], {0, 0, 2, 1}, 0, "a constant");
  expectNear(computed[0], {0, 0, 2, 1}, 0, "infinity");
}

TEST(Texture, ExplicitGradientsBeyondAllThatThereAre) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const float steps : {1e10f, 1e30f, -1e30f, inf, -inf}) {
    const auto pixel = runPixel("dcl_2d s0\ntexldd r0, v0, s0, v1, v1\nmov oC0, r0\n",
                                {{{0.9f, 0.1f, 0, 0}, {steps, 0, 0, 0}}});
    expectNear(pixel[0], {0, 0, 2, 1}, 0, "the last level for " + std::to_string(steps));
  }
}

TEST(Texture, ExplicitGradients) {
  // Steps of 1/4 are one texel (level 0), 1/2 two (level 1), 1 four (level 2).
  const auto pixels = runPixel("dcl_2d s0\ntexldd r0, v0, s0, v1, v2\nmov oC0, r0\n",
                               {{{0.9f, 0.1f, 0, 0}, {0.25f, 0, 0, 0}, {0, 0.25f, 0, 0}},
                                {{0.9f, 0.1f, 0, 0}, {0.5f, 0, 0, 0}, {0, 0.1f, 0, 0}},
                                {{0.9f, 0.1f, 0, 0}, {0.1f, 0, 0, 0}, {0, 1, 0, 0}}});
  expectNear(pixels[0], {3, 0, 0, 1}, 0, "level 0");
  expectNear(pixels[1], {1, 0, 1, 1}, 0, "level 1");
  expectNear(pixels[2], {0, 0, 2, 1}, 0, "level 2");
}

TEST(Texture, SwizzleMaskSaturatePredicate) {
  const Rows rows = {{{0.9f, 0.6f, 0, 0}}};  // texel (3, 2, 0, 1)
  expectNear(runPixel("dcl_2d s0\ntexld r0, v0, s0.wzyx\nmov oC0, r0\n", rows)[0], {1, 0, 2, 3}, 0,
             "swizzle");
  expectNear(
      runPixel("dcl_2d s0\ndef c0, 7, 7, 7, 7\nmov r0, c0\ntexld_sat r0.xw, v0, s0\nmov oC0, r0\n", rows)[0],
      {1, 7, 7, 1}, 0, "mask and saturate");
  expectNear(
      runPixel("dcl_2d s0\ndef c0, 7, 7, 0, 0.7\nmov r0, c0\nsetp_gt p0, c0, v0\n(p0) texld r0, v0, s0\n"
               "mov oC0, r0\n",
               rows)[0],
      {3, 2, 0, 1}, 0, "predicate");
}

/// Shadow maps: the texture holds 0.5 and compares `reference <= texel`, the result in every component.
TEST(Texture, Shadow) {
  Draw draw;
  draw.psShadowSamplers = 1;
  const auto pixels = runPixel("dcl_2d s0\ntexld r0, v0, s0\nmov oC0, r0\n",
                               {{{0.5f, 0.5f, 0.4f, 1}}, {{0.5f, 0.5f, 0.6f, 1}}}, draw);
  expectNear(pixels[0], {1, 1, 1, 1}, 0, "in light");
  expectNear(pixels[1], {0, 0, 0, 0}, 0, "in shadow");
  expectNear(runPixel("dcl_2d s0\ntexldp r0, v0, s0\nmov oC0, r0\n", {{{1, 1, 0.8f, 2}}}, draw)[0],
             {1, 1, 1, 1}, 0, "projected");
}

/// Fetch4: red of texel (x, y) is x, alpha 1. Levels and biases of the instructions do not count.
TEST(Texture, FourTexelsOfOneChannel) {
  Draw draw;
  draw.psGatheredSamplers = 1u << 3;
  const Rows rows = {
      {{0.1f, 0.1f, 0, 1}}, {{0.45f, 0.6f, 0, 1}}, {{0.9f, 0.9f, 0, 1}}, {{0.25f, 0.5f, 0, 1}}};
  const std::vector<Vec4> expected = {{1, 0, 1, 0}, {2, 1, 2, 1}, {3, 3, 3, 3}, {2, 1, 2, 1}};
  for (const char* instruction : {"texld r0, v0, s3", "texldl r0, v0, s3", "texldb r0, v0, s3",
                                  "texldp r0, v0, s3", "texldd r0, v0, s3, v0, v0"}) {
    const auto pixels = runPixel(std::string("dcl_2d s3\n") + instruction + "\nmov oC0, r0\n", rows, draw);
    for (size_t i = 0; i < rows.size(); ++i)
      expectNear(pixels[i], expected[i], 0, instruction + (" " + std::to_string(i)));
  }
  expectNear(runPixel("dcl_2d s3\ntexld r0, v0, s3.yzwx\nmov oC0, r0\n", {rows[1]}, draw)[0], {1, 2, 1, 2}, 0,
             "swizzle");
  draw.psGatheredSamplers = 1u << 3 | 1u << (kGatheredAlpha + 3);
  expectNear(runPixel("dcl_2d s3\ntexld r0, v0, s3\nmov oC0, r0\n", {rows[1]}, draw)[0], {1, 1, 1, 1}, 0,
             "alpha");
  expectNear(runPixel("dcl_2d s2\ntexld r0, v0, s2\nmov oC0, r0\n", {rows[1]}, draw)[0], {1, 2, 0, 1}, 0,
             "another sampler");
}

TEST(Texture, SamplersAreSeparate) {
  Draw draw;
  draw.ps =
      "ps_2_0\ndcl t0\ndcl_2d s0\ndcl_volume s1\ndcl_cube s7\ntexld r0, t0, s0\ntexld r1, t0, s1\n"
      "texld r2, t0, s7\nmov oC0, r0\nmov oC1, r1\nmov oC2, r2\n";
  draw.vs = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n";
  setRow(draw, {{{0.6f, 0.1f, 0.9f, 1}}});
  const Picture picture = render(draw);
  expectNear(picture.color[0][0], {2, 0, 0, 1}, 0, "2D");
  expectNear(picture.color[1][0], {2, 0, 3, 1}, 0, "volume");
  expectNear(picture.color[2][0], {4, 0, 0, 1}, 0, "cube, +z");
}

/// x grows to the right and y downwards, as the pixels do.
TEST(Derivatives, FollowThePixels) {
  Draw draw;
  draw.vs = passThrough(1);
  draw.ps = "ps_3_0\ndcl_texcoord v0\ndsx r0, v0\ndsy r1, v0\nmov oC0, r0\nmov oC1, r1\n";
  setQuad(draw, 4, 4, [](float x, float y) { return Vec4{2 * x, 3 * y, x + y, 1}; });
  const Picture picture = render(draw);
  for (size_t i = 0; i < 16; ++i) {
    expectNear(picture.color[0][i], {2, 0, 1, 0}, 1e-4f, "dsx");
    expectNear(picture.color[1][i], {0, 3, 1, 0}, 1e-4f, "dsy");
  }
}

}  // namespace
}  // namespace aerogpu::shader::test
