// SPDX-License-Identifier: MIT
// The limits of floats that become texels, levels and integers: each operand has them, SPIRV-Tools' validator
// judges the result, and words that are no module are refused.
#include "renderer/shader/spirv/spirv_limits.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <bit>
#include <map>
#include <spirv-tools/libspirv.hpp>
#include <string>

#include "renderer/shader/spirv/spirv_words.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;
using test::validate;

Words moduleOf(const std::string& import, const std::string& body) {
  const std::string text = "OpCapability Shader\nOpCapability ImageQuery\n" + import + R"(
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %1 "main"
OpExecutionMode %1 OriginUpperLeft
OpDecorate %40 DescriptorSet 0
OpDecorate %40 Binding 0
OpDecorate %41 DescriptorSet 0
OpDecorate %41 Binding 1
OpDecorate %42 DescriptorSet 0
OpDecorate %42 Binding 2
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeFloat 32
%5 = OpTypeVector %4 2
%6 = OpTypeVector %4 3
%7 = OpTypeVector %4 4
%8 = OpTypeInt 32 1
%9 = OpTypeInt 32 0
%10 = OpTypeVector %8 2
%11 = OpConstant %4 3
%12 = OpConstantComposite %5 %11 %11
%13 = OpConstantComposite %6 %11 %11 %11
%14 = OpConstant %8 0
%20 = OpTypeImage %4 2D 0 0 0 1 Unknown
%21 = OpTypeSampledImage %20
%22 = OpTypePointer UniformConstant %21
%23 = OpTypeImage %4 Cube 0 0 0 1 Unknown
%24 = OpTypeSampledImage %23
%25 = OpTypePointer UniformConstant %24
%26 = OpTypeImage %4 2D 1 0 0 1 Unknown
%27 = OpTypeSampledImage %26
%28 = OpTypePointer UniformConstant %27
%40 = OpVariable %22 UniformConstant
%41 = OpVariable %25 UniformConstant
%42 = OpVariable %28 UniformConstant
%1 = OpFunction %2 None %3
%60 = OpLabel
%61 = OpLoad %21 %40
%62 = OpLoad %24 %41
%63 = OpLoad %27 %42
)" + body + "OpReturn\nOpFunctionEnd\n";
  return test::assemble(text);
}
const std::string kImport = "%50 = OpExtInstImport \"GLSL.std.450\"";

/// An operand's limits, in the module that came out.
struct Limited {
  Id from;
  float least, most;
  bool operator==(const Limited&) const = default;
};

/// Returns the limits of a word of the last instruction of that kind; zeros if it has none.
Limited limitedOperand(const Words& words, Op op, size_t word) {
  std::map<Id, uint32_t> scalars;
  std::map<Id, Limited> limits;
  Limited found{};
  (void)forEachInstruction(words, [&](InstructionWords in) -> const char* {
    if (opcode(in) == Op::OpConstant) scalars[in[2]] = in[3];
    // All parts of a vector are equal.
    if (opcode(in) == Op::OpConstantComposite && scalars.contains(in[3])) scalars[in[2]] = scalars[in[3]];
    if (opcode(in) == Op::OpExtInst && in[4] == GLSLstd450NClamp)
      limits[in[2]] = {in[5], std::bit_cast<float>(scalars[in[6]]), std::bit_cast<float>(scalars[in[7]])};
    if (opcode(in) == op) found = limits[in[word]];
    return nullptr;
  });
  return found;
}

void expectLimits(const std::string& body, Op op, const std::map<size_t, Limited>& operands) {
  for (const std::string& import : {kImport, std::string()}) {
    const Words plain = moduleOf(import, body);
    ASSERT_EQ(validate(plain), "") << body;
    const auto out = limitFloats(plain);
    ASSERT_TRUE(out.ok()) << out.error().detail;
    EXPECT_EQ(validate(*out), "") << body;
    for (const auto& [word, limits] : operands)
      EXPECT_TRUE(limitedOperand(*out, op, word) == limits) << body << "word " << word;
    const auto again = limitFloats(*out);
    ASSERT_TRUE(again.ok()) << "what came out is understood";
  }
}

