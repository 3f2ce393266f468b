// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/pipeline_key.h"

#include <cstring>

namespace aerogpu::vk {

uint32_t packBlend(const TargetBlend& b) {
  if (!b.enable) return b.writeMask;
  const VkColorBlendEquationEXT& e = b.equation;
  return b.writeMask | 1u << 4 | static_cast<uint32_t>(e.srcColorBlendFactor) << 5 |
         static_cast<uint32_t>(e.dstColorBlendFactor) << 10 | static_cast<uint32_t>(e.colorBlendOp) << 15 |
         static_cast<uint32_t>(e.srcAlphaBlendFactor) << 18 |
         static_cast<uint32_t>(e.dstAlphaBlendFactor) << 23 | static_cast<uint32_t>(e.alphaBlendOp) << 28;
}

TargetBlend unpackBlend(uint32_t p) {
  TargetBlend b;
  b.writeMask = p & 0xF;
  b.enable = p >> 4 & 1;
  if (!b.enable) return b;
  b.equation.srcColorBlendFactor = static_cast<VkBlendFactor>(p >> 5 & 31);
  b.equation.dstColorBlendFactor = static_cast<VkBlendFactor>(p >> 10 & 31);
  b.equation.colorBlendOp = static_cast<VkBlendOp>(p >> 15 & 7);
  b.equation.srcAlphaBlendFactor = static_cast<VkBlendFactor>(p >> 18 & 31);
  b.equation.dstAlphaBlendFactor = static_cast<VkBlendFactor>(p >> 23 & 31);
  b.equation.alphaBlendOp = static_cast<VkBlendOp>(p >> 28 & 7);
  return b;
}

size_t PipelineKeyHash::operator()(const PipelineKey& key) const {
  uint64_t words[sizeof key / 8];
  static_assert(sizeof key % 8 == 0);
  std::memcpy(words, &key, sizeof key);
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint64_t word : words) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return static_cast<size_t>(hash);
}

}  // namespace aerogpu::vk
