// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/pipeline_layouts.h"

#include <bit>

namespace aerogpu::vk {

PipelineLayouts::~PipelineLayouts() {
  const DeviceTable& vk = m_gpu.device->vk();
  VkDevice device = m_gpu.device->handle();
  for (const auto& [key, layout] : m_d3d9) {
    vk.DestroyPipelineLayout(device, layout.handle, nullptr);
    vk.DestroyDescriptorSetLayout(device, layout.textures, nullptr);
  }
  for (const auto& [key, layout] : m_dxbc) vk.DestroyPipelineLayout(device, layout.handle, nullptr);
  if (m_emptySet) vk.DestroyDescriptorSetLayout(device, m_emptySet, nullptr);
}

Result<void> PipelineLayouts::create() {
  VkDescriptorSetLayoutCreateInfo empty{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  const VkResult result =
      m_gpu.device->vk().CreateDescriptorSetLayout(m_gpu.device->handle(), &empty, nullptr, &m_emptySet);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateDescriptorSetLayout");
  return {};
}

template <class Map>
void PipelineLayouts::makeRoom(Map& layouts) {
  if (layouts.size() < kMaxLayouts) return;
  for (const auto& [key, layout] : layouts) {
    m_gpu.recorder->retire(Retired::Kind::PipelineLayout, layout.handle);
    m_gpu.recorder->retire(Retired::Kind::SetLayout, layout.textures);
  }
  layouts.clear();
  ++m_generation;
}

Result<PipelineLayout> PipelineLayouts::d3d9(uint32_t mask, bool stopWord) {
  const uint32_t key = mask | uint32_t{stopWord} << 31;
  if (const auto it = m_d3d9.find(key); it != m_d3d9.end()) return it->second;
  const DeviceTable& vk = m_gpu.device->vk();
  VkDevice device = m_gpu.device->handle();
  VkDescriptorSetLayoutBinding bindings[20]{};
  uint32_t count = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto bit = static_cast<uint32_t>(std::countr_zero(m));
    VkDescriptorSetLayoutBinding& b = bindings[count++];
    const bool pixel = bit < shader::kPsSamplerCount;
    b.binding =
        pixel ? shader::kPsSamplerBinding + bit : shader::kVsSamplerBinding + bit - shader::kPsSamplerCount;
    b.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    b.descriptorCount = 1;
    b.stageFlags = pixel ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
  }
  VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  setInfo.bindingCount = count;
  setInfo.pBindings = bindings;
  PipelineLayout layout;
  VkResult result = vk.CreateDescriptorSetLayout(device, &setInfo, nullptr, &layout.textures);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateDescriptorSetLayout");
  static_assert(StopWords::kD3d9Set == shader::kSetCount);
  VkDescriptorSetLayout sets[shader::kSetCount + 1];
  sets[shader::kVsConstantSet] = m_constants.vertexLayout();
  sets[shader::kTextureSet] = layout.textures;
  sets[shader::kPsConstantSet] = m_constants.pixelLayout();
  sets[StopWords::kD3d9Set] = m_gpu.stopWords->layout();
  const VkPushConstantRange push{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                 sizeof(shader::PushConstants)};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = shader::kSetCount + stopWord;
  info.pSetLayouts = sets;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &push;
  result = vk.CreatePipelineLayout(device, &info, nullptr, &layout.handle);
  if (result != VK_SUCCESS) {
    vk.DestroyDescriptorSetLayout(device, layout.textures, nullptr);
    return m_gpu.device->fail(result, "vkCreatePipelineLayout");
  }
  layout.serial = m_gpu.nextSerial++;
  layout.content = key;
  layout.stopWord = stopWord;
  makeRoom(m_d3d9);
  m_d3d9.emplace(key, layout);
  return layout;
}

Result<PipelineLayout> PipelineLayouts::dxbc(const DxbcStages& stages) {
  DxbcKey key{};
  VkDescriptorSetLayout sets[kDxbcSets + 1];
  bool stopWord = false;
  for (uint32_t i = 0; i < kDxbcSets; ++i) {
    const ShaderCode* code = stages[i];
    sets[i] = code ? code->setLayout : m_emptySet;
    key[i] = code ? code->setSerial : 0;
    stopWord = stopWord || (code && code->module.loops);
  }
  if (const auto it = m_dxbc.find(key); it != m_dxbc.end()) return it->second;
  static_assert(StopWords::kDxbcSet == kDxbcSets);
  sets[kDxbcSets] = m_gpu.stopWords->layout();
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = stopWord ? kDxbcSets + 1 : stages[2] ? 3 : 2;
  info.pSetLayouts = sets;
  PipelineLayout layout;
  layout.stopWord = stopWord;
  const VkResult result =
      m_gpu.device->vk().CreatePipelineLayout(m_gpu.device->handle(), &info, nullptr, &layout.handle);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreatePipelineLayout");
  layout.serial = m_gpu.nextSerial++;
  layout.content = key[0] << 32 ^ key[1];  // a pipeline's key has the geometry shader itself
  makeRoom(m_dxbc);
  m_dxbc.emplace(key, layout);
  return layout;
}

}  // namespace aerogpu::vk
