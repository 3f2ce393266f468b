// SPDX-License-Identifier: MIT
// Chunks of uniform memory (see constant_ring.h).
#include "renderer/vulkan/constant_ring.h"

#include <algorithm>

#include "renderer/shader/d3d9_interface.h"

namespace aerogpu::vk {

Result<void> ConstantRing::create() {
  Device& device = *m_gpu.device;
  m_align = static_cast<uint32_t>(std::max<VkDeviceSize>(device.limits().minUniformBufferOffsetAlignment, 16));
  VkDescriptorSetLayoutBinding bindings[2]{};
  bindings[0].binding = shader::kVsConstantBinding;
  bindings[0].stageFlags = VK_SHADER_STAGE_VERTEX_BIT;
  bindings[1].binding = shader::kPsConstantBinding;
  bindings[1].stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
  for (auto& b : bindings) {
    b.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    b.descriptorCount = 1;
  }
  VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  layout.bindingCount = 2;
  layout.pBindings = bindings;
  VkResult result = device.vk().CreateDescriptorSetLayout(device.handle(), &layout, nullptr, &m_layout);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreateDescriptorSetLayout");
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2 * kMaxChunks};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = kMaxChunks;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  result = device.vk().CreateDescriptorPool(device.handle(), &pool, nullptr, &m_pool);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreateDescriptorPool");
  return {};
}

ConstantRing::~ConstantRing() {
  Device& device = *m_gpu.device;
  const auto free = [&](const Chunk& chunk) {
    if (chunk.range) m_gpu.recorder->retire(*m_gpu.host, chunk.range);
  };
  free(m_current);
  for (const Chunk& chunk : m_busy) free(chunk);
  for (const Chunk& chunk : m_spare) free(chunk);
  m_gpu.recorder->retire(Retired::Kind::DescriptorPool, m_pool);
  if (m_layout) device.vk().DestroyDescriptorSetLayout(device.handle(), m_layout, nullptr);
}

Result<ConstantRing::Chunk> ConstantRing::newChunk() {
  Device& device = *m_gpu.device;
  Chunk chunk;
  auto range = m_gpu.host->allocate(kChunkBytes, 256);
  if (!range) return range.error();
  chunk.range = *range;
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = m_pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &m_layout;
  const VkResult result = device.vk().AllocateDescriptorSets(device.handle(), &allocate, &chunk.set);
  if (result != VK_SUCCESS) {
    m_gpu.host->free(chunk.range);
    return device.fail(result, "vkAllocateDescriptorSets");
  }
  const VkDescriptorBufferInfo buffer{chunk.range.buffer(), chunk.range.offset, kMaxStageBytes};
  VkWriteDescriptorSet writes[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET},
                                    {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET}};
  for (uint32_t i = 0; i < 2; ++i) {
    writes[i].dstSet = chunk.set;
    writes[i].dstBinding = i == 0 ? shader::kVsConstantBinding : shader::kPsConstantBinding;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    writes[i].pBufferInfo = &buffer;
  }
  device.vk().UpdateDescriptorSets(device.handle(), 2, writes, 0, nullptr);
  ++m_count;
  return chunk;
}

Result<void> ConstantRing::reserve(uint32_t bytes) {
  Recorder& recorder = *m_gpu.recorder;
  // A slice is read as kMaxStageBytes from its start, so that much must follow it.
  if (m_current.range && m_used + bytes + kMaxStageBytes <= kChunkBytes) {
    m_current.batch = recorder.batch();
    return {};
  }
  if (m_current.range) m_busy.push_back(m_current);
  m_current = {};
  while (!m_busy.empty() && recorder.finished(m_busy.front().batch)) {
    m_spare.push_back(m_busy.front());
    m_busy.pop_front();
  }
  if (m_spare.empty() && m_count >= kMaxChunks) {
    if (auto flushed = recorder.flush(); !flushed) return flushed;
    recorder.waitFor(m_busy.front().batch);
    if (auto opened = recorder.open(); !opened) return opened;
    m_spare.push_back(m_busy.front());
    m_busy.pop_front();
  }
  if (!m_spare.empty()) {
    m_current = m_spare.back();
    m_spare.pop_back();
  } else {
    auto chunk = newChunk();
    if (!chunk) return chunk.error();
    m_current = *chunk;
  }
  m_current.batch = recorder.batch();
  m_mapped = m_current.range.mapped();
  m_used = 0;
  return {};
}

}  // namespace aerogpu::vk
