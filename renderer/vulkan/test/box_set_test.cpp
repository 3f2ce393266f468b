// SPDX-License-Identifier: MIT
// Boxes of a texture that meet: held against core::overlap(), one by one.
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

TEST(BoxSet, MeetsWhatOverlaps) {
  std::mt19937 random{20};
  const auto below = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); };
  // Small ones, which meet often; the largest in each direction.
  const Size sizes[] = {
      {8, 8, 1, 2, 3}, {8, 4, 8, 3, 1}, {16384, 16384, 1, 15, 2048}, {2048, 2048, 2048, 12, 1}};
  for (int round = 0; round < 1200; ++round) {
    const Size& size = sizes[round % std::size(sizes)];
    BoxSet set;
    std::vector<std::pair<core::Subresource, core::Box>> model;
    const auto part = [&](uint32_t texels, uint32_t& first, uint32_t& count) {
      // At an edge, often: there words end.
      first = below(4) == 0 ? texels - 1 : below(texels);
      count = 1 + (below(2) ? below(std::min(texels - first, 3u)) : texels - first - 1);
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
      ASSERT_EQ(set.meets(sub, box), meets)
          << "round " << round << ", box " << i << " of mip " << sub.mip << ", layer " << sub.layer << ": "
          << box.x << " " << box.y << " " << box.z << ", " << box.width << " " << box.height << " "
          << box.depth;
      ASSERT_EQ(set.full(), model.size() == BoxSet::kMost);
      if (model.size() < most) {
        set.add(sub, box);
        model.emplace_back(sub, box);
      } else if (below(8) == 0) {
        set.clear();
        model.clear();
      }
    }
  }
}

}  // namespace
}  // namespace aerogpu::vk
