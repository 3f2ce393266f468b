// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/container/container.h"

#include <gtest/gtest.h>

#include "renderer/test/dxbc_sealed.h"

namespace aerogpu::runtime11 {
namespace {

using test::dxbc::seal;
using test::dxbc::sealed;
using test::dxbc::Tokens;

TEST(Container, IsTakenApart) {
  const Tokens file = sealed(test::dxbc::vertexCode());
  const auto parts = takeApart(file.data(), file.size() * 4);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->stage, Stage::Vertex);
  EXPECT_EQ(parts->major, 4u);
  EXPECT_EQ(parts->minor, 0u);
  ASSERT_GE(parts->tokens.size(), 2u);
  EXPECT_EQ(parts->tokens[0], test::dxbc::kVs40);
  EXPECT_EQ(parts->tokens[1], parts->tokens.size());
  EXPECT_EQ(parts->tokens.back(), test::dxbc::kRet | 1u << 24);
  ASSERT_EQ(parts->inputs.size(), 2u);
  EXPECT_EQ(parts->inputs[1].name, "COLOR");
  EXPECT_EQ(parts->inputs[1].reg, 1u);
  ASSERT_EQ(parts->outputs.size(), 2u);
  EXPECT_EQ(parts->outputs[0].systemValue, 1u);
  EXPECT_EQ(parts->outputs[0].mask, 15);
}

TEST(Container, EachWrongByteIsNoticed) {
  const Tokens file = sealed(test::dxbc::pixelCode());
  for (size_t i = 0; i < file.size() * 4; ++i) {
    Tokens broken = file;
    reinterpret_cast<uint8_t *>(broken.data())[i] ^= 0x10;
    EXPECT_FALSE(takeApart(broken.data(), broken.size() * 4)) << i;
  }
}

TEST(Container, EachLengthThatIsCutIsRefused) {
  const Tokens file = sealed(test::dxbc::pixelCode());
  for (size_t bytes = 0; bytes < file.size() * 4; ++bytes) EXPECT_FALSE(takeApart(file.data(), bytes)) << bytes;
}

/// Words that lie, with the right checksum: nothing is read outside (the sanitizers' builds see it).
TEST(Container, WildWordsAreSurvived) {
  const Tokens file = sealed(test::dxbc::vertexCode());
  for (size_t i = 5; i < file.size(); ++i)
    for (const uint32_t value : {0u, 1u, 0x7FFFFFFFu, 0xFFFFFFFFu, static_cast<uint32_t>(file.size() * 4)}) {
      Tokens wild = file;
      wild[i] = value;
      seal(wild);
      takeApart(wild.data(), wild.size() * 4);
    }
}

TEST(Container, SignatureAloneIsEnoughForLayouts) {
  Tokens file = test::dxbc::vertexCode();
  file[7] = 1;  // the first chunk is the input signature
  seal(file);
  EXPECT_FALSE(takeApart(file.data(), file.size() * 4));
  const auto parts = takeApart(file.data(), file.size() * 4, false);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->inputs.size(), 2u);
}

TEST(DriverElements, NameWhatDriversKnow) {
  const std::vector<Element> rows = {{"SV_Position", 0, 1, 3, 0, 15, 15, 0},
                                     {"TEXCOORD", 3, 0, 3, 2, 3, 3, 0},
                                     {"SV_Target", 1, 64, 3, 1, 15, 0, 0},
                                     {"SV_Depth", 0, 65, 3, 0xFFFFFFFF, 1, 0, 0}};
  const auto out = driverElements(rows);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[0].name, 1u);
  EXPECT_EQ(out[1].name, 0u);
  EXPECT_EQ(out[1].mask, 3);
  EXPECT_EQ(out[2].name, 0u);
  EXPECT_EQ(out[2].reg, 1u);
  EXPECT_EQ(out[3].name, 0u);
  EXPECT_EQ(out[3].reg, 0xFFFFFFFFu);
}

TEST(DriverElements, FactorsHaveANameForEachEdge) {
  std::vector<Element> rows;
  for (uint32_t edge = 0; edge < 3; ++edge) rows.push_back({"SV_TessFactor", edge, 13, 3, edge, 1, 1, 0});
  rows.push_back({"SV_InsideTessFactor", 0, 14, 3, 3, 1, 1, 0});
  const auto out = driverElements(rows);
  EXPECT_EQ(out[0].name, 17u);
  EXPECT_EQ(out[1].name, 18u);
  EXPECT_EQ(out[2].name, 19u);
  EXPECT_EQ(out[3].name, 20u);
}

TEST(Container, BuffersOfLevel11) {
  const std::vector<uint32_t> plain = {0x40, 5, 0x04000858, 0x00107000, 0x5555};
  EXPECT_FALSE(declaresBuffersOf11(plain));
  EXPECT_TRUE(declaresBuffersOf11({0x40, 5, 0x030000A1, 0x00107000, 0}));     // dcl_resource_raw
  EXPECT_TRUE(declaresBuffersOf11({0x40, 7, 0x35, 3, 0xA1, 0x0400009E, 0}));  // behind a comment, dcl_uav_structured
  EXPECT_FALSE(declaresBuffersOf11({0x40, 5, 0x35, 3, 0xA1}));
  EXPECT_FALSE(declaresBuffersOf11({0x40, 4, 0, 0xA1}));  // no length: it ends
}

}  // namespace
}  // namespace aerogpu::runtime11
