// SPDX-License-Identifier: MIT
// The stages after the pixel shader: blending, write masks, X8 targets, sRGB, alpha test, fog, depth,
// stencil. Formulas: D3DBLEND, D3DBLENDOP, D3DCMPFUNC, D3DSTENCILOP, "Fog Formulas (Direct3D 9)".
#include <algorithm>
#include <cmath>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

using Color = std::array<float, 4>;  // RGBA

uint32_t d3dColor(const Color& c) {
  const auto byte = [](float f) { return static_cast<uint32_t>(std::lround(f * 255)); };
  return byte(c[3]) << 24 | byte(c[0]) << 16 | byte(c[1]) << 8 | byte(c[2]);
}
Pixel bgra(const Color& c) {
  const auto byte = [](float f) { return unorm8(std::clamp(f, 0.0f, 1.0f)); };
  return {byte(c[2]), byte(c[1]), byte(c[0]), byte(c[3])};
}

class OutputTest : public DrawTest {
protected:
  static constexpr Color kSrc = {0.8f, 0.4f, 0.2f, 0.6f};
  static constexpr Color kDst = {0.2f, 0.6f, 1.0f, 0.4f};
  static constexpr Color kFactor = {0.6f, 0.2f, 0.4f, 0.8f};

  Color factor(uint32_t f, const Color& dst) {
    const Color& s = kSrc;
    const auto inv = [](const Color& c) { return Color{1 - c[0], 1 - c[1], 1 - c[2], 1 - c[3]}; };
    const auto all = [](float v) { return Color{v, v, v, v}; };
    switch (f) {
      case 1:
        return all(0);
      case 2:
        return all(1);
      case 3:
        return s;
      case 4:
        return inv(s);
      case 5:
        return all(s[3]);
      case 6:
        return all(1 - s[3]);
      case 7:
        return all(dst[3]);
      case 8:
        return all(1 - dst[3]);
      case 9:
        return dst;
      case 10:
        return inv(dst);
      case 11: {
        const float k = std::fmin(s[3], 1 - dst[3]);
        return {k, k, k, 1};
      }
      case 14:
        return kFactor;
      case 15:
        return inv(kFactor);
      default:
        return all(0);
    }
  }
  static float combine(uint32_t op, float s, float d, float sf, float df) {
    switch (op) {
      case 1:
        return s * sf + d * df;
      case 2:
        return s * sf - d * df;
      case 3:
        return d * df - s * sf;
      case 4:
        return std::fmin(s, d);
      default:
        return std::fmax(s, d);
    }
  }
  void blendOnce(CommandWriter& w, uint32_t vb) {
    clearColor(w, kDst[0], kDst[1], kDst[2], kDst[3]);
    stream(w, 0, vb, sizeof(Vertex));
    draw(w, 6);
    run(w);
  }
};

// STATE-19
TEST_F(OutputTest, EveryBlendFactor) {
  CommandWriter w;
  const uint32_t vb = vertexBuffer(w, quad(0, 0, 8, 8, d3dColor(kSrc)));
  renderState(w, kAlphaBlendEnable, 1u);
  renderState(w, kBlendFactor, d3dColor(kFactor));
  for (const bool asSource : {true, false})
    for (const uint32_t f : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 14u, 15u}) {
      if (f == 11 && !asSource) continue;  // D3DBLEND_SRCALPHASAT is a source factor
      renderState(w, kSrcBlend, asSource ? f : 5u);
      renderState(w, kDestBlend, asSource ? 6u : f);
      blendOnce(w, vb);
      const Color sf = factor(asSource ? f : 5, kDst), df = factor(asSource ? 6 : f, kDst);
      Color want;
      for (int i = 0; i < 4; ++i) want[i] = combine(1, kSrc[i], kDst[i], sf[i], df[i]);
      expectNear(result(3, 3), bgra(want), 1, (asSource ? "source " : "destination ") + std::to_string(f));
    }
  // BOTHSRCALPHA and BOTHINVSRCALPHA set both factors.
  for (const uint32_t f : {12u, 13u}) {
    renderState(w, kSrcBlend, f);
    renderState(w, kDestBlend, 2u);
    blendOnce(w, vb);
    Color want;
    for (int i = 0; i < 4; ++i)
      want[i] =
          f == 12 ? kSrc[i] * kSrc[3] + kDst[i] * (1 - kSrc[3]) : kSrc[i] * (1 - kSrc[3]) + kDst[i] * kSrc[3];
    expectNear(result(3, 3), bgra(want), 1, "both " + std::to_string(f));
  }
}

