// SPDX-License-Identifier: MIT
// Converts a pipeline's key to Vulkan's structures. Any thread.
#pragma once

#include <vector>

#include "renderer/shader/d3d9_interface.h"
#include "renderer/vulkan/device/device_caps.h"
#include "renderer/vulkan/draw/pipeline_key.h"

namespace aerogpu::vk {

class PipelineInfo {
public:
  /// `key` outlives it.
  PipelineInfo(const PipelineKey& key, const DeviceCaps& caps, const PipelineModules& modules,
               VkPipelineLayout layout);
  // Its structures point to each other.
  PipelineInfo(const PipelineInfo&) = delete;
  PipelineInfo& operator=(const PipelineInfo&) = delete;

  const VkGraphicsPipelineCreateInfo& info() const { return m_info; }

private:
  void setStages(const PipelineKey& key, const PipelineModules& modules);
  void setDynamic(const PipelineKey& key, const DeviceCaps& caps);
  void setVertexInput(const PipelineKey& key);
  void setRasterization(const PipelineKey& key, const DeviceCaps& caps);
  void setBlending(const PipelineKey& key);
  void setTargets(const PipelineKey& key);

  VkBool32 m_specValues[shader::kSpecConstantCount];
  VkSpecializationMapEntry m_specEntries[shader::kSpecConstantCount];
  VkSpecializationInfo m_specialization{};
  uint32_t m_layers = 0;
  VkSpecializationMapEntry m_layersEntry{};
  VkSpecializationInfo m_layersInfo{};
  VkPipelineShaderStageCreateInfo m_stages[3];

  std::vector<VkDynamicState> m_dynamicStates;
  VkPipelineDynamicStateCreateInfo m_dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};

  VkVertexInputAttributeDescription m_attributes[VertexFetch::kMax];
  VkVertexInputBindingDescription m_bindings[VertexFetch::kMax];
  VkVertexInputBindingDivisorDescriptionEXT m_divisors[VertexFetch::kMax];
  VkPipelineVertexInputDivisorStateCreateInfoEXT m_divisor{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT};
  VkPipelineVertexInputStateCreateInfo m_vertexInput{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo m_assembly{
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};

  VkPipelineViewportStateCreateInfo m_viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  VkPipelineRasterizationLineStateCreateInfoEXT m_lines{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
  VkPipelineRasterizationDepthClipStateCreateInfoEXT m_clip{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT};
  VkPipelineRasterizationStateCreateInfo m_raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  VkPipelineMultisampleStateCreateInfo m_multisample{
      VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  VkPipelineDepthStencilStateCreateInfo m_depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};

  VkPipelineColorBlendAttachmentState m_blends[core::kMaxColorTargets]{};
  VkPipelineColorBlendStateCreateInfo m_blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  VkFormat m_formats[core::kMaxColorTargets];
  VkPipelineRenderingCreateInfo m_rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  VkGraphicsPipelineCreateInfo m_info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &m_rendering};
};

}  // namespace aerogpu::vk
