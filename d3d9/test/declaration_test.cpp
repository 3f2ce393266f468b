// SPDX-License-Identifier: MIT
// Tests DeclReader: elements byte by byte, the end, and its errors.
#include "aerogpu/d3d9/declaration.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace aerogpu::d3d9 {
namespace {

// D3DVERTEXELEMENT9: WORD Stream, Offset; BYTE Type, Method, Usage, UsageIndex.
const uint8_t kEnd[8] = {0xFF, 0, 0, 0, 17, 0, 0, 0};

std::vector<uint8_t> bytes(std::initializer_list<std::array<uint8_t, 8>> elements, bool end = true) {
  std::vector<uint8_t> out;
  for (const auto& e : elements) out.insert(out.end(), e.begin(), e.end());
  if (end) out.insert(out.end(), kEnd, kEnd + 8);
  return out;
}

/// Returns the number of elements up to the end or the error.
uint32_t count(const std::vector<uint8_t>& declaration, DeclError& error) {
  DeclReader reader(declaration.data(), declaration.size());
  VertexElement element;
  uint32_t n = 0;
  while (reader.next(element)) ++n;
  EXPECT_FALSE(reader.next(element)) << "it stays at its end";
  error = reader.error();
  return n;
}

TEST(DeclReader, ReadsEachField) {
  const auto declaration = bytes({{0x03, 0, 0x34, 0x12, 16, 6, 13, 15}});
  DeclReader reader(declaration.data(), declaration.size());
  VertexElement e;
  ASSERT_TRUE(reader.next(e));
  EXPECT_EQ(e.stream, 3);
  EXPECT_EQ(e.offset, 0x1234);
  EXPECT_EQ(e.type, DeclType::Float16x4);
  EXPECT_EQ(e.method, DeclMethod::LookupPresampled);
  EXPECT_EQ(e.usage, Usage::Sample);
  EXPECT_EQ(e.usageIndex, 15);
  EXPECT_FALSE(reader.next(e));
  EXPECT_EQ(reader.error(), DeclError::None);
}

TEST(DeclReader, TheEndHidesWhatFollows) {
  auto declaration = bytes({{0, 0, 0, 0, 2, 0, 0, 0}});
  declaration.insert(declaration.end(), 8, 0xEE);
  DeclError error;
  EXPECT_EQ(count(declaration, error), 1u);
  EXPECT_EQ(error, DeclError::None);
}

TEST(DeclReader, ADeclarationWithoutAnEndIsAnError) {
  DeclError error;
  EXPECT_EQ(count({}, error), 0u);
  EXPECT_EQ(error, DeclError::NoEnd);
  for (size_t size = 0; size < 16; ++size) {
    auto declaration = bytes({{0, 0, 0, 0, 2, 0, 0, 0}});
    declaration.resize(size);
    EXPECT_EQ(count(declaration, error), size / 8) << size;
    EXPECT_EQ(error, DeclError::NoEnd) << size;
  }
}

TEST(DeclReader, SixtyFourElementsAreTheMost) {
  DeclError error;
  std::vector<uint8_t> declaration(64 * 8, 0);
  declaration.insert(declaration.end(), kEnd, kEnd + 8);
  EXPECT_EQ(count(declaration, error), 64u) << "MAXD3DDECLLENGTH, and the end on top";
  EXPECT_EQ(error, DeclError::None);
  declaration.insert(declaration.begin(), 8, 0);
  EXPECT_EQ(count(declaration, error), 64u);
  EXPECT_EQ(error, DeclError::TooLong);
}

TEST(DeclReader, UnknownTypesAndUsages) {
  DeclError error;
  count(bytes({{0, 0, 0, 0, 17, 0, 0, 0}}), error);
  EXPECT_EQ(error, DeclError::UnknownType) << "D3DDECLTYPE_UNUSED";
  count(bytes({{0, 0, 0, 0, 0, 0, 14, 0}}), error);
  EXPECT_EQ(error, DeclError::UnknownUsage);
  count(bytes({{0, 1, 0, 0, 0, 0, 0, 0}}), error);
  EXPECT_EQ(error, DeclError::None) << "the stream's limit is the reader's affair";
}

TEST(VertexElement, LiesInMemoryAsD3DVERTEXELEMENT9) {
  EXPECT_EQ(std::memcmp(&kDeclEnd, kEnd, 8), 0);
  const VertexElement e{1, 0x0C, DeclType::D3dColor, DeclMethod::Default, Usage::Color, 1};
  const uint8_t expected[8] = {1, 0, 12, 0, 4, 0, 10, 1};
  EXPECT_EQ(std::memcmp(&e, expected, 8), 0);
}

}  // namespace
}  // namespace aerogpu::d3d9
