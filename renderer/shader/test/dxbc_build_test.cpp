// SPDX-License-Identifier: MIT
// Containers built of the driver interface's tokens and entries, read back byte by byte. libvkd3d-shader
// judges that they are containers. Source of the layout: dxbc.cpp; of the second masks: DxbcSignatures of the
// Windows SDK (components that an input reads, that an output does not write).
#include "renderer/shader/dxbc/build.h"

#include <gtest/gtest.h>
#include <vkd3d_shader.h>

#include <cstring>
#include <random>

#include "renderer/shader/dxbc/dxbc.h"
#include "renderer/test/token_shaders.h"

namespace aerogpu::shader {
namespace {

using namespace test::dxbc;

constexpr uint32_t kUintType = 1, kSintType = 2, kFloatType = 3;

/// A row as it lies in the chunk.
struct RawRow {
  std::string name;
  uint32_t index, systemValue, type, reg;
  uint8_t mask, second;
  bool operator==(const RawRow&) const = default;
  friend void PrintTo(const RawRow& r, std::ostream* out) {
    *out << r.name << " " << r.index << " sv " << r.systemValue << " type " << r.type << " reg " << r.reg
         << " mask " << +r.mask << " second " << +r.second;
  }
};

uint32_t wordAt(std::span<const uint8_t> bytes, size_t at) {
  uint32_t value = 0;
  EXPECT_LE(at + 4, bytes.size());
  if (at + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

/// Finds a chunk by the offsets in the header.
std::span<const uint8_t> chunk(std::span<const uint8_t> bytes, const char* tag) {
  for (uint32_t i = 0; i < wordAt(bytes, 28); ++i) {
    const uint32_t at = wordAt(bytes, 32 + size_t{i} * 4);
    if (std::memcmp(bytes.data() + at, tag, 4) == 0) return bytes.subspan(at + 8, wordAt(bytes, at + 4));
  }
  return {};
}

std::vector<RawRow> rows(std::span<const uint8_t> signature) {
  std::vector<RawRow> out;
  for (uint32_t i = 0; i < wordAt(signature, 0); ++i) {
    const size_t at = wordAt(signature, 4) + size_t{i} * 24;
    const char* name = reinterpret_cast<const char*>(signature.data()) + wordAt(signature, at);
    out.push_back({name, wordAt(signature, at + 4), wordAt(signature, at + 8), wordAt(signature, at + 12),
                   wordAt(signature, at + 16), signature[at + 20], signature[at + 21]});
  }
  return out;
}

BuiltContainer built(const Tokens& tokens, const Entries& in, const Entries& out,
                     RegisterClasses classes = 0) {
  auto result = buildContainer({tokens, in, out}, classes);
  EXPECT_TRUE(result.ok()) << result.error().what;
  if (!result.ok()) return {};
  for (const bool input : {true, false}) {
    vkd3d_shader_signature parsed{};
    const vkd3d_shader_code code{result->bytes.data(), result->bytes.size()};
    if (input) {
      EXPECT_EQ(vkd3d_shader_parse_input_signature(&code, &parsed, nullptr), VKD3D_OK);
      EXPECT_EQ(parsed.element_count, rows(chunk(result->bytes, "ISGN")).size());
      vkd3d_shader_free_shader_signature(&parsed);
    }
  }
  return std::move(*result);
}

void declare(Tokens& t, uint32_t opcode, uint32_t type, uint32_t reg, uint32_t mask) {
  op(t, opcode, {dst(type, reg, mask)});
}

// CODE-1, CODE-6
TEST(DxbcBuild, NamesRegistersAndKeepsTheCode) {
  Tokens t;
  declare(t, 0x5F, kInput, 0, 7);
  declare(t, 0x5F, kInput, 3, 1);
  op(t, 0x60, {dst(kInput, 5, 1), {6}});    // dcl_input_sgv: the vertex's number
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});  // dcl_output_siv: the position
  declare(t, 0x65, kOutput, 2, 3);
  declare(t, 0x65, kOutput, 2, 8);
  op(t, kRet, {});
  const Tokens tokens = program(kVs40, t);
  // In no order.
  const BuiltContainer got = built(tokens, {{6, 5, 1}, {0, 3, 15}, {0, 0, 7}},
                                   {{0, 2, 12}, {1, 0, 15}, {0, 2, 3}, {3, 4, 3}, {2, 3, 15}, {2, 5, 1}});
  EXPECT_EQ(rows(chunk(got.bytes, "ISGN")), (std::vector<RawRow>{{"REGISTER", 0, 0, kFloatType, 0, 7, 7},
                                                                 {"REGISTER", 12, 0, kFloatType, 3, 15, 1},
                                                                 {"SV_VertexID", 0, 6, kUintType, 5, 1, 1}}));
  EXPECT_EQ(rows(chunk(got.bytes, "OSGN")),
            (std::vector<RawRow>{{"SV_Position", 0, 1, kFloatType, 0, 15, 0},
                                 {"REGISTER", 8, 0, kFloatType, 2, 3, 0},
                                 {"REGISTER", 10, 0, kFloatType, 2, 12, 4},
                                 {"SV_ClipDistance", 0, 2, kFloatType, 3, 15, 15},
                                 {"SV_CullDistance", 0, 3, kFloatType, 4, 3, 3},
                                 {"SV_ClipDistance", 1, 2, kFloatType, 5, 1, 1}}));
  const auto code = chunk(got.bytes, "SHDR");
  ASSERT_EQ(code.size(), tokens.size() * 4);
  EXPECT_EQ(std::memcmp(code.data(), tokens.data(), code.size()), 0);
  EXPECT_EQ(wordAt(got.bytes, 24), got.bytes.size());
  EXPECT_EQ(got.fedInputs, 1u << 0 | 1u << 3);
}

// CODE-7
TEST(DxbcBuild, TypesOfAVertexShadersInputsAreTheLayouts) {
  Tokens t;
  declare(t, 0x5F, kInput, 0, 15);
  declare(t, 0x5F, kInput, 1, 15);
  declare(t, 0x5F, kInput, 31, 15);
  const BuiltContainer got = built(program(kVs40, t), {{0, 0, 15}, {0, 1, 15}, {0, 2, 15}, {0, 31, 15}}, {},
                                   classesOf(0, NumberClass::Int) | classesOf(31, NumberClass::Uint));
  EXPECT_EQ(rows(chunk(got.bytes, "ISGN")),
            (std::vector<RawRow>{{"REGISTER", 0, 0, kSintType, 0, 15, 15},
                                 {"REGISTER", 4, 0, kFloatType, 1, 15, 15},
                                 {"REGISTER", 8, 0, kFloatType, 2, 15, 0},
                                 {"REGISTER", 124, 0, kUintType, 31, 15, 15}}));
  EXPECT_EQ(got.fedInputs, 1u << 0 | 1u << 1 | 1u << 31) << "register 2 is not read";
}

// CODE-3
TEST(DxbcBuild, PixelShaders) {
  Tokens t;
  op(t, 0x64 | 2u << 11, {dst(kInput, 0, 3), {1}});  // dcl_input_ps_siv: the position
  op(t, 0x62 | 1u << 11, {dst(kInput, 1, 4)});
  op(t, 0x63 | 1u << 11, {dst(kInput, 2, 1), {9}});  // dcl_input_ps_sgv: is it a front face
  declare(t, 0x65, kOutput, 0, 15);
  declare(t, 0x65, kOutput, 3, 15);
  op(t, 0x65, {{1 | 12u << 12}});  // oDepth
  op(t, 0x65, {{1 | 15u << 12}});  // oMask
  op(t, kRet, {});
  const BuiltContainer got =
      built(program(5u << 4, t), {{9, 2, 1}, {1, 0, 15}, {8, 1, 4}},
            {{0, 0xFFFFFFFF, 1}, {0, 3, 15}, {0, 0, 15}, {0, 0xFFFFFFFF, 1}, {0, 5, 1}});
  EXPECT_EQ(
      rows(chunk(got.bytes, "ISGN")),
      (std::vector<RawRow>{{"SV_Position", 0, 1, kFloatType, 0, 15, 3},
                           {"REGISTER", 6, 0, kFloatType, 1, 4, 4},  // an instance's number is data here
                           {"SV_IsFrontFace", 0, 9, kUintType, 2, 1, 1}}));
  EXPECT_EQ(rows(chunk(got.bytes, "OSGN")),
            (std::vector<RawRow>{{"SV_Target", 0, 0, kFloatType, 0, 15, 0},
                                 {"SV_Target", 3, 0, kFloatType, 3, 15, 0},
                                 {"SV_Target", 5, 0, kFloatType, 5, 1, 1},
                                 {"SV_Depth", 0, 0, kFloatType, 0xFFFFFFFF, 1, 0},
                                 {"SV_Coverage", 0, 0, kUintType, 0xFFFFFFFF, 1, 0}}));
  EXPECT_EQ(got.targets, 1u << 0 | 1u << 3);
  EXPECT_FALSE(chunk(got.bytes, "SHEX").empty()) << "model 5";
}

// CODE-4
TEST(DxbcBuild, EntriesHaveNoGaps) {
  Tokens t;
  declare(t, 0x65, kOutput, 1, 5);
  const BuiltContainer got = built(program(kVs40, t), {}, {{0, 1, 5}});
  EXPECT_EQ(rows(chunk(got.bytes, "OSGN")), (std::vector<RawRow>{{"REGISTER", 4, 0, kFloatType, 1, 7, 2}}));
}

// CODE-5
TEST(DxbcBuild, DeclarationsOutsideOfTheSignatureAreRefused) {
  const auto refusal = [](uint32_t opcode, const Tokens& operand, const Entries& in, const Entries& out) {
    Tokens t;
    op(t, opcode, {operand});
    const Tokens tokens = program(kVs40, t);
    const auto result = buildContainer({tokens, in, out}, 0);
    return !result.ok() && result.error().code == ErrorCode::CmdDecode &&
           !result.error().values.all().empty();
  };
  const Entries both = {{0, 1, 3}, {0, 1, 12}}, none;
  EXPECT_FALSE(refusal(0x5F, dst(kInput, 1, 3), both, none));
  EXPECT_FALSE(refusal(0x5F, dst(kInput, 1, 8), both, none));
  EXPECT_TRUE(refusal(0x5F, dst(kInput, 1, 6), both, none)) << "in two entries";
  EXPECT_TRUE(refusal(0x5F, dst(kInput, 2, 1), both, none)) << "another register";
  EXPECT_TRUE(refusal(0x65, dst(kOutput, 1, 3), both, none)) << "an output";
  EXPECT_FALSE(refusal(0x65, dst(kOutput, 1, 3), none, both));
  EXPECT_TRUE(refusal(0x5F, dst(kInput, 0xFFFFFFFF, 1), both, none));
  EXPECT_TRUE(refusal(0x5F, {2 | 1u << 4 | kInput << 12 | 1u << 20}, both, none)) << "no index";
  EXPECT_FALSE(refusal(0x5F, {2 | 1u << 4 | kInput << 12 | 1u << 20 | 1u << 31, 1, 1}, both, none))
      << "extended";
}

TEST(DxbcBuild, DamagedTokensDoNoHarm) {
  Tokens t;
  declare(t, 0x5F, kInput, 0, 15);
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});
  declare(t, 0x65, kOutput, 1, 15);
  op(t, 0x35, {});
  op(t, kRet, {});
  const Tokens good = program(kVs40, t);
  const Entries entries = {{0, 0, 15}, {0, 1, 15}};
  std::mt19937 rng(5);
  int taken = 0, refusedOnes = 0;
  for (int i = 0; i < 20000; ++i) {
    Tokens bad = good;
    for (uint32_t k = rng() % 3 + 1; k; --k) bad[2 + rng() % (bad.size() - 2)] ^= 1u << rng() % 32;
    bad.resize(2 + rng() % (bad.size() - 1));
    bad.shrink_to_fit();  // a sanitizer sees reads past the end
    const auto result = buildContainer({bad, entries, entries}, rng());
    if (result.ok()) {
      ASSERT_TRUE(parseDxbc(result->bytes).ok());
      ++taken;
    } else {
      ++refusedOnes;
    }
  }
  EXPECT_GT(taken, 1000);
  EXPECT_GT(refusedOnes, 1000);
}

}  // namespace
}  // namespace aerogpu::shader