constexpr float k16 = 65536, k40 = 1099511627776.0f;

TEST(SpirvLimits, Samples) {
  expectLimits("%70 = OpImageSampleImplicitLod %7 %61 %12\n", Op::OpImageSampleImplicitLod,
               {{4, {12, -k16, k16}}});
  expectLimits("%70 = OpImageSampleImplicitLod %7 %62 %13\n", Op::OpImageSampleImplicitLod,
               {{4, {13, -k40, k40}}});
  expectLimits("%70 = OpImageSampleImplicitLod %7 %61 %12 Bias %11\n", Op::OpImageSampleImplicitLod,
               {{4, {12, -k16, k16}}, {6, {11, -64, 64}}});
  expectLimits("%70 = OpImageSampleExplicitLod %7 %61 %12 Lod %11\n", Op::OpImageSampleExplicitLod,
               {{4, {12, -k16, k16}}, {6, {11, -64, 64}}});
  expectLimits("%70 = OpImageSampleExplicitLod %7 %61 %12 Grad %12 %12\n", Op::OpImageSampleExplicitLod,
               {{4, {12, -k16, k16}}, {6, {12, -k40, k40}}, {7, {12, -k40, k40}}});
  expectLimits("%70 = OpImageSampleDrefImplicitLod %4 %63 %12 %11 Bias %11\n",
               Op::OpImageSampleDrefImplicitLod, {{4, {12, -k16, k16}}, {5, {}}, {7, {11, -64, 64}}});
  expectLimits("%70 = OpImageSampleDrefExplicitLod %4 %63 %12 %11 Lod %11\n",
               Op::OpImageSampleDrefExplicitLod, {{4, {12, -k16, k16}}, {7, {11, -64, 64}}});
  expectLimits("%70 = OpImageGather %7 %61 %12 %14\n", Op::OpImageGather, {{4, {12, -k16, k16}}});
  expectLimits("%70 = OpImageDrefGather %7 %63 %12 %11\n", Op::OpImageDrefGather, {{4, {12, -k16, k16}}});
}

TEST(SpirvLimits, Integers) {
  expectLimits("%70 = OpConvertFToS %8 %11\n", Op::OpConvertFToS, {{3, {11, -2147483648.0f, 2147483520.0f}}});
  expectLimits("%70 = OpConvertFToS %10 %12\n", Op::OpConvertFToS,
               {{3, {12, -2147483648.0f, 2147483520.0f}}});
  expectLimits("%70 = OpConvertFToU %9 %11\n", Op::OpConvertFToU, {{3, {11, 0, 4294967040.0f}}});
}

TEST(SpirvLimits, WhatHasNoneStaysAsItIs) {
  const Words plain = moduleOf("", "%70 = OpFAdd %4 %11 %11\n");
  const auto out = limitFloats(plain);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(*out, plain);
}

TEST(SpirvLimits, WhatIsNotUnderstoodIsRefused) {
  const Words projecting = moduleOf(kImport, "%70 = OpImageSampleProjImplicitLod %7 %61 %13\n");
  EXPECT_FALSE(limitFloats(projecting).ok());
  const Words good = moduleOf(kImport, "%70 = OpImageSampleImplicitLod %7 %61 %12 Bias %11\n");
  for (size_t size = 0; size < good.size(); ++size) (void)limitFloats(std::span(good).first(size));
  for (size_t word = 0; word < good.size(); ++word) {
    for (const uint32_t value : {0u, 1u, 70u, ~0u, good[word] ^ 0x10000}) {
      Words bad = good;
      bad[word] = value;
      (void)limitFloats(bad);
    }
  }
}

}  // namespace
}  // namespace aerogpu::shader
