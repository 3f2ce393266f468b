// SPDX-License-Identifier: MIT
// Drawing with translated shaders (shader_gpu.h).
#include "renderer/shader/test/shader_gpu.h"

#include <algorithm>
#include <cstring>

#include "renderer/shader/test/validate.h"

namespace aerogpu::shader::test {
namespace {

constexpr VkFormat kColorFormat = VK_FORMAT_R32G32B32A32_SFLOAT;
constexpr uint32_t kTargets = 4;

void writeFile(const ConstantLayout& layout, std::vector<Vec4> floats, std::vector<Int4> ints,
               std::vector<Vec4> planes, std::vector<BumpStage> stages, void* dst) {
  floats.resize(256);
  ints.resize(16);
  planes.resize(6);
  stages.resize(8);
  const void* rest = layout.bumpStageCount ? static_cast<const void*>(stages.data()) : planes.data();
  writeConstants(layout, floats.data(), ints.data(), rest, dst);
}

}  // namespace

void ShaderGpu::begin() {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(m_commands, &info), "begin");
}

void ShaderGpu::submit() {
  check(vkEndCommandBuffer(m_commands), "end");
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &m_commands;
  check(vkQueueSubmit(m_queue, 1, &info, VK_NULL_HANDLE), "submit");
  check(vkQueueWaitIdle(m_queue), "wait");
}

VkShaderModule ShaderGpu::makeModule(const std::vector<uint32_t>& words) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  VkShaderModule out = VK_NULL_HANDLE;
  check(vkCreateShaderModule(m_device, &info, nullptr, &out), "shader module");
  return out;
}

VkPipeline ShaderGpu::makePipeline(const Draw& draw, const ShaderInfo& vsInfo, const ShaderInfo& psInfo,
                                   VkShaderModule vs, VkShaderModule ps) {
  const VkBool32 spec[kSpecConstantCount] = {draw.alphaTest, draw.fog, draw.pointSprite};
  VkSpecializationMapEntry entries[kSpecConstantCount];
  for (uint32_t i = 0; i < kSpecConstantCount; ++i) entries[i] = {i, i * 4, 4};
  const VkSpecializationInfo specialisation{kSpecConstantCount, entries, sizeof spec, spec};
  VkPipelineShaderStageCreateInfo stages[2]{};
  for (auto& stage : stages) {
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pName = "main";
    stage.pSpecializationInfo = &specialisation;
  }
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vs;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = ps;
  const VkVertexInputBindingDescription binding{0, static_cast<uint32_t>(vsInfo.inputs.size() * 16),
                                                VK_VERTEX_INPUT_RATE_VERTEX};
  std::vector<VkVertexInputAttributeDescription> attributes;
  for (uint32_t i = 0; i < vsInfo.inputs.size(); ++i)
    attributes.push_back(
        {vsInfo.inputs[i].location, 0,
         draw.inputTypes[vsInfo.inputs[i].location] == InputType::Int    ? VK_FORMAT_R32G32B32A32_SINT
         : draw.inputTypes[vsInfo.inputs[i].location] == InputType::Uint ? VK_FORMAT_R32G32B32A32_UINT
                                                                         : VK_FORMAT_R32G32B32A32_SFLOAT,
         i * 16});
  VkPipelineVertexInputStateCreateInfo input{};
  input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  input.vertexBindingDescriptionCount = attributes.empty() ? 0 : 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = static_cast<uint32_t>(attributes.size());
  input.pVertexAttributeDescriptions = attributes.data();
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = draw.topology;
  // y up in clip space: a viewport of negative height, as the contract has it.
  const VkViewport viewport{0, float(draw.height), float(draw.width), -float(draw.height), 0, 1};
  const VkRect2D scissor{{0, 0}, {draw.width, draw.height}};
  VkPipelineViewportStateCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  view.viewportCount = view.scissorCount = 1;
  view.pViewports = &viewport;
  view.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.frontFace = VK_FRONT_FACE_CLOCKWISE;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{};
  samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  // Only targets that the shader writes are written: the others keep the clear value.
  std::array<VkPipelineColorBlendAttachmentState, kTargets> attachments{};
  for (uint32_t i = 0; i < kTargets; ++i)
    attachments[i].colorWriteMask = psInfo.colorOutputMask >> i & 1 ? 0xF : 0;
  if (draw.dualSource) {
    auto& a = attachments[0];
    a.blendEnable = VK_TRUE;
    a.srcColorBlendFactor = a.srcAlphaBlendFactor = VK_BLEND_FACTOR_SRC1_COLOR;
    a.srcAlphaBlendFactor = VK_BLEND_FACTOR_SRC1_ALPHA;
    a.dstColorBlendFactor = a.dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO;
    for (uint32_t i = 1; i < kTargets; ++i) attachments[i].colorWriteMask = 0;
  }
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  const uint32_t targets = draw.dualSource ? 1 : kTargets;
  blend.attachmentCount = targets;
  blend.pAttachments = attachments.data();
  const VkFormat formats[kTargets] = {kColorFormat, kColorFormat, kColorFormat, kColorFormat};
  VkPipelineRenderingCreateInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  rendering.colorAttachmentCount = targets;
  rendering.pColorAttachmentFormats = formats;
  rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &rendering;
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.layout = m_layout;
  VkPipeline out = VK_NULL_HANDLE;
  check(vkCreateGraphicsPipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &out), "pipeline");
  return out;
}

