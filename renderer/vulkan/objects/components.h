// SPDX-License-Identifier: MIT
// The channels of sampled colors.
#pragma once

#include <cstdint>

#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

/// Sources of a channel.
inline constexpr uint8_t kR = VK_COMPONENT_SWIZZLE_R, kG = VK_COMPONENT_SWIZZLE_G,
                         kB = VK_COMPONENT_SWIZZLE_B, kA = VK_COMPONENT_SWIZZLE_A,
                         k0 = VK_COMPONENT_SWIZZLE_ZERO, k1 = VK_COMPONENT_SWIZZLE_ONE;

/// The image's channel for each channel of a sampled color. VK_COMPONENT_SWIZZLE_IDENTITY: the same channel.
struct Components {
  uint8_t r = VK_COMPONENT_SWIZZLE_IDENTITY, g = VK_COMPONENT_SWIZZLE_IDENTITY,
          b = VK_COMPONENT_SWIZZLE_IDENTITY, a = VK_COMPONENT_SWIZZLE_IDENTITY;
  bool operator==(const Components&) const = default;
  VkComponentMapping mapping() const {
    const auto as = [](uint8_t c) { return static_cast<VkComponentSwizzle>(c); };
    return {as(r), as(g), as(b), as(a)};
  }
};

}  // namespace aerogpu::vk
