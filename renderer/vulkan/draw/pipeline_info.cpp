// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/pipeline_info.h"

#include "renderer/shader/spirv/spirv_indices.h"

namespace aerogpu::vk {

PipelineInfo::PipelineInfo(const PipelineKey& key, const DeviceCaps& caps, const PipelineModules& modules,
                           VkPipelineLayout layout) {
  setStages(key, modules);
  setDynamic(key, caps);
  setVertexInput(key);
  setRasterization(key, caps);
  setBlending(key);
  setTargets(key);
  m_info.pStages = m_stages;
  m_info.pVertexInputState = &m_vertexInput;
  m_info.pInputAssemblyState = &m_assembly;
  m_info.pViewportState = &m_viewport;
  m_info.pRasterizationState = &m_raster;
  m_info.pMultisampleState = &m_multisample;
  m_info.pDepthStencilState = &m_depth;
  m_info.pColorBlendState = &m_blend;
  m_info.pDynamicState = &m_dynamic;
  m_info.layout = layout;
}

void PipelineInfo::setStages(const PipelineKey& key, const PipelineModules& modules) {
  for (uint32_t i = 0; i < shader::kSpecConstantCount; ++i) {
    m_specValues[i] = key.specialization >> i & 1;
    m_specEntries[i] = {i, i * uint32_t{sizeof(VkBool32)}, sizeof(VkBool32)};
  }
  m_specialization = {shader::kSpecConstantCount, m_specEntries, sizeof m_specValues, m_specValues};
  const auto add = [this](VkShaderStageFlagBits stage, VkShaderModule module,
                          const VkSpecializationInfo* info) {
    if (!module) return;
    m_stages[m_info.stageCount++] = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, stage, module, "main", info};
  };
  add(VK_SHADER_STAGE_VERTEX_BIT, modules.vs, nullptr);
  m_layers = key.layers;
  m_layersEntry = {shader::kLayerCountConstant, 0, sizeof m_layers};
  m_layersInfo = {1, &m_layersEntry, sizeof m_layers, &m_layers};
  add(VK_SHADER_STAGE_GEOMETRY_BIT, modules.gs, key.layers ? &m_layersInfo : nullptr);
  add(VK_SHADER_STAGE_FRAGMENT_BIT, modules.ps, &m_specialization);
}

