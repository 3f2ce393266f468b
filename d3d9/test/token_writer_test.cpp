// SPDX-License-Identifier: MIT
// Tests TokenWriter against words made by hand from "Direct3D Shader Codes", and its limits.
#include "aerogpu/d3d9/token_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "aerogpu/d3d9/assembler.h"

namespace aerogpu::d3d9 {
namespace {

using Words = std::vector<uint32_t>;

struct Stream {
  std::array<uint32_t, 64> buffer{};
  TokenWriter w{buffer.data(), buffer.size()};
  Words words() const {
    EXPECT_TRUE(w.ok());
    return {w.data(), w.data() + w.size()};
  }
};

constexpr uint32_t temp(uint32_t n, uint32_t mask = 0xF) {
  return destinationToken(RegisterType::Temp, n, mask);
}

TEST(TokenWriter, APixelShaderOfModel2) {
  Stream s;
  s.w.version({Stage::Pixel, 2, 0});
  s.w.dcl(Usage::Position, 0, destinationToken(RegisterType::AddressOrTexture, 0, 0x3));
  s.w.dclSampler(SamplerType::Texture2D, 0);
  s.w.def(7, 0x3F800000, 0xBF000000, 0, 0x40000000);
  s.w.instruction(Opcode::Tex, temp(0), sourceToken(RegisterType::AddressOrTexture, 0),
                  sourceToken(RegisterType::Sampler, 0));
  s.w.instruction(Opcode::Mul, temp(0), sourceToken(RegisterType::Temp, 0),
                  sourceToken(RegisterType::Const, 7, replicate(3), SourceModifier::Negate));
  s.w.instruction(Opcode::Mov, destinationToken(RegisterType::ColorOut, 0),
                  sourceToken(RegisterType::Temp, 0));
  s.w.end();
  EXPECT_EQ(s.words(), (Words{0xFFFF0200, 0x0200001F, 0x80000000, 0xB0030000,                 // dcl t0.xy
                              0x0200001F, 0x90000000, 0xA00F0800,                             // dcl_2d s0
                              0x05000051, 0xA00F0007, 0x3F800000, 0xBF000000, 0, 0x40000000,  // def c7
                              0x03000042, 0x800F0000, 0xB0E40000, 0xA0E40800,                 // texld
                              0x03000005, 0x800F0000, 0x80E40000, 0xA1FF0007,  // mul r0, r0, -c7.w
                              0x02000001, 0x800F0800, 0x80E40000, 0x0000FFFF}));
}

TEST(TokenWriter, Model1HasNoLengths) {
  Stream s;
  s.w.version({Stage::Pixel, 1, 1});
  s.w.instruction(Opcode::Mul, destinationToken(RegisterType::Temp, 0, 0xF, kSaturate, 1),
                  sourceToken(RegisterType::AddressOrTexture, 0, kIdentitySwizzle, SourceModifier::Sign),
                  sourceToken(RegisterType::Input, 0));
  s.w.end();
  EXPECT_EQ(s.words(), assemble("ps_1_1\nmul_x2_sat r0, t0_bx2, v0").tokens);
  EXPECT_EQ(s.words()[1], 0x00000005u);
}

TEST(TokenWriter, IntegersBooleansUsagesAndControl) {
  Stream s;
  s.w.version({Stage::Vertex, 3, 0});
  s.w.dcl(Usage::TexCoord, 3, destinationToken(RegisterType::Input, 2));
  s.w.defI(3, 4, -1, 0, 2);
  s.w.defB(2, true);
  s.w.begin(Opcode::SetP, static_cast<uint32_t>(Comparison::LessEqual));
  s.w.parameter(destinationToken(RegisterType::Predicate, 0));
  s.w.parameter(sourceToken(RegisterType::Temp, 0));
  s.w.parameter(sourceToken(RegisterType::Temp, 1));
  s.w.finish();
  s.w.begin(Opcode::Mov, 0, kPredicatedBit);
  s.w.parameter(temp(0));
  s.w.parameter(sourceToken(RegisterType::Predicate, 0, replicate(0), SourceModifier::Not));
  s.w.parameter(sourceToken(RegisterType::Const, 3) | kRelativeBit);
  s.w.parameter(sourceToken(RegisterType::AddressOrTexture, 0, replicate(1)));
  s.w.finish();
  s.w.end();
  EXPECT_EQ(s.words(), assemble("vs_3_0\ndcl_texcoord3 v2\ndefi i3, 4, -1, 0, 2\ndefb b2, true\n"
                                "setp_le p0, r0, r1\n(!p0.x) mov r0, c[a0.y + 3]")
                           .tokens);
}

TEST(TokenWriter, Comments) {
  Stream s;
  s.w.version({Stage::Vertex, 2, 0});
  const uint32_t words[2] = {0x42415443, 0x12345678};
  s.w.comment(words, 2);
  s.w.end();
  EXPECT_EQ(s.words(), (Words{0xFFFE0200, 0x0002FFFE, 0x42415443, 0x12345678, 0x0000FFFF}));
  Words room(0x9000);
  const Words many(0x8000);
  TokenWriter most(room.data(), room.size());
  most.comment(many.data(), 0x7FFF);
  EXPECT_TRUE(most.ok());
  EXPECT_EQ(room[0], 0x7FFFFFFEu);
  most.comment(many.data(), 1);
  EXPECT_TRUE(most.ok());
  TokenWriter longer(room.data(), room.size());
  longer.comment(many.data(), many.size());
  EXPECT_FALSE(longer.ok()) << "15 bits of length";
}

TEST(TokenWriter, WritesNothingBeyondItsBuffer) {
  std::array<uint32_t, 4> buffer{1, 2, 3, 0xCAFE};
  TokenWriter w(buffer.data(), 3);
  w.version({Stage::Vertex, 2, 0});
  w.instruction(Opcode::Mov, temp(0), sourceToken(RegisterType::Const, 0));
  EXPECT_FALSE(w.ok());
  w.end();
  EXPECT_FALSE(w.ok()) << "it stays so";
  EXPECT_EQ(buffer[3], 0xCAFEu);
}

TEST(TokenWriter, AnInstructionHasFifteenParametersAtMost) {
  Stream s;
  s.w.version({Stage::Vertex, 2, 0});
  s.w.begin(Opcode::Mov);
  for (int i = 0; i < 15; ++i) s.w.parameter(0x80000000);
  s.w.finish();
  EXPECT_TRUE(s.w.ok());
  EXPECT_EQ(s.buffer[1], 0x0F000001u);
  s.w.begin(Opcode::Mov);
  for (int i = 0; i < 16; ++i) s.w.parameter(0x80000000);
  s.w.finish();
  EXPECT_FALSE(s.w.ok());
}

}  // namespace
}  // namespace aerogpu::d3d9
