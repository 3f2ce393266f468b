// SPDX-License-Identifier: MIT
// Draws with shaders and layouts as the driver interface of Direct3D 10 has them: EXT_CREATE_SHADER and
// EXT_CREATE_LAYOUT. Compute: dxbc_draw_test.cpp.
#include <array>
#include <bit>

#include "renderer/test/token_shaders.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

using namespace dxbc;

// DXGI_FORMAT.
constexpr uint32_t kFloat4 = 2, kFloat3 = 6, kShort4 = 14, kUbyte4 = 30, kShort2 = 38, kUint1 = 42,
                   kBgra8 = 87;
constexpr uint32_t kMul = 0x38, kMad = 0x32, kItof = 0x2B, kUtof = 0x56, kDclTemps = 0x68;
constexpr uint32_t kVertexStage = AEROGPU_SHADER_STAGE_VERTEX, kPixelStage = AEROGPU_SHADER_STAGE_PIXEL;

Tokens floats(float x, float y, float z, float w) {
  const auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  return {0x4002, bits(x), bits(y), bits(z), bits(w)};
}
Tokens floats(float all) {
  return floats(all, all, all, all);
}

class TokenDrawTest : public DrawTest {
protected:
  uint32_t make(CommandWriter& w, uint32_t stage, const TokenShader& s) {
    const uint32_t h = gpu().handle();
    createShader(w, h, stage, s);
    return h;
  }
  void bind(CommandWriter& w, const TokenShader& vs, const TokenShader& ps) {
    const uint32_t v = make(w, kVertexStage, vs), p = make(w, kPixelStage, ps);
    bindShaders(w, v, p);
  }
  uint32_t makeLayout(CommandWriter& w, const std::vector<aerogpu_ext_layout_element>& elements) {
    const uint32_t h = gpu().handle();
    createLayout(w, h, elements);
    return h;
  }
  void use(CommandWriter& w, uint32_t layout) { w.packet(aerogpu_cmd_set_input_layout{{}, layout, 0}); }

  /// Draws a triangle over the whole target; `rest` follows each position.
  template <class Rest>
  void cover(CommandWriter& w, const Rest (&rest)[3]) {
    struct V {
      float x, y, z;
      Rest rest;
    };
    stream(w, 0,
           vertexBuffer<V>(w, {{-1, 3, 0.1f, rest[0]}, {3, -1, 0.1f, rest[1]}, {-1, -1, 0.1f, rest[2]}}),
           sizeof(V));
    draw(w, 3);
  }
  template <class Rest>
  void cover(CommandWriter& w, const Rest& rest) {
    const Rest all[3] = {rest, rest, rest};
    cover(w, all);
  }
};

// CODE-1, CODE-6, CODE-8, LAYOUT-4
TEST_F(TokenDrawTest, FloatInputs) {
  CommandWriter w;
  bind(w, vertexTokens(), pixelTokens());
  const uint32_t both = makeLayout(w, {{1, 0, kBgra8, 12, 0, 0}, {0, 0, kFloat3, 0, 0, 0}});
  use(w, both);
  cover(w, 0xFF102030u);
  run(w);
  const Bytes got = result();
  for (uint32_t i = 0; i < kSize * kSize; ++i)
    EXPECT_EQ(pixel(got, kSize, i % kSize, i / kSize), (Pixel{0x30, 0x20, 0x10, 0xFF})) << i;
  use(w, makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}}));
  draw(w, 3);
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 0, 0, 0})) << "no element of v1: zeros, in w too";
}

/// Passes v0 and (v1.x, v1.y, v2.x + 128, v2.y + 128) / 255, v1 as unsigned and v2 as signed numbers.
TokenShader integerTokens() {
  Tokens t;
  op(t, 0x5F, {dst(kInput, 0, 15)});
  op(t, 0x5F, {dst(kInput, 1, 3)});
  op(t, 0x5F, {dst(kInput, 2, 3)});
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});
  op(t, 0x65, {dst(kOutput, 1, 15)});
  op(t, kDclTemps, {{2}});
  op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 0)});
  op(t, kUtof, {dst(kTemp, 0, 3), src(kInput, 1)});
  op(t, kItof, {dst(kTemp, 1, 3), src(kInput, 2)});
  op(t, kMul, {dst(kOutput, 1, 3), src(kTemp, 0), floats(1 / 255.0f)});
  op(t, kMad, {dst(kOutput, 1, 12), src(kTemp, 1, 0x40), floats(1 / 255.0f), floats(128 / 255.0f)});
  op(t, kRet, {});
  return {program(kVs40, t), {{0, 0, 15}, {0, 1, 15}, {0, 2, 3}}, {{1, 0, 15}, {0, 1, 15}}, {}};
}

