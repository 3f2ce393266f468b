// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/blit_draws.h"

namespace aerogpu::vk {

BlitDraws::~BlitDraws() {
  for (const auto& [kind, pipeline] : m_pipelines) m_recorder.retire(Retired::Kind::Pipeline, pipeline);
  m_recorder.retire(Retired::Kind::DescriptorPool, m_pool);
  m_recorder.retire(Retired::Kind::PipelineLayout, m_layout);
  m_recorder.retire(Retired::Kind::SetLayout, m_setLayout);
  m_recorder.retire(Retired::Kind::Sampler, m_sampler);
}

Result<BlitDraws::Bindings> BlitDraws::choose(const Kind& kind, const Source& source) {
  if (auto created = createLayout(); !created) return created.error();
  Bindings out;
  for (const auto& [known, pipeline] : m_pipelines)
    if (known == kind) out.pipeline = pipeline;
  if (!out.pipeline) {
    auto pipeline = createPipeline(kind);
    if (!pipeline) return pipeline.error();
    out.pipeline = *pipeline;
    m_pipelines.emplace_back(kind, *pipeline);
  }
  if (!m_set || m_source != source) {
    auto set = createSet(source);
    if (!set) return set.error();
    m_set = *set;
    m_source = source;
  }
  out.set = m_set;
  return out;
}

void BlitDraws::bind(const Bindings& bindings) {
  const DeviceTable& vk = m_device.vk();
  VkCommandBuffer commands = m_recorder.commands();
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bindings.pipeline);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &bindings.set, 0,
                           nullptr);
}

void BlitDraws::draw(const shader::BlitConstants& constants) {
  const DeviceTable& vk = m_device.vk();
  VkCommandBuffer commands = m_recorder.commands();
  const auto& to = constants.to;
  const VkRect2D box{{to[0], to[1]}, {static_cast<uint32_t>(to[2]), static_cast<uint32_t>(to[3])}};
  const VkViewport viewport{static_cast<float>(to[0]),
                            static_cast<float>(to[1]),
                            static_cast<float>(to[2]),
                            static_cast<float>(to[3]),
                            0,
                            1};
  vk.CmdSetViewportWithCount(commands, 1, &viewport);
  vk.CmdSetScissorWithCount(commands, 1, &box);
  vk.CmdPushConstants(commands, m_layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof constants, &constants);
  vk.CmdDraw(commands, 3, 1, 0, 0);
}

Result<void> BlitDraws::createSampler() {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.maxLod =
      VK_LOD_CLAMP_NONE;  // views have one level, and with 0 here lavapipe looks for it all the same
  const VkResult result = m_device.vk().CreateSampler(m_device.handle(), &info, nullptr, &m_sampler);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateSampler");
  return {};
}

Result<void> BlitDraws::createLayout() {
  const DeviceTable& vk = m_device.vk();
  if (!m_sampler)
    if (auto created = createSampler(); !created) return created;
  if (!m_setLayout) {
    VkDescriptorSetLayoutBinding bindings[2]{};
    for (uint32_t i = 0; i < 2; ++i) {
      bindings[i].binding = i;
      bindings[i].descriptorType =
          i == 0 ? VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
      bindings[i].descriptorCount = 1;
      bindings[i].stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
    }
    bindings[0].pImmutableSamplers = &m_sampler;
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = 2;
    info.pBindings = bindings;
    const VkResult result = vk.CreateDescriptorSetLayout(m_device.handle(), &info, nullptr, &m_setLayout);
    if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateDescriptorSetLayout");
  }
  if (m_layout) return {};
  const VkPushConstantRange constants{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(shader::BlitConstants)};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &m_setLayout;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &constants;
  const VkResult result = vk.CreatePipelineLayout(m_device.handle(), &info, nullptr, &m_layout);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreatePipelineLayout");
  return {};
}

Result<VkShaderModule> BlitDraws::createModule(const std::vector<uint32_t>& words) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * sizeof words[0];
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  const VkResult result = m_device.vk().CreateShaderModule(m_device.handle(), &info, nullptr, &module);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateShaderModule");
  return module;
}

Result<VkPipeline> BlitDraws::createPipeline(const Kind& kind) {
  auto vertex = createModule(shader::blitVertexModule(kind.shader));
  if (!vertex) return vertex.error();
  auto fragment = createModule(shader::blitFragmentModule(kind.shader));
  Result<VkPipeline> pipeline =
      fragment ? createPipeline(kind, *vertex, *fragment) : Result<VkPipeline>(fragment.error());
  m_device.vk().DestroyShaderModule(m_device.handle(), *vertex, nullptr);
  if (fragment) m_device.vk().DestroyShaderModule(m_device.handle(), *fragment, nullptr);
  return pipeline;
}

Result<VkPipeline> BlitDraws::createPipeline(const Kind& kind, VkShaderModule vertex,
                                             VkShaderModule fragment) {
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
  multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendAttachmentState target{};
  target.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT |
                          VK_COLOR_COMPONENT_A_BIT;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &target;
  const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = 2;
  dynamic.pDynamicStates = states;
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kind.target;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = m_layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result =
      m_device.vk().CreateGraphicsPipelines(m_device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateGraphicsPipelines");
  return pipeline;
}

Result<VkDescriptorSet> BlitDraws::createSet(const Source& source) {
  const DeviceTable& vk = m_device.vk();
  m_set = VK_NULL_HANDLE;
  if (m_setsLeft == 0) {
    m_recorder.retire(Retired::Kind::DescriptorPool, std::exchange(m_pool, VkDescriptorPool{}));
    const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSetsPerPool},
                                           {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, kSetsPerPool}};
    VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    info.maxSets = kSetsPerPool;
    info.poolSizeCount = 2;
    info.pPoolSizes = sizes;
    const VkResult result = vk.CreateDescriptorPool(m_device.handle(), &info, nullptr, &m_pool);
    if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateDescriptorPool");
    m_setsLeft = kSetsPerPool;
  }
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = m_pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &m_setLayout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  const VkResult result = vk.AllocateDescriptorSets(m_device.handle(), &allocate, &set);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkAllocateDescriptorSets");
  --m_setsLeft;
  // Only modules that use the second image read it.
  const VkDescriptorImageInfo images[2] = {
      {VK_NULL_HANDLE, source.view, source.layout},
      {VK_NULL_HANDLE, source.kept, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
  VkWriteDescriptorSet writes[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET},
                                    {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET}};
  for (uint32_t i = 0; i < 2; ++i) {
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].pImageInfo = &images[i];
  }
  writes[0].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  writes[1].descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  vk.UpdateDescriptorSets(m_device.handle(), source.kept ? 2 : 1, writes, 0, nullptr);
  return set;
}

}  // namespace aerogpu::vk
