// SPDX-License-Identifier: MIT
// Tests the CPU's model of Direct3D 9 against what Microsoft's pages say of single triangles.
#include "guest-drivers/programs/raster.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace programs {
namespace {

using Pixels = std::set<std::pair<uint32_t, uint32_t>>;

Pixels covered(double x0, double y0, double x1, double y1, double x2, double y2) {
  Pixels pixels;
  const Corner corners[3] = {{x0, y0, {}}, {x1, y1, {}}, {x2, y2, {}}};
  rasterize(16, 16, corners, [&](uint32_t x, uint32_t y, const double *) {
    EXPECT_TRUE(pixels.insert({x, y}).second) << x << "," << y << " twice";
  });
  return pixels;
}

// "Rasterization Rules (Direct3D 9)", top-left rule: a rectangle whose corners are pixel centres has the upper row
// and the left column, not the lower row and the right column; its two triangles share no pixel.
TEST(Raster, RectanglesOfTwoTrianglesFollowTheTopLeftRule) {
  Pixels all = covered(1, 1, 5, 1, 1, 4);
  const Pixels second = covered(5, 1, 5, 4, 1, 4);
  for (const auto &pixel : second) EXPECT_TRUE(all.insert(pixel).second);
  Pixels expected;
  for (uint32_t y = 1; y < 4; ++y)
    for (uint32_t x = 1; x < 5; ++x) expected.insert({x, y});
  EXPECT_EQ(all, expected);
}

TEST(Raster, TheOrderOfCornersChangesNothing) {
  const Pixels one = covered(1.5, 0.25, 12.75, 5.5, 3, 14);
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(covered(12.75, 5.5, 1.5, 0.25, 3, 14), one);
  EXPECT_EQ(covered(3, 14, 1.5, 0.25, 12.75, 5.5), one);
}

TEST(Raster, ATriangleCoversThePixelsWhoseCentresItHas) {
  EXPECT_EQ(covered(2.75, 2.75, 3.25, 2.75, 3, 3.5), (Pixels{{3, 3}}));
  EXPECT_TRUE(covered(2.25, 2.25, 2.75, 2.25, 2.5, 2.75).empty());
  EXPECT_TRUE(covered(1, 1, 5, 5, 9, 9).empty());  // no area
  EXPECT_EQ(covered(-100, -100, 200, -100, -100, 200).size(), 256u);
}

TEST(Raster, ValuesAreLinear) {
  const Corner corners[3] = {{0, 0, {0, 0, 0, 1}}, {10, 0, {10, 0, 5, 1}}, {0, 10, {0, 10, 0, 1}}};
  int count = 0;
  rasterize(16, 16, corners, [&](uint32_t x, uint32_t y, const double *value) {
    ++count;
    EXPECT_NEAR(value[0], x, 1e-9);
    EXPECT_NEAR(value[1], y, 1e-9);
    EXPECT_NEAR(value[2], x / 2.0, 1e-9);
    EXPECT_NEAR(value[3], 1, 1e-9);
  });
  EXPECT_EQ(count, 10 * 11 / 2);
}

TEST(Raster, Blending) {
  EXPECT_EQ(blendOver(argb(255, 1, 2, 3), argb(9, 200, 200, 200)), argb(255, 1, 2, 3));
  EXPECT_EQ(blendOver(argb(0, 1, 2, 3), argb(9, 200, 201, 202)), argb(9, 200, 201, 202));
  EXPECT_EQ(blendOver(argb(51, 255, 0, 100), argb(255, 0, 255, 50)), argb(214, 51, 204, 60));
}

TEST(Picture, Conversion) {
  EXPECT_EQ(unorm8(-1), 0u);
  EXPECT_EQ(unorm8(2), 255u);
  EXPECT_EQ(unorm8(1.49 / 255), 1u);
  EXPECT_EQ(unorm8(1.51 / 255), 2u);
}

TEST(Picture, DifferencesAreFound) {
  Picture one(4, 3, argb(255, 10, 20, 30)), other = one;
  EXPECT_TRUE(samePicture("same", one, other, 0, true));
  other.at(3, 2) = argb(255, 10, 22, 30);
  EXPECT_FALSE(samePicture("green differs", one, other, 1, false));
  EXPECT_TRUE(samePicture("within two", one, other, 2, false));
  other.at(3, 2) = argb(0, 10, 20, 30);
  EXPECT_TRUE(samePicture("alpha is left out", one, other, 0, false));
  EXPECT_FALSE(samePicture("alpha differs", one, other, 0, true));
  EXPECT_FALSE(samePicture("size differs", one, Picture(3, 4), 255, true));
}

}  // namespace
}  // namespace programs