// CODE-7, LAYOUT-3, LAYOUT-4
TEST_F(TokenDrawTest, IntegerInputsByTwoLayouts) {
  CommandWriter w;
  bind(w, integerTokens(), pixelTokens());
  const uint32_t bytes =
      makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}, {1, 0, kUbyte4, 12, 0, 0}, {2, 0, kShort2, 16, 0, 0}});
  const uint32_t shorts =
      makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}, {1, 0, kShort4, 12, 0, 0}, {2, 0, kUint1, 20, 0, 0}});
  struct Bytes4 {
    uint8_t v1[4];
    int16_t v2[2];
  };
  struct Shorts {
    int16_t v1[4];
    uint32_t v2;
  };
  for (int round = 0; round < 2; ++round) {
    use(w, bytes);
    cover(w, Bytes4{{200, 30, 0, 0}, {-100, 70}});
    run(w);
    expectNear(result(3, 3), {28, 30, 200, 198}, 1, "bytes");
    use(w, shorts);
    cover(w, Shorts{{17, 250, 0, 0}, 5});
    run(w);
    expectNear(result(3, 3), {133, 250, 17, 128}, 1, "shorts");
  }
  // A register without an element, and then all of them floats: zeros are zeros.
  use(w, makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}, {2, 0, kShort2, 16, 0, 0}}));
  cover(w, Bytes4{{200, 30, 0, 0}, {-100, 70}});
  run(w);
  expectNear(result(3, 3), {28, 0, 0, 198}, 1);
  use(w, makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}}));
  draw(w, 3);
  run(w);
  expectNear(result(3, 3), {128, 0, 0, 128}, 1);
}

// CODE-7
TEST_F(TokenDrawTest, EachClassOfLayoutsIsTranslatedOnce) {
  CommandWriter w;
  const auto translated = [&] {
    run(w);
    return gpu().stats().shaders_translated;
  };
  const uint32_t ps = make(w, kPixelStage, pixelTokens());
  const uint64_t before = translated();
  TokenShader vs = integerTokens();
  ++*(vs.tokens.end() - 2);  // unlike those of other tests, which are kept
  bindShaders(w, make(w, kVertexStage, vs), ps);
  const uint64_t made = translated();
  EXPECT_EQ(made, before + 1);
  const auto drawWith = [&](uint32_t format1, uint32_t format2) {
    use(w, makeLayout(w, {{0, 0, kFloat3, 0, 0, 0},
                          {1, 0, format1, 12, 0, 0},
                          {2, 0, format2, 12, 0, 0},
                          {9, 0, kUbyte4, 12, 0, 0}}));
    cover(w, std::array<uint32_t, 4>{});  // no element reaches past its vertex
    return translated() - made;
  };
  EXPECT_EQ(drawWith(kFloat4, kBgra8), 0u) << "floats alone; nothing reads register 9";
  EXPECT_EQ(drawWith(kUbyte4, kShort2), 1u);
  EXPECT_EQ(drawWith(kUint1, kShort4), 1u) << "other formats of the same types";
  EXPECT_EQ(drawWith(kShort2, kShort2), 2u);
  EXPECT_EQ(drawWith(kUbyte4, kFloat4), 3u);
  EXPECT_EQ(drawWith(kUbyte4, kShort2), 3u);
  EXPECT_EQ(drawWith(kFloat3, kFloat3), 3u);
}

