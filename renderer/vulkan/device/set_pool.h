// SPDX-License-Identifier: MIT
// Descriptor sets of one layout that a batch uses once, from pools that die with the batch that used their
// last set. Render thread only.
#pragma once

#include <initializer_list>
#include <vector>

#include "renderer/vulkan/device/recorder.h"

namespace aerogpu::vk {

class SetPool {
public:
  /// `types`: of each binding of a set's layout.
  SetPool(Device& device, Recorder& recorder, std::initializer_list<VkDescriptorType> types);
  ~SetPool();
  SetPool(const SetPool&) = delete;
  SetPool& operator=(const SetPool&) = delete;

  /// Returns a set whose descriptors are undefined. It lives until the open batch is done, and may live
  /// longer.
  Result<VkDescriptorSet> allocate(VkDescriptorSetLayout layout);

private:
  static constexpr uint32_t kSetsPerPool = 64;
  Result<void> createPool();

  Device& m_device;
  Recorder& m_recorder;
  std::vector<VkDescriptorPoolSize> m_sizes;
  VkDescriptorPool m_pool = VK_NULL_HANDLE;
  uint32_t m_setsLeft = 0;
};

}  // namespace aerogpu::vk