const ShaderGpu::Image& ShaderGpu::textureFor(d3d9::SamplerType type) const {
  switch (type) {
    case d3d9::SamplerType::TextureCube:
      return m_textureCube;
    case d3d9::SamplerType::TextureVolume:
      return m_texture3D;
    default:
      return m_texture2D;
  }
}

VkDescriptorSet ShaderGpu::makeTextureSet(const ShaderInfo& vs, const ShaderInfo& ps, uint32_t psShadow) {
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = m_descriptors;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &m_setLayouts[kTextureSet];
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(vkAllocateDescriptorSets(m_device, &allocate, &set), "texture set");
  constexpr uint32_t kCount = kPsSamplerCount + kVsSamplerCount;
  VkDescriptorImageInfo images[kCount];
  VkWriteDescriptorSet writes[kCount];
  for (uint32_t i = 0; i < kCount; ++i) {
    const bool vertex = i >= kVsSamplerBinding;
    const bool shadow = !vertex && psShadow >> i & 1;
    const auto type = vertex ? vs.samplerTypes[i - kVsSamplerBinding] : ps.samplerTypes[i];
    images[i] = {shadow ? m_shadowSampler : m_sampler, (shadow ? m_textureDepth : textureFor(type)).view,
                 VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,    nullptr,    set,     i,      0, 1,
                 VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &images[i], nullptr, nullptr};
  }
  vkUpdateDescriptorSets(m_device, kCount, writes, 0, nullptr);
  return set;
}

