// SPDX-License-Identifier: MIT
// A rough estimate of the cost of one shader invocation, by which a GPU is shared between programs; it does
// not count cycles. Pure functions.
#pragma once

#include <algorithm>
#include <cstdint>

namespace aerogpu::shader {

struct ShaderCost {
  /// The limit of both numbers: greater costs are all alike.
  static constexpr uint64_t kMost = uint64_t{1} << 24;

  uint64_t instructions = 0;  ///< executed, loops by their rounds; at most kMost
  uint64_t samples = 0;       ///< reads of textures among them, at most kMost

  void add(const ShaderCost& other, uint64_t times = 1) {
    instructions = std::min(kMost, instructions + other.instructions * times);
    samples = std::min(kMost, samples + other.samples * times);
  }
};

}  // namespace aerogpu::shader
