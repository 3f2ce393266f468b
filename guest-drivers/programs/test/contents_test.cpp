// SPDX-License-Identifier: MIT
// Tests what the desktop's windows show: properties that both the drawing and the expectation rely on.
#include "guest-drivers/programs/contents.h"

#include <gtest/gtest.h>

#include <cmath>

namespace programs {
namespace {

TEST(Contents, CornersOfTheTorusLieOnSixteenthsOfPixelsAndCoverThePicture) {
  for (const uint32_t frame : {0u, 61u, 1000u}) {
    const std::vector<Corner> corners = torusTriangles(452, 336, frame);
    ASSERT_GT(corners.size(), 1000u);
    EXPECT_EQ(corners.size() % 3, 0u);
    for (const Corner &corner : corners) {
      EXPECT_EQ(corner.x * 16, std::floor(corner.x * 16));
      EXPECT_EQ(corner.y * 16, std::floor(corner.y * 16));
      for (const double value : corner.value) {
        EXPECT_GE(value, 0);
        EXPECT_LE(value, 1);
      }
    }
  }
}

TEST(Contents, BubblesStayInsideAndMove) {
  for (uint32_t bubble = 0; bubble < kBubbles; ++bubble)
    for (uint32_t frame = 0; frame < 2000; ++frame) {
      const Place place = bubblePlace(bubble, 348, 238, frame);
      EXPECT_LE(place.x + kBubbleSize, 348u);
      EXPECT_LE(place.y + kBubbleSize, 238u);
    }
  const Place before = bubblePlace(3, 348, 238, 10), after = bubblePlace(3, 348, 238, 20);
  EXPECT_TRUE(before.x != after.x || before.y != after.y);
}

TEST(Contents, EachFrameIsAnotherPictureAndOpaque) {
  for (const ContentKind kind :
       {ContentKind::kTorus, ContentKind::kWaves, ContentKind::kBubbles, ContentKind::kChart, ContentKind::kLife}) {
    const Picture one = contentPicture(kind, 160, 144, 8), other = contentPicture(kind, 160, 144, 16);
    EXPECT_NE(one.pixels, other.pixels);
    for (const uint32_t pixel : one.pixels) ASSERT_EQ(pixel >> 24, 255u);
  }
}

TEST(Contents, LifeFollowsConway) {
  // One step later by the rules, computed again from the previous step's picture.
  const Picture now = lifePicture(384, 252, 40), next = lifePicture(384, 252, 44);
  const uint32_t dead = argb(255, 16, 22, 40);
  const auto alive = [&](uint32_t x, uint32_t y) { return now.at(x % now.width, y % now.height) != dead; };
  for (uint32_t y = 0; y < now.height; ++y)
    for (uint32_t x = 0; x < now.width; ++x) {
      unsigned count = 0;
      for (uint32_t dy : {now.height - 1, 0u, 1u})
        for (uint32_t dx : {now.width - 1, 0u, 1u})
          if (dx || dy) count += alive(x + dx, y + dy);
      EXPECT_EQ(next.at(x, y) != dead, count == 3 || (alive(x, y) && count == 2)) << x << ',' << y;
    }
}

TEST(Contents, PartsOfTheChartLieInsideOfIt) {
  for (uint32_t frame = 0; frame < 300; ++frame)
    for (const Gradient &part : chartParts(430, 212, frame)) {
      ASSERT_GE(part.x, 0);
      ASSERT_GE(part.y, 0);
      ASSERT_LE(part.x + part.width, 430);
      ASSERT_LE(part.y + part.height, 212);
    }
}

TEST(Contents, KindsAreKnownByName) {
  ContentKind kind{};
  EXPECT_TRUE(contentKind("life", &kind));
  EXPECT_EQ(kind, ContentKind::kLife);
  EXPECT_FALSE(contentKind("lif", &kind));
}

}  // namespace
}  // namespace programs