TEST_F(OutputTest, BlendOperationsAndSeparateAlpha) {
  CommandWriter w;
  const uint32_t vb = vertexBuffer(w, quad(0, 0, 8, 8, d3dColor(kSrc)));
  renderState(w, kAlphaBlendEnable, 1u);
  renderState(w, kSeparateAlphaBlendEnable, 1u);
  renderState(w, kSrcBlend, 2u);
  renderState(w, kDestBlend, 5u);
  renderState(w, kSrcBlendAlpha, 1u);
  renderState(w, kDestBlendAlpha, 2u);
  for (uint32_t op = 1; op <= 5; ++op) {
    const uint32_t opAlpha = op == 1 ? 5 : 1;
    renderState(w, kBlendOp, op);
    renderState(w, kBlendOpAlpha, opAlpha);
    blendOnce(w, vb);
    Color want;
    for (int i = 0; i < 3; ++i) want[i] = combine(op, kSrc[i], kDst[i], 1, kSrc[3]);
    want[3] = combine(opAlpha, kSrc[3], kDst[3], 0, 1);
    expectNear(result(3, 3), bgra(want), 1, "operation " + std::to_string(op));
  }
}

// DRAW-9
TEST_F(OutputTest, WriteMask) {
  CommandWriter w;
  const uint32_t vb = vertexBuffer(w, quad(0, 0, 8, 8, 0xFFFFFFFF));
  for (uint32_t mask = 0; mask < 16; ++mask) {
    renderState(w, kColorWriteEnable, mask);
    clearColor(w, 0, 0, 0, 0);  // a clear ignores the mask
    stream(w, 0, vb, sizeof(Vertex));
    draw(w, 6);
    run(w);
    const auto on = [&](uint32_t bit) { return static_cast<uint8_t>(mask >> bit & 1 ? 255 : 0); };
    EXPECT_EQ(result(1, 1), (Pixel{on(2), on(1), on(0), on(3)})) << mask;
  }
}

TEST_F(OutputTest, WriteMasksOfFourTargets) {
  CommandWriter w;
  std::array<uint32_t, 4> targets;
  for (uint32_t& t : targets) t = texture(w, kBgra, kSize, kSize);
  packets::setTargets(w, targets);
  clearColor(w, 0, 0, 0, 0);
  bindShaders(w, m_vs,
              shader(w, "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\nmov oC1, c0\nmov oC2, c0\nmov oC3, c0\n"));
  renderState(w, kColorWriteEnable, 1u);
  renderState(w, kColorWriteEnable1, 2u);
  renderState(w, kColorWriteEnable2, 4u);
  renderState(w, kColorWriteEnable3, 8u);
  drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF));
  run(w);
  const Pixel want[] = {{0, 0, 255, 0}, {0, 255, 0, 0}, {255, 0, 0, 0}, {0, 0, 0, 255}};
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(pixel(read(targets[i], kBgra, kSize, kSize), kSize, 5, 5), want[i]) << i;
}

