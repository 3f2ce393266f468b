// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/set_pool.h"

#include <utility>

namespace aerogpu::vk {

SetPool::SetPool(Device& device, Recorder& recorder, std::initializer_list<VkDescriptorType> types)
    : m_device(device), m_recorder(recorder) {
  for (const VkDescriptorType type : types) m_sizes.push_back({type, kSetsPerPool});
}

SetPool::~SetPool() {
  m_recorder.retire(Retired::Kind::DescriptorPool, m_pool);
}

Result<void> SetPool::createPool() {
  m_recorder.retire(Retired::Kind::DescriptorPool, std::exchange(m_pool, VkDescriptorPool{}));
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = kSetsPerPool;
  info.poolSizeCount = static_cast<uint32_t>(m_sizes.size());
  info.pPoolSizes = m_sizes.data();
  const VkResult result = m_device.vk().CreateDescriptorPool(m_device.handle(), &info, nullptr, &m_pool);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateDescriptorPool");
  m_setsLeft = kSetsPerPool;
  return {};
}

Result<VkDescriptorSet> SetPool::allocate(VkDescriptorSetLayout layout) {
  if (m_setsLeft == 0) {
    if (auto created = createPool(); !created) return created.error();
  }
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = m_pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  const VkResult result = m_device.vk().AllocateDescriptorSets(m_device.handle(), &allocate, &set);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkAllocateDescriptorSets");
  --m_setsLeft;
  return set;
}

}  // namespace aerogpu::vk
