// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/blit_draws.h"

#include "renderer/vulkan/device/copy_pipeline.h"

namespace aerogpu::vk {

BlitDraws::BlitDraws(Device& device, Recorder& recorder)
    : m_device(device),
      m_recorder(recorder),
      m_sets(device, recorder,
             {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}) {}

BlitDraws::~BlitDraws() {
  for (const auto& [kind, pipeline] : m_pipelines) m_recorder.retire(Retired::Kind::Pipeline, pipeline);
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
    const auto made = createSetLayout(m_device, bindings);
    if (!made) return made.error();
    m_setLayout = *made;
  }
  if (m_layout) return {};
  const auto made =
      createPipelineLayout(m_device, m_setLayout, VK_SHADER_STAGE_VERTEX_BIT, sizeof(shader::BlitConstants));
  if (!made) return made.error();
  m_layout = *made;
  return {};
}

Result<VkPipeline> BlitDraws::createPipeline(const Kind& kind) {
  return createCopyPipeline(m_device, shader::blitVertexModule(kind.shader),
                            shader::blitFragmentModule(kind.shader),
                            {.layout = m_layout, .color = kind.target});
}

Result<VkDescriptorSet> BlitDraws::createSet(const Source& source) {
  const DeviceTable& vk = m_device.vk();
  m_set = VK_NULL_HANDLE;
  auto set = m_sets.allocate(m_setLayout);
  if (!set) return set.error();
  // Only modules that use the second image read it.
  const VkDescriptorImageInfo images[2] = {
      {VK_NULL_HANDLE, source.view, source.layout},
      {VK_NULL_HANDLE, source.kept, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
  VkWriteDescriptorSet writes[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET},
                                    {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET}};
  for (uint32_t i = 0; i < 2; ++i) {
    writes[i].dstSet = *set;
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
