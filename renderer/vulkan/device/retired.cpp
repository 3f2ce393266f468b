// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/retired.h"

#include <bit>

namespace aerogpu::vk {

// A table as a switch: Vulkan has a function and a type of handle for each kind.
void RetiredObjects::destroy(const Retired& retired) {
  const DeviceTable& vk = m_device.vk();
  VkDevice device = m_device.handle();
  switch (retired.kind) {
    case Retired::Kind::Range:
      break;
    case Retired::Kind::Image:
      std::bit_cast<Returning*>(retired.handle)->finished();
      break;
    case Retired::Kind::ImageView:
      vk.DestroyImageView(device, std::bit_cast<VkImageView>(retired.handle), nullptr);
      break;
    case Retired::Kind::BufferView:
      vk.DestroyBufferView(device, std::bit_cast<VkBufferView>(retired.handle), nullptr);
      break;
    case Retired::Kind::Sampler:
      vk.DestroySampler(device, std::bit_cast<VkSampler>(retired.handle), nullptr);
      break;
    case Retired::Kind::DescriptorPool:
      vk.DestroyDescriptorPool(device, std::bit_cast<VkDescriptorPool>(retired.handle), nullptr);
      --m_pools;
      break;
    case Retired::Kind::SetLayout:
      vk.DestroyDescriptorSetLayout(device, std::bit_cast<VkDescriptorSetLayout>(retired.handle), nullptr);
      break;
    case Retired::Kind::PipelineLayout:
      vk.DestroyPipelineLayout(device, std::bit_cast<VkPipelineLayout>(retired.handle), nullptr);
      break;
    case Retired::Kind::QueryPool:
      vk.DestroyQueryPool(device, std::bit_cast<VkQueryPool>(retired.handle), nullptr);
      break;
    case Retired::Kind::Pipeline:
      vk.DestroyPipeline(device, std::bit_cast<VkPipeline>(retired.handle), nullptr);
      break;
  }
  if (retired.pool) retired.pool->giveBack(retired.range);
}

}  // namespace aerogpu::vk