// DRAW-9
TEST_F(OutputTest, AlphaOfX8TargetsIsOne) {
  CommandWriter w;
  const uint32_t x8 = texture(w, AEROGPU_FORMAT_B8G8R8X8_UNORM, kSize, kSize);
  target(w, x8);
  clearColor(w, kDst[0], kDst[1], kDst[2], 0);
  renderState(w, kAlphaBlendEnable, 1u);
  renderState(w, kSrcBlend, 8u);   // 1 - destination alpha = 0
  renderState(w, kDestBlend, 7u);  // destination alpha = 1
  drawVertices(w, quad(0, 0, 8, 8, d3dColor(kSrc)));
  // Its alpha is one when sampled, too.
  const uint32_t vs = shader(w, "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n");
  const uint32_t ps = shader(w, "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
  bindShaders(w, vs, ps);
  renderState(w, kAlphaBlendEnable, 0u);
  target(w, m_target);
  setTexture(w, 0, x8);
  draw(w, 6);
  run(w);
  const Pixel want = bgra({kDst[0], kDst[1], kDst[2], 1});
  expectNear(result(4, 4), want, 1);
}

// DRAW-9
TEST_F(OutputTest, SrgbWriteEncodes) {
  CommandWriter w;
  renderState(w, kSrgbWriteEnable, 1u);
  drawVertices(w, quad(0, 0, 8, 8, d3dColor({0.5f, 0.2f, 0.002f, 0.5f})));
  run(w);
  const auto encode = [](float l) {
    l = std::round(l * 255) / 255;
    return unorm8(l <= 0.0031308f ? 12.92f * l : 1.055f * std::pow(l, 1 / 2.4f) - 0.055f);
  };
  expectNear(result(4, 4), {encode(0.002f), encode(0.2f), encode(0.5f), 128}, 1);
}

bool compare(uint32_t func, double a, double b) {
  switch (func) {
    case 1:
      return false;
    case 2:
      return a < b;
    case 3:
      return a == b;
    case 4:
      return a <= b;
    case 5:
      return a > b;
    case 6:
      return a != b;
    case 7:
      return a >= b;
    default:
      return true;
  }
}

// DRAW-10
TEST_F(OutputTest, AlphaTest) {
  CommandWriter w;
  renderState(w, kAlphaTestEnable, 1u);
  renderState(w, kAlphaRef, 0x80u);
  for (uint32_t func = 1; func <= 8; ++func)
    for (const uint32_t alpha : {0x7Fu, 0x80u, 0x81u}) {
      clearColor(w, 0, 0, 0, 0);
      renderState(w, kAlphaFunc, func);
      drawVertices(w, quad(0, 0, 8, 8, alpha << 24 | 0xFFFFFF));
      run(w);
      EXPECT_EQ(result(2, 2)[0], compare(func, alpha, 0x80) ? 255 : 0) << func << " " << alpha;
    }
}

TEST_F(OutputTest, DepthTestAndWrite) {
  CommandWriter w;
  target(w, m_target, m_depth);
  for (uint32_t func = 1; func <= 8; ++func)
    for (const float z : {0.25f, 0.5f, 0.75f}) {
      Harness::clear(w, AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 1);
      renderState(w, kZEnable, 1u);
      renderState(w, kZWriteEnable, 1u);
      renderState(w, kZFunc, 8u);
      drawVertices(w, quad(0, 0, 8, 8, 0, 0.5f));
      renderState(w, kZFunc, func);
      renderState(w, kZWriteEnable, 0u);
      drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF, z));
      renderState(w, kZFunc, 3u);  // equal: passes only if the previous draw did not write
      drawVertices(w, quad(0, 0, 4, 8, 0xFF0000FF, 0.5f));
      run(w);
      const Bytes got = result();
      EXPECT_EQ(pixel(got, kSize, 6, 2)[1], compare(func, z, 0.5f) ? 255 : 0) << func << " " << z;
      EXPECT_EQ(pixel(got, kSize, 2, 2), (Pixel{255, 0, 0, 255})) << func << " " << z;
    }
}

TEST_F(OutputTest, StencilOperations) {
  CommandWriter w;
  target(w, m_target, m_depth);
  renderState(w, kStencilEnable, 1u);
  renderState(w, kStencilFunc, 8u);
  renderState(w, kStencilRef, 0x3Cu);
  for (const uint32_t start : {0u, 5u, 255u})
    for (uint32_t op = 1; op <= 8; ++op) {
      renderState(w, kStencilPass, op);
      Harness::clear(w, AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, 0, 0, 0, 0, 1, start);
      drawVertices(w, quad(0, 0, 8, 8, 0));
      run(w);
      uint32_t want = start;
      if (op == 2) want = 0;
      if (op == 3) want = 0x3C;
      if (op == 4) want = start == 255 ? 255 : start + 1;
      if (op == 5) want = start == 0 ? 0 : start - 1;
      if (op == 6) want = ~start & 0xFF;
      if (op == 7) want = (start + 1) & 0xFF;
      if (op == 8) want = (start - 1) & 0xFF;
      uint32_t word;
      std::memcpy(&word, read(m_depth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSize, kSize).data(), 4);
      EXPECT_EQ(word >> 24, want) << "operation " << op << " on " << start;
    }
}

