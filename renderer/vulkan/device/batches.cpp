// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/batches.h"

#include <utility>

namespace aerogpu::vk {

Batches::~Batches() {
  for (const auto& batch : m_spare) m_device.vk().DestroyCommandPool(m_device.handle(), batch->pool, nullptr);
}

Result<std::unique_ptr<Batch>> Batches::take() {
  return m_spare.empty() ? make() : reuse();
}

Result<std::unique_ptr<Batch>> Batches::reuse() {
  const VkResult result = m_device.vk().ResetCommandPool(m_device.handle(), m_spare.back()->pool, 0);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkResetCommandPool");
  std::unique_ptr<Batch> batch = std::move(m_spare.back());
  m_spare.pop_back();
  batch->hasEarly = batch->dispatches = batch->writesGuest = false;
  batch->earlySent = 0;
  batch->sent = VK_SUCCESS;
  if (std::exchange(batch->stoppable, 0u)) StopWords::allow(m_stopWords.word(batch->stopWord));
  return batch;
}

Result<std::unique_ptr<Batch>> Batches::make() {
  const DeviceTable& vk = m_device.vk();
  auto batch = std::make_unique<Batch>();
  batch->stopWord = m_count;
  VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = m_device.queueFamily();
  VkResult result = vk.CreateCommandPool(m_device.handle(), &info, nullptr, &batch->pool);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateCommandPool");
  result = allocate(*batch, batch->main, "commands");
  if (result == VK_SUCCESS) result = addEarly(*batch);
  if (result != VK_SUCCESS) {
    vk.DestroyCommandPool(m_device.handle(), batch->pool, nullptr);
    return m_device.fail(result, "vkAllocateCommandBuffers");
  }
  ++m_count;
  return batch;
}

VkResult Batches::allocate(const Batch& batch, VkCommandBuffer& commands, const char* name) {
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = batch.pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  const VkResult result = m_device.vk().AllocateCommandBuffers(m_device.handle(), &info, &commands);
  if (result == VK_SUCCESS)
    m_device.name(VK_OBJECT_TYPE_COMMAND_BUFFER, reinterpret_cast<uint64_t>(commands), name);
  return result;
}

VkResult Batches::addEarly(Batch& batch) {
  VkCommandBuffer commands;
  const VkResult result = allocate(batch, commands, "early commands");
  if (result == VK_SUCCESS) batch.early.push_back(commands);
  return result;
}

}  // namespace aerogpu::vk
