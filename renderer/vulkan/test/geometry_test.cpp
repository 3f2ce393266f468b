// SPDX-License-Identifier: MIT
// Draws with geometry shaders (docs/abi/d3d10.md, GEOM): what they emit, in pixels.
#include "renderer/vulkan/test/token_fixture.h"

namespace aerogpu::test {
namespace {

using namespace dxbc;

constexpr uint32_t kGeometryStage = AEROGPU_SHADER_STAGE_GEOMETRY;
constexpr uint32_t kBlue = 0xFF0000FF, kGreen = 0xFF00FF00, kRed = 0xFFFF0000;
constexpr Pixel kNothing = {0, 0, 0, 0};

class GeometryTest : public TokenShadersTest {
protected:
  void clear(CommandWriter& w) { clearColor(w, 0, 0, 0, 0); }
  /// Direct3D 10: whole numbers are the edges of pixels.
  static Vertex corner(float x, float y, uint32_t color) { return at(x, y, color); }
  /// Returns the code of the packet that makes the shader.
  uint32_t refusal(const TokenShader& s) {
    CommandWriter w;
    make(w, kGeometryStage, s);
    const uint32_t code = runForError(w);
    gpu().takeErrorLines();
    return code;
  }
};

// GEOM-1, GEOM-2, CODE-6
TEST_F(GeometryTest, PointsBecomeSquares) {
  CommandWriter w;
  bind(w, squareTokens(2.0f / kSize * 2));  // two pixels
  drawVertices(w, {corner(1, 1, kBlue), corner(4, 3, kRed), corner(5, 4, kGreen)},
               AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  const Bytes got = result();
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) {
      const auto in = [&](uint32_t left, uint32_t top) { return x - left < 2 && y - top < 2; };
      const Pixel want = in(5, 4)   ? Pixel{0, 255, 0, 255}  // the last one lies above
                         : in(4, 3) ? Pixel{0, 0, 255, 255}
                         : in(1, 1) ? Pixel{255, 0, 0, 255}
                                    : kNothing;
      EXPECT_EQ(pixel(got, kSize, x, y), want) << x << ", " << y;
    }
}

// DRAW-1: a point without a geometry shader is the pixel that it lies in.
TEST_F(GeometryTest, PointsByThemselvesAreOnePixel) {
  CommandWriter w;
  bind(w, 0);
  drawVertices(w, {corner(1.25f, 2.75f, kRed), corner(5.5f, 0.5f, kGreen)}, AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  const Bytes got = result();
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x)
      EXPECT_EQ(pixel(got, kSize, x, y), (x == 1 && y == 2   ? Pixel{0, 0, 255, 255}
                                          : x == 5 && y == 0 ? Pixel{0, 255, 0, 255}
                                                             : kNothing))
          << x << ", " << y;
}

// GEOM-2
TEST_F(GeometryTest, TrianglesAreTakenOneByOneFromStripsAndIndices) {
  CommandWriter w;
  bind(w, passTokens(kTriangles, kTriangleStrip, 3));
  // A square of two triangles.
  const std::vector<Vertex> square = {corner(2, 2, kGreen), corner(6, 2, kGreen), corner(2, 6, kGreen),
                                      corner(6, 6, kGreen)};
  const auto expectSquare = [&](const char* how) {
    run(w);
    const Bytes got = result();
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x)
        EXPECT_EQ(pixel(got, kSize, x, y), (x - 2 < 4 && y - 2 < 4 ? Pixel{0, 255, 0, 255} : kNothing))
            << how << ": " << x << ", " << y;
  };
  drawVertices(w, square, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
  expectSquare("a strip");
  clear(w);
  drawVertices(w, {square[0], square[1], square[2], square[2], square[1], square[3]});
  expectSquare("a list");
}

// GEOM-2: of a triangle with adjacency the odd vertices are its neighbours'.
TEST_F(GeometryTest, AdjacentVertices) {
  CommandWriter w;
  Tokens t = geometryDeclarations(kTrianglesAdjacent, kTriangleStrip, 3);
  for (uint32_t i = 0; i < 3; ++i) {
    op(t, kMov, {dst(kOutput, 0, 15), vertexInput(2 * i, 0)});
    op(t, kMov, {dst(kOutput, 1, 15), vertexInput(2 * i + 1, 1)});
    op(t, kEmit, {});
  }
  op(t, kRet, {});
  bind(w, geometryShader(t));
  const Vertex beside = corner(-5, -5, kRed);
  drawVertices(w,
               {corner(-1, -1, kBlue), beside, corner(20, -1, kBlue), beside, corner(-1, 20, kBlue), beside},
               AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ);
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 0, 255, 255}));
  // Two lines of which the shader makes one, from the first neighbour to the last.
  clear(w);
  Tokens lines = geometryDeclarations(kLinesAdjacent, kLineStrip, 2);
  for (const uint32_t i : {0u, 3u}) {
    op(lines, kMov, {dst(kOutput, 0, 15), vertexInput(i, 0)});
    op(lines, kMov, {dst(kOutput, 1, 15), vertexInput(i, 1)});
    op(lines, kEmit, {});
  }
  op(lines, kRet, {});
  bind(w, geometryShader(lines));
  drawVertices(w, {corner(-1, 3.5f, kGreen), corner(3, 6, kRed), corner(5, 6, kRed), corner(9, 3.5f, kGreen)},
               AEROGPU_TOPOLOGY_LINELIST_ADJ);
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 255, 0, 255}));
  EXPECT_EQ(result(3, 6), kNothing);
}

