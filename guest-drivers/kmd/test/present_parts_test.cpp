// SPDX-License-Identifier: MIT
// Tests the parts of a present with a long list of rectangles: drawn in sequence they make the same picture as the
// whole list at once (d3dkmddi page "DXGKARG_PRESENT"), and none has more of the list, or more steps, than it says.
#include "guest-drivers/kmd/gdi/present_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "guest-drivers/kmd/gdi/gdi_multipass.h"

namespace {

using namespace aero;

constexpr uint32_t kStretch = PresentParts::kStretch;

GdiRect clipped(const GdiRect &a, const GdiRect &b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

TEST(PresentParts, ShortListsAreOnePart) {
  const GdiRect dst = {10, 0, 20, 10}, src = {0, 0, 10, 10};
  for (const uint32_t rects : {0u, 1u, kStretch}) {
    const PresentParts parts[] = {PresentParts(rects), PresentParts(rects, dst, src, 100, 100, true)};
    for (const PresentParts &p : parts) {
      ASSERT_EQ(p.count(), 1u);
      EXPECT_EQ(p.at(0).first, 0u);
      EXPECT_EQ(p.at(0).count, rects);
      EXPECT_EQ(p.at(0).clip.left, INT32_MIN);
      EXPECT_EQ(p.at(0).clip.bottom, INT32_MAX);
    }
  }
}

TEST(PresentParts, BetweenTwoSurfacesTheListIsCutAlone) {
  for (const uint32_t rects : {kStretch + 1, 3 * kStretch, 0x07FFFFFFu, 0xFFFFFFFFu}) {
    const PresentParts parts(rects);
    uint64_t next = 0;
    for (uint32_t i = 0; i < parts.count(); i++) {
      const PresentPart part = parts.at(i);
      ASSERT_EQ(part.first, next);
      ASSERT_TRUE(part.count && part.count <= kStretch);
      ASSERT_EQ(part.clip.right, INT32_MAX);
      next += part.count;
    }
    EXPECT_EQ(next, rects);
  }
}

TEST(PresentParts, WithinOneSurfaceEachPixelIsWhatWasThereBefore) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  for (int round = 0; round < 60; round++) {
    const int width = 1 + below(60), height = 1 + below(60);
    int dx = below(2 * width + 5) - width - 2, dy = below(2 * height + 5) - height - 2;
    if (round % 4 == 0) dx = round % 8 ? 1 : 0;
    if (round % 4 == 1) dy = round % 8 == 1 ? -1 : 0;
    const bool drawn = round & 1;
    std::vector<GdiRect> list(kStretch + 1 + static_cast<uint32_t>(below(2 * kStretch)));
    for (GdiRect &rect : list) {
      const int x = below(width + 4) - 2, y = below(height + 4) - 2;
      rect = {x, y, x + below(3), y + below(3)};
    }
    std::vector<int> picture(static_cast<size_t>(width) * static_cast<size_t>(height));
    const auto at = [&](int x, int y) {
      return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
    };
    for (size_t i = 0; i < picture.size(); i++) picture[i] = static_cast<int>(i);
    const std::vector<int> before = picture;
    std::vector<int> expected = picture;
    const GdiRect surface = {0, 0, width, height};
    const auto draw = [&](const GdiRect &box, const std::vector<int> &from, std::vector<int> &to) {
      for (int y = box.top; y < box.bottom; y++)
        for (int x = box.left; x < box.right; x++)
          if (x - dx >= 0 && x - dx < width && y - dy >= 0 && y - dy < height) to[at(x, y)] = from[at(x - dx, y - dy)];
    };
    for (const GdiRect &rect : list) draw(clipped(rect, surface), before, expected);

    const GdiRect src = {0, 0, width, height}, dst = {dx, dy, dx + width, dy + height};
    const PresentParts parts(static_cast<uint32_t>(list.size()), dst, src, static_cast<uint32_t>(width),
                             static_cast<uint32_t>(height), drawn);
    EXPECT_EQ(parts.count() == 0, dx == 0 && dy == 0);
    for (uint32_t i = 0; i < parts.count(); i++) {
      const PresentPart part = parts.at(i);
      ASSERT_LE(part.count, kStretch);
      ASSERT_LE(uint64_t{part.first} + part.count, list.size());
      if (drawn) {
        ASSERT_LE(part.clip.right - part.clip.left, static_cast<int>(kScratchWidth));
        ASSERT_LE(part.clip.bottom - part.clip.top, static_cast<int>(kScratchHeight));
      }
      // The order within a part does not matter: no pixel that is drawn to is read.
      for (uint32_t r = part.count; r--;)
        draw(clipped(clipped(list[part.first + r], surface), part.clip), picture, picture);
    }
    ASSERT_EQ(picture, expected) << round << ": " << width << 'x' << height << " by " << dx << ", " << dy;
  }
}

TEST(PresentParts, TheLargestSurfacesCellsFitScratchAndTheirNumbersFitMultipassOffset) {
  constexpr uint32_t kEdge = 16384, kRects = 1000000;
  const GdiRect src = {0, 0, 16384, 16384};
  for (const auto &[x, y] : {std::pair{1, 0}, std::pair{0, -1}, std::pair{-20000, 3}, std::pair{5, 16000}})
    for (const bool drawn : {false, true}) {
      const GdiRect dst = {src.left + x, src.top + y, src.right + x, src.bottom + y};
      const PresentParts parts(kRects, dst, src, kEdge, kEdge, drawn);
      EXPECT_EQ(parts.steps(), 129u);
      uint64_t pixels = 0;
      const uint32_t stretches = (kRects + kStretch - 1) / kStretch;
      ASSERT_EQ(parts.count() % stretches, 0u);
      for (uint64_t i = 0; i < parts.count(); i += stretches) {
        const GdiRect clip = parts.at(static_cast<uint32_t>(i)).clip;
        ASSERT_TRUE(clip.left >= 0 && clip.top >= 0 && clip.right <= 16384 && clip.bottom <= 16384);
        const int64_t width = clip.right - clip.left, height = clip.bottom - clip.top;
        ASSERT_TRUE(width > 0 && height > 0);
        ASSERT_TRUE(width <= std::abs(x) || height <= std::abs(y)) << "no pixel is another one's source";
        if (drawn) {
          ASSERT_TRUE(width <= kScratchWidth && height <= kScratchHeight);
        }
        pixels += static_cast<uint64_t>(width * height);
      }
      EXPECT_EQ(pixels, uint64_t{kEdge} * kEdge);
    }
  // A move by one pixel, of the whole largest surface, by copies.
  const PresentParts most(kRects, {1, 0, 16385, 16384}, src, kEdge, kEdge, false);
  uint32_t multipass = 0;
  EXPECT_TRUE((PresentProgress{static_cast<uint32_t>(most.count() - 1), 127, false}).to(multipass, most.steps()));
}

}  // namespace
