// SPDX-License-Identifier: MIT
// See stop_words.h.
#include "renderer/vulkan/device/stop_words.h"

#include <algorithm>

namespace aerogpu::vk {

StopWords::~StopWords() {
  const DeviceTable& vk = m_device.vk();
  if (m_pool) vk.DestroyDescriptorPool(m_device.handle(), m_pool, nullptr);
  if (m_layout) vk.DestroyDescriptorSetLayout(m_device.handle(), m_layout, nullptr);
  if (m_range) m_memory.giveBack(m_range);
}

Result<void> StopWords::create() {
  const DeviceTable& vk = m_device.vk();
  VkDevice device = m_device.handle();
  // Words lie in different cache lines, so that a write to one disturbs no other.
  m_stride =
      static_cast<uint32_t>(std::max<VkDeviceSize>(m_device.limits().minStorageBufferOffsetAlignment, 256));
  auto range = m_memory.allocate(uint64_t{m_stride} * kCount, m_stride);
  if (!range) return range.error();
  m_range = *range;
  for (uint32_t i = 0; i < kCount; ++i) allow(word(i));

  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
  VkShaderStageFlags stages =
      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
  if (m_device.caps().geometryShader) stages |= VK_SHADER_STAGE_GEOMETRY_BIT;
  const VkDescriptorSetLayoutBinding binding{0, type, 1, stages, nullptr};
  VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  layout.bindingCount = 1;
  layout.pBindings = &binding;
  VkResult result = vk.CreateDescriptorSetLayout(device, &layout, nullptr, &m_layout);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateDescriptorSetLayout");
  const VkDescriptorPoolSize size{type, 1};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  result = vk.CreateDescriptorPool(device, &pool, nullptr, &m_pool);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = m_pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &m_layout;
  result = vk.AllocateDescriptorSets(device, &allocate, &m_set);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkAllocateDescriptorSets");
  const VkDescriptorBufferInfo words{m_range.buffer(), m_range.at(), sizeof(uint32_t)};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = m_set;
  write.descriptorCount = 1;
  write.descriptorType = type;
  write.pBufferInfo = &words;
  vk.UpdateDescriptorSets(device, 1, &write, 0, nullptr);
  return {};
}

uint32_t* StopWords::word(uint32_t number) const {
  return reinterpret_cast<uint32_t*>(m_range.mapped() + offset(number));
}

}  // namespace aerogpu::vk
