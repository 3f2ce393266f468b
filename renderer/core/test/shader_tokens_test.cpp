// SPDX-License-Identifier: MIT
// EXT_CREATE_SHADER and EXT_CREATE_LAYOUT: what is refused, over the null back end.
#include <gtest/gtest.h>

#include <functional>

#include "renderer/test/geometry_tokens.h"
#include "renderer/test/harness.h"
#include "renderer/test/refusals.h"
#include "renderer/test/token_shaders.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::test::dxbc;
using test::Harness;

constexpr uint32_t kNone = AEROGPU_ERROR_NONE, kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB,
                   kBackend = AEROGPU_ERROR_BACKEND;
constexpr uint32_t kVertex = AEROGPU_SHADER_STAGE_VERTEX, kPixel = AEROGPU_SHADER_STAGE_PIXEL,
                   kCompute = AEROGPU_SHADER_STAGE_COMPUTE;

class ShaderTokens : public testing::Test {
protected:
  uint32_t codeOf(const CommandWriter& w) { return h.submit(w).result.last_error_code; }
  uint32_t codeOf(const TokenShader& s, uint32_t stage,
                  const std::function<void(aerogpu_cmd_ext_create_shader&)>& change = {}) {
    CommandWriter w;
    aerogpu_cmd_ext_create_shader c = packetOf(s, stage);
    c.shader_handle = h.handle();
    if (change) change(c);
    const std::vector<uint8_t> bytes = bytesOf(s);
    w.packet(c, bytes.data(), bytes.size());
    return codeOf(w);
  }
  /// A vertex shader without code, which has these signatures.
  uint32_t codeOfEntries(const Entries& in, const Entries& out = {}) {
    return codeOf({program(kVs40, {}), in, out, {}}, kVertex);
  }

  Harness h;
};

// CODE-1, SHADER-1, SHADER-2
TEST_F(ShaderTokens, Stages) {
  EXPECT_EQ(codeOf(vertexTokens(), kVertex), kNone);
  EXPECT_EQ(codeOf(pixelTokens(), kPixel), kNone);
  EXPECT_EQ(codeOf({program(kCs50, {}), {}, {}, {}}, kCompute), kNone);
  EXPECT_EQ(codeOf(vertexTokens(), 4), kDecode);
  EXPECT_EQ(codeOf(vertexTokens(), kVertex, [](auto& c) { c.shader_handle = 0; }), kDecode);
  const Entries patch = {{11, 0, 1}};
  for (const auto& [ex, type] : {std::pair{3u, 3u}, {4u, 4u}})
    EXPECT_EQ(codeOf({program(type << 16 | 0x50, {}), {{1, 0, 15}}, {{1, 0, 15}}, patch}, kCompute,
                     [ex = ex](auto& c) { c.reserved0 = ex; }),
              kNone);
  EXPECT_EQ(codeOf(passTokens(kPoints, kPointList, 1), AEROGPU_SHADER_STAGE_GEOMETRY), kNone);
}

// CODE-1
TEST_F(ShaderTokens, CountsAreWithinThePacket) {
  const auto refused = [&](const char* text,
                           const std::function<void(aerogpu_cmd_ext_create_shader&)>& change) {
    EXPECT_EQ(codeOf(vertexTokens(), kVertex, change), kDecode);
    const auto lines = h.takeGuestLines();
    return lines.size() == 1 && lines[0].find(text) != std::string::npos;
  };
  constexpr const char *kPast = "run past the packet", *kShort = "without version";
  EXPECT_TRUE(refused(kPast, [](auto& c) { ++c.output_count; }));
  EXPECT_TRUE(refused(kPast, [](auto& c) { ++c.input_count; }));
  EXPECT_TRUE(refused(kPast, [](auto& c) { c.input_count = 0x80000000u; }));
  EXPECT_TRUE(
      refused(kPast, [](auto& c) { c.input_count = c.output_count = c.patch_constant_count = UINT32_MAX; }));
  EXPECT_TRUE(refused(kPast, [](auto& c) { c.token_count += 0x40000000u; })) << "4 GiB more";
  EXPECT_TRUE(refused(kShort, [](auto& c) { c.token_count = 1; }));
  EXPECT_TRUE(refused(kShort, [](auto& c) { c.token_count = 0; }));
  EXPECT_TRUE(refused("no such signature", [](auto& c) { --c.output_count, c.patch_constant_count = 1; }));
  EXPECT_EQ(codeOf({program(kCs50, {}), {{0, 0, 1}}, {}, {}}, kCompute), kDecode);
  EXPECT_EQ(codeOf({program(kCs50, {}), {}, {{0, 0, 1}}, {}}, kCompute), kDecode);
}

