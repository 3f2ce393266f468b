// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/sample_copies.h"

#include "renderer/vulkan/device/copy_pipeline.h"

namespace aerogpu::vk {

using shader::SampleCopyPlane;

SampleCopies::SampleCopies(Device& device, Recorder& recorder)
    : m_device(device), m_recorder(recorder), m_sets(device, recorder, {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}) {}

SampleCopies::~SampleCopies() {
  for (const auto& [kind, pipeline] : m_pipelines) m_recorder.retire(Retired::Kind::Pipeline, pipeline);
  m_recorder.retire(Retired::Kind::PipelineLayout, m_layout);
  m_recorder.retire(Retired::Kind::SetLayout, m_setLayout);
}

Result<VkImageView> SampleCopies::view(VkImage image, VkFormat format, VkImageAspectFlags aspects,
                                       uint32_t layer) {
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = format;
  info.subresourceRange = {aspects, 0, 1, layer, 1};
  VkImageView view = VK_NULL_HANDLE;
  const VkResult result = m_device.vk().CreateImageView(m_device.handle(), &info, nullptr, &view);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateImageView");
  m_recorder.retire(Retired::Kind::ImageView, view);
  return view;
}

Result<SampleCopies::Bindings> SampleCopies::choose(const Kind& kind, VkImageView source,
                                                    VkImageLayout layout) {
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
  auto set = createSet(source, layout);
  if (!set) return set.error();
  out.set = *set;
  return out;
}

void SampleCopies::bind(const Bindings& bindings, const VkRect2D& area) {
  const DeviceTable& vk = m_device.vk();
  VkCommandBuffer commands = m_recorder.commands();
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bindings.pipeline);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &bindings.set, 0,
                           nullptr);
  const VkViewport viewport{static_cast<float>(area.offset.x),
                            static_cast<float>(area.offset.y),
                            static_cast<float>(area.extent.width),
                            static_cast<float>(area.extent.height),
                            0,
                            1};
  vk.CmdSetViewportWithCount(commands, 1, &viewport);
  vk.CmdSetScissorWithCount(commands, 1, &area);
}

void SampleCopies::draw(const shader::SampleCopyConstants& constants) {
  const DeviceTable& vk = m_device.vk();
  VkCommandBuffer commands = m_recorder.commands();
  vk.CmdPushConstants(commands, m_layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof constants, &constants);
  vk.CmdDraw(commands, 3, 1, 0, 0);
}

void SampleCopies::drawStencil(const shader::SampleCopyConstants& constants, uint32_t bits, uint32_t value) {
  const DeviceTable& vk = m_device.vk();
  VkCommandBuffer commands = m_recorder.commands();
  vk.CmdSetStencilWriteMask(commands, VK_STENCIL_FACE_FRONT_AND_BACK, bits);
  vk.CmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, value);
  draw(constants);
}

void SampleCopies::drawCompared(const shader::SampleCopyConstants& constants, VkCompareOp compare) {
  m_device.vk().CmdSetDepthCompareOp(m_recorder.commands(), compare);
  draw(constants);
}

Result<void> SampleCopies::createLayout() {
  if (!m_setLayout) {
    VkDescriptorSetLayoutBinding binding{};
    binding.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
    const auto made = createSetLayout(m_device, {&binding, 1});
    if (!made) return made.error();
    m_setLayout = *made;
  }
  if (m_layout) return {};
  const auto made = createPipelineLayout(m_device, m_setLayout, VK_SHADER_STAGE_FRAGMENT_BIT,
                                         sizeof(shader::SampleCopyConstants));
  if (!made) return made.error();
  m_layout = *made;
  return {};
}

Result<VkPipeline> SampleCopies::createPipeline(const Kind& kind) {
  const SampleCopyPlane plane = kind.shader.plane;
  const bool compares = plane == SampleCopyPlane::Compared;
  const bool toDepth = !kind.shader.fromSamples && plane != SampleCopyPlane::Color;
  const bool toStencil = toDepth && plane == SampleCopyPlane::Stencil;
  CopyPipeline what;
  what.layout = m_layout;
  what.samples = kind.samples;
  if (compares)
    what.color = VK_FORMAT_R32_SFLOAT;
  else if (!toDepth)
    what.color = kind.target;
  if (toDepth) what.depth = kind.target;
  if (toDepth && kind.hasStencil) what.stencil = kind.target;
  VkPipelineDepthStencilStateCreateInfo& test = what.test;
  test.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  test.depthTestEnable = !toStencil;
  test.depthWriteEnable = plane == SampleCopyPlane::Depth;
  test.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  test.stencilTestEnable = toStencil;
  test.front = {VK_STENCIL_OP_REPLACE,
                VK_STENCIL_OP_REPLACE,
                VK_STENCIL_OP_REPLACE,
                VK_COMPARE_OP_ALWAYS,
                0xFF,
                0xFF,
                0};
  test.back = test.front;
  constexpr VkDynamicState kOfStencil[] = {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
                                           VK_DYNAMIC_STATE_STENCIL_REFERENCE};
  constexpr VkDynamicState kOfComparison[] = {VK_DYNAMIC_STATE_DEPTH_COMPARE_OP};
  if (toStencil)
    what.dynamic = kOfStencil;
  else if (compares)
    what.dynamic = kOfComparison;
  return createCopyPipeline(m_device, shader::sampleCopyVertexModule(),
                            shader::sampleCopyFragmentModule(kind.shader), what);
}

Result<VkDescriptorSet> SampleCopies::createSet(VkImageView source, VkImageLayout layout) {
  const DeviceTable& vk = m_device.vk();
  auto set = m_sets.allocate(m_setLayout);
  if (!set) return set.error();
  const VkDescriptorImageInfo image{VK_NULL_HANDLE, source, layout};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = *set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  write.pImageInfo = &image;
  vk.UpdateDescriptorSets(m_device.handle(), 1, &write, 0, nullptr);
  return set;
}

}  // namespace aerogpu::vk
