// SPDX-License-Identifier: MIT
// Tests assembler and disassembler: token words worked out from "Direct3D Shader Codes", errors, round trips.
#include <gtest/gtest.h>

#include <random>

#include "aerogpu/d3d9/assembler.h"
#include "aerogpu/d3d9/disassembler.h"
#include "aerogpu/d3d9/opcodes.h"

namespace aerogpu::d3d9 {
namespace {

using Words = std::vector<uint32_t>;

Words words(std::string_view source) {
  const Assembly a = assemble(source);
  EXPECT_TRUE(a.ok()) << a.errorText() << "\n" << source;
  return a.tokens;
}

std::string errorOf(std::string_view source) {
  const Assembly a = assemble(source);
  EXPECT_FALSE(a.ok()) << source;
  return a.errorText();
}

TEST(Table, RowsAreUniqueAndFound) {
  for (const OpcodeInfo& row : allOpcodes()) {
    EXPECT_EQ(findOpcode(static_cast<uint32_t>(row.opcode)), &row) << row.name;
    EXPECT_TRUE(row.vsFirst || row.psFirst) << row.name;
    EXPECT_LE(row.vsFirst, row.vsLast) << row.name;
    EXPECT_LE(row.psFirst, row.psLast) << row.name;
  }
  EXPECT_EQ(findOpcode(49), nullptr);
  EXPECT_EQ(findOpcode(75), nullptr);
  EXPECT_EQ(findOpcode(97), nullptr);
  EXPECT_EQ(findOpcode(0xFFFC), nullptr);
}

// Bit layouts by hand: type bits 0..2 in 30:28, 3..4 in 12:11; mask in 19:16; swizzle in 23:16.
TEST(Assembler, Words) {
  EXPECT_EQ(words("vs_2_0\nmov oPos, v0"),
            (Words{0xFFFE0200, 0x02000001, 0xC00F0000, 0x90E40000, 0x0000FFFF}));
  EXPECT_EQ(
      words("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\nend"),
      (Words{0xFFFF0200, 0x0200001F, 0x80000000, 0xB0030000, 0x0200001F, 0x90000000, 0xA00F0800, 0x03000042,
             0x800F0000, 0xB0E40000, 0xA0E40800, 0x02000001, 0x800F0800, 0x80E40000, 0x0000FFFF}));
  EXPECT_EQ(words("vs_3_0\ndcl_texcoord3 v2\ndcl_position o0"),
            (Words{0xFFFE0300, 0x0200001F, 0x80030005, 0x900F0002, 0x0200001F, 0x80000000, 0xE00F0000,
                   0x0000FFFF}));
  EXPECT_EQ(words("ps_3_0\nmad_sat_pp r1.xw, -r0.x, c5_abs.wzyx, v1.xy"),
            (Words{0xFFFF0300, 0x04000004, 0x80390001, 0x81000000, 0xAB1B0005, 0x90540001, 0xFFFF}));
  EXPECT_EQ(words("vs_2_0\ndef c7, 1, -0.5, 0, 2"),
            (Words{0xFFFE0200, 0x05000051, 0xA00F0007, 0x3F800000, 0xBF000000, 0, 0x40000000, 0xFFFF}));
  EXPECT_EQ(
      words("vs_2_0\ndefi i3, 4, -1, 0, 2\ndefb b2, true"),
      (Words{0xFFFE0200, 0x05000030, 0xF00F0003, 4, 0xFFFFFFFF, 0, 2, 0x0200002F, 0xE00F0802, 1, 0xFFFF}));
}

TEST(Assembler, RelativeAddressing) {
  // Shader model 2: an index token follows, and counts in the length.
  EXPECT_EQ(words("vs_2_0\nmov r0, c[a0.x + 3]"),
            (Words{0xFFFE0200, 0x03000001, 0x800F0000, 0xA0E42003, 0xB0000000, 0xFFFF}));
  EXPECT_EQ(words("vs_2_0\nmov r0, c3[a0.w]"),
            (Words{0xFFFE0200, 0x03000001, 0x800F0000, 0xA0E42003, 0xB0FF0000, 0xFFFF}));
  EXPECT_EQ(words("vs_3_0\nmov o[aL + 1], c[2 + aL]"),
            (Words{0xFFFE0300, 0x04000001, 0xE00F2001, 0xF0E40800, 0xA0E42002, 0xF0E40800, 0xFFFF}));
  // Shader model 1: a bit, no token, no length.
  EXPECT_EQ(words("vs_1_1\nmov r0, c[a0.x + 3]"),
            (Words{0xFFFE0101, 0x00000001, 0x800F0000, 0xA0E42003, 0xFFFF}));
}

TEST(Assembler, FlowAndPredicates) {
  EXPECT_EQ(words("ps_3_0\nif_gt r0.x, c0.y\nbreak_ne r0.x, r1.x\nendif"),
            (Words{0xFFFF0300, 0x02010029, 0x80000000, 0xA0550000, 0x0205002D, 0x80000000, 0x80000001,
                   0x0000002B, 0xFFFF}));
  EXPECT_EQ(
      words("vs_3_0\nsetp_le p0, r0, r1\n(!p0.x) mov r0, r1\n(p0) add r0, r1, r2"),
      (Words{0xFFFE0300, 0x0306005E, 0xB00F1000, 0x80E40000, 0x80E40001, 0x13000001, 0x800F0000, 0xBD001000,
             0x80E40001, 0x14000002, 0x800F0000, 0xB0E41000, 0x80E40001, 0x80E40002, 0xFFFF}));
  EXPECT_EQ(words("vs_2_0\nloop aL, i0\nendloop\ncallnz l3, !b1\nret\nlabel l3\nret"),
            (Words{0xFFFE0200, 0x0200001B, 0xF0E40800, 0xF0E40000, 0x0000001D, 0x0200001A, 0xA0E41003,
                   0xEDE40801, 0x0000001C, 0x0100001E, 0xA0E41003, 0x0000001C, 0xFFFF}));
}

TEST(Assembler, TexldVariants) {
  const Words w = words("ps_2_0\ntexldp r0, t0, s1\ntexldb r0, t0, s1");
  EXPECT_EQ(w[1], 0x03010042u);
  EXPECT_EQ(w[5], 0x03020042u);
}

TEST(Assembler, ScratchSourcesAreOptional) {
  EXPECT_EQ(words("vs_3_0\nsgn r0, r1"), (Words{0xFFFE0300, 0x02000022, 0x800F0000, 0x80E40001, 0xFFFF}));
  EXPECT_EQ(words("vs_2_0\nsgn r0, r1, r2, r3"),
            (Words{0xFFFE0200, 0x04000022, 0x800F0000, 0x80E40001, 0x80E40002, 0x80E40003, 0xFFFF}));
}

TEST(Assembler, CommentsAndCase) {
  EXPECT_EQ(words("; one\n// two\nVS_2_0 /* three\n four */\n  MOV OPOS, V0 // five\n"),
            words("vs_2_0\nmov oPos, v0"));
}

TEST(Assembler, Errors) {
  EXPECT_EQ(errorOf("mov r0, r1"), "1:1: expected a version such as vs_2_0");
  EXPECT_EQ(errorOf("vs_2_0\nfoo r0"), "2:1: unknown instruction 'foo' in this shader model");
  EXPECT_EQ(errorOf("ps_2_0\n\n  texldl r0, t0, s0"),
            "3:3: unknown instruction 'texldl' in this shader model");
  EXPECT_EQ(errorOf("vs_2_0\nmov r0.yx, r1"), "2:9: bad write mask: components must be in the order xyzw");
  EXPECT_EQ(errorOf("vs_2_0\nmov r0 r1"), "2:8: expected ','");
  EXPECT_EQ(errorOf("vs_2_0\nmov r0, oC0"), "2:9: register 'oc' does not exist in this shader model");
  EXPECT_EQ(errorOf("vs_2_0\nmov r0, c4096"), "2:14: number too large (at most 2047)");
  EXPECT_EQ(errorOf("vs_4_0\nnop"), "1:7: no such shader model: 'vs_4_0'");
  EXPECT_FALSE(assemble("").ok());
  EXPECT_FALSE(assemble("vs_2_0 /*").ok());
}

constexpr const char* kPrograms[] = {
    "vs_1_1\ndcl_position v0\nm4x4 oPos, v0, c0\nmov a0.x, v1.x\nmov oD0, c[a0.x + 4]\n",
    "ps_1_1\ntex t0\nmul_x2_sat r0, t0_bx2, v0\n+mov r0.a, 1-t0.a\n",
    "ps_1_4\ntexcrd r0.xyz, t0\nphase\ntexld r1, r0_dz\ncnd r0, r1.a, r0, -r1_bias\n",
    "vs_2_x\ndefi i0, 3, 0, 1, 0\ndefb b0, false\nrep i0\nif b0\nbreak\nelse\nnop\nendif\nendrep\nsgn r0, "
    "r1, r2, r3\n",
    "ps_3_0\ndcl_texcoord15_centroid v0.xyw\ndcl_cube s3\ndcl_volume s15\ndcl vPos.xy\ndcl vFace\n"
    "texldd r0, v0, s3, r1, r2\ntexldl_pp r1, v0, s15\ndsx r2, r0\ndp2add_sat r0.w, r0, r1, -r2_abs.w\n"
    "texkill r0\nmov oDepth, r0.x\nmov oC3, vFace\n",
    "vs_3_0\ndcl_psize o3.x\ndcl_blendindices v4\nmova a0, v4\nloop aL, i15\n"
    "(!p0.z) mad o[aL + 2].xyz, v[aL], c[a0.w + 255].wzyx, -r31\nbreakp p0.x\nendloop\nsincos r0.xy, r1.x\n"
    "def c255, 0x7f800000, 1e-30, -0, 3.14159274\n",
};

TEST(Disassembler, RoundTrip) {
  for (const char* program : kPrograms) {
    const Words first = words(program);
    const Disassembly text = disassemble(first);
    EXPECT_TRUE(text.ok()) << text.error << "\n" << text.text;
    EXPECT_EQ(words(text.text), first) << text.text;
  }
}

TEST(Disassembler, SkipsComments) {
  const Words w = {0xFFFE0200, 0x0002FFFE, 0x42415443, 0x12345678,
                   0x02000001, 0xC00F0000, 0x90E40000, 0xFFFF};
  EXPECT_EQ(disassemble(w).text, "vs_2_0\nmov oPos, v0\n");
}

TEST(Disassembler, TruncatedStreamsAreErrors) {
  for (const char* program : kPrograms) {
    const Words all = words(program);
    for (size_t n = 0; n < all.size(); ++n) EXPECT_FALSE(disassemble(std::span(all).first(n)).ok()) << n;
  }
}

TEST(Disassembler, DamagedStreamsDoNotCrash) {
  std::mt19937 rng(1);
  for (const char* program : kPrograms) {
    const Words all = words(program);
    for (int i = 0; i < 2000; ++i) {
      Words w = all;
      for (int k = 0; k < 3; ++k) w[rng() % w.size()] ^= 1u << rng() % 32;
      const Disassembly d = disassemble(w);
      EXPECT_EQ(d.ok(), d.error.empty());
    }
  }
}

}  // namespace
}  // namespace aerogpu::d3d9