// GEOM-2, STATE-12: the stage has bindings of its own.
TEST_F(GeometryTest, ItsConstantBuffer) {
  CommandWriter w;
  Tokens t;
  op(t, 0x59, {{2 | 1u << 2 | kXyzw << 4 | kConstantBuffer << 12 | 2u << 20, 0, 2}});
  const Tokens rest = geometryDeclarations(kPoints, kTriangleStrip, 3);
  t.insert(t.end(), rest.begin(), rest.end());
  const Tokens corners[] = {four(-1, 3, 0.5f, 1), four(3, -1, 0.5f, 1), four(-1, -1, 0.5f, 1)};
  for (const Tokens& at : corners) {
    op(t, kMov, {dst(kOutput, 0, 15), at});
    op(t, kMov, {dst(kOutput, 1, 15), constant(0, 1)});
    op(t, kEmit, {});
  }
  op(t, kRet, {});
  bind(w, geometryShader(t));
  const std::vector<float> values = {9, 9, 9, 9, 0, 1, 0, 1};
  const uint32_t constants =
      buffer(w, values.data(), values.size() * sizeof values[0], AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER);
  const auto bindConstants = [&](const aerogpu_constant_buffer_binding& binding) {
    aerogpu_cmd_set_constant_buffers c{};
    c.shader_stage = kGeometryStage;
    w.packet(c, &binding, 1);
  };
  bindConstants({constants, 0, 32, 0});
  drawVertices(w, {corner(0, 0, kRed)}, AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 255, 0, 255}));
  // Without the buffer zeros are read.
  bindConstants({});
  draw(w, 1);
  run(w);
  EXPECT_EQ(result(3, 3), kNothing);
}

// GEOM-3
TEST_F(GeometryTest, OtherPrimitivesDrawNothing) {
  CommandWriter w;
  bind(w, squareTokens(2));
  drawVertices(w, quad(0, 0, 8, 8, kRed));
  run(w);
  EXPECT_EQ(result(3, 3), kNothing);
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  draw(w, 1);
  bind(w, 0u);
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 0, 255, 255})) << "a point's square";
  clear(w);
  drawVertices(w, quad(0, 0, 8, 8, kGreen));
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 255, 0, 255})) << "without the shader all is as before";
}

