// SPDX-License-Identifier: MIT
// Tests what surrounds the instructions: linkage of the stages, alpha test, fog, point sprites, clip planes,
// vPos and vFace, targets, depth, texkill.
#include <bit>

#include "renderer/shader/test/run_shader.h"

namespace aerogpu::shader::test {
namespace {

using Rows = std::vector<std::vector<Vec4>>;

constexpr char kVs2[] = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\n";

Draw shaders(std::string vs, std::string ps, const Rows& rows) {
  Draw draw;
  draw.vs = std::move(vs);
  draw.ps = std::move(ps);
  setRow(draw, rows);
  return draw;
}

TEST(Linkage, FixedOutputs) {
  const Picture picture = render(
      shaders(std::string(kVs2) + "mov oD0, v1\nmov oD1, v1.wzyx\nmov oT0, v1\nmov oT7, -v1\n",
              "ps_2_0\ndcl v0\ndcl v1\ndcl t0\ndcl t7\nmov r0, v0\nmov r1, v1\nmov r2, t0\nmov r3, t7\n"
              "mov oC0, r0\nmov oC1, r1\nmov oC2, r2\nmov oC3, r3\n",
              {{{0.5f, -1, 2, 0.25f}}}));
  // Colours of shader model 2 are clamped to 0..1, texture coordinates are not.
  expectNear(picture.color[0][0], {0.5f, 0, 1, 0.25f}, 0, "oD0");
  expectNear(picture.color[1][0], {0.25f, 1, 0, 0.5f}, 0, "oD1");
  expectNear(picture.color[2][0], {0.5f, -1, 2, 0.25f}, 0, "oT0");
  expectNear(picture.color[3][0], {-0.5f, 1, -2, -0.25f}, 0, "oT7");
}

TEST(Linkage, PackedSemantics) {
  const Picture picture = render(shaders(
      "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord3 o1.xy\ndcl_normal2 o1.zw\n"
      "dcl_color1 o2\nmov o0, v0\nmov o1, v1\nmov o2, -v1\n",
      "ps_3_0\ndcl_normal2 v7.zw\ndcl_texcoord3 v7.xy\ndcl_color1 v2\nmov oC0, v7\nmov oC1, v2\n",
      {{{1, 2, 3, 4}}}));
  expectNear(picture.color[0][0], {1, 2, 3, 4}, 0, "two semantics in a register");
  expectNear(picture.color[1][0], {-1, -2, -3, -4}, 0, "colours of model 3 are not clamped");
}

TEST(Linkage, MissingInputs) {
  const Picture picture = render(
      shaders(std::string(kVs2) + "mov oT1, v1\n",
              "ps_2_0\ndcl v0\ndcl v1\ndcl t0\ndcl t1\nmov r0, v0\nmov r1, v1\nmov r2, t0\nmov r3, t1\n"
              "mov oC0, r0\nmov oC1, r1\nmov oC2, r2\nmov oC3, r3\n",
              {{{1, 2, 3, 4}}}));
  expectNear(picture.color[0][0], {1, 1, 1, 1}, 0, "COLOR0");
  expectNear(picture.color[1][0], {0, 0, 0, 0}, 0, "COLOR1");
  expectNear(picture.color[2][0], {0, 0, 0, 0}, 0, "TEXCOORD0");
  expectNear(picture.color[3][0], {1, 2, 3, 4}, 0, "TEXCOORD1");
}

/// Components of a diffuse colour that models 1 and 2 leave out are 1, like a missing colour.
TEST(Linkage, PartlyWrittenColours) {
  const auto colours = [](const std::string& vs) {
    return render(shaders(vs, "ps_2_0\ndcl v0\ndcl v1\nmov r0, v0\nmov r1, v1\nmov oC0, r0\nmov oC1, r1\n",
                          {{{0.5f, 0.25f, 0.75f, 0.125f}}}))
        .color;
  };
  for (const char* model : {"vs_1_1", "vs_2_0", "vs_2_x"}) {
    const auto got = colours(std::string(model) +
                             "\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oD0.yw, v1\n"
                             "mov oD1.yw, v1\n");
    expectNear(got[0][0], {1, 0.25f, 1, 0.125f}, 0, std::string(model) + " oD0");
    expectNear(got[1][0], {0, 0.25f, 0, 0.125f}, 0, std::string(model) + " oD1");
  }
  // With flow control registers are variables.
  expectNear(
      colours(std::string(kVs2) + "if b0\nmov oD0.y, v1\nelse\nmov oD0.x, v1\nendif\nmov oD1, v1\n")[0][0],
      {0.5f, 1, 1, 1}, 0, "one branch");
}

TEST(Constants, FilesOfBothStages) {
  Draw draw = shaders(std::string(kVs2) + "def c1, 5, 6, 7, 8\nadd r0, c0, c1\nadd oT0, r0, c200\n",
                      "ps_2_0\ndcl t0\nadd r0, t0, c31\nmov oC0, r0\n", {{{0, 0, 0, 0}}});
  draw.vsFloats.assign(256, {1, 1, 1, 1});
  draw.vsFloats[200] = {10, 20, 30, 40};
  draw.psFloats.assign(224, {});
  draw.psFloats[31] = {100, 200, 300, 400};
  expectNear(render(draw).color[0][0], {116, 227, 338, 449}, 0, "c0 + def c1 + c200 + pixel c31");
}

TEST(AlphaTest, EveryFunction) {
  // Rows: alpha below, at, above the reference of 0.5. D3DCMPFUNC 1..8.
  const bool passes[8][3] = {{false, false, false}, {true, false, false}, {false, true, false},
                             {true, true, false},   {false, false, true}, {true, false, true},
                             {false, true, true},   {true, true, true}};
  for (uint32_t func = 1; func <= 8; ++func)
    for (bool enabled : {true, false}) {
      Draw draw = shaders(std::string(kVs2) + "mov oT0, v1\n", "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n",
                          {{{1, 2, 3, 0.25f}}, {{1, 2, 3, 0.5f}}, {{1, 2, 3, 0.75f}}});
      draw.alphaTest = enabled;
      draw.push.alphaFunc = func;
      draw.push.alphaRef = 0.5f;
      const Picture picture = render(draw);
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(picture.color[0][i][0], !enabled || passes[func - 1][i] ? 1.0f : -9.0f) << func << " " << i;
    }
}

/// The test rounds alpha and the reference to eight bits, so a difference in the last place of a float does
/// not count.
// DRAW-10
TEST(AlphaTest, EightBitsCount) {
  const float ref = 27 / 255.0f;
  Draw draw = shaders(std::string(kVs2) + "mov oT0, v1\n", "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n",
                      {{{1, 2, 3, std::nextafter(ref, 0.0f)}},
                       {{1, 2, 3, std::nextafter(ref, 1.0f)}},
                       {{1, 2, 3, 26 / 255.0f}},
                       {{1, 2, 3, 28 / 255.0f}}});
  draw.alphaTest = true;
  draw.push.alphaRef = ref;
  draw.push.alphaFunc = 3;  // D3DCMP_EQUAL
  const Picture picture = render(draw);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(picture.color[0][i][0], i < 2 ? 1.0f : -9.0f) << i;
}

TEST(Fog, EverySource) {
  Draw draw =
      shaders(std::string(kVs2) + "mov oT0, v1\nmov oFog, v1.x\n",
              "ps_2_0\ndcl t0\ndef c0, 1, 0, 0.5, 0.25\nmov r0, c0\nmov oC0, r0\n", {{{0.75f, 0, 0, 0}}});
  const float z = 0.6f;
  draw.vertices[0][0][2] = z;
  draw.fog = true;
  draw.push.fogColor[0] = 0.25f;
  draw.push.fogColor[1] = 1;
  draw.push.fogStart = 0.5f;
  draw.push.fogEnd = 0.9f;
  draw.push.fogDensity = 1.5f;
  const float factors[4] = {0.75f, std::exp(-z * 1.5f), std::exp(-z * z * 1.5f * 1.5f), (0.9f - z) / 0.4f};
  for (uint32_t mode = 0; mode < 4; ++mode) {
    draw.push.fogMode = mode;
    const float f = factors[mode];
    expectNear(render(draw).color[0][0], {f + (1 - f) * 0.25f, 1 - f, 0.5f * f, 0.25f}, 1e-4f,
               "fog source " + std::to_string(mode));
  }
  // If start and end are equal, there is no fog before and only fog after it.
  for (const float at : {0.5f, 0.6f, 0.7f}) {
    draw.push.fogMode = 3;
    draw.push.fogStart = draw.push.fogEnd = at;
    const float f = z < at ? 1 : 0;
    expectNear(render(draw).color[0][0], {f + (1 - f) * 0.25f, 1 - f, 0.5f * f, 0.25f}, 0,
               "fog from and to " + std::to_string(at));
  }
  draw.fog = false;
  expectNear(render(draw).color[0][0], {1, 0, 0.5f, 0.25f}, 0, "fog off");
  draw.fog = true;
  draw.ps = "ps_3_0\ndef c0, 1, 0, 0.5, 0.25\nmov oC0, c0\n";
  expectNear(render(draw).color[0][0], {1, 0, 0.5f, 0.25f}, 0, "shader model 3 does its own fog");
}

TEST(Targets, FourColoursAndDepth) {
  const Picture picture = render(shaders(std::string(kVs2) + "mov oT0, v1\n",
                                         "ps_2_0\ndcl t0\nmov r0, t0\nmov r1, -r0\nmov oC0, r0\nmov oC1, r1\n"
                                         "mov oC3, r0.wzyx\nmov oDepth, r0.x\n",
                                         {{{0.25f, 2, 3, 4}}}));
  expectNear(picture.color[0][0], {0.25f, 2, 3, 4}, 0, "oC0");
  expectNear(picture.color[1][0], {-0.25f, -2, -3, -4}, 0, "oC1");
  expectNear(picture.color[3][0], {4, 3, 2, 0.25f}, 0, "oC3");
  expectNear(picture.color[2][0], {-9, -9, -9, -9}, 0, "not written");
  EXPECT_FLOAT_EQ(picture.depth[0], 0.25f);
}

TEST(TexKill, NegativeComponents) {
  const Rows rows = {{{1, 1, 1, 1}}, {{-0.5f, 1, 1, 1}}, {{1, 1, -0.5f, 1}}, {{0, 0, 0, 0}}};
  const auto alive = [&](const char* code) {
    std::string s;
    for (const Vec4& p : runPixel(std::string(code) + "\nmov oC0, r0\n", rows)) s += p[0] == -9 ? 'k' : '.';
    return s;
  };
  EXPECT_EQ(alive("mov r0, v0\ntexkill r0"), ".kk.");
  EXPECT_EQ(alive("mov r0, v0\ntexkill r0.xy"), ".k..");
  EXPECT_EQ(alive("mov r0, v0\nif_gt r0.z, c0.x\ntexkill r0\nendif"), ".k..");
}

TEST(Misc, PositionAndFace) {
  Draw draw;
  draw.vs = passThrough(1);
  draw.ps =
      "ps_3_0\ndcl vPos.xy\ndcl vFace\ndef c0, 1, -1, 0, 0\nmov r0.xy, vPos\ncmp r0.zw, vFace, c0.x, c0.y\n"
      "mov oC0, r0\n";
  for (bool back : {false, true}) {
    setQuad(
        draw, 3, 2, [](float, float) { return Vec4{}; }, back);
    const Picture picture = render(draw);
    for (uint32_t y = 0; y < 2; ++y)
      for (uint32_t x = 0; x < 3; ++x)
        expectNear(picture.color[0][y * 3 + x],
                   {float(x), float(y), back ? -1.0f : 1.0f, back ? -1.0f : 1.0f}, 0, "pixel");
  }
}

TEST(Points, SizeAndSprites) {
  Draw draw = shaders(std::string(kVs2) + "mov oT0, v1\n", "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n",
                      {{{5, 6, 7, 8}}});
  draw.width = draw.height = 8;
  draw.vertices[0][0] = {0, 0, 0, 1};
  const auto covered = [](const Picture& p) {
    return std::count_if(p.color[0].begin(), p.color[0].end(), [](const Vec4& c) { return c[0] != -9; });
  };
  draw.push.pointSize = 4;
  EXPECT_EQ(covered(render(draw)), 16);
  draw.push.pointSizeMax = 2;
  EXPECT_EQ(covered(render(draw)), 4);
  draw.push.pointSizeMax = 64;
  draw.push.pointSizeMin = 6;
  EXPECT_EQ(covered(render(draw)), 36);
  draw.push.pointSizeMin = 1;
  draw.pointSprite = true;
  const Picture sprite = render(draw);
  // Pixel (2, 2) is the first of four: coordinates run from 1/8 to 7/8, y down.
  expectNear(sprite.color[0][2 * 8 + 2], {0.125f, 0.125f, 0, 1}, 1e-5f, "top left");
  expectNear(sprite.color[0][5 * 8 + 3], {0.375f, 0.875f, 0, 1}, 1e-5f, "bottom");
  draw.pointSprite = false;
  draw.vs = std::string(kVs2) + "mov oT0, v1\nmov oPts, c0.x\n";
  draw.vsFloats = {{2, 0, 0, 0}};
  EXPECT_EQ(covered(render(draw)), 4);
}

TEST(Shading, FlatColoursSmoothCoordinates) {
  Draw draw;
  draw.vs = std::string(kVs2) + "mov oD0, v1\nmov oT0, v1\n";
  draw.ps = "ps_2_0\ndcl v0\ndcl t0\nmov r0, v0\nmov r1, t0\nmov oC0, r0\nmov oC1, r1\n";
  setQuad(draw, 4, 4, [](float x, float y) { return Vec4{x / 4, y / 4, 0, 1}; });
  Picture picture = render(draw);
  expectNear(picture.color[0][0], {0.125f, 0.125f, 0, 1}, 1e-5f, "smooth");
  draw.flatShade = true;
  picture = render(draw);
  // The first vertex of each triangle: (0, 0) of the upper left, (0, 1) of the lower right one.
  expectNear(picture.color[0][0], {0, 0, 0, 1}, 0, "flat, first triangle");
  expectNear(picture.color[0][15], {0, 1, 0, 1}, 0, "flat, second triangle");
  expectNear(picture.color[1][0], {0.125f, 0.125f, 0, 1}, 1e-5f, "coordinates stay smooth");
}

/// The factor of a vertex shader is interpolated unchanged, and clamped in the pixel.
// DRAW-11
TEST(Fog, TheVertexFactorIsClampedInThePixel) {
  Draw draw;
  draw.vs = std::string(kVs2) + "mov oT0, v1\nmov oFog, v1.x\n";
  draw.ps = "ps_2_0\ndcl t0\ndef c0, 1, 1, 1, 1\nmov r0, c0\nmov oC0, r0\n";
  setQuad(draw, 8, 1, [](float x, float) { return Vec4{x / 2 - 1, 0, 0, 0}; });  // -1 to 3
  draw.fog = true;
  const Picture picture = render(draw);
  for (uint32_t x = 0; x < 8; ++x) {
    const float factor = std::clamp((static_cast<float>(x) + 0.5f) / 2 - 1, 0.0f, 1.0f);
    EXPECT_NEAR(picture.color[0][x][0], factor, 1e-5f) << x;
  }
}

/// kFogByW: the tables count the w of the position.
// XSTATE-8
TEST(Fog, ByW) {
  Draw draw = shaders(std::string(kVs2) + "mov oT0, v1\n",
                      "ps_2_0\ndcl t0\ndef c0, 1, 0, 0.5, 0.25\nmov r0, c0\nmov oC0, r0\n", {{{0, 0, 0, 0}}});
  const float w = 40;
  for (float& x : draw.vertices[0][0]) x *= w;
  draw.vertices[0][0][2] = 0.9f * w;
  draw.fog = true;
  draw.push.fogStart = 10;
  draw.push.fogEnd = 90;
  draw.push.fogDensity = 0.02f;
  const float factors[4] = {0, std::exp(-w * 0.02f), std::exp(-w * w * 0.02f * 0.02f), (90 - w) / 80};
  for (uint32_t mode = 1; mode < 4; ++mode) {
    draw.push.fogMode = mode + kFogByW;
    const float f = factors[mode];
    expectNear(render(draw).color[0][0], {f, 0, 0.5f * f, 0.25f}, 1e-4f, "fog table " + std::to_string(mode));
  }
  draw.push.fogStart = draw.push.fogEnd = 0.95f;
  draw.push.fogMode = static_cast<uint32_t>(FogSource::Linear);
  expectNear(render(draw).color[0][0], {1, 0, 0.5f, 0.25f}, 0, "z is nearer");
  draw.push.fogMode += kFogByW;
  expectNear(render(draw).color[0][0], {0, 0, 0, 0.25f}, 0, "w is farther");
}

/// oC1 as the second source of the blending: target 0 becomes oC0 times oC1.
// DRAW-22
TEST(Targets, SecondSourceColor) {
  Draw draw = shaders(std::string(kVs2) + "mov oT0, v1\n",
                      "ps_2_0\ndcl t0\nmov r0, t0\nmov r1, t0.wzyx\nmov oC0, r0\nmov oC1, r1\n",
                      {{{0.25f, 2, 3, 4}}});
  draw.dualSource = true;
  expectNear(render(draw).color[0][0], {0.25f * 4, 2 * 3, 3 * 2, 4 * 0.25f}, 0, "times");
}

/// Inputs that the GPU fetches as whole numbers become equal floats.
// INPUT-3
TEST(Inputs, WholeNumbersBecomeFloats) {
  const auto bits = [](std::array<int32_t, 4> v) { return std::bit_cast<Vec4>(v); };
  Draw draw = shaders(std::string(kVs2) + "mov oT0, v1\n", "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n",
                      {{bits({-32768, 0, 255, 1})}});
  draw.inputTypes[1] = InputType::Int;
  expectNear(render(draw).color[0][0], {-32768, 0, 255, 1}, 0, "signed");
  draw.inputTypes[1] = InputType::Uint;
  draw.vertices[0][1] = bits({65535, 0, 255, 1});
  expectNear(render(draw).color[0][0], {65535, 0, 255, 1}, 0, "unsigned");
}

// SHADER-15
TEST(Inputs, ThoseThatAreNotDeclaredAreConstant) {
  const Picture picture = render(shaders(
      std::string(kVs2) + "mov oT0, v1\nadd oT1, v1, v5\nm3x2 r0.xy, v1, v6\nmov oT2, r0.xyyy\n",
      "ps_2_0\ndcl t0\ndcl t1\ndcl t2.xy\nmov r0, t0\nmov r1, t1\nmov r2, t2.xyyy\nmov oC0, r0\nmov oC1, r1\n"
      "mov oC2, r2\n",
      {{{1, 2, 3, 4}}}));
  expectNear(picture.color[0][0], {1, 2, 3, 4}, 0, "declared");
  expectNear(picture.color[1][0], {1, 2, 3, 5}, 0, "v5 is 0, 0, 0, 1");
  expectNear(picture.color[2][0], {0, 0, 0, 0}, 0, "rows of a matrix");
}

/// Several unsigned inputs have one type, as SPIR-V demands, and so has one that is read again in another
/// block.
// INPUT-3
TEST(Inputs, WholeNumbersShareTheirType) {
  const auto bits = [](std::array<int32_t, 4> v) { return std::bit_cast<Vec4>(v); };
  Draw draw = shaders(
      std::string(kVs2) +
          "dcl_texcoord1 v2\ndefb b0, true\nadd r0, v1, v2\nif b0\nadd r0, r0, v1\nendif\nmov oT0, r0\n",
      "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n", {{bits({1, 2, 3, 4}), bits({100, 200, 300, 400})}});
  draw.inputTypes[1] = draw.inputTypes[2] = InputType::Uint;
  expectNear(render(draw).color[0][0], {102, 204, 306, 408}, 0, "sum");
}

TEST(ClipPlanes, CutInClipSpace) {
  Draw draw;
  draw.vs = std::string(kVs2) + "mov oT0, v1\n";
  draw.ps = "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n";
  setQuad(draw, 4, 4, [](float, float) { return Vec4{1, 1, 1, 1}; });
  draw.clipPlanes = {{1, 0, 0, 0}, {0, 1, 0, 0}};  // x >= 0 and y >= 0: the upper right quarter
  const Picture picture = render(draw);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 4; ++x)
      EXPECT_EQ(picture.color[0][y * 4 + x][0], x >= 2 && y < 2 ? 1.0f : -9.0f) << x << "," << y;
}

}  // namespace
}  // namespace aerogpu::shader::test
