// SPDX-License-Identifier: MIT
// Pixel shader models 1.x, executed. The textures are those of ShaderGpu; samplers are 2D unless the
// instruction wants a cube.
#include "renderer/shader/test/run_shader.h"

namespace aerogpu::shader::test {
namespace {

/// Texture coordinates 0..3 and colours 0 and 1 of one pixel.
struct Inputs {
  std::array<Vec4, 4> t{};
  Vec4 v0 = {0, 0, 0, 1}, v1 = {0, 0, 0, 1};
};

Picture run(const std::string& ps, const Inputs& in, Draw draw = {}) {
  draw.vs =
      "vs_1_1\ndcl_position v0\ndcl_texcoord0 v1\ndcl_texcoord1 v2\ndcl_texcoord2 v3\ndcl_texcoord3 v4\n"
      "dcl_color0 v5\ndcl_color1 v6\nmov oPos, v0\nmov oT0, v1\nmov oT1, v2\nmov oT2, v3\nmov oT3, v4\n"
      "mov oD0, v5\nmov oD1, v6\n";
  draw.ps = ps;
  setRow(draw, {{in.t[0], in.t[1], in.t[2], in.t[3], in.v0, in.v1}});
  return render(draw);
}

Vec4 pixel(const std::string& ps, const Inputs& in, const Draw& draw = {}) {
  return run(ps, in, draw).color[0][0];
}

const Inputs kColors = {.v0 = {0.25f, 0.5f, 0, 1}, .v1 = {0.5f, 0.125f, 1, 0}};

TEST(Pixel1, ResultModifiers) {
  expectNear(pixel("ps_1_1\nmov_x2 r0, v0\n", kColors), {0.5f, 1, 0, 2}, 0, "x2");
  expectNear(pixel("ps_1_1\nmov_x4_sat r0, v0\n", kColors), {1, 1, 0, 1}, 0, "x4 sat");
  expectNear(pixel("ps_1_1\nadd_d2 r0, v0, v1\n", kColors), {0.375f, 0.3125f, 0.5f, 0.5f}, 0, "d2");
  expectNear(pixel("ps_1_4\nmov_x8 r0, v0\n", kColors), {2, 4, 0, 8}, 0, "x8");
  expectNear(pixel("ps_1_4\nmov_d8 r0, v0\n", kColors), {0.03125f, 0.0625f, 0, 0.125f}, 0, "d8");
}

TEST(Pixel1, SourceModifiers) {
  expectNear(pixel("ps_1_1\nmov r0, 1-v0\n", kColors), {0.75f, 0.5f, 1, 0}, 0, "complement");
  expectNear(pixel("ps_1_1\nmov r0, v0_bias\n", kColors), {-0.25f, 0, -0.5f, 0.5f}, 0, "bias");
  expectNear(pixel("ps_1_1\nmov r0, -v0_bx2\n", kColors), {0.5f, 0, 1, -1}, 0, "signed scaling");
  expectNear(pixel("ps_1_4\nmov r0, v0_x2\n", kColors), {0.5f, 1, 0, 2}, 0, "x2");
}

TEST(Pixel1, ConstantsAreClamped) {
  expectNear(pixel("ps_1_1\ndef c0, 2, -3, 0.5, 1\nmov r0, c0\n", {}), {1, -1, 0.5f, 1}, 0, "defined");
  Draw draw;
  draw.psFloats = {{}, {-7, 7, 0.25f, -1}};
  expectNear(pixel("ps_1_1\nmov r0, c1\n", {}, draw), {-1, 1, 0.25f, -1}, 0, "set");
}

/// "texbem", "texbeml" and "bem" of the Direct3D 9 reference: the stage of the result has the matrix.
// XSTATE-5
TEST(Pixel1, BumpMatrices) {
  Draw draw;
  draw.stages.resize(3);
  draw.stages[1] = {{0.25f, 0.5f, -0.125f, 0.25f}, 2, 0.5f, {}};
  draw.stages[2] = {{1, 0, 0, 1}, 0.5f, 0.25f, {}};
  // t0 holds (1, 2, 0, 1) at its texel 1, 2; so u' = u + 1 * 0.25 + 2 * -0.125, v' = v + 1 * 0.5 + 2 * 0.25.
  const Inputs at = {.t = {{{0.3f, 0.6f, 0, 1}, {0.6f, -0.9f, 0, 1}, {0.1f, 0.1f, 0, 1}, {}}}};
  // 0.6 and 0.1: texel 2, 0.
  expectNear(pixel("ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n", at, draw), {2, 0, 0, 1}, 0, "texbem");
  // The identity of stage 2 takes coordinates to 1.1 and 2.1, beyond the last texel.
  expectNear(pixel("ps_1_1\ntex t0\ntex t1\ntexbem t2, t0\nmov r0, t2\n", at, draw), {3, 3, 0, 1}, 0,
             "another stage");
  // Blue of t0 is 0: the luminance is the offset, 0.5.
  expectNear(pixel("ps_1_1\ntex t0\ntexbeml t1, t0\nmov r0, t1\n", at, draw), {1, 0, 0, 0.5f}, 0,
             "texbeml, offset");
  // t0 = (0, 0, 0.25, 1) from coordinates: 0.25 * 2 + 0.5 = 1.
  const Inputs blue = {.t = {{{0, 0, 0.25f, 0}, {0.6f, 0.4f, 0, 1}, {}, {}}}};
  expectNear(pixel("ps_1_1\ntexcoord t0\ntexbeml t1, t0\nmov r0, t1\n", blue, draw), {2, 1, 0, 1}, 0,
             "texbeml, scale and offset");
  const Inputs dark = {.t = {{{0, 0, 0.75f, 0}, {0.6f, 0.4f, 0, 1}, {}, {}}}};
  expectNear(pixel("ps_1_1\ntexcoord t0\ntexbeml t1, t0\nmov r0, t1\n", dark, draw), {4, 2, 0, 2}, 0,
             "texbeml, more light than there was");
  // bem r1: stage 1. (0.5, 0.25) + (1 * 0.25 + 2 * -0.125, 1 * 0.5 + 2 * 0.25).
  const Inputs plain = {.t = {{{0.5f, 0.25f, 0, 1}, {1, 2, 0, 1}, {}, {}}}};
  expectNear(pixel("ps_1_4\ntexcrd r0.rgb, t0\ntexcrd r2.rgb, t1\nmov r1, c0\nbem r1.rg, r0, r2\nphase\n"
                   "mov r0.rgb, r1\nmov r0.a, c0.a\n",
                   plain, draw),
             {0.5f, 1.25f, 0, 0}, 0, "bem");
  // Zero everywhere: nothing is perturbed.
  expectNear(pixel("ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n", at), {2, 0, 0, 1}, 0, "no matrix");
}

/// D3DTTFF_PROJECTED with pixel shaders 1.1 to 1.3: tex divides by the last coordinate there is.
// XSTATE-6
TEST(Pixel1, ProjectedCoordinates) {
  const Inputs in = {.t = {{{1.2f, 2, 2, 4}, {1, 1, 1, 1}, {}, {}}}};
  const char* const shader = "ps_1_1\ntex t0\nmov r0, t0\n";
  Draw draw;
  const auto by = [&](uint8_t component) {
    draw.projectedBy[0] = component;
    return pixel(shader, in, draw);
  };
  expectNear(by(0), {3, 3, 0, 1}, 0, "as they are, 1.2 and 2");
  expectNear(by(1), {2, 3, 0, 1}, 0, "by y, 0.6 and 1");
  expectNear(by(2), {2, 3, 0, 1}, 0, "by z, 0.6 and 1");
  expectNear(by(3), {1, 2, 0, 1}, 0, "by w, 0.3 and 0.5");
  // Divided before the matrix perturbs them.
  draw.stages = {{{0, 0, 0, 0}, 0, 0, {}}, {{0.25f, 0, 0, 0.25f}, 0, 0, {}}};
  draw.projectedBy = {0, 3, 0, 0};
  const Inputs both = {.t = {{{0.3f, 0.6f, 0, 1}, {0.4f, 0.4f, 0, 4}, {}, {}}}};  // t0 = (1, 2, 0, 1)
  expectNear(pixel("ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n", both, draw), {1, 2, 0, 1}, 0,
             "0.1 + 0.25, 0.1 + 0.5");
  // Other models have their own projection.
  draw.projectedBy = {3, 3, 3, 3};
  expectNear(pixel("ps_1_4\ntexld r0, t0\n", in, draw), {3, 3, 0, 1}, 0, "ps_1_4");
}

TEST(Pixel1, Conditions) {
  // cnd: src0 > 0.5 ? src1 : src2, by one component before ps_1_4. cmp: src0 >= 0 ? src1 : src2.
  expectNear(pixel("ps_1_1\nmov r0, v0\ncnd r0, r0.a, v1, v0\n", kColors), kColors.v1, 0, "cnd by alpha");
  expectNear(pixel("ps_1_4\nmov r1, v1\ncnd r0, r1, v0, v1\n", kColors), {0.5f, 0.125f, 0, 0}, 0, "cnd");
  expectNear(pixel("ps_1_2\ncmp r0, v0_bias, v1, v0\n", kColors), {0.25f, 0.125f, 0, 0}, 0, "cmp");
}

/// The second of a pair sees the registers as they were before the first.
TEST(Pixel1, Coissue) {
  expectNear(pixel("ps_1_1\nmov r0, v0\nmov r0.rgb, v1\n+mov r0.a, r0.b\n", kColors), {0.5f, 0.125f, 1, 0}, 0,
             "pair");
}

TEST(Pixel1, Coordinates) {
  const Inputs in = {.t = {{{0.9f, 0.1f, 0, 1}, {-1, 0.5f, 3, 0.25f}}}};
  expectNear(pixel("ps_1_1\ntex t0\nmov r0, t0\n", in), {3, 0, 0, 1}, 0, "tex");
  expectNear(pixel("ps_1_1\ntexcoord t1\nmov r0, t1\n", in), {0, 0.5f, 1, 1}, 0, "texcoord");
  expectNear(pixel("ps_1_4\ntexcrd r0, t1\n", in), {-1, 0.5f, 3, 0.25f}, 0, "texcrd");
  expectNear(pixel("ps_1_4\ntexcrd r1.xy, t1_dw.xyw\nmov r0, v0\nmov r0.xy, r1\n", in), {-4, 2, 0, 1}, 0,
             "by w");
  expectNear(pixel("ps_1_4\ntexcrd r1.xyz, t0\nphase\ntexld r2, r1\nmov r0, r2\n", in), {3, 0, 0, 1}, 0,
             "phase 2");
  const Inputs divided = {.t = {{{1.2f, 1.8f, 2, 1}}}};
  expectNear(pixel("ps_1_4\ntexcrd r1.xyz, t0\nphase\ntexld r0, r1_dz\n", divided), {2, 3, 0, 1}, 0, "by z");
  // A divisor of 0 gives 1.
  const Inputs byZero = {.t = {{{-5, 0, 0, 0}}}};
  expectNear(pixel("ps_1_4\ntexcrd r1.xy, t0_dw.xyw\nmov r0, v0\nmov r0.xy, r1\n", byZero), {1, 1, 0, 1}, 0,
             "by w = 0");
  expectNear(pixel("ps_1_4\ntexcrd r1.xyz, t0\nphase\ntexld r0, r1_dz\n", byZero), {3, 3, 0, 1}, 0,
             "by z = 0");
}

TEST(Pixel1, Kill) {
  const Vec4 untouched = {-9, -9, -9, -9};
  expectNear(pixel("ps_1_1\ntexkill t0\nmov r0, v0\n", {.t = {{{1, 1, -1, 1}}}}), untouched, 0, "z");
  expectNear(pixel("ps_1_1\ntexkill t0\nmov r0, v0\n", {.t = {{{1, 1, 1, -1}}}}), {0, 0, 0, 1}, 0,
             "w is not read");
  // The coordinate counts, not the result of tex.
  expectNear(pixel("ps_1_1\ntex t0\ntexkill t0\nmov r0, v0\n", {.t = {{{-0.1f, 0, 0, 1}}}}), untouched, 0,
             "x");
}

TEST(Pixel1, DependentReads) {
  // tex t0 gives (0, 3, 0, 1); by alpha and red: (1, 0), by green and blue: (3, 0), both texel (3, 0).
  const Inputs in = {.t = {{{0.1f, 0.9f, 0, 1}}}};
  expectNear(pixel("ps_1_1\ntex t0\ntexreg2ar t1, t0\nmov r0, t1\n", in), {3, 0, 0, 1}, 0, "ar");
  expectNear(pixel("ps_1_1\ntex t0\ntexreg2gb t1, t0\nmov r0, t1\n", in), {3, 0, 0, 1}, 0, "gb");
  expectNear(pixel("ps_1_2\ntex t0\ntexreg2rgb t1, t0\nmov r0, t1\n", in), {0, 3, 0, 1}, 0, "rgb");
}

TEST(Pixel1, DotProducts) {
  // texcoord t0 = (0.5, 0.25, 1); rows from the coordinates of t1, t2, t3.
  const Inputs in = {.t = {{{0.5f, 0.25f, 1, 1}, {2, 4, 1, 1}, {0.2f, 0.4f, 0.4f, 1}, {-1, 2, 3, 1}}}};
  expectNear(pixel("ps_1_2\ntexcoord t0\ntexdp3 t1, t0\nmov r0, t1\n", in), {3, 3, 3, 3}, 1e-6f, "texdp3");
  // 0.6 of the way along a row of four texels: texel 2.
  expectNear(pixel("ps_1_2\ntexcoord t0\ntexdp3tex t2, t0\nmov r0, t2\n", in), {2, 0, 0, 1}, 0, "texdp3tex");
  expectNear(
      pixel("ps_1_2\ntexcoord t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmov r0, t3\n", in),
      {3, 0.6f, 3, 1}, 1e-6f, "texm3x3");
  expectNear(pixel("ps_1_1\ntexcoord t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2\n", in),
             {3, 2, 0, 1}, 0, "texm3x2tex");
  EXPECT_NEAR(run("ps_1_3\ntexcoord t0\ntexm3x2pad t2, t0\ntexm3x2depth t3, t0\nmov r0, v0\n", in).depth[0],
              0.2f, 1e-5f);
}

TEST(Pixel1, Reflection) {
  // t0 = (1, 0, 0) picks the x of each row: the normal is (t1.x, t2.x, t3.x), the eye vector of vspec their
  // w.
  const auto rows = [](Vec4 normal, Vec4 eye) {
    Inputs in;
    in.t[0] = {1, 0, 0, 1};
    for (size_t i = 0; i < 3; ++i) in.t[i + 1] = {normal[i], 0, 0, eye[i]};
    return in;
  };
  const std::string pads = "texcoord t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\n";
  expectNear(pixel("ps_1_1\n" + pads + "texm3x3tex t3, t0\nmov r0, t3\n", rows({0, -1, 0}, {})), {3, 0, 0, 1},
             0, "texm3x3tex, -y");
  // The eye lies along z, the normal along y: reflected to -z.
  expectNear(pixel("ps_1_1\ndef c0, 0, 0, 1, 0\n" + pads + "texm3x3spec t3, t0, c0\nmov r0, t3\n",
                   rows({0, 2, 0}, {})),
             {5, 0, 0, 1}, 0, "texm3x3spec, -z");
  expectNear(pixel("ps_1_1\n" + pads + "texm3x3vspec t3, t0\nmov r0, t3\n", rows({3, 0, 0}, {1, 0, 0})),
             {0, 0, 0, 1}, 0, "texm3x3vspec, +x");
}

TEST(Pixel1, Depth) {
  const std::string ps = "ps_1_4\ntexcrd r5.xyz, t0\nphase\ntexdepth r5\nmov r0, v0\n";
  EXPECT_NEAR(run(ps, {.t = {{{0.25f, 0.5f, 0, 1}}}}).depth[0], 0.5f, 1e-6f);
  EXPECT_EQ(run(ps, {.t = {{{0.25f, 0, 0, 1}}}}).depth[0], 1.0f);  // divided by 0
}

TEST(Pixel1, AlphaTestAndFog) {
  Draw draw;
  draw.alphaTest = true;
  draw.push.alphaFunc = 2;  // less
  draw.push.alphaRef = 0.5f;
  expectNear(pixel("ps_1_1\nmov r0, v0\n", kColors, draw), {-9, -9, -9, -9}, 0, "alpha 1");
  expectNear(pixel("ps_1_1\nmov r0, v1\n", kColors, draw), kColors.v1, 0, "alpha 0");
  // No fog output: fully fogged.
  draw.alphaTest = false;
  draw.fog = true;
  draw.push.fogColor[0] = 0.75f;
  expectNear(pixel("ps_1_1\nmov r0, v0\n", kColors, draw), {0.75f, 0, 0, 1}, 0, "fog");
}

/// vs_1_1: mov to a0 rounds down; expp and logp give parts.
TEST(Vertex1, Instructions) {
  Draw draw;
  draw.ps = "ps_2_0\ndcl t0\nmov oC0, t0\n";
  draw.vsFloats = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
  const auto run = [&](const std::string& body, Vec4 v1) {
    draw.vs = "vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\n" + body;
    setRow(draw, {{v1}});
    return render(draw).color[0][0];
  };
  expectNear(run("mov a0.x, v1.x\nmov oT0, c[a0.x + 1]\n", {1.75f, 0, 0, 0}), {2, 2, 2, 2}, 0, "floor");
  expectNear(run("mov a0.x, v1.x\nmov oT0, c[a0.x + 1]\n", {-0.25f, 0, 0, 0}), {0, 0, 0, 0}, 0,
             "floor below 0");
  expectNear(run("expp oT0, v1.x\n", {2.5f, 0, 0, 0}), {4, 0.5f, 5.656854f, 1}, 1e-4f, "expp");
  expectNear(run("logp oT0, v1.x\n", {-12, 0, 0, 0}), {3, 1.5f, 3.5849625f, 1}, 1e-4f, "logp");
}

}  // namespace
}  // namespace aerogpu::shader::test