// GEOM-4
TEST_F(GeometryTest, VertexShadersOfDirect3D9HaveNone) {
  CommandWriter w;
  const uint32_t gs = make(w, kGeometryStage, passTokens(kTriangles, kTriangleStrip, 3));
  stream(w, 0, vertexBuffer(w, quad(0, 0, 8, 8, kRed)), sizeof(Vertex));
  layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
  run(w);
  aerogpu_cmd_bind_shaders c{};
  c.vs = m_vs;
  c.ps = m_ps;
  c.reserved0 = gs;
  w.packet(c);
  draw(w, 6);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
}

// CMD-10, GEOM-5: a loop without end is stopped, and the next submission draws.
TEST_F(GeometryTest, AnEndlessLoopIsStopped) {
  constexpr uint32_t kLoop = 0x30, kEndLoop = 0x16, kIadd = 0x1E;
  // llvmpipe lets no invocation loop for more than 65535 rounds: what lasts has many invocations.
  constexpr uint32_t kMany = 1u << 15;
  Tokens t = geometryDeclarations(kPoints, kPointList, 1);
  op(t, kDclTemps, {{1}});
  op(t, kMov, {dst(kTemp, 0, 1), immediate(0)});
  op(t, kLoop, {});
  op(t, kIadd, {dst(kTemp, 0, 1), scalar(kTemp, 0, 0), immediate(1)});
  op(t, kEndLoop, {});
  op(t, kMov, {dst(kOutput, 0, 15), vertexInput(0, 0)});
  op(t, kMov, {dst(kOutput, 1, 15), src(kTemp, 0, 0)});
  op(t, kEmit, {});
  op(t, kRet, {});
  CommandWriter w;
  bind(w, geometryShader(t));
  drawVertices(w, std::vector<Vertex>(kMany, corner(3, 3, kRed)), AEROGPU_TOPOLOGY_POINTLIST);
  hurry(600);  // more than 10 s of waits
  const FinishedSubmission finished = gpu().submit(w, m_context);
  hurry(0);
  EXPECT_EQ(finished.result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
  std::string said;
  for (const std::string& line : gpu().takeErrorLines()) {
    EXPECT_EQ(line.find("validation:"), std::string::npos) << line;
    said += line + "\n";
  }
  EXPECT_NE(said.find("a shader ran for too long and was stopped"), std::string::npos) << said;
  w.reset();
  clear(w);
  bind(w, squareTokens(2));
  drawVertices(w, {corner(0, 0, kGreen)}, AEROGPU_TOPOLOGY_POINTLIST);
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 255, 0, 255}));
}

// GEOM-1, CODE-5
TEST_F(GeometryTest, WhatIsRefused) {
  const TokenShader good = passTokens(kTriangles, kTriangleStrip, 3);
  const auto without = [&](uint32_t opcode) {
    TokenShader s = good;
    for (uint32_t at = 2; at < s.tokens.size(); at += s.tokens[at] >> 24)
      if ((s.tokens[at] & 0x7FF) == opcode) s.tokens[at] = (s.tokens[at] & ~0x7FFu) | 0x3A;  // nop
    return s;
  };
  EXPECT_EQ(refusal(without(0x5C)), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "no output topology";
  EXPECT_EQ(refusal(without(0x5D)), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "no primitive";
  EXPECT_EQ(refusal(without(0x5E)), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "no number of vertices";
  EXPECT_EQ(refusal(geometryShader(geometryDeclarations(kPoints, kPointList, 1025))),
            uint32_t{AEROGPU_ERROR_CMD_DECODE});
  TokenShader narrow = good;
  narrow.inputs[1].mask = 1;
  EXPECT_EQ(refusal(narrow), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "an input that no entry holds";
  // 1024 components in all is what Direct3D has: 129 vertices of 8.
  EXPECT_EQ(refusal(geometryShader(geometryDeclarations(kPoints, kPointList, 129))),
            uint32_t{AEROGPU_ERROR_BACKEND});
}

}  // namespace
}  // namespace aerogpu::test
