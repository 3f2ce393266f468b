// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/container/layout.h"

#include <gtest/gtest.h>

namespace aerogpu::runtime11 {
namespace {

constexpr uint32_t kFloat4 = 2, kFloat3 = 6, kFloat2 = 16, kRgba8 = 28, kHalf = 54, kBc1 = 71;

Element input(const char *name, uint32_t index, uint32_t reg, uint32_t systemValue = 0) {
  return {name, index, systemValue, 3, reg, 15, 15, 0};
}

std::vector<DriverLayoutElement> matched(const std::vector<LayoutElement> &elements,
                                         const std::vector<Element> &inputs) {
  std::vector<DriverLayoutElement> out;
  EXPECT_TRUE(matchLayout(elements, inputs, 16, out));
  return out;
}

bool refused(const std::vector<LayoutElement> &elements, const std::vector<Element> &inputs, uint32_t slots = 16) {
  std::vector<DriverLayoutElement> out;
  return !matchLayout(elements, inputs, slots, out);
}

TEST(Layout, NamesBecomeRegisters) {
  const auto out = matched({{"texcoord", 1, kFloat2, 1, kAppend, true, 3}, {"POSITION", 0, kFloat3, 0, 0, false, 0}},
                           {input("POSITION", 0, 4), input("TEXCOORD", 1, 7)});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].reg, 7u);
  EXPECT_TRUE(out[0].perInstance);
  EXPECT_EQ(out[0].step, 3u);
  EXPECT_EQ(out[0].slot, 1u);
  EXPECT_EQ(out[1].reg, 4u);
}

TEST(Layout, AppendedElementsFollowEachOther) {
  const auto out = matched({{"A", 0, kHalf, 0, kAppend},
                            {"B", 0, kFloat4, 0, kAppend},
                            {"C", 0, kRgba8, 1, kAppend},
                            {"D", 0, kRgba8, 0, kAppend}},
                           {input("A", 0, 0), input("B", 0, 1), input("C", 0, 2), input("D", 0, 3)});
  EXPECT_EQ(out[0].offset, 0u);
  EXPECT_EQ(out[1].offset, 4u);  // behind two bytes, aligned
  EXPECT_EQ(out[2].offset, 0u);
  EXPECT_EQ(out[3].offset, 20u);
}

TEST(Layout, OnlyWhatTheShaderTakesRemains) {
  const auto out = matched({{"A", 0, kFloat4, 0, 0}, {"UNUSED", 0, kFloat4, 0, 16}}, {input("A", 0, 0)});
  EXPECT_EQ(out.size(), 1u);
}

TEST(Layout, GeneratedValuesNeedNoElement) {
  EXPECT_TRUE(matched({}, {input("SV_VertexID", 0, 0, 6), input("SV_InstanceID", 0, 1, 8)}).empty());
}

TEST(Layout, WhatTheApiRefuses) {
  const std::vector<Element> a = {input("A", 0, 0)};
  EXPECT_TRUE(refused({}, a)) << "no element for an input";
  EXPECT_TRUE(refused({{"A", 1, kFloat4, 0, 0}}, a)) << "another index";
  EXPECT_TRUE(refused({{"A", 0, kBc1, 0, 0}}, a)) << "a format that vertices cannot have";
  EXPECT_TRUE(refused({{"A", 0, kFloat4, 0, 2}}, a)) << "an unaligned offset";
  EXPECT_TRUE(refused({{"A", 0, kFloat4, 16, 0}}, a)) << "a slot that does not exist";
  EXPECT_FALSE(refused({{"A", 0, kFloat4, 16, 0}}, a, 32));
  EXPECT_TRUE(refused({{"A", 0, kFloat4, 0, 0}, {"a", 0, kFloat4, 1, 0}}, a)) << "one semantic twice";
  EXPECT_TRUE(refused({{"A", 0, kFloat4, 0, 0, false, 1}}, a)) << "a step for vertices";
  EXPECT_TRUE(refused({{"A", 0, kFloat4, 0, 0, false, 0}, {"B", 0, kFloat4, 0, 16, true, 1}}, a))
      << "two classes in a slot";
  EXPECT_TRUE(refused({{nullptr, 0, kFloat4, 0, 0}}, a)) << "no name";
}

TEST(Layout, GeneratedInputsNeedNoElement) {
  EXPECT_FALSE(refused({}, {input("SV_VertexID", 0, 0, 6), input("SV_InstanceID", 0, 1, 8)}));
  // In the signature of another stage they have no system value.
  EXPECT_FALSE(refused({}, {input("sv_instanceid", 0, 0)}));
  EXPECT_TRUE(refused({}, {input("SV_PrimitiveID", 0, 0, 7)}));
}

}  // namespace
}  // namespace aerogpu::runtime11
