// SPDX-License-Identifier: MIT
#include "renderer/core/input_layout.h"

#include <gtest/gtest.h>

#include <cstring>

#include "aerogpu/aerogpu_cmd_shader.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::core;

struct Element9 {
  uint16_t stream, offset;
  uint8_t type, method, usage, index;
};

std::vector<uint8_t> declaration(std::vector<Element9> elements, bool end = true) {
  if (end) elements.push_back({0xFF, 0, 17, 0, 0, 0});
  std::vector<uint8_t> bytes(elements.size() * sizeof(Element9));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

// INPUT-6
TEST(SemanticHash, IsFnv1aOfTheUpperCaseName) {
  // FNV-1a test vectors: "" is the offset basis; "a" in lower case is 0xE40C292C, here "A" is hashed:
  // 0xC40BF6CC.
  EXPECT_EQ(semanticHash(""), 0x811C9DC5u);
  EXPECT_EQ(semanticHash("a"), 0xC40BF6CCu);
  EXPECT_EQ(semanticHash("TexCoord"), semanticHash("TEXCOORD"));
}

// INPUT-1, INPUT-4
TEST(VertexDeclaration, ElementsUpToTheEnd) {
  const auto layout = parseInputLayout(declaration({{0, 0, 2, 0, 0, 0}, {1, 12, 4, 0, 10, 1}}));
  ASSERT_TRUE(layout.ok());
  ASSERT_EQ(layout->size(), 2u);
  EXPECT_EQ(layout.value()[0].semanticHash, semanticHash("POSITION"));
  EXPECT_TRUE(layout.value()[0].isD3d9Type);
  EXPECT_EQ(layout.value()[1].semanticHash, semanticHash("COLOR"));
  EXPECT_EQ(layout.value()[1].semanticIndex, 1u);
  EXPECT_EQ(layout.value()[1].stream, 1u);
  EXPECT_EQ(layout.value()[1].offset, 12u);
  EXPECT_EQ(layout.value()[1].format, 4u);
}

// INPUT-1, INPUT-2
TEST(VertexDeclaration, WhatIsRefused) {
  EXPECT_FALSE(parseInputLayout(declaration({{0, 0, 2, 0, 0, 0}}, false)).ok()) << "no end";
  EXPECT_FALSE(parseInputLayout({}).ok());
  EXPECT_FALSE(parseInputLayout(declaration({{40, 0, 2, 0, 0, 0}})).ok()) << "stream";
  EXPECT_FALSE(parseInputLayout(declaration({{0, 0, 17, 0, 0, 0}})).ok()) << "type";
  EXPECT_FALSE(parseInputLayout(declaration({{0, 0, 2, 0, 14, 0}})).ok()) << "usage";
  EXPECT_TRUE(parseInputLayout(declaration(std::vector<Element9>(64, Element9{0, 0, 2, 0, 0, 0}))).ok());
  EXPECT_FALSE(parseInputLayout(declaration(std::vector<Element9>(65, Element9{0, 0, 2, 0, 0, 0}))).ok());
}

std::vector<uint8_t> ilay(std::vector<aerogpu_input_layout_element_dxgi> elements,
                          uint32_t count = UINT32_MAX) {
  aerogpu_input_layout_blob_header header{
      AEROGPU_INPUT_LAYOUT_BLOB_MAGIC, 1,
      count == UINT32_MAX ? static_cast<uint32_t>(elements.size()) : count, 0};
  std::vector<uint8_t> bytes(sizeof header + elements.size() * sizeof(elements[0]));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, elements.data(), bytes.size() - sizeof header);
  return bytes;
}

// INPUT-5, INPUT-7, INPUT-8
TEST(DxgiLayout, AppendedElementsFollowOneAnother) {
  constexpr uint32_t kAppend = 0xFFFFFFFF;
  // R32G32B32_FLOAT (6), R8_UNORM (61), R8G8B8A8_UNORM (28): offsets 0, 12, 16 (aligned to 4); slot 1 counts
  // by itself.
  const auto layout = parseInputLayout(ilay({{1, 0, 6, 0, kAppend, 0, 0},
                                             {2, 0, 61, 0, kAppend, 0, 0},
                                             {3, 0, 28, 0, kAppend, 0, 0},
                                             {4, 2, 2, 1, kAppend, 1, 3}}));
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout.value()[0].offset, 0u);
  EXPECT_EQ(layout.value()[1].offset, 12u);
  EXPECT_EQ(layout.value()[2].offset, 16u);
  EXPECT_EQ(layout.value()[3].offset, 0u);
  EXPECT_TRUE(layout.value()[3].perInstance);
  EXPECT_EQ(layout.value()[3].stepRate, 3u);
}

// INPUT-5, INPUT-7, INPUT-8
TEST(DxgiLayout, WhatIsRefused) {
  const aerogpu_input_layout_element_dxgi good{1, 0, 6, 0, 0, 0, 0};
  EXPECT_TRUE(parseInputLayout(ilay({good})).ok());
  EXPECT_FALSE(parseInputLayout(ilay({good}, 2)).ok()) << "runs past";
  EXPECT_FALSE(parseInputLayout(ilay({good}, 0x10000000)).ok());
  EXPECT_FALSE(parseInputLayout(ilay({{1, 0, 71, 0, 0, 0, 0}})).ok()) << "BC1";
  EXPECT_FALSE(parseInputLayout(ilay({{1, 0, 6, 32, 0, 0, 0}})).ok()) << "slot";
  EXPECT_FALSE(parseInputLayout(ilay({{1, 0, 6, 0, 0, 2, 0}})).ok()) << "class";
  EXPECT_FALSE(parseInputLayout(ilay({{1, 0, 6, 0, 1 << 20, 0, 0}})).ok()) << "offset";
}

}  // namespace
