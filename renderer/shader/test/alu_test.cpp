// SPDX-License-Identifier: MIT
// Every arithmetic instruction, executed. Expectations are the formulas of the Direct3D 9 "asm shader
// reference", computed here.
#include <functional>

#include "renderer/shader/test/run_shader.h"

namespace aerogpu::shader::test {
namespace {

using Rows = std::vector<std::vector<Vec4>>;
using Formula = std::function<Vec4(const Vec4& a, const Vec4& b, const Vec4& c)>;

struct Case {
  const char* code;  ///< result in r0, which holds (7, 7, 7, 7); operands in r1, r2, r3
  Formula expected;
  enum Where { Both, Vertex, Pixel } where = Both;
};

const Rows kRows = {
    {{1, 2, 3, 4}, {0.5f, -1, 2, 0.25f}, {3, 1, -2, 8}},
    {{-1, 0.5f, -0.25f, 2}, {4, 3, 2, 1}, {-1, -1, 0, 1}},
    {{0.125f, 10, 100, 0.75f}, {-2, 0.5f, 1, 1.5f}, {0.25f, 2, 4, -8}},
    {{2.75f, -3.25f, 0.5f, -0.5f}, {1, 1, 1, 2}, {5, 6, 7, 8}},
    {{0.3f, 0.6f, 0.9f, 1}, {0.7f, 0.2f, -0.4f, 3}, {0, 0, 0, 0}},
};

Vec4 each(const std::function<float(int)>& f) {
  return {f(0), f(1), f(2), f(3)};
}
Vec4 all(float x) {
  return {x, x, x, x};
}
float dot(const Vec4& a, const Vec4& b, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
/// Rows of the constants c10..c13.
const Vec4 kMatrix[4] = {{1, 0, 2, -1}, {0.5f, 3, 0, 4}, {-2, 1, 1, 0}, {0, 0, 1, 2}};
Vec4 matrix(const Vec4& a, int columns, int rows) {
  return each([&](int i) { return i < rows ? dot(a, kMatrix[i], columns) : 7.0f; });
}
float saturate(float x) {
  return std::min(std::max(x, 0.0f), 1.0f);
}
float sign(float x) {
  return x < 0 ? -1.0f : x > 0 ? 1.0f : 0.0f;
}

#define EACH(expression)                                     \
  [](const Vec4& a, const Vec4& b, const Vec4& c) {          \
    (void)a;                                                 \
    (void)b;                                                 \
    (void)c;                                                 \
    return each([&](int i) -> float { return expression; }); \
  }
#define ALL(expression)                             \
  [](const Vec4& a, const Vec4& b, const Vec4& c) { \
    (void)a;                                        \
    (void)b;                                        \
    (void)c;                                        \
    return all(expression);                         \
  }
#define VEC(...)                                    \
  [](const Vec4& a, const Vec4& b, const Vec4& c) { \
    (void)a;                                        \
    (void)b;                                        \
    (void)c;                                        \
    return Vec4{__VA_ARGS__};                       \
  }

const std::vector<Case> kCases = {
    {"mov r0, r1", EACH(a[i])},
    {"mov r0, r1.wzyx", VEC(a[3], a[2], a[1], a[0])},
    {"mov r0, r1.y", ALL(a[1])},
    {"mov r0.yw, r1.zxyw", VEC(7, a[0], 7, a[3])},
    {"mov r0, -r1", EACH(-a[i])},
    {"mov r0, r1_abs", EACH(std::fabs(a[i]))},
    {"mov r0, -r1_abs.z", ALL(-std::fabs(a[2]))},
    {"mov_sat r0, r1", EACH(saturate(a[i]))},
    {"add r0, r1, r2", EACH(a[i] + b[i])},
    {"add_sat r0.xz, r1, r2", VEC(saturate(a[0] + b[0]), 7, saturate(a[2] + b[2]), 7)},
    {"sub r0, r1, r2", EACH(a[i] - b[i])},
    {"mul r0, r1, r2", EACH(a[i] * b[i])},
    {"mad r0, r1, r2, r3", EACH(a[i] * b[i] + c[i])},
    {"mad r0, r1.x, -r2, r0", EACH(7 - a[0] * b[i])},
    {"rcp r0, r1.y", ALL(1 / a[1])},
    {"rsq r0, r1.w", ALL(1 / std::sqrt(std::fabs(a[3])))},
    {"rsq r0.x, -r1.z", VEC(1 / std::sqrt(std::fabs(a[2])), 7, 7, 7)},
    {"dp3 r0, r1, r2", ALL(dot(a, b, 3))},
    {"dp4 r0, r1, r2", ALL(dot(a, b, 4))},
    {"dp4 r0.y, r1, r2.wzyx", VEC(7, a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0], 7, 7)},
    {"min r0, r1, r2", EACH(std::min(a[i], b[i]))},
    {"max r0, r1, r2", EACH(std::max(a[i], b[i]))},
    {"slt r0, r1, r2", EACH(a[i] < b[i] ? 1.0f : 0.0f)},
    {"sge r0, r1, r2", EACH(a[i] >= b[i] ? 1.0f : 0.0f)},
    {"exp r0, r2.z", ALL(std::exp2(b[2]))},
    {"log r0, r1.x", ALL(std::log2(std::fabs(a[0])))},
    {"lrp r0, r1, r2, r3", EACH(a[i] * (b[i] - c[i]) + c[i])},
    {"frc r0, r1", EACH(a[i] - std::floor(a[i]))},
    {"m4x4 r0, r1, c10", [](const Vec4& a, auto&, auto&) { return matrix(a, 4, 4); }},
    {"m4x3 r0.xyz, r1, c10", [](const Vec4& a, auto&, auto&) { return matrix(a, 4, 3); }},
    {"m3x4 r0, r1, c10", [](const Vec4& a, auto&, auto&) { return matrix(a, 3, 4); }},
    {"m3x3 r0.xyz, r1, c10", [](const Vec4& a, auto&, auto&) { return matrix(a, 3, 3); }},
    {"m3x2 r0.xy, r1, c10", [](const Vec4& a, auto&, auto&) { return matrix(a, 3, 2); }},
    {"pow r0, r1.x, r2.w", ALL(std::pow(std::fabs(a[0]), b[3]))},
    {"crs r0.xyz, r1, r2",
     VEC(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 7)},
    {"abs r0, r1", EACH(std::fabs(a[i]))},
    {"nrm r0, r1", EACH(a[i] / std::sqrt(dot(a, a, 3)))},
    {"sincos r0.xy, r2.x", VEC(std::cos(b[0]), std::sin(b[0]), 7, 7)},
    {"sincos r0.y, r2.y", VEC(7, std::sin(b[1]), 7, 7)},
    {"cmp r0, r1, r2, r3", EACH(a[i] >= 0 ? b[i] : c[i]), Case::Pixel},
    {"dp2add r0, r1, r2, r3.z", ALL(a[0] * b[0] + a[1] * b[1] + c[2]), Case::Pixel},
    {"lit r0, r1",
     [](const Vec4& a, auto&, auto&) {
       const float power = std::min(std::max(a[3], -127.9961f), 127.9961f);
       return Vec4{1, std::max(a[0], 0.0f), a[0] > 0 && a[1] > 0 ? std::pow(a[1], power) : 0, 1};
     },
     Case::Vertex},
    {"dst r0, r1, r2", VEC(1, a[1] * b[1], a[2], b[3]), Case::Vertex},
    {"sgn r0, r1", EACH(sign(a[i])), Case::Vertex},
    {"expp r0, r2.z", ALL(std::exp2(b[2])), Case::Vertex},
    {"logp r0, r1.x", ALL(std::log2(std::fabs(a[0]))), Case::Vertex},
    {"setp_gt p0, r1, r2\n(p0) mov r0, r3", EACH(a[i] > b[i] ? c[i] : 7)},
    {"setp_le p0, r1, r2\n(!p0) add r0, r0, r3", EACH(a[i] <= b[i] ? 7 : 7 + c[i])},
    {"setp_ne p0, r2, c14\n(p0.y) mov r0.xz, r3", VEC(b[1] != 1 ? c[0] : 7, 7, b[1] != 1 ? c[2] : 7, 7)},
    {"setp_eq p0, r2, c14\n(p0) mov r0, r3", EACH(b[i] == 1 ? c[i] : 7)},
    {"setp_lt p0, r1, r2\nsetp_ge p0.x, r3, r2\n(p0) mov r0, r1",
     VEC(c[0] >= b[0] ? a[0] : 7, a[1] < b[1] ? a[1] : 7, a[2] < b[2] ? a[2] : 7, a[3] < b[3] ? a[3] : 7)},
};

constexpr char kConstants[] =
    "def c10, 1, 0, 2, -1\ndef c11, 0.5, 3, 0, 4\ndef c12, -2, 1, 1, 0\ndef c13, 0, 0, 1, 2\n"
    "def c14, 1, 1, 1, 1\ndef c15, 7, 7, 7, 7\n";

// Every instruction writes its own target or output: four cases a pipeline.
constexpr size_t kPerPipeline = 4;

std::vector<Case> casesFor(Case::Where stage) {
  std::vector<Case> out;
  for (const Case& c : kCases)
    if (c.where == Case::Both || c.where == stage) out.push_back(c);
  return out;
}

void checkAll(const std::vector<Case>& cases, const std::function<void(Draw&, size_t, size_t)>& setUp) {
  for (size_t first = 0; first < cases.size(); first += kPerPipeline) {
    const size_t count = std::min(kPerPipeline, cases.size() - first);
    Draw draw;
    setUp(draw, first, count);
    setRow(draw, kRows);
    const Picture picture = render(draw);
    for (size_t k = 0; k < count; ++k)
      for (size_t row = 0; row < kRows.size(); ++row) {
        const auto& r = kRows[row];
        expectNear(picture.color[k][row], cases[first + k].expected(r[0], r[1], r[2]), 1e-4f,
                   std::string(cases[first + k].code) + " row " + std::to_string(row));
      }
  }
}

TEST(Arithmetic, PixelShader) {
  const auto cases = casesFor(Case::Pixel);
  checkAll(cases, [&](Draw& draw, size_t first, size_t count) {
    draw.vs = passThrough(3);
    draw.ps = std::string("ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_texcoord2 v2\n") + kConstants;
    for (size_t k = 0; k < count; ++k)
      draw.ps += std::string("mov r1, v0\nmov r2, v1\nmov r3, v2\nmov r0, c15\n") + cases[first + k].code +
                 "\nmov oC" + std::to_string(k) + ", r0\n";
    for (size_t k = count; k < 4; ++k) draw.ps += "mov oC" + std::to_string(k) + ", c15\n";
  });
}

TEST(Arithmetic, VertexShader) {
  const auto cases = casesFor(Case::Vertex);
  checkAll(cases, [&](Draw& draw, size_t first, size_t count) {
    draw.vs = std::string(
                  "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\ndcl_texcoord2 v3\n"
                  "dcl_position o0\ndcl_texcoord o1\ndcl_texcoord1 o2\ndcl_texcoord2 o3\n"
                  "dcl_texcoord3 o4\n") +
              kConstants + "mov o0, v0\n";
    for (size_t k = 0; k < 4; ++k)
      draw.vs += std::string("mov r1, v1\nmov r2, v2\nmov r3, v3\nmov r0, c15\n") +
                 (k < count ? cases[first + k].code : "nop") + "\nmov o" + std::to_string(k + 1) + ", r0\n";
    draw.ps = "ps_3_0\n";
    for (const char* n : {"0", "1", "2", "3"})
      draw.ps += std::string("dcl_texcoord") + n + " v" + n + "\nmov oC" + n + ", v" + n + "\n";
  });
}

TEST(Arithmetic, ShaderModel2) {
  Draw draw;
  draw.vs =
      "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndef c0, -1.55e-6, -2.17e-5, 0.0026, 0.00026\n"
      "def c1, -0.02083333, -0.125, 1, 0.5\nmov oPos, v0\nsincos r0.xy, v1.x, c0, c1\n"
      "sgn r0.zw, v1, r1, r2\nmov oT0, r0\n";
  draw.ps = "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\nmov oC1, -r0\n";
  setRow(draw, {{{0.5f, 0, -3, 2}}, {{-1.25f, 1, 0, -0.5f}}});
  const Picture picture = render(draw);
  const Vec4 first = {std::cos(0.5f), std::sin(0.5f), -1, 1};
  expectNear(picture.color[0][0], first, 1e-4f, "first");
  expectNear(picture.color[1][0], each([&](int i) { return -first[i]; }), 1e-4f, "negated");
  expectNear(picture.color[0][1], {std::cos(1.25f), -std::sin(1.25f), 0, -1}, 1e-4f, "second");
}

/// The reference says FLT_MAX for the reciprocal of 0, and nrm(0) follows from it; hardware also gives
/// infinity. NaN is never right.
TEST(Arithmetic, ZeroGivesNoNaN) {
  for (const char* code :
       {"rcp r0, v0.x", "rsq r0, v0.x", "log r0, v0.x", "pow r0, v0.x, v0.y", "nrm r0, v0"}) {
    const auto pixels = runPixel(std::string(code) + "\nmov oC0, r0\n", {{{0, 0, 0, 0}}});
    for (float x : pixels[0]) EXPECT_FALSE(std::isnan(x)) << code;
  }
  expectNear(runPixel("pow r0, v0.x, v0.y\nmov oC0, r0\n", {{{0, 2, 0, 0}}})[0], {0, 0, 0, 0}, 0, "0^2");
  EXPECT_GE(runPixel("rcp r0, v0.x\nmov oC0, r0\n", {{{0, 0, 0, 0}}})[0][0], 3.4e38f);
  // "-infinity" or the largest number of that sign.
  EXPECT_LE(runPixel("rcp r0, -v0.x\nmov oC0, r0\n", {{{0, 0, 0, 0}}})[0][0], -3.4e38f);
  EXPECT_LE(runVertex("rcp o1, v1.x\n", {{{-0.0f, 0, 0, 0}}})[0][0], -3.4e38f);
}

/// 0 times any result of these is 0, as on the hardware of Direct3D 9: none gives infinity.
// DRAW-16
TEST(Arithmetic, ZeroTimesTheLargestIsZero) {
  const Rows rows = {{{1000, 0, 200, 127}}};
  for (const char* code : {"exp r0, v0.x", "rcp r0, v0.y", "rsq r0, v0.y", "rcp r0, -v0.y", "log r0, v0.y",
                           "pow r0, v0.z, v0.w"}) {
    const std::string text = code;
    expectNear(runPixel(text + "\nmul r0, r0, v0.y\nmov oC0, r0\n", rows)[0], {0, 0, 0, 0}, 0, text);
    expectNear(runVertex((text + "\nmul o1, r0, v1.y\n").replace(text.find("v0"), 2, "v1"), rows)[0],
               {0, 0, 0, 0}, 0, text + " in a vertex shader");
  }
  expectNear(runVertex("lit r0, v1.xzxw\nmul o1, r0, v1.y\n", rows)[0], {0, 0, 0, 0}, 0, "lit");
  Draw draw;
  draw.vs = "vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nexpp r0, v1.x\nmul oT0, r0, v1.y\n";
  draw.ps = "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n";
  setRow(draw, rows);
  expectNear(render(draw).color[0][0], {0, 0, 0, 0}, 0, "expp");
}

/// 0 times infinity, times NaN, on either side, in every multiplying instruction.
// DRAW-16
TEST(Arithmetic, ZeroTimesAnythingIsZero) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float what : {inf, -inf, nan}) {
    Draw draw;
    draw.psFloats = {{what, what, what, what}, {0, 0, 0, 0}, {0, 1, 0, 0}, {0, what, 0, 0}, {3, 3, 3, 3}};
    draw.vsFloats = draw.psFloats;
    const auto expect = [&](const std::string& code, const Vec4& result) {
      const Rows rows = {{{2, 0, 0, 0}}};
      expectNear(runPixel(code + "\nmov oC0, r0\n", rows, draw)[0], result, 0, code);
      std::string vertex = code;
      for (size_t i = 0; (i = vertex.find("v0", i)) != std::string::npos;) vertex.replace(i, 2, "v1");
      if (code.find("dp2add") == std::string::npos && code.find("cmp") == std::string::npos)
        expectNear(runVertex(vertex + "\nmov o1, r0\n", rows, draw)[0], result, 0, code + " (vertex)");
    };
    expect("mul r0, c0, v0.y", {0, 0, 0, 0});
    expect("mul r0, v0.y, c0", {0, 0, 0, 0});
    expect("mul r0, v0.x, c1", {0, 0, 0, 0});
    expect("mov r1, v0\nmad r0, c0, r1.w, c4", {3, 3, 3, 3});
    expect("mov r1, v0\nlrp r0, r1.y, c0, c4", {3, 3, 3, 3});
    expect("dp3 r0, c3, v0", {0, 0, 0, 0});
    expect("dp4 r0, v0, c3", {0, 0, 0, 0});
    expect("mov r1, c0\nadd r2, v0.y, c2.x\ndp2add r0, r1, r2, c4.x", {3, 3, 3, 3});
    expect("mov r1, v0\nm4x4 r0, r1, c1", {0, 0, 0, 6});
    // The translator needs less care for values that it knows to be finite.
    expect("def c9, 0, 0, 0, 0\nmov r1, c0\nmul r0, r1, c9", {0, 0, 0, 0});
    expect("mov_sat r1, v0.y\nmul r0, c0, r1", {0, 0, 0, 0});
  }
}

}  // namespace
}  // namespace aerogpu::shader::test
