// SPDX-License-Identifier: MIT
// Chunks of uniform memory (see constant_ring.h).
#include "renderer/vulkan/draw/constant_ring.h"

#include <algorithm>

#include "renderer/shader/d3d9_interface.h"

namespace aerogpu::vk {

Result<void> ConstantRing::create() {
  Device& device = *m_gpu.device;
  m_align =
      static_cast<uint32_t>(std::max<VkDeviceSize>(device.limits().minUniformBufferOffsetAlignment, 16));
  for (uint32_t i = 0; i < 2; ++i) {
    const VkShaderStageFlags stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkDescriptorSetLayoutBinding binding{shader::kConstantBinding,
                                               VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, stage, nullptr};
    VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    layout.bindingCount = 1;
    layout.pBindings = &binding;
    const VkResult made =
        device.vk().CreateDescriptorSetLayout(device.handle(), &layout, nullptr, &m_layouts[i]);
    if (made != VK_SUCCESS) return device.fail(made, "vkCreateDescriptorSetLayout");
  }
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, (1 + kClasses) * kMaxChunks};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = (1 + kClasses) * kMaxChunks;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  const VkResult result = device.vk().CreateDescriptorPool(device.handle(), &pool, nullptr, &m_pool);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreateDescriptorPool");
  return {};
}

ConstantRing::~ConstantRing() {
  Device& device = *m_gpu.device;
  const auto giveBack = [&](const Chunk& chunk) {
    if (chunk.range) m_gpu.recorder->retire(*m_gpu.host, chunk.range);
  };
  giveBack(m_current);
  for (const Chunk& chunk : m_busy) giveBack(chunk);
  for (const Chunk& chunk : m_spare) giveBack(chunk);
  m_gpu.recorder->retire(Retired::Kind::DescriptorPool, m_pool);
  for (VkDescriptorSetLayout layout : m_layouts)
    if (layout) device.vk().DestroyDescriptorSetLayout(device.handle(), layout, nullptr);
}

Result<ConstantRing::Chunk> ConstantRing::newChunk() {
  Device& device = *m_gpu.device;
  Chunk chunk;
  auto range = m_gpu.host->allocate(kChunkBytes, 256);
  if (!range) return range.error();
  chunk.range = *range;
  VkDescriptorSetLayout layouts[1 + kClasses];
  std::fill(std::begin(layouts), std::end(layouts), m_layouts[1]);
  layouts[0] = m_layouts[0];
  VkDescriptorSet sets[1 + kClasses];
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = m_pool;
  allocate.descriptorSetCount = 1 + kClasses;
  allocate.pSetLayouts = layouts;
  const VkResult result = device.vk().AllocateDescriptorSets(device.handle(), &allocate, sets);
  if (result != VK_SUCCESS) {
    m_gpu.host->giveBack(chunk.range);
    return device.fail(result, "vkAllocateDescriptorSets");
  }
  chunk.vertexSet = sets[0];
  std::copy(sets + 1, sets + 1 + kClasses, chunk.pixelSets);
  VkDescriptorBufferInfo buffers[1 + kClasses];
  VkWriteDescriptorSet writes[1 + kClasses];
  for (uint32_t i = 0; i <= kClasses; ++i) {
    buffers[i] = {chunk.range.buffer(), chunk.range.offset, i == 0 ? kMaxStageBytes : kClassBytes[i - 1]};
    writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    writes[i].dstSet = sets[i];
    writes[i].dstBinding = shader::kConstantBinding;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    writes[i].pBufferInfo = &buffers[i];
  }
  device.vk().UpdateDescriptorSets(device.handle(), 1 + kClasses, writes, 0, nullptr);
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
  ++m_generation;
  return {};
}

}  // namespace aerogpu::vk
