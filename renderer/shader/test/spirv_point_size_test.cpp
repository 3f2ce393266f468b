// SPDX-License-Identifier: MIT
// Points of one pixel: the store is there once, SPIRV-Tools' validator judges the result, and what is not
// understood is refused.
#include "renderer/shader/spirv/spirv_point_size.h"

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

/// A vertex shader whose entry point is the second function, with a variable in its first block.
Words vertexModule(const std::string& decorations, const std::string& types, const std::string& interface) {
  const std::string text =
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %1 \"main\"" + interface +
      "\n" + decorations + R"(%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%5 = OpTypePointer Function %4
%6 = OpConstant %4 7
)" + types +
      R"(%30 = OpFunction %2 None %3
%31 = OpLabel
OpReturn
OpFunctionEnd
%1 = OpFunction %2 None %3
%40 = OpLabel
%41 = OpVariable %5 Function
OpStore %41 %6
%42 = OpFunctionCall %2 %30
OpBranch %43
%43 = OpLabel
OpReturn
OpFunctionEnd
)";
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* what) {
    ADD_FAILURE() << at.line << ": " << what << "\n" << text;
  });
  Words words;
  EXPECT_TRUE(tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS));
  return words;
}

TEST(SpirvPointSize, IsOnePixel) {
  for (const char* types : {"", "%7 = OpTypeFloat 32\n"}) {
    const Words plain = vertexModule("", types, "");
    ASSERT_EQ(validate(plain), "");
    const auto out = writePointSize(plain);
    ASSERT_TRUE(out.ok()) << out.error().detail;
    EXPECT_EQ(validate(*out), "");
    Id size = 0, function = 0;
    int stores = 0;
    std::map<Id, uint32_t> constants;
    (void)forEachInstruction(*out, [&](InstructionWords in) -> const char* {
      const Op op = opcode(in);
      if (op == Op::OpDecorate && in[3] == static_cast<uint32_t>(spv::BuiltIn::PointSize)) size = in[1];
      if (op == Op::OpConstant) constants[in[2]] = in[3];
      if (op == Op::OpFunction) function = in[2];
      if (op != Op::OpStore || in[1] != size) return nullptr;
      ++stores;
      EXPECT_EQ(function, 1u) << "in the entry point";
      EXPECT_EQ(std::bit_cast<float>(constants[in[2]]), 1.0f);
      return nullptr;
    });
    EXPECT_EQ(stores, 1);
    const auto again = writePointSize(*out);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *out) << "it is written already";
  }
}

TEST(SpirvPointSize, WhatIsNotUnderstoodIsRefused) {
  EXPECT_FALSE(writePointSize(Words{1, 2, 3}).ok());
  Words cut = vertexModule("", "", "");
  cut.back() += 5u << 16;
  EXPECT_FALSE(writePointSize(cut).ok());
  cut = vertexModule("", "", "");
  cut.resize(kHeaderWords);
  EXPECT_FALSE(writePointSize(cut).ok()) << "no entry point";
}

}  // namespace
}  // namespace aerogpu::shader