void PipelineInfo::setDynamic(const PipelineKey& key, const DeviceCaps& caps) {
  m_dynamicStates = {
      VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
      VK_DYNAMIC_STATE_CULL_MODE,           VK_DYNAMIC_STATE_FRONT_FACE,
      VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
      VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,   VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
      VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,    VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
      VK_DYNAMIC_STATE_STENCIL_OP,          VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
      VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,  VK_DYNAMIC_STATE_STENCIL_REFERENCE,
      VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,   VK_DYNAMIC_STATE_DEPTH_BIAS,
      VK_DYNAMIC_STATE_BLEND_CONSTANTS,
  };
  m_dynamicStates.push_back(caps.dynamicVertexInput ? VK_DYNAMIC_STATE_VERTEX_INPUT_EXT
                                                    : VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
  if (caps.dynamicBlend && key.colorCount > 0) {
    m_dynamicStates.push_back(VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT);
    m_dynamicStates.push_back(VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT);
    m_dynamicStates.push_back(VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT);
  }
  if (caps.dynamicPolygonMode) m_dynamicStates.push_back(VK_DYNAMIC_STATE_POLYGON_MODE_EXT);
  if (caps.dynamicDepthClamp) {
    m_dynamicStates.push_back(VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT);
    m_dynamicStates.push_back(VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT);
  }
  m_dynamic.dynamicStateCount = static_cast<uint32_t>(m_dynamicStates.size());
  m_dynamic.pDynamicStates = m_dynamicStates.data();
}

void PipelineInfo::setVertexInput(const PipelineKey& key) {
  uint32_t divisorCount = 0;
  for (uint32_t i = 0; i < key.attributeCount; ++i)
    m_attributes[i] = {key.attributes[i] & 0xFF, key.attributes[i] >> 8 & 0xFF,
                       static_cast<VkFormat>(key.attributeFormats[i]), key.attributes[i] >> 16};
  for (uint32_t i = 0; i < key.bindingCount; ++i) {
    const bool instance = key.divisors[i] != ~0u;
    m_bindings[i] = {i, 0, instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX};
    if (instance && key.divisors[i] != 1) m_divisors[divisorCount++] = {i, key.divisors[i]};
  }
  m_divisor.vertexBindingDivisorCount = divisorCount;
  m_divisor.pVertexBindingDivisors = m_divisors;
  if (divisorCount) m_vertexInput.pNext = &m_divisor;
  m_vertexInput.vertexBindingDescriptionCount = key.bindingCount;
  m_vertexInput.pVertexBindingDescriptions = m_bindings;
  m_vertexInput.vertexAttributeDescriptionCount = key.attributeCount;
  m_vertexInput.pVertexAttributeDescriptions = m_attributes;
  m_assembly.topology = static_cast<VkPrimitiveTopology>(key.topologyClass);
}

void PipelineInfo::setRasterization(const PipelineKey& key, const DeviceCaps& caps) {
  // Lines as Direct3D draws them: "Rasterization Rules (Direct3D 9)", aliased lines.
  m_lines.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
  m_clip.depthClipEnable = key.depthClip;
  // The two do not go together (VUID-VkGraphicsPipelineCreateInfo-lineRasterizationMode-02766).
  if (caps.bresenhamLines && !key.alphaToCoverage) m_raster.pNext = &m_lines;
  if (caps.depthClipEnable && !caps.dynamicDepthClamp) {
    m_clip.pNext = m_raster.pNext;
    m_raster.pNext = &m_clip;
  }
  // Direct3D clamps to the viewport's range whether or not it clips; without VK_EXT_depth_clip_enable
  // clamping ends clipping.
  m_raster.depthClampEnable =
      !caps.dynamicDepthClamp && caps.depthClamp && (caps.depthClipEnable || !key.depthClip);
  m_raster.rasterizerDiscardEnable = key.discards;
  m_raster.polygonMode = static_cast<VkPolygonMode>(key.polygonMode);
  m_raster.lineWidth = 1;
  m_multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(key.samples);
  m_multisample.pSampleMask = &key.sampleMask;  // of at most 16 samples: one word
  m_multisample.alphaToCoverageEnable = key.alphaToCoverage;
  m_depth.maxDepthBounds = 1;
}

void PipelineInfo::setBlending(const PipelineKey& key) {
  for (uint32_t i = 0; i < key.colorCount; ++i) {
    const TargetBlend b = unpackBlend(key.blend[i]);
    m_blends[i] = {b.enable,
                   b.equation.srcColorBlendFactor,
                   b.equation.dstColorBlendFactor,
                   b.equation.colorBlendOp,
                   b.equation.srcAlphaBlendFactor,
                   b.equation.dstAlphaBlendFactor,
                   b.equation.alphaBlendOp,
                   b.writeMask};
  }
  m_blend.attachmentCount = key.colorCount;
  m_blend.pAttachments = m_blends;
}

void PipelineInfo::setTargets(const PipelineKey& key) {
  for (uint32_t i = 0; i < key.colorCount; ++i) m_formats[i] = static_cast<VkFormat>(key.colorFormats[i]);
  m_rendering.colorAttachmentCount = key.colorCount;
  m_rendering.pColorAttachmentFormats = m_formats;
  m_rendering.depthAttachmentFormat = static_cast<VkFormat>(key.depthFormat);
  m_rendering.stencilAttachmentFormat = static_cast<VkFormat>(key.stencilFormat);
}

}  // namespace aerogpu::vk