/// Takes v1 to v4 as signed numbers: of a byte 255 these are 255, -1, and the bits of 1.
// CODE-7
TEST_F(TokenDrawTest, ManyClassesOfLayouts) {
  Tokens t;
  for (uint32_t i = 0; i < 5; ++i) op(t, 0x5F, {dst(kInput, i, 15)});
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});
  op(t, 0x65, {dst(kOutput, 1, 15)});
  op(t, kDclTemps, {{1}});
  op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 0)});
  for (uint32_t i = 0; i < 4; ++i) op(t, kItof, {dst(kTemp, 0, 1u << i), src(kInput, i + 1)});
  op(t, kMad, {dst(kOutput, 1, 15), src(kTemp, 0), floats(0.4f / 255), floats(0.2f)});
  op(t, kRet, {});
  CommandWriter w;
  bind(w,
       {program(kVs40, t),
        {{0, 0, 15}, {0, 1, 15}, {0, 2, 15}, {0, 3, 15}, {0, 4, 15}},
        {{1, 0, 15}, {0, 1, 15}},
        {}},
       pixelTokens());
  constexpr uint32_t kFormats[] = {kUbyte4, 32 /* R8G8B8A8_SINT */, 28 /* R8G8B8A8_UNORM */};
  constexpr uint8_t kSeen[] = {153, 51, 255};
  // More than are kept, and the first ones once more.
  for (uint32_t i = 0; i < 72; ++i) {
    const uint32_t n = i % 70, a = n % 3, b = n / 3 % 3, c = n / 9 % 3, d = n / 27;
    clearColor(w, 0, 0, 0, 0);
    use(w, makeLayout(w, {{0, 0, kFloat3, 0, 0, 0},
                          {1, 0, kFormats[a], 12, 0, 0},
                          {2, 0, kFormats[b], 12, 0, 0},
                          {3, 0, kFormats[c], 12, 0, 0},
                          {4, 0, kFormats[d], 12, 0, 0}}));
    cover(w, 0xFFFFFFFFu);
    run(w);
    expectNear(result(3, 3), {kSeen[c], kSeen[b], kSeen[a], kSeen[d]}, 1, std::to_string(i));
  }
}

/// Sends v1 as two outputs of register 1.
// CODE-4, CODE-6
TEST_F(TokenDrawTest, StagesShareARegisterWithDifferentMasks) {
  Tokens v, p;
  op(v, 0x5F, {dst(kInput, 0, 15)});
  op(v, 0x5F, {dst(kInput, 1, 15)});
  op(v, 0x67, {dst(kOutput, 0, 15), {1}});
  op(v, 0x65, {dst(kOutput, 1, 3)});
  op(v, 0x65, {dst(kOutput, 1, 12)});
  op(v, kMov, {dst(kOutput, 0, 15), src(kInput, 0)});
  op(v, kMov, {dst(kOutput, 1, 3), src(kInput, 1)});
  op(v, kMov, {dst(kOutput, 1, 12), src(kInput, 1)});
  op(v, kRet, {});
  op(p, 0x62 | 2u << 11, {dst(kInput, 1, 3)});
  op(p, 0x62 | 2u << 11, {dst(kInput, 1, 12)});
  op(p, 0x65, {dst(kOutput, 0, 15)});
  op(p, kMov, {dst(kOutput, 0, 3), src(kInput, 1)});
  op(p, kMov, {dst(kOutput, 0, 12), src(kInput, 1)});
  op(p, kRet, {});
  const Entries shared = {{0, 1, 12}, {0, 1, 3}};
  CommandWriter w;
  bind(w, {program(kVs40, v), {{0, 0, 15}, {0, 1, 15}}, {{1, 0, 15}, shared[0], shared[1]}, {}},
       {program(kPs40, p), {shared[1], {1, 0, 15}, shared[0]}, {{0, 0, 15}}, {}});
  use(w, makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}, {1, 0, kFloat4, 12, 0, 0}}));
  struct Value {
    float x, y, z, w;
  };
  // x grows by 1 from the left edge to the right one.
  cover(w, {Value{0, 0.4f, 0.6f, 0.8f}, Value{2, 0.4f, 0.6f, 0.8f}, Value{0, 0.4f, 0.6f, 0.8f}});
  run(w);
  for (const uint32_t x : {0u, 3u, 7u})
    expectNear(result(x, 2), {153, 102, static_cast<uint8_t>((static_cast<float>(x) + 0.5f) / 8 * 255), 204},
               1, std::to_string(x));
}

