// SPDX-License-Identifier: MIT
// Boxes of a texture that meet: compared with core::overlap(), one by one.
#include "renderer/vulkan/objects/box_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "renderer/core/texture_verbs.h"

namespace aerogpu::vk {
namespace {

struct Size {
  uint32_t width, height, depth, mips, layers;
};

TEST(BoxSet, TakesWhatMeetsNone) {
  std::mt19937 random{20};
  const auto below = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); };
  // Small ones, which meet often; the largest in each direction.
  const Size sizes[] = {
      {8, 8, 1, 2, 3}, {8, 4, 8, 3, 1}, {16384, 16384, 1, 15, 2048}, {2048, 2048, 2048, 12, 1}};
  for (int round = 0; round < 1200; ++round) {
    const Size& size = sizes[round % std::size(sizes)];
    BoxSet set(std::max(size.width, size.height));
    std::vector<std::pair<core::Subresource, core::Box>> model;
    const auto part = [&](uint32_t texels, uint32_t& first, uint32_t& count) {
      // Often at an edge: there words end.
      first = below(4) == 0 ? texels - 1 : below(texels);
      count = 1 + (below(8) ? below(std::min(texels - first, 3u)) : texels - first - 1);
    };
    const auto any = [&] {
      const core::Subresource sub{below(4) ? below(std::min(size.mips, 2u)) : size.mips - 1,
                                  below(4) ? below(std::min(size.layers, 2u)) : size.layers - 1};
      core::Box box;
      part(std::max(1u, size.width >> sub.mip), box.x, box.width);
      part(std::max(1u, size.height >> sub.mip), box.y, box.height);
      part(std::max(1u, size.depth >> sub.mip), box.z, box.depth);
      return std::pair{sub, box};
    };
    const size_t most = below(BoxSet::kMost + 1);
    for (size_t i = 0; i < 2 * BoxSet::kMost; ++i) {
      const auto [sub, box] = any();
      const bool meets = std::ranges::any_of(model, [sub = sub, box = box](const auto& other) {
        return other.first == sub && core::overlap(other.second, box);
      });
      ASSERT_EQ(set.full(), model.size() == BoxSet::kMost);
      if (set.full()) {
        set.clear();
        model.clear();
        continue;
      }
      ASSERT_EQ(set.add(sub, box), !meets)
          << "round " << round << ", box " << i << " of mip " << sub.mip << ", layer " << sub.layer << ": "
          << box.x << " " << box.y << " " << box.z << ", " << box.width << " " << box.height << " "
          << box.depth;
      if (!meets) model.emplace_back(sub, box);
      if (model.size() >= most && below(8) == 0) {
        set.clear();
        model.clear();
      }
    }
  }
}

// As in a texture that a program fills with its letters.
TEST(BoxSet, TakesAsManyNeighboursAsItHasRoomFor) {
  for (const uint32_t side : {1u, 5u, 16u, 31u, 32u, 100u}) {
    BoxSet set(2048);
    const auto at = [&](uint32_t i) {
      return core::Box{1 + i % 20 * side, 3 + i / 20 * side, 0, side, side, 1};
    };
    for (uint32_t i = 0; i < BoxSet::kMost; ++i) {
      ASSERT_FALSE(set.full());
      ASSERT_TRUE(set.add({}, at(i))) << side << ", box " << i;
      // Equal texels of another mip or layer do not meet.
      if (i % 8 == 0) {
        BoxSet other = set;
        ASSERT_TRUE(other.full() || other.add({1, 0}, at(i)));
        ASSERT_TRUE(other.full() || other.add({0, 1}, at(i)));
      }
    }
    ASSERT_TRUE(set.full());
    set.clear();
    ASSERT_TRUE(set.add({}, at(0)));
    ASSERT_FALSE(set.add({}, at(0)));
  }
}

}  // namespace
}  // namespace aerogpu::vk
