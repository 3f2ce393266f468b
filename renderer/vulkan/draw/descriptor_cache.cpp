// SPDX-License-Identifier: MIT
// Allocation and reuse of descriptor sets (see descriptor_cache.h).
#include "renderer/vulkan/draw/descriptor_cache.h"

namespace aerogpu::vk {

DescriptorCache::~DescriptorCache() {
  m_gpu.recorder->retire(Retired::Kind::DescriptorPool, m_pool);
}

Result<void> DescriptorCache::newPool() {
  m_gpu.recorder->retire(Retired::Kind::DescriptorPool, m_pool);
  m_pool = VK_NULL_HANDLE;
  m_sets.clear();
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSetsPerPool * 8},
                                        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, kSetsPerPool * 4},
                                        {VK_DESCRIPTOR_TYPE_SAMPLER, kSetsPerPool * 4},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsPerPool * 4},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, kSetsPerPool * 2},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, kSetsPerPool * 2}};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = kSetsPerPool;
  info.poolSizeCount = sizeof sizes / sizeof *sizes;
  info.pPoolSizes = sizes;
  const VkResult result =
      m_gpu.device->vk().CreateDescriptorPool(m_gpu.device->handle(), &info, nullptr, &m_pool);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateDescriptorPool");
  m_left = kSetsPerPool;
  return {};
}

Result<VkDescriptorSet> DescriptorCache::get(VkDescriptorSetLayout layout, uint64_t layoutSerial,
                                             std::span<const DescriptorWrite> writes) {
  m_key.clear();
  m_key.push_back(layoutSerial);
  for (const DescriptorWrite& w : writes) {
    m_key.push_back(w.serial[0]);
    m_key.push_back(w.serial[1]);
    m_key.push_back(uint64_t{w.binding} << 32 | static_cast<uint64_t>(w.image.imageLayout) << 8);
  }
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint64_t word : m_key) hash = (hash ^ word) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  const auto [from, to] = m_sets.equal_range(hash);
  for (auto it = from; it != to; ++it)
    if (it->second.key == m_key) return it->second.set;

  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkResult result = VK_ERROR_OUT_OF_POOL_MEMORY;
  if (m_left > 0) {
    allocate.descriptorPool = m_pool;
    result = m_gpu.device->vk().AllocateDescriptorSets(m_gpu.device->handle(), &allocate, &set);
  }
  if (result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL) {
    if (auto made = newPool(); !made) return made.error();
    allocate.descriptorPool = m_pool;
    result = m_gpu.device->vk().AllocateDescriptorSets(m_gpu.device->handle(), &allocate, &set);
  }
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkAllocateDescriptorSets");
  --m_left;
  m_writes.clear();
  for (const DescriptorWrite& w : writes) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = w.binding;
    write.descriptorCount = 1;
    write.descriptorType = w.type;
    write.pImageInfo = &w.image;
    write.pBufferInfo = &w.buffer;
    write.pTexelBufferView = &w.texels;
    m_writes.push_back(write);
  }
  m_gpu.device->vk().UpdateDescriptorSets(m_gpu.device->handle(), static_cast<uint32_t>(m_writes.size()),
                                          m_writes.data(), 0, nullptr);
  m_sets.emplace(hash, Entry{m_key, set});
  return set;
}

}  // namespace aerogpu::vk