// CODE-2
TEST_F(ShaderTokens, VersionAndLength) {
  const auto withToken = [&](uint32_t i, uint32_t value) {
    TokenShader s = vertexTokens();
    s.tokens[i] = value;
    return codeOf(s, kVertex);
  };
  for (const uint32_t good : {0x10040u, 0x10041u, 0x10050u}) EXPECT_EQ(withToken(0, good), kNone);
  for (const uint32_t bad : {0x10042u, 0x10051u, 0x10030u, 0x10060u, 0x10140u, 0xFFFE0200u})
    EXPECT_EQ(withToken(0, bad), kDecode) << std::hex << bad;
  for (const uint32_t other : {0u, 2u, 3u, 4u, 5u, 6u}) EXPECT_EQ(withToken(0, other << 16 | 0x40), kDecode);
  const auto length = static_cast<uint32_t>(vertexTokens().tokens.size());
  EXPECT_EQ(withToken(1, length), kNone);
  EXPECT_EQ(withToken(1, length - 1), kDecode);
  EXPECT_EQ(withToken(1, length + 1), kDecode);
}

// CODE-3
TEST_F(ShaderTokens, Entries) {
  EXPECT_EQ(codeOfEntries({{10, 31, 15}}), kNone);
  EXPECT_EQ(codeOfEntries({{11, 0, 15}}), kDecode);
  EXPECT_EQ(codeOfEntries({{0, 32, 15}}), kDecode);
  EXPECT_EQ(codeOfEntries({{0, 0xFFFFFFFF, 1}}), kDecode) << "of a vertex shader";
  EXPECT_EQ(codeOfEntries({}, {{0, 0xFFFFFFFF, 1}}), kDecode);
  EXPECT_EQ(codeOfEntries({{0, 0, 0}}), kDecode);
  EXPECT_EQ(codeOfEntries({{0, 0, 16}}), kDecode);
  const auto outputs = [&](const Entries& out) { return codeOf({program(kPs40, {}), {}, out, {}}, kPixel); };
  EXPECT_EQ(outputs({{0, 7, 15}}), kNone);
  EXPECT_EQ(outputs({{0, 8, 15}}), kDecode);
  EXPECT_EQ(outputs({3, {0, 0xFFFFFFFF, 1}}), kNone);
  EXPECT_EQ(outputs({4, {0, 0xFFFFFFFF, 1}}), kDecode);
  const auto patch = [&](uint32_t value) {
    return codeOf({program(3u << 16 | 0x50, {}), {}, {}, {{value, 0, 1}}}, kCompute,
                  [](auto& c) { c.reserved0 = AEROGPU_SHADER_STAGE_EX_HULL; });
  };
  EXPECT_EQ(patch(22), kNone);
  EXPECT_EQ(patch(23), kDecode);
}

// CODE-4
TEST_F(ShaderTokens, NoComponentHasTwoEntries) {
  EXPECT_EQ(codeOfEntries({{0, 1, 3}, {0, 1, 12}, {0, 0, 15}}), kNone);
  EXPECT_EQ(codeOfEntries({{0, 1, 3}, {0, 1, 6}}), kDecode);
  EXPECT_EQ(codeOfEntries({{0, 1, 5}, {0, 1, 2}}), kDecode) << "between two others";
  EXPECT_EQ(codeOfEntries({{0, 1, 9}, {0, 1, 4}}), kDecode);
  EXPECT_EQ(codeOfEntries({{0, 1, 5}, {0, 1, 8}}), kNone);
  EXPECT_EQ(codeOfEntries({{0, 1, 3}}, {{0, 1, 3}}), kNone) << "of two signatures";
  EXPECT_EQ(codeOfEntries({}, {{0, 1, 3}, {0, 1, 1}}), kDecode);
  Tokens declared;  // a primitive, an output topology, a number of vertices
  op(declared, 0x5D | kPoints << 11, {});
  op(declared, 0x5C | kPointList << 11, {});
  op(declared, 0x5E, {{1}});
  EXPECT_EQ(codeOf({program(2u << 16 | 0x50, declared), {}, {{0, 1, 3}, {0, 1, 1}}, {}},
                   AEROGPU_SHADER_STAGE_GEOMETRY),
            kNone);
  // As many as there can be.
  Entries most;
  for (uint32_t i = 0; i < 128; ++i) most.push_back({0, i / 4, 1u << i % 4});
  EXPECT_EQ(codeOfEntries(most, most), kNone);
}