TEST_F(OutputTest, StencilOperationsByOutcomeOnBothSides) {
  CommandWriter w;
  target(w, m_target, m_depth);
  renderState(w, kStencilEnable, 1u);
  renderState(w, kTwoSidedStencilMode, 1u);
  renderState(w, kZEnable, 1u);
  renderState(w, kZFunc, 2u);  // LESS
  constexpr uint32_t kNever = 1, kAlways = 8, kZero = 2, kInvert = 6, kIncr = 7, kDecr = 8, kStart = 5;
  renderState(w, kStencilFail, kZero);
  renderState(w, kStencilZFail, kInvert);
  renderState(w, kStencilPass, kIncr);
  renderState(w, kCcwStencilFail, kInvert);
  renderState(w, kCcwStencilZFail, kDecr);
  renderState(w, kCcwStencilPass, kZero);
  const struct {
    const char* name;
    uint32_t func;
    float z;
    uint32_t front, back;
  } outcomes[] = {{"the stencil test fails", kNever, 0.1f, 0, ~kStart & 0xFF},
                  {"the depth test fails", kAlways, 0.9f, ~kStart & 0xFF, kStart - 1},
                  {"both pass", kAlways, 0.1f, kStart + 1, 0}};
  for (const auto& outcome : outcomes)
    for (const bool back : {false, true}) {
      // The other side has the opposite function.
      renderState(w, kStencilFunc, back ? kNever + kAlways - outcome.func : outcome.func);
      renderState(w, kCcwStencilFunc, back ? outcome.func : kNever + kAlways - outcome.func);
      Harness::clear(w, AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, 0, 0, 0, 0, 0.5f, kStart);
      auto vertices = quad(0, 0, 8, 8, 0, outcome.z);  // clockwise on screen
      if (back) {
        std::swap(vertices[1], vertices[2]);
        std::swap(vertices[4], vertices[5]);
      }
      drawVertices(w, vertices);
      run(w);
      const Bytes ds = read(m_depth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSize, kSize);
      EXPECT_EQ(ds[3], back ? outcome.back : outcome.front)
          << outcome.name << (back ? ", counter-clockwise" : ", clockwise");
    }
}

TEST_F(OutputTest, StencilFunctionsMasksAndFaces) {
  CommandWriter w;
  target(w, m_target, m_depth);
  renderState(w, kStencilEnable, 1u);
  renderState(w, kStencilRef, 0x15u);
  renderState(w, kStencilMask, 0x0Fu);
  for (uint32_t func = 1; func <= 8; ++func)
    for (const uint32_t stored : {0x04u, 0xF5u, 0x26u}) {
      Harness::clear(w, AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_STENCIL, 0, 0, 0, 0, 1, stored);
      renderState(w, kStencilFunc, func);
      drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF));
      run(w);
      // D3DRS_STENCILFUNC: (reference & mask) function (stored & mask).
      EXPECT_EQ(result(2, 2)[0], compare(func, 0x5, stored & 0xF) ? 255 : 0) << func << " " << stored;
    }
  // Two sides: clockwise triangles increment, counter-clockwise ones invert; the write mask keeps the high
  // half.
  renderState(w, kStencilFunc, 8u);
  renderState(w, kTwoSidedStencilMode, 1u);
  renderState(w, kStencilPass, 7u);
  renderState(w, kCcwStencilPass, 6u);
  renderState(w, kCcwStencilFunc, 8u);
  renderState(w, kStencilWriteMask, 0x0Fu);
  Harness::clear(w, AEROGPU_CLEAR_STENCIL, 0, 0, 0, 0, 1, 0xA3);
  const auto front = quad(0, 0, 4, 8, 0);  // clockwise on screen
  auto back = quad(4, 0, 8, 8, 0);
  std::swap(back[1], back[2]);
  std::swap(back[4], back[5]);
  drawVertices(w, front);
  drawVertices(w, back);
  run(w);
  const Bytes ds = read(m_depth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSize, kSize);
  EXPECT_EQ(ds[(2 * kSize + 1) * 4 + 3], 0xA4);
  EXPECT_EQ(ds[(2 * kSize + 6) * 4 + 3], 0xA0 | (~0xA3 & 0x0F));
}

// DRAW-11
TEST_F(OutputTest, Fog) {
  CommandWriter w;
  renderState(w, kFogEnable, 1u);
  renderState(w, kFogColor, 0xFF0080FFu);
  renderState(w, kFogStart, 0.2f);
  renderState(w, kFogEnd, 0.8f);
  renderState(w, kFogDensity, 1.5f);
  const Color fog = {0, 128 / 255.0f, 1, 0}, src = {1, 0.5f, 0, 0.6f};
  for (uint32_t mode = 1; mode <= 3; ++mode)
    for (const float z : {0.1f, 0.4f, 0.9f}) {
      renderState(w, kFogTableMode, mode);
      clearColor(w, 0, 0, 0, 0);
      drawVertices(w, quad(0, 0, 8, 8, d3dColor(src), z));
      run(w);
      float f = mode == 1   ? std::exp(-z * 1.5f)
                : mode == 2 ? std::exp(-(z * 1.5f) * (z * 1.5f))
                            : (0.8f - z) / 0.6f;
      f = std::clamp(f, 0.0f, 1.0f);
      Color want = src;
      for (int i = 0; i < 3; ++i) want[i] = f * src[i] + (1 - f) * fog[i];
      expectNear(result(4, 4), bgra(want), 2, "mode " + std::to_string(mode) + " z " + std::to_string(z));
    }
}

}  // namespace
}  // namespace aerogpu::test