// CODE-3
TEST_F(TokenDrawTest, TwoTargetsAndDepth) {
  Tokens p;
  op(p, 0x62 | 2u << 11, {dst(kInput, 1, 15)});
  op(p, 0x65, {dst(kOutput, 0, 15)});
  op(p, 0x65, {dst(kOutput, 1, 15)});
  op(p, 0x65, {{1 | 12u << 12}});  // oDepth
  op(p, kMov, {dst(kOutput, 0, 15), src(kInput, 1)});
  op(p, kMov, {dst(kOutput, 1, 15), src(kInput, 1, 0x1B)});  // backwards
  op(p, kMov, {{1 | 12u << 12}, scalar(kInput, 1, 3)});
  op(p, kRet, {});
  CommandWriter w;
  bind(w, vertexTokens(),
       {program(kPs40, p), {{1, 0, 15}, {0, 1, 15}}, {{0, 0xFFFFFFFF, 1}, {0, 1, 15}, {0, 0, 15}}, {}});
  use(w, makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}, {1, 0, kFloat4, 12, 0, 0}}));
  const uint32_t second = texture(w, kBgra, kSize, kSize);
  const uint32_t targets[] = {m_target, second};
  packets::setTargets(w, targets, m_depth);
  Harness::clear(w, AEROGPU_CLEAR_COLOR | AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 0.5f);
  renderState(w, kZEnable, 1u);
  renderState(w, kZWriteEnable, 1u);
  renderState(w, kZFunc, 2u);  // less
  struct Value {
    float x, y, z, w;
  };
  cover(w, Value{1, 1, 1, 0.75f});  // behind the 0.5, whatever the vertices' 0.1 is
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 0, 0, 0}));
  cover(w, Value{0.2f, 0.4f, 0.6f, 0.25f});
  run(w);
  expectNear(result(3, 3), {153, 102, 51, 64}, 1);
  expectNear(pixel(read(second, kBgra, kSize, kSize), kSize, 3, 3), {102, 153, 64, 51}, 1);
}

// LAYOUT-5
TEST_F(TokenDrawTest, LayoutsAndShadersOfOneForm) {
  CommandWriter w;
  const uint32_t byRegister = makeLayout(w, {{0, 0, kFloat3, 0, 0, 0}, {1, 0, kBgra8, 12, 0, 0}});
  const uint32_t bySemantic = layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
  const uint32_t empty = makeLayout(w, {}), tokens = make(w, kVertexStage, vertexTokens()),
                 container = gpu().handle(), ps = make(w, kPixelStage, pixelTokens());
  const Tokens code = vertexCode();
  aerogpu_cmd_create_shader_dxbc c{};
  c.shader_handle = container;
  w.packet(c, code.data(), code.size() * 4);
  bindShaders(w, tokens, ps);
  use(w, byRegister);
  cover(w, 0xFF102030u);
  run(w);
  const auto refusedFor = [&](uint32_t vs, uint32_t with) {
    bindShaders(w, vs, ps);
    use(w, with);
    draw(w, 3);
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
    const auto lines = gpu().takeGuestLines();
    return lines.size() == 1 && lines[0].find("input layout names") != std::string::npos;
  };
  EXPECT_TRUE(refusedFor(tokens, bySemantic));
  EXPECT_TRUE(refusedFor(container, byRegister));
  bindShaders(w, m_vs, m_ps);
  draw(w, 3);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "a token stream of Direct3D 9";
  for (const auto& [vs, with] : {std::pair{tokens, byRegister},
                                 {tokens, empty},
                                 {tokens, 0u},
                                 {container, empty},
                                 {container, bySemantic}}) {
    bindShaders(w, vs, ps);
    use(w, with);
    draw(w, 3);
    run(w);
  }
  expectNear(result(3, 3), {0x30, 0x20, 0x10, 0xFF}, 0,
             "a pixel shader of tokens takes what the container writes");
}

// CODE-8, SHADER-4, SHADER-6
TEST_F(TokenDrawTest, BadShadersAreErrorsOfThePacket) {
  CommandWriter w;
  TokenShader broken = vertexTokens();
  broken.tokens.back() = 1u << 24 | 0x7FF;  // no such opcode
  make(w, kVertexStage, broken);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  make(w, AEROGPU_SHADER_STAGE_COMPUTE, {program(2u << 16 | 0x40, {}), {}, {}, {}});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "of another stage";
}

}  // namespace
}  // namespace aerogpu::test
