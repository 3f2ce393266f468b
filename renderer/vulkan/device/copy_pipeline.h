// SPDX-License-Identifier: MIT
// Makes the pipelines of draws that copy texels: a triangle without vertex buffers, one descriptor set, push
// constants. Render thread only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/vulkan/device/device.h"

namespace aerogpu::vk {

/// What the pipelines of copies differ in.
struct CopyPipeline {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  uint32_t samples = 1;                  ///< of a texel of the target
  VkFormat color = VK_FORMAT_UNDEFINED;  ///< UNDEFINED: no colour target
  VkFormat depth = VK_FORMAT_UNDEFINED;  ///< UNDEFINED: no depth target
  VkFormat stencil = VK_FORMAT_UNDEFINED;
  VkPipelineDepthStencilStateCreateInfo test{};  ///< counts with a depth target
  std::span<const VkDynamicState> dynamic;       ///< beside viewport and scissor, which have counts
};

/// Creates a pipeline of two modules in SPIR-V. The caller destroys it.
Result<VkPipeline> createCopyPipeline(Device& device, const std::vector<uint32_t>& vertex,
                                      const std::vector<uint32_t>& fragment, const CopyPipeline& what);

/// Create layouts, which the caller destroys: of a set with these bindings, and of that set with `bytes` of
/// push constants for one stage.
Result<VkDescriptorSetLayout> createSetLayout(Device& device,
                                              std::span<const VkDescriptorSetLayoutBinding> bindings);
Result<VkPipelineLayout> createPipelineLayout(Device& device, VkDescriptorSetLayout set,
                                              VkShaderStageFlags stage, uint32_t bytes);

}  // namespace aerogpu::vk
