// SPDX-License-Identifier: MIT
// DXBC containers: built here byte by byte, read back, damaged. libvkd3d-shader, which refuses containers
// with a wrong checksum, judges checksums.
#include "renderer/shader/dxbc/dxbc.h"

#include <gtest/gtest.h>
#include <vkd3d_shader.h>

#include <cstring>
#include <random>

#include "renderer/shader/dxbc/md5_block.h"

namespace aerogpu::shader {
namespace {

using Bytes = std::vector<uint8_t>;

void put(Bytes& out, uint32_t value) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

struct Chunk {
  uint32_t tag;
  Bytes bytes;
};

Bytes container(const std::vector<Chunk>& chunks) {
  Bytes out;
  put(out, fourCc('D', 'X', 'B', 'C'));
  for (int i = 0; i < 4; ++i) put(out, 0);
  put(out, 1);
  put(out, 0);
  put(out, static_cast<uint32_t>(chunks.size()));
  size_t at = 32 + 4 * chunks.size();
  for (const Chunk& c : chunks) {
    put(out, static_cast<uint32_t>(at));
    at += 8 + c.bytes.size();
  }
  for (const Chunk& c : chunks) {
    put(out, c.tag);
    put(out, static_cast<uint32_t>(c.bytes.size()));
    out.insert(out.end(), c.bytes.begin(), c.bytes.end());
  }
  const auto size = static_cast<uint32_t>(out.size());
  std::memcpy(out.data() + 24, &size, 4);
  return out;
}

/// Returns a signature of one element: semantic "Position" 0, float, register 1, mask xyzw.
Bytes signature() {
  Bytes s;
  for (const uint32_t v : {1u, 8u, 32u, 0u, 0u, 3u, 1u, 0x070Fu}) put(s, v);
  for (const char c : {'P', 'o', 's', 'i', 't', 'i', 'o', 'n', '\0', '\0', '\0', '\0'})
    s.push_back(static_cast<uint8_t>(c));
  return s;
}

TEST(Md5, Rfc1321EmptyMessage) {
  // Section 3.1 and 3.2: a bit 1, zeros, length 0. Appendix A.5: MD5 ("") = d41d8cd98f00b204e9800998ecf8427e.
  uint8_t block[64] = {0x80};
  Md5State state;
  md5Block(state, block);
  EXPECT_EQ(state[0], 0xd98c1dd4u);
  EXPECT_EQ(state[1], 0x04b2008fu);
  EXPECT_EQ(state[2], 0x980980e9u);
  EXPECT_EQ(state[3], 0x7e42f8ecu);
}

TEST(SemanticHash, UpperCases) {
  EXPECT_EQ(semanticHash(""), 0x811C9DC5u);   // offset basis of FNV-1a
  EXPECT_EQ(semanticHash("A"), 0xC40BF6CCu);  // (basis ^ 0x41) * 16777619
  EXPECT_EQ(semanticHash("TexCoord"), semanticHash("TEXCOORD"));
}

TEST(Dxbc, ReadsChunksAndSignature) {
  const Bytes bytes =
      container({{fourCc('I', 'S', 'G', 'N'), signature()}, {fourCc('S', 'H', 'D', 'R'), Bytes(12)}});
  EXPECT_TRUE(isDxbc(bytes));
  const auto parsed = parseDxbc(bytes);
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->chunks.size(), 2u);
  EXPECT_EQ(parsed->find(fourCc('S', 'H', 'D', 'R'))->payload.size(), 12u);
  EXPECT_TRUE(parsed->d3d9Stream().empty());
  const auto input = readInputSignature(*parsed);
  ASSERT_TRUE(input.ok());
  ASSERT_EQ(input->size(), 1u);
  const SignatureElement& e = input->front();
  EXPECT_EQ(e.semantic, "Position");
  EXPECT_EQ(e.semanticHash, semanticHash("POSITION"));
  EXPECT_EQ(e.componentType, 3u);
  EXPECT_EQ(e.registerIndex, 1u);
  EXPECT_EQ(e.mask, 15);
  EXPECT_EQ(e.usedMask, 7);
  const auto output = readOutputSignature(*parsed);
  ASSERT_TRUE(output.ok());
  EXPECT_TRUE(output->empty());
}

// SHADER-13
TEST(Dxbc, FindsTheD3d9Stream) {
  Bytes aon9;
  for (const uint32_t v : {16u + 12u, 0xFFFE0200u, 0u, 16u, 0xFFFE0200u, 0u, 0xFFFFu}) put(aon9, v);
  const auto parsed = parseDxbc(container({{fourCc('A', 'o', 'n', '9'), aon9}}));
  ASSERT_TRUE(parsed.ok());
  Bytes bytes = container({{fourCc('A', 'o', 'n', '9'), aon9}});
  const auto again = parseDxbc(bytes);
  const auto stream = again->d3d9Stream();
  ASSERT_EQ(stream.size(), 12u);
  uint32_t first;
  std::memcpy(&first, stream.data(), 4);
  EXPECT_EQ(first, 0xFFFE0200u);
  bytes[32 + 4 + 8 + 12] = 200;  // code after the end
  EXPECT_TRUE(parseDxbc(bytes)->d3d9Stream().empty());
}

/// A token has the opcode, and from bit 24 on the length in words.
// LIM-9
TEST(Dxbc, CostOfAProgram) {
  const auto op = [](uint32_t opcode, uint32_t length) { return opcode | length << 24; };
  constexpr uint32_t kMov = 0x36, kSample = 0x45, kLoop = 0x30, kEndLoop = 0x16, kDclTemps = 0x68,
                     kRet = 0x3E;
  const std::vector<uint32_t> words = {
      0x40,       0, op(kDclTemps, 2), 1,    op(kMov, 3), 0, 0, op(kLoop, 1), op(kSample, 4), 0,
      0,          0, op(kEndLoop, 1),  0x35, 4,           0, 0,  // custom data
      op(kRet, 1)};
  const auto costOfWords = [](const std::vector<uint32_t>& code) {
    Bytes bytes(code.size() * 4);
    if (!code.empty()) std::memcpy(bytes.data(), code.data(), bytes.size());
    const Bytes whole = container({{fourCc('S', 'H', 'D', 'R'), bytes}});
    const auto parsed = parseDxbc(whole);
    EXPECT_TRUE(parsed.ok());
    return parsed.ok() ? costOf(*parsed) : ShaderCost{};
  };
  EXPECT_EQ(costOfWords(words).instructions, 1u + 16 + 1) << "a loop counts for 16 rounds";
  EXPECT_EQ(costOfWords(words).samples, 16u);
  const std::vector<uint32_t> once = {0x40, 0, op(kLoop, 1), op(kMov, 3), 0, 0, op(kEndLoop, 1)};
  Bytes bytes(once.size() * 4);
  std::memcpy(bytes.data(), once.data(), bytes.size());
  const Bytes whole = container({{fourCc('S', 'H', 'D', 'R'), bytes}});
  EXPECT_EQ(instructionsOf(*parseDxbc(whole)), 3u) << "as they stand there";
  // No compiler writes these: lengths of zero, past the end, loops without end.
  EXPECT_EQ(costOfWords({0x40, 0, kMov, kMov}).instructions, 1u);
  EXPECT_EQ(costOfWords({0x40, 0, op(kMov, 127)}).instructions, 1u);
  EXPECT_EQ(costOfWords({0x40, 0, 0x35, 0xFFFFFFFF}).instructions, 0u);
  std::vector<uint32_t> loops(100, op(kLoop, 1));
  loops.push_back(op(kMov, 1));
  EXPECT_EQ(costOfWords(loops).instructions, ShaderCost::kMost);
  EXPECT_EQ(costOfWords({}).instructions, 0u);
}

/// Tries every length modulo 64 that whole words can have.
// SHADER-5
TEST(Dxbc, ChecksumIsWhatVkd3dExpects) {
  for (uint32_t words = 0; words < 17; ++words) {
    const Bytes bytes = container(
        {{fourCc('I', 'S', 'G', 'N'), signature()}, {fourCc('X', 'X', 'X', 'X'), Bytes(size_t{words} * 4)}});
    const auto good = withValidChecksum(bytes);
    ASSERT_TRUE(good.ok());
    Bytes bad = *good;
    bad[4] ^= 1;
    vkd3d_shader_signature parsed{};
    const vkd3d_shader_code code{good->data(), good->size()};
    EXPECT_EQ(vkd3d_shader_parse_input_signature(&code, &parsed, nullptr), VKD3D_OK) << words;
    vkd3d_shader_free_shader_signature(&parsed);
    const vkd3d_shader_code wrong{bad.data(), bad.size()};
    EXPECT_NE(vkd3d_shader_parse_input_signature(&wrong, &parsed, nullptr), VKD3D_OK) << words;
  }
}

TEST(Dxbc, RefusesBrokenContainers) {
  const Bytes bytes = container({{fourCc('I', 'S', 'G', 'N'), signature()}});
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_FALSE(parseDxbc(std::span(bytes).first(n)).ok());
    EXPECT_FALSE(withValidChecksum(std::span(bytes).first(n)).ok());
  }
  Bytes many = bytes;
  many[28] = 65;
  EXPECT_FALSE(parseDxbc(many).ok());
  Bytes far = bytes;
  far[35] = 0x80;
  EXPECT_FALSE(parseDxbc(far).ok());
}

TEST(Dxbc, DamagedContainersDoNotCrash) {
  Bytes aon9(40);
  const Bytes bytes = container({{fourCc('I', 'S', 'G', '1'), signature()},
                                 {fourCc('O', 'S', 'G', 'N'), signature()},
                                 {fourCc('A', 'o', 'n', '9'), aon9}});
  std::mt19937 rng(3);
  for (int i = 0; i < 20000; ++i) {
    Bytes damaged = bytes;
    for (uint32_t k = rng() % 4 + 1; k; --k) damaged[rng() % damaged.size()] ^= 1u << rng() % 8;
    const auto parsed = parseDxbc(damaged);
    if (!parsed.ok()) continue;
    const auto in = readInputSignature(*parsed), out = readOutputSignature(*parsed);
    EXPECT_LE(parsed->d3d9Stream().size(), damaged.size());
    if (in.ok() && !in->empty()) {
      EXPECT_LE(in->front().semantic.size(), 63u);
    }
  }
}

}  // namespace
}  // namespace aerogpu::shader