// CODE-5, CMD-7
TEST_F(ShaderTokens, TheHandleStaysFreeWhereCodeIsRefused) {
  TokenShader s = vertexTokens();
  s.inputs.pop_back();
  CommandWriter w;
  createShader(w, 77, kVertex, s);
  EXPECT_EQ(codeOf(w), kDecode);
  w.reset();
  createShader(w, 77, kVertex, vertexTokens());
  EXPECT_EQ(codeOf(w), kNone);
  EXPECT_EQ(codeOf(w), kDecode) << "the handle is taken";
}

TEST_F(ShaderTokens, BytesAfterTheEntriesAreNoPartOfIt) {
  CommandWriter w;
  aerogpu_cmd_ext_create_shader c = packetOf(vertexTokens(), kVertex);
  c.shader_handle = h.handle();
  std::vector<uint8_t> bytes = bytesOf(vertexTokens());
  bytes.insert(bytes.end(), 8, 0xFF);
  w.packet(c, bytes.data(), bytes.size());
  EXPECT_EQ(codeOf(w), kNone);
}

TEST(ShaderTokensLimits, CodeCountsAgainstHostMemory) {
  Harness h(Harness::Options{.maxHostmem = 1 << 20});
  TokenShader s{program(kVs40, Tokens(100000, 1u << 24 | kRet)), {}, {}, {}};
  CommandWriter w;
  createShader(w, 1, kVertex, s);
  EXPECT_EQ(h.submit(w).result.last_error_code, kBackend);
}

class RegisterLayouts : public testing::Test {
protected:
  uint32_t codeOf(const std::vector<aerogpu_ext_layout_element>& elements) {
    CommandWriter w;
    const uint32_t handle = h.handle();
    createLayout(w, handle, elements);
    const uint32_t made = h.submit(w).result.last_error_code;
    w.reset();
    w.packet(aerogpu_cmd_set_input_layout{{}, handle, 0});
    EXPECT_EQ(h.submit(w).result.last_error_code, made == kNone ? kNone : kDecode);
    w.reset();
    w.packet(aerogpu_cmd_destroy_input_layout{{}, handle, 0});
    EXPECT_EQ(h.submit(w).result.last_error_code, made == kNone ? kNone : kDecode);
    return made;
  }
  Harness h;
};

// LAYOUT-1, LAYOUT-2
TEST_F(RegisterLayouts, ElementsAndRegisters) {
  std::vector<aerogpu_ext_layout_element> all;
  for (uint32_t i = 0; i < 32; ++i) all.push_back({31 - i, i, 2, 16 * i, i & 1, i});
  EXPECT_EQ(codeOf(all), kNone);
  EXPECT_EQ(codeOf({}), kNone);
  all.push_back(all[0]);
  EXPECT_EQ(codeOf(all), kDecode);
  EXPECT_EQ(codeOf({{5, 0, 2, 0, 0, 0}, {5, 1, 2, 0, 0, 0}}), kDecode) << "one register twice";
  EXPECT_EQ(codeOf({{32, 0, 2, 0, 0, 0}}), kDecode);
  CommandWriter w;
  createLayout(w, 0, {});
  EXPECT_EQ(h.submit(w).result.last_error_code, kDecode);
}

// LAYOUT-3
TEST_F(RegisterLayouts, Elements) {
  EXPECT_EQ(codeOf({{0, 31, 2, 65536, 1, 0xFFFFFFFF}}), kNone);
  EXPECT_EQ(codeOf({{0, 32, 2, 0, 0, 0}}), kDecode);
  EXPECT_EQ(codeOf({{0, 0, 2, 0, 2, 0}}), kDecode);
  for (const uint32_t format : {0u, 1u, 45u, 71u, 200u})
    EXPECT_EQ(codeOf({{0, 0, format, 0, 0, 0}}), kDecode);
  EXPECT_EQ(codeOf({{0, 0, 2, 65537, 0, 0}}), kOob);
  EXPECT_EQ(codeOf({{0, 0, 2, 0, 0, 0}, {1, 0, 2, 0xFFFFFFFF, 0, 0}}), kOob);
}

}  // namespace
