// SPDX-License-Identifier: MIT
// Descriptor sets by content: a set is written once and bound each time the same textures and samplers
// return. Keys hold serial numbers, which are never reused, so a stale set is never found. Render thread
// only.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

/// One descriptor to write, and its identity.
struct DescriptorWrite {
  uint32_t binding = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  VkDescriptorImageInfo image{};
  VkDescriptorBufferInfo buffer{};
  VkBufferView texels = VK_NULL_HANDLE;
  uint64_t serial[2] = {0, 0};
};

class DescriptorCache {
public:
  explicit DescriptorCache(Gpu& gpu) : m_gpu(gpu) {}
  ~DescriptorCache();

  /// Returns a set of `layout` (whose serial is `layoutSerial`) with these descriptors.
  Result<VkDescriptorSet> get(VkDescriptorSetLayout layout, uint64_t layoutSerial,
                              std::span<const DescriptorWrite> writes);

private:
  static constexpr uint32_t kSetsPerPool = 512;
  struct Entry {
    std::vector<uint64_t> key;
    VkDescriptorSet set;
  };
  Result<void> newPool();

  Gpu& m_gpu;
  VkDescriptorPool m_pool = VK_NULL_HANDLE;
  uint32_t m_left = 0;
  std::unordered_multimap<uint64_t, Entry> m_sets;
  std::vector<uint64_t> m_key;                 // scratch
  std::vector<VkWriteDescriptorSet> m_writes;  // scratch
};

}  // namespace aerogpu::vk
