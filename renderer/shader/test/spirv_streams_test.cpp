// SPDX-License-Identifier: MIT
// What modules stream out, as their words say it: SPIRV-Tools' validator judges the result, and words that
// are no module are refused. vulkan/test/stream_output_test.cpp looks at the bytes.
#include "renderer/shader/spirv/spirv_streams.h"

#include <map>
#include <spirv-tools/libspirv.hpp>
#include <string>

#include "renderer/shader/spirv/spirv_words.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;
using test::validate;

/// A vertex shader: %10 is the position, %11 location 1, %12 the components y to w of location 2, %13 a
/// vector of uint in location 3. `more`: annotations.
Words vertexModule(const std::string& more = "") {
  const std::string text = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %1 "main" %10 %11 %12 %13
OpDecorate %10 BuiltIn Position
OpDecorate %11 Location 1
OpDecorate %12 Location 2
OpDecorate %12 Component 1
OpDecorate %13 Location 3
)" + more + R"(
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeFloat 32
%5 = OpTypeVector %4 4
%6 = OpTypeVector %4 3
%7 = OpTypeInt 32 0
%8 = OpTypeVector %7 2
%20 = OpTypePointer Output %5
%21 = OpTypePointer Output %6
%22 = OpTypePointer Output %8
%10 = OpVariable %20 Output
%11 = OpVariable %20 Output
%12 = OpVariable %21 Output
%13 = OpVariable %22 Output
%1 = OpFunction %2 None %3
%60 = OpLabel
OpReturn
OpFunctionEnd
)";
  return test::assemble(text);
}

StreamedWord word(uint32_t location, uint32_t component, uint32_t offset, uint32_t buffer = 0) {
  return {0, location, component, buffer, 64, offset};
}

/// Returns the offset of each variable that is streamed out.
std::map<Id, uint32_t> offsetsOf(const Words& words) {
  std::map<Id, uint32_t> offsets;
  (void)forEachInstruction(words, [&](InstructionWords in) -> const char* {
    if (opcode(in) == Op::OpDecorate && in[2] == static_cast<uint32_t>(spv::Decoration::Offset))
      offsets[in[1]] = in[3];
    return nullptr;
  });
  return offsets;
}

Words streamed(const std::vector<StreamedWord>& list) {
  auto words = streamOut(vertexModule(), list);
  EXPECT_TRUE(words);
  if (!words) return {};
  EXPECT_EQ(validate(*words), "");
  return *words;
}

TEST(SpirvStreams, WholeOutputsAreDecoratedAndPartsCopied) {
  const Words whole = streamed({word(1, 0, 0), word(1, 1, 4), word(1, 2, 8), word(1, 3, 12), word(2, 1, 16),
                                word(2, 2, 20), word(2, 3, 24)});
  EXPECT_EQ(offsetsOf(whole), (std::map<Id, uint32_t>{{11, 0}, {12, 16}}));
  const auto parts = offsetsOf(streamed({word(1, 1, 0), word(1, 2, 4), word(3, 1, 8), word(3, 0, 12)}));
  EXPECT_EQ(parts.size(), 3u);
  EXPECT_FALSE(parts.contains(11) || parts.contains(13));
  // One output twice: the second time as a copy.
  const auto twice = offsetsOf(streamed({word(3, 0, 0), word(3, 1, 4), word(3, 0, 8), word(3, 1, 12)}));
  EXPECT_EQ(twice.size(), 2u);
  EXPECT_EQ(twice.at(13), 0u);
  // What there is no output for, and what lies apart.
  EXPECT_EQ(offsetsOf(streamed({word(9, 0, 0), word(1, 0, 4), word(1, 1, 12), word(1, 2, 16, 1)})).size(),
            4u);
}

TEST(SpirvStreams, VertexShadersHaveASizeOfPoints) {
  const auto sizes = [](const Words& words) {
    int count = 0;
    (void)forEachInstruction(words, [&](InstructionWords in) -> const char* {
      count += opcode(in) == Op::OpDecorate && in[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
               in[3] == static_cast<uint32_t>(spv::BuiltIn::PointSize);
      return nullptr;
    });
    return count;
  };
  EXPECT_EQ(sizes(vertexModule()), 0);
  const Words plain = streamed({});
  EXPECT_EQ(sizes(plain), 1);
  EXPECT_TRUE(offsetsOf(plain).empty());
  const auto again = streamOut(plain, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, plain);
}

TEST(SpirvStreams, MoreOutputsThanThereAre) {
  std::vector<StreamedWord> list;
  for (uint32_t i = 0; i < 128; ++i) list.push_back(word(1, i % 4, i * 8));  // each on its own
  const auto many = streamOut(vertexModule(), list);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::Backend);
}

TEST(SpirvStreams, WhatIsNoModuleIsRefused) {
  const Words good = vertexModule();
  for (size_t length = 0; length < good.size(); ++length)
    (void)streamOut(std::span(good).first(length), std::vector{word(1, 0, 0)});
  for (size_t at = kHeaderWords; at < good.size(); ++at)
    for (const uint32_t value : {0u, 1u, 0xFFFFFFFFu, good[at] ^ 0x10000u}) {
      Words bad = good;
      bad[at] = value;
      (void)streamOut(bad, std::vector{word(1, 0, 0), word(1, 3, 4), word(3, 0, 8)});
    }
  Words short_ = {1, 2, 3};
  EXPECT_FALSE(streamOut(short_, {}));
  Words twice = good;
  twice.insert(twice.end(), good.begin() + kHeaderWords, good.end());
  EXPECT_FALSE(streamOut(twice, {})) << "two entry points";
}

}  // namespace
}  // namespace aerogpu::shader
