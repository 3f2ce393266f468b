// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/copy_pipeline.h"

namespace aerogpu::vk {

namespace {

Result<VkShaderModule> createModule(Device& device, const std::vector<uint32_t>& words) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * sizeof words[0];
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  const VkResult result = device.vk().CreateShaderModule(device.handle(), &info, nullptr, &module);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreateShaderModule");
  return module;
}

Result<VkPipeline> createOfModules(Device& device, VkShaderModule vertex, VkShaderModule fragment,
                                   const CopyPipeline& what) {
  VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO},
                                               {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO}};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vertex;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = fragment;
  stages[0].pName = stages[1].pName = "main";
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(what.samples);
  VkPipelineColorBlendAttachmentState target{};
  target.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT |
                          VK_COLOR_COMPONENT_A_BIT;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = what.color == VK_FORMAT_UNDEFINED ? 0 : 1;
  blend.pAttachments = &target;
  std::vector<VkDynamicState> states{VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
                                     VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT};
  states.insert(states.end(), what.dynamic.begin(), what.dynamic.end());
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = static_cast<uint32_t>(states.size());
  dynamic.pDynamicStates = states.data();
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = blend.attachmentCount;
  rendering.pColorAttachmentFormats = &what.color;
  rendering.depthAttachmentFormat = what.depth;
  rendering.stencilAttachmentFormat = what.stencil;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pDepthStencilState = what.depth == VK_FORMAT_UNDEFINED ? nullptr : &what.test;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = what.layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result =
      device.vk().CreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreateGraphicsPipelines");
  return pipeline;
}

}  // namespace

Result<VkPipeline> createCopyPipeline(Device& device, const std::vector<uint32_t>& vertexWords,
                                      const std::vector<uint32_t>& fragmentWords, const CopyPipeline& what) {
  auto vertex = createModule(device, vertexWords);
  if (!vertex) return vertex.error();
  auto fragment = createModule(device, fragmentWords);
  Result<VkPipeline> pipeline =
      fragment ? createOfModules(device, *vertex, *fragment, what) : Result<VkPipeline>(fragment.error());
  device.vk().DestroyShaderModule(device.handle(), *vertex, nullptr);
  if (fragment) device.vk().DestroyShaderModule(device.handle(), *fragment, nullptr);
  return pipeline;
}

Result<VkDescriptorSetLayout> createSetLayout(Device& device,
                                              std::span<const VkDescriptorSetLayoutBinding> bindings) {
  VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  info.bindingCount = static_cast<uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  const VkResult result = device.vk().CreateDescriptorSetLayout(device.handle(), &info, nullptr, &layout);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreateDescriptorSetLayout");
  return layout;
}

Result<VkPipelineLayout> createPipelineLayout(Device& device, VkDescriptorSetLayout set,
                                              VkShaderStageFlags stage, uint32_t bytes) {
  const VkPushConstantRange constants{stage, 0, bytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &constants;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  const VkResult result = device.vk().CreatePipelineLayout(device.handle(), &info, nullptr, &layout);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreatePipelineLayout");
  return layout;
}

}  // namespace aerogpu::vk
