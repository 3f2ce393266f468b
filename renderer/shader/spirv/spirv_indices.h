// SPDX-License-Identifier: MIT
// Limits the layer and the viewport that a finished SPIR-V module chooses. Works on the words alone, from any
// compiler, without Vulkan. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::shader {

/// The specialisation constant that has the number of layers; 1 if it is not given.
inline constexpr uint32_t kLayerCountConstant = 0;
inline constexpr uint32_t kViewportCount = 16;

/// Where numbers go from a geometry shader to a pixel shader as they were written: 0 = nowhere, else 1 + 4 *
/// location + component.
struct IndexPlaces {
  uint32_t layer = 0, viewport = 0;
  bool operator==(const IndexPlaces&) const = default;
};

/// Returns the module with 0 in place of each layer that is not below kLayerCountConstant, and of each
/// viewport that is not below kViewportCount: what Direct3D does (Direct3D 11.3 functional
/// specification, 15.8 and 15.15), and Vulkan leaves undefined. What is stored goes to `places` too, as it
/// is. Fails with CmdDecode if the module is not understood. The input need not be valid, but then the output
/// is not either: validate the output.
Result<std::vector<uint32_t>> limitIndices(std::span<const uint32_t> words, const IndexPlaces& places = {});

/// Returns a pixel shader's module that takes the numbers from `places`, as they were written. Likewise.
Result<std::vector<uint32_t>> takeIndices(std::span<const uint32_t> words, const IndexPlaces& places);

}  // namespace aerogpu::shader
