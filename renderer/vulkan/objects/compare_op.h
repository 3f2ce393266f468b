// SPDX-License-Identifier: MIT
// Comparisons in Vulkan's terms.
#pragma once

#include "renderer/core/state.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

inline VkCompareOp compareOp(core::CompareFunc f) {
  // D3DCMPFUNC counts from 1 in the order of VkCompareOp.
  static_assert(VK_COMPARE_OP_NEVER == 0 && VK_COMPARE_OP_ALWAYS == 7);
  return static_cast<VkCompareOp>(static_cast<uint32_t>(f) - 1);
}

}  // namespace aerogpu::vk