Picture ShaderGpu::draw(const Draw& draw) {
  Picture out;
  const auto vsTokens = assembled(draw.vs, out.error);
  const auto psTokens = assembled(draw.ps, out.error);
  if (!out.error.empty()) return out;
  const auto vs = parse(vsTokens), ps = parse(psTokens);
  for (const auto* p : {&vs, &ps})
    if (!*p) out.error += p->error().message + " at token " + std::to_string(p->error().tokenOffset) + "\n";
  if (!out.error.empty()) return out;
  const ShaderInfo &vsInfo = vs->info(), &psInfo = ps->info();
  EmitOptions vsOptions, psOptions;
  vsOptions.clipPlaneCount = static_cast<uint32_t>(draw.clipPlanes.size());
  vsOptions.inputTypes = draw.inputTypes;
  psOptions.linkedOutputs = vsInfo.outputs;
  psOptions.flatShade = draw.flatShade;
  psOptions.shadowSamplers = draw.psShadowSamplers;
  psOptions.gatheredSamplers = draw.psGatheredSamplers;
  psOptions.projectedBy = draw.projectedBy;
  psOptions.dualSource = draw.dualSource;
  const auto vsModule = emit(*vs, vsOptions), psModule = emit(*ps, psOptions);
  for (const auto* m : {&vsModule, &psModule}) {
    if (!*m)
      out.error += m->error().message + "\n";
    else
      out.error += validate((*m)->words);
  }
  if (!out.error.empty()) return out;

  m_errors.clear();
  const VkShaderModule modules[2] = {makeModule(vsModule->words), makeModule(psModule->words)};
  const VkPipeline pipeline = makePipeline(draw, vsInfo, psInfo, modules[0], modules[1]);
  Buffer vertices =
      makeBuffer(draw.vertices.size() * vsInfo.inputs.size() * 16, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  auto* at = static_cast<unsigned char*>(vertices.data);
  for (const auto& vertex : draw.vertices) {
    if (vertex.size() != vsInfo.inputs.size())
      m_errors += "a vertex does not have the inputs of the shader\n";
    std::memcpy(at, vertex.data(), std::min(vertex.size(), vsInfo.inputs.size()) * 16);
    at += vsInfo.inputs.size() * 16;
  }
  const ConstantLayout* layouts[2] = {&vsModule->constants, &psModule->constants};
  Buffer constants[2];
  VkDescriptorSet sets[kSetCount] = {};
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = m_descriptors;
  allocate.descriptorSetCount = 1;
  for (uint32_t i = 0; i < 2; ++i) {
    const bool vertex = i == 0;
    const uint32_t set = vertex ? kVsConstantSet : kPsConstantSet;
    allocate.pSetLayouts = &m_setLayouts[set];
    check(vkAllocateDescriptorSets(m_device, &allocate, &sets[set]), "constant set");
    const VkDeviceSize size = std::max(layouts[i]->sizeBytes(), 16u);
    constants[i] = makeBuffer(size, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    writeFile(*layouts[i], vertex ? draw.vsFloats : draw.psFloats, vertex ? draw.vsInts : draw.psInts,
              draw.clipPlanes, draw.stages, constants[i].data);
    const VkDescriptorBufferInfo info{constants[i].buffer, 0, size};
    const VkWriteDescriptorSet write{
        VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,    nullptr, sets[set], kConstantBinding, 0, 1,
        VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, nullptr, &info,     nullptr};
    vkUpdateDescriptorSets(m_device, 1, &write, 0, nullptr);
  }
  sets[kTextureSet] = makeTextureSet(vsInfo, psInfo, draw.psShadowSamplers);

  Image targets[kTargets + 1];
  Buffer readBack[kTargets + 1];
  for (uint32_t i = 0; i <= kTargets; ++i) {
    const bool isDepth = i == kTargets;
    targets[i] = makeImage({.format = isDepth ? VK_FORMAT_D32_SFLOAT : kColorFormat,
                            .width = draw.width,
                            .height = draw.height,
                            .usage = VkImageUsageFlags(VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                       (isDepth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                                : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT))});
    readBack[i] = makeBuffer(VkDeviceSize{draw.width} * draw.height * (isDepth ? 4 : 16),
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  }

  begin();
  VkImageMemoryBarrier barriers[kTargets + 1]{};
  VkRenderingAttachmentInfo attachments[kTargets + 1]{};
  for (uint32_t i = 0; i <= kTargets; ++i) {
    const bool isDepth = i == kTargets;
    auto& b = barriers[i];
    b.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    b.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    b.image = targets[i].image;
    b.subresourceRange = {VkImageAspectFlags(isDepth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT),
                          0, 1, 0, 1};
    auto& a = attachments[i];
    a.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
    a.imageView = targets[i].view;
    a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    if (isDepth)
      a.clearValue.depthStencil.depth = 1;
    else
      std::copy(draw.clear.begin(), draw.clear.end(), a.clearValue.color.float32);
  }
  vkCmdPipelineBarrier(m_commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                       0, nullptr, 0, nullptr, kTargets + 1, barriers);
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  rendering.renderArea = {{0, 0}, {draw.width, draw.height}};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = draw.dualSource ? 1 : kTargets;
  rendering.pColorAttachments = attachments;
  rendering.pDepthAttachment = &attachments[kTargets];
  vkCmdBeginRendering(m_commands, &rendering);
  vkCmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  const uint32_t offsets[2] = {0, 0};
  vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, kSetCount, sets, 2,
                          offsets);
  vkCmdPushConstants(m_commands, m_layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                     sizeof draw.push, &draw.push);
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(m_commands, 0, 1, &vertices.buffer, &zero);
  if (pipeline) vkCmdDraw(m_commands, static_cast<uint32_t>(draw.vertices.size()), 1, 0, 0);
  vkCmdEndRendering(m_commands);
  VkMemoryBarrier done{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(m_commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                       1, &done, 0, nullptr, 0, nullptr);
  for (uint32_t i = 0; i <= kTargets; ++i) {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {barriers[i].subresourceRange.aspectMask, 0, 0, 1};
    copy.imageExtent = {draw.width, draw.height, 1};
    vkCmdCopyImageToBuffer(m_commands, targets[i].image, VK_IMAGE_LAYOUT_GENERAL, readBack[i].buffer, 1,
                           &copy);
  }
  done.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(m_commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &done, 0,
                       nullptr, 0, nullptr);
  submit();
  const size_t pixels = size_t{draw.width} * draw.height;
  for (uint32_t i = 0; i < kTargets; ++i) {
    out.color[i].resize(pixels);
    std::memcpy(out.color[i].data(), readBack[i].data, pixels * 16);
  }
  out.depth.resize(pixels);
  std::memcpy(out.depth.data(), readBack[kTargets].data, pixels * 4);

  for (uint32_t i = 0; i <= kTargets; ++i) {
    destroy(targets[i]);
    destroy(readBack[i]);
  }
  destroy(vertices);
  for (Buffer& b : constants) destroy(b);
  check(vkResetDescriptorPool(m_device, m_descriptors, 0), "reset descriptors");
  vkDestroyPipeline(m_device, pipeline, nullptr);
  for (VkShaderModule m : modules) vkDestroyShaderModule(m_device, m, nullptr);
  out.error += m_errors;
  return out;
}

}  // namespace aerogpu::shader::test
