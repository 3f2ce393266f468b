// SPDX-License-Identifier: MIT
// The limits of layers and viewports: what is stored is compared with the right number, SPIRV-Tools'
// validator judges the result, and what is not understood is refused.
#include "renderer/shader/spirv/spirv_indices.h"

#include <algorithm>
#include <map>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

#include "renderer/shader/spirv/spirv_words.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader {
namespace {

using namespace spirv_words;
using test::validate;

/// A geometry shader with the layer in %20 and the viewport in %21.
Words layersModule(const std::string& type, const std::string& body) {
  const std::string text = R"(OpCapability Geometry
OpCapability MultiViewport
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %1 "main" %20 %21
OpExecutionMode %1 InputPoints
OpExecutionMode %1 OutputPoints
OpExecutionMode %1 OutputVertices 1
OpDecorate %20 BuiltIn Layer
OpDecorate %21 BuiltIn ViewportIndex
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 )" + type +
                           R"(
%5 = OpTypePointer Output %4
%6 = OpConstant %4 7
%20 = OpVariable %5 Output
%21 = OpVariable %5 Output
%1 = OpFunction %2 None %3
%60 = OpLabel
)" + body + "OpReturn\nOpFunctionEnd\n";
  return test::assemble(text);
}

TEST(SpirvIndices, StoresAreLimited) {
  for (const char* type : {"0", "1"}) {
    const Words plain = layersModule(type, "OpStore %20 %6\nOpStore %21 %6\nOpStore %20 %6\n");
    ASSERT_EQ(validate(plain), "");
    const auto out = limitIndices(plain);
    ASSERT_TRUE(out.ok()) << out.error().detail;
    EXPECT_EQ(validate(*out), "");
    std::map<Id, uint32_t> constants, specIds;
    struct Compared {
      Id value, limit;
    };
    std::map<Id, Compared> compared;
    std::map<Id, std::pair<Compared, Id>> selected;  // what is compared, and what is taken in place of it
    int layers = 0, viewports = 0;
    (void)forEachInstruction(*out, [&](InstructionWords in) -> const char* {
      const Op op = opcode(in);
      if (op == Op::OpConstant || op == Op::OpSpecConstant) constants[in[2]] = in[3];
      if (op == Op::OpDecorate && in[2] == static_cast<uint32_t>(spv::Decoration::SpecId))
        specIds[in[1]] = in[3];
      if (op == Op::OpULessThan) compared[in[2]] = {in[3], in[4]};
      if (op == Op::OpSelect && compared.contains(in[3])) {
        EXPECT_EQ(in[4], compared[in[3]].value) << "what is below the limit stays";
        selected[in[2]] = {compared[in[3]], in[5]};
      }
      if (op != Op::OpStore) return nullptr;
      EXPECT_TRUE(selected.contains(in[2])) << "a store that is not limited";
      const auto& [what, otherwise] = selected[in[2]];
      EXPECT_EQ(what.value, 6u);
      EXPECT_EQ(constants[otherwise], 0u);
      const bool isLayer = specIds.contains(what.limit);
      EXPECT_EQ(constants[what.limit], isLayer ? 1u : 16u);
      EXPECT_EQ(in[1], isLayer ? 20u : 21u);
      (isLayer ? layers : viewports)++;
      return nullptr;
    });
    EXPECT_EQ(layers, 2);
    EXPECT_EQ(viewports, 1);
    for (const auto& [id, number] : specIds) EXPECT_EQ(number, kLayerCountConstant);
  }
}

TEST(SpirvIndices, NumbersAsTheyAreGoToTheirPlaces) {
  const Words plain = layersModule("0", "OpStore %20 %6\nOpStore %21 %6\n");
  const auto out = limitIndices(plain, {1 + 4 * 5, 1 + 4 * 5 + 2});
  ASSERT_TRUE(out.ok()) << out.error().detail;
  EXPECT_EQ(validate(*out), "");
  std::map<Id, uint32_t> locations, components;
  std::map<uint32_t, Id> stored;  // by component
  std::vector<Id> listed;
  (void)forEachInstruction(*out, [&](InstructionWords in) -> const char* {
    if (opcode(in) == Op::OpEntryPoint) listed.assign(in.begin() + 5, in.end());
    if (opcode(in) == Op::OpDecorate && in[2] == static_cast<uint32_t>(spv::Decoration::Location))
      locations[in[1]] = in[3];
    if (opcode(in) == Op::OpDecorate && in[2] == static_cast<uint32_t>(spv::Decoration::Component))
      components[in[1]] = in[3];
    if (opcode(in) == Op::OpStore && locations.contains(in[1])) {
      EXPECT_EQ(in[2], 6u) << "as it is";
      EXPECT_EQ(locations[in[1]], 5u);
      stored[components[in[1]]] = in[1];
    }
    return nullptr;
  });
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_TRUE(stored.contains(0) && stored.contains(2));
  for (const auto& [component, id] : stored)
    EXPECT_EQ(std::count(listed.begin(), listed.end(), id), 1) << "in the list of the entry point";
}

TEST(SpirvIndices, WhatIsNotUnderstoodIsRefused) {
  const auto refused = [](const std::string& body) { return !limitIndices(layersModule("0", body)).ok(); };
  EXPECT_FALSE(refused("%70 = OpLoad %4 %20\n")) << "a load";
  EXPECT_TRUE(refused("%70 = OpCopyObject %5 %20\nOpStore %70 %6\n"));
  EXPECT_TRUE(refused("OpCopyMemory %20 %21\n"));
  EXPECT_FALSE(limitIndices(Words{1, 2, 3}).ok());
  Words cut = layersModule("0", "OpStore %20 %6\n");
  cut.back() += 5u << 16;
  EXPECT_FALSE(limitIndices(cut).ok());
}

}  // namespace
}  // namespace aerogpu::shader
