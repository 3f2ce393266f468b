// SPDX-License-Identifier: MIT
// Flow control, loops, calls, predicates and relative addressing, executed. Expectations follow the flow
// control pages of the Direct3D 9 "asm shader reference".
#include "renderer/shader/test/run_shader.h"

namespace aerogpu::shader::test {
namespace {

// One row a condition; x and y of the row are compared.
const std::vector<std::vector<Vec4>> kPairs = {{{1, 2, 0, 0}}, {{2, 2, 0, 0}}, {{3, 2, 0, 0}}};

void expectX(const std::vector<Vec4>& pixels, const std::vector<float>& expected, const std::string& where) {
  ASSERT_EQ(pixels.size(), expected.size()) << where;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_FLOAT_EQ(pixels[i][0], expected[i]) << where << " row " << i;
}

/// Runs the body as pixel shader and as vertex shader: `@` stands for the input, `$` for the output.
void expectBoth(const std::string& body, const std::vector<std::vector<Vec4>>& rows,
                const std::vector<float>& expected, const Draw& draw = {}) {
  const auto filled = [&](const char* input, const char* output) {
    std::string s;
    for (char c : body)
      s += c == '@' ? std::string(input) : c == '$' ? std::string(output) : std::string(1, c);
    return s;
  };
  expectX(runPixel(filled("v0", "oC0"), rows, draw), expected, "pixel shader: " + body);
  expectX(runVertex(filled("v1", "o1"), rows, draw), expected, "vertex shader: " + body);
}

Draw withBools(uint32_t bits) {
  Draw draw;
  draw.push.vsBools = draw.push.psBools = bits;
  return draw;
}

Draw withInts(std::vector<Int4> ints) {
  Draw draw;
  draw.vsInts = draw.psInts = std::move(ints);
  return draw;
}

TEST(Flow, Comparisons) {
  const struct {
    const char* name;
    std::vector<float> expected;
  } rows[] = {{"gt", {0, 0, 1}}, {"eq", {0, 1, 0}}, {"ge", {0, 1, 1}},
              {"lt", {1, 0, 0}}, {"ne", {1, 0, 1}}, {"le", {1, 1, 0}}};
  for (const auto& row : rows)
    expectBoth(std::string("def c0, 0, 1, 0, 0\nif_") + row.name +
                   " @.x, @.y\nmov r0, c0.y\nelse\nmov r0, c0.x\nendif\nmov $, r0\n",
               kPairs, row.expected);
}

TEST(Flow, BooleanRegisters) {
  const std::string body =
      "def c0, 1, 2, 4, 8\nmov r0, c0\nif b3\nadd r0.x, r0.x, c0.y\nendif\nif !b3\nadd r0.x, r0.x, "
      "c0.z\nelse\n"
      "add r0.x, r0.x, c0.w\nendif\nmov $, r0\n";
  expectBoth(body, {{{0, 0, 0, 0}}}, {1 + 2 + 8}, withBools(1u << 3));
  expectBoth(body, {{{0, 0, 0, 0}}}, {1 + 4}, withBools(~(1u << 3)));
  expectBoth("defb b3, true\n" + body, {{{0, 0, 0, 0}}}, {1 + 2 + 8}, withBools(0));
}

TEST(Flow, RepCounts) {
  const std::string body = "def c0, 0, 1, 0, 0\nmov r0, c0.x\nrep i2\nadd r0, r0, c0.y\nendrep\nmov $, r0\n";
  for (int32_t count : {0, 1, 7, 255})
    expectBoth(body, {{{0, 0, 0, 0}}}, {float(count)}, withInts({{}, {}, {count, 0, 0, 0}}));
  // Counts are 0..255: a guest's larger count must not run for long.
  expectBoth(body, {{{0, 0, 0, 0}}}, {255}, withInts({{}, {}, {0x7FFFFFFF, 0, 0, 0}}));
  expectBoth(body, {{{0, 0, 0, 0}}}, {0}, withInts({{}, {}, {-5, 0, 0, 0}}));
  expectBoth("defi i2, 6, 0, 0, 0\n" + body, {{{0, 0, 0, 0}}}, {6});
}

TEST(Flow, LoopIndexesConstants) {
  Draw draw = withInts({{3, 1, 2, 0}});  // three times, aL = 1, 3, 5
  draw.vsFloats = draw.psFloats = {{1}, {10}, {100}, {1000}, {10000}, {100000}, {1000000}};
  // Relative addressing of constants exists in vertex shaders only.
  const auto pixels =
      runVertex("mov r0, c0\nloop aL, i0\nadd r0, r0, c[aL]\nendloop\nmov o1, r0\n", {{{0, 0, 0, 0}}}, draw);
  expectX(pixels, {1 + 10 + 1000 + 100000}, "c[aL]");
}

TEST(Flow, NestedLoopsKeepTheirIndex) {
  Draw draw = withInts({{2, 0, 1, 0}, {3, 4, 1, 0}});
  for (int i = 0; i < 8; ++i) draw.vsFloats.push_back({std::ldexp(1.0f, 3 * i), 0, 0, 0});
  // Outer aL 0, 1; inner 4, 5, 6; after the inner loop aL is the outer index again.
  const auto pixels = runVertex(
      "def c20, 0, 0, 0, 0\nmov r0, c20\nloop aL, i0\nloop aL, i1\nadd r0, r0, c[aL]\nendloop\nadd r0, r0, "
      "c[aL]\n"
      "endloop\nmov o1, r0\n",
      {{{0, 0, 0, 0}}}, draw);
  expectX(pixels, {float(1 + 8 + 2 * (4096 + 32768 + 262144))}, "nested");
}

TEST(Flow, Breaks) {
  const auto ints = withInts({{10, 0, 1, 0}});
  expectBoth(
      "def c0, 0, 1, 4, 0\nmov r0, c0.x\nrep i0\nadd r0, r0, c0.y\nbreak_ge r0.x, c0.z\nendrep\nmov $, r0\n",
      {{{0, 0, 0, 0}}}, {4}, ints);
  expectBoth(
      "def c0, 0, 1, 3, 100\nmov r0, c0.x\nrep i0\nif_eq r0.x, c0.z\nbreak\nendif\nadd r0, r0, c0.y\nendrep\n"
      "add r0, r0, c0.w\nmov $, r0\n",
      {{{0, 0, 0, 0}}}, {103}, ints);
  expectBoth(
      "def c0, 0, 1, 5, 0\nmov r0, c0.x\nrep i0\nadd r0, r0, c0.y\nsetp_gt p0, r0, c0.z\nbreakp "
      "p0.x\nendrep\n"
      "mov $, r0\n",
      {{{0, 0, 0, 0}}}, {6}, ints);
  // A break leaves only the inner loop, and the code after it in its block never runs.
  expectBoth(
      "def c0, 0, 1, 50, 0\nmov r0, c0.x\nrep i0\nrep i0\nadd r0, r0, c0.y\nif_gt r0.x, c0.x\nbreak\n"
      "add r0, r0, c0.z\nelse\nbreak\nendif\nadd r0, r0, c0.z\nendrep\nendrep\nmov $, r0\n",
      {{{0, 0, 0, 0}}}, {10}, ints);
}

TEST(Flow, DivergentLoops) {
  expectBoth(
      "def c0, 0, 1, 0, 0\ndefi i0, 100, 0, 0, 0\nmov r0, c0.x\nrep i0\nbreak_ge r0.x, @.x\nadd r0, r0, "
      "c0.y\n"
      "endrep\nmov $, r0\n",
      {{{1, 0, 0, 0}}, {{40, 0, 0, 0}}, {{7, 0, 0, 0}}, {{200, 0, 0, 0}}}, {1, 40, 7, 100});
}

/// A guest must not keep the GPU busy for hours: 255 to the fourth iterations end early, two levels do not.
TEST(Flow, NestedLoopsAreBounded) {
  const auto ints = withInts({{255, 0, 0, 0}});
  expectBoth(
      "def c0, 0, 1, 0, 0\nmov r0, c0.x\nrep i0\nrep i0\nadd r0, r0, c0.y\nendrep\nendrep\nmov $, r0\n",
      {{{0, 0, 0, 0}}}, {255 * 255}, ints);
  const auto pixels = runPixel(
      "def c0, 0, 1, 0, 0\nmov r0, c0.x\nrep i0\nrep i0\nrep i0\nrep i0\nadd r0, r0, c0.y\nendrep\nendrep\n"
      "endrep\nendrep\nmov oC0, r0\n",
      {{{0, 0, 0, 0}}}, ints);
  EXPECT_GT(pixels[0][0], 60000);
  EXPECT_LE(pixels[0][0], 65536);
}

TEST(Flow, CallsAndReturns) {
  const std::string body =
      "def c0, 1, 2, 3, 10\nmov r0, c0.x\ncall l1\ncallnz l2, b0\ncallnz l2, !b0\nsetp_gt p0, c0.y, c0.x\n"
      "callnz l3, p0.x\ncallnz l3, !p0.x\nmov $, r0\nret\n"
      "label l1\nmul r0, r0, c0.w\ncall l2\nret\n"
      "label l2\nadd r0, r0, c0.y\nret\n"
      "label l3\nif_gt r0.x, c0.w\nmul r0, r0, c0.z\nelse\nmov r0, c0.x\nendif\nret\n";
  // 1 * 10 + 2, once more + 2, then l3 once: 14 * 3.
  expectBoth(body, {{{0, 0, 0, 0}}}, {42}, withBools(0));
  expectBoth(body, {{{0, 0, 0, 0}}}, {42}, withBools(1));
}

TEST(Flow, SubroutineSeesTheLoopIndex) {
  Draw draw = withInts({{4, 0, 1, 0}});
  draw.vsFloats = {{1}, {20}, {300}, {4000}};
  expectX(runVertex("def c20, 0, 0, 0, 0\nmov r0, c20\nloop aL, i0\ncall l0\nendloop\nmov o1, r0\nret\n"
                    "label l0\nadd r0, r0, c[aL]\nret\n",
                    {{{0, 0, 0, 0}}}, draw),
          {4321}, "aL in a subroutine");
}

TEST(Relative, AddressRegister) {
  Draw draw;
  for (int i = 0; i < 16; ++i) draw.vsFloats.push_back({float(i), float(i * 10), 0, 0});
  // mova rounds to the nearest integer; each component can index.
  const auto pixels = runVertex(
      "mova a0, v1\nmov r0.x, c[a0.x + 2]\nmov r0.y, c[a0.y].x\nmov r0.z, c5[a0.z].y\nmov r0.w, -c[a0.w + "
      "1].x\n"
      "mov o1, r0\n",
      {{{1, 2.75f, -3.2f, 8.9f}}, {{0.4f, 7, 0, 0.6f}}}, draw);
  expectNear(pixels[0], {3, 3, 20, -10}, 0, "first");
  expectNear(pixels[1], {2, 7, 50, -2}, 0, "second");
}

TEST(Relative, DefinitionsAndBounds) {
  Draw draw;
  draw.vsFloats.assign(256, {5, 5, 5, 5});
  const auto pixels =
      runVertex("def c3, 1, 2, 3, 4\nmova a0, v1\nmov r0, c[a0.x]\nmov o1, r0\n",
                {{{3, 0, 0, 0}}, {{4, 0, 0, 0}}, {{1e6f, 0, 0, 0}}, {{-1e6f, 0, 0, 0}}}, draw);
  expectNear(pixels[0], {1, 2, 3, 4}, 0, "a definition");
  expectNear(pixels[1], {5, 5, 5, 5}, 0, "beside it");
  expectNear(pixels[2], {0, 0, 0, 0}, 0, "past the end");
  expectNear(pixels[3], {0, 0, 0, 0}, 0, "before the start");
}

TEST(Relative, MatrixRows) {
  Draw draw;
  draw.vsFloats = {{}, {}, {1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 4}};
  expectNear(runVertex("mova a0, v1\nm4x4 r0, v2, c[a0.x + 1]\nmov o1, r0\n", {{{1, 0, 0, 0}, {1, 1, 1, 1}}},
                       draw)[0],
             {1, 2, 3, 4}, 0, "m4x4 with an index");
}

TEST(Relative, InputsAndOutputs) {
  Draw draw = withInts({{3, 0, 1, 0}});
  const std::vector<std::vector<Vec4>> rows = {{{1, 0, 0, 0}, {20, 0, 0, 0}, {300, 0, 0, 0}}};
  expectX(runPixel("def c0, 0, 0, 0, 0\nmov r0, c0\nloop aL, i0\nadd r0, r0, v[aL]\nendloop\nmov oC0, r0\n",
                   rows, draw),
          {321}, "v[aL] in a pixel shader");
  expectX(
      runVertex("def c0, 0, 0, 0, 0\nmov r0, c0\nloop aL, i0\nadd r0, r0, v[aL + 1]\nendloop\nmov o1, r0\n",
                rows, draw),
      {321}, "v[aL] in a vertex shader");
  draw.vs =
      "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\ndcl_texcoord2 v3\ndcl_position o0\n"
      "dcl_texcoord o1\ndcl_texcoord1 o2\ndcl_texcoord2 o3\nmov o0, v0\nloop aL, i0\nmov o[aL + 1].xy, v[aL "
      "+ 1]\n"
      "endloop\n";
  draw.ps =
      "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_texcoord2 v2\nmov oC0, v0\nmov oC1, v1\nmov oC2, v2\n";
  setRow(draw, rows);
  const Picture picture = render(draw);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(picture.color[i][0][0], rows[0][i][0]) << "o[aL] " << i;
}

TEST(Predicate, Branches) {
  expectBoth(
      "def c0, 1, 2, 0, 0\nsetp_lt p0, @.x, @.y\nif p0.x\nmov r0, c0.x\nelse\nmov r0, c0.y\nendif\nmov $, "
      "r0\n",
      kPairs, {1, 2, 2});
  expectBoth(
      "def c0, 1, 2, 0, 0\nsetp_lt p0, @.x, @.y\nif !p0.w\nmov r0, c0.x\nelse\nmov r0, c0.y\nendif\n"
      "mov $, r0\n",
      kPairs, {2, 1, 1});
}

TEST(Flow, ShaderModel2Extended) {
  Draw draw = withInts({{3, 0, 0, 0}});
  draw.vs = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n";
  draw.ps =
      "ps_2_x\ndcl t0\nmov r0, t0\nrep i0\nadd r0, r0, t0\nendrep\nsetp_gt p0, r0, t0\n(p0) mov r0, -r0\n"
      "mov oC0, r0\n";
  setRow(draw, {{{1, -1, 2, 0}}});
  expectNear(render(draw).color[0][0], {-4, -4, -8, 0}, 0, "ps_2_x");
}

}  // namespace
}  // namespace aerogpu::shader::test
