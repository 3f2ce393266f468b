// SPDX-License-Identifier: MIT
// Test support: geometry shaders of model 4.0, as tokens. Vertices have a position in v0 and a vector in v1,
// and get both in o0 and o1.
#pragma once

#include <bit>

#include "renderer/test/token_shaders.h"

namespace aerogpu::test::dxbc {

inline constexpr uint32_t kGs40 = 2u << 16 | 0x40;
inline constexpr uint32_t kEmit = 0x13, kCut = 0x09, kDclTemps = 0x68;

/// D3D10_SB_PRIMITIVE and D3D10_SB_PRIMITIVE_TOPOLOGY.
enum GsInput : uint32_t {
  kPoints = 1,
  kLines = 2,
  kTriangles = 3,
  kLinesAdjacent = 6,
  kTrianglesAdjacent = 7
};
enum GsOutput : uint32_t { kPointList = 1, kLineStrip = 3, kTriangleStrip = 5 };

constexpr uint32_t verticesOf(GsInput input) {
  return input == kLinesAdjacent ? 4 : input == kTrianglesAdjacent ? 6 : static_cast<uint32_t>(input);
}

/// Vertex `vertex`'s input register.
inline Tokens vertexInput(uint32_t vertex, uint32_t reg) {
  return {2 | 1u << 2 | kXyzw << 4 | kInput << 12 | 2u << 20, vertex, reg};
}
inline Tokens four(float x, float y, float z, float w) {
  const auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  return {0x4002, bits(x), bits(y), bits(z), bits(w)};
}

/// Returns the declarations, behind which the code comes.
inline Tokens geometryDeclarations(GsInput input, GsOutput output, uint32_t most) {
  const auto declared = [&](uint32_t reg) {
    return Tokens{2 | 15u << 4 | kInput << 12 | 2u << 20, verticesOf(input), reg};
  };
  Tokens t;
  op(t, 0x61, {declared(0), {1}});  // SV_Position
  op(t, 0x5F, {declared(1)});
  op(t, 0x5D | static_cast<uint32_t>(input) << 11, {});
  op(t, 0x5C | static_cast<uint32_t>(output) << 11, {});
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});
  op(t, 0x65, {dst(kOutput, 1, 15)});
  op(t, 0x5E, {{most}});
  return t;
}

inline TokenShader geometryShader(const Tokens& code) {
  const Entries both = {{1, 0, 15}, {0, 1, 15}};
  return {program(kGs40, code), both, both, {}};
}

/// Emits the first `count` vertices of the primitive as they are.
inline TokenShader passTokens(GsInput input, GsOutput output, uint32_t count) {
  Tokens t = geometryDeclarations(input, output, count);
  for (uint32_t i = 0; i < count; ++i) {
    op(t, kMov, {dst(kOutput, 0, 15), vertexInput(i, 0)});
    op(t, kMov, {dst(kOutput, 1, 15), vertexInput(i, 1)});
    op(t, kEmit, {});
  }
  op(t, kRet, {});
  return geometryShader(t);
}

/// Makes a square of each point, `side` wide in clip space, with the point as its upper left corner.
inline TokenShader squareTokens(float side) {
  Tokens t = geometryDeclarations(kPoints, kTriangleStrip, 4);
  for (uint32_t i = 0; i < 4; ++i) {
    op(t, kAdd, {dst(kOutput, 0, 15), vertexInput(0, 0), four(i & 1 ? side : 0, i & 2 ? -side : 0, 0, 0)});
    op(t, kMov, {dst(kOutput, 1, 15), vertexInput(0, 1)});
    op(t, kEmit, {});
  }
  op(t, kRet, {});
  return geometryShader(t);
}

}  // namespace aerogpu::test::dxbc
