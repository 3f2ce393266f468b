// SPDX-License-Identifier: MIT
// What D3D9 shaders read besides vertices: textures, constant registers, the states behind the pixel shader
// (see draws.h and shader/d3d9_interface.h).
#include <algorithm>
#include <bit>
#include <cstring>

#include "renderer/vulkan/draw/draws.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

constexpr VkPipelineStageFlags2 kShaderStages = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
                                                VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
                                                VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

}  // namespace

Result<CachedView> Draws::sampledView(core::Texture& texture, const core::View* view, VkImageViewType type,
                                      bool srgb, bool& feedback) {
  TextureObject& object = TextureObject::of(texture);
  ViewKey key;
  VkFormatInfo format = object.format();
  key.mipCount = texture.desc.mipLevels;
  key.layerCount = texture.desc.arrayLayers;
  if (view) {
    auto mapped = mapFormat(*m_gpu.device, view->desc.format);
    if (!mapped) return mapped.error();
    format = *mapped;
    key.baseMip = view->desc.baseMip;
    key.mipCount = view->desc.mipCount;
    key.baseLayer = view->desc.baseLayer;
    key.layerCount = view->desc.layerCount;
  }
  key.type = type;
  if (type == VK_IMAGE_VIEW_TYPE_2D) key.layerCount = 1;
  if (type == VK_IMAGE_VIEW_TYPE_CUBE) key.layerCount = 6;
  if (type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY) key.layerCount -= key.layerCount % 6;
  key.format = srgb && format.srgb != VK_FORMAT_UNDEFINED ? format.srgb : format.plain();
  key.aspects = format.info->depth ? VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT}
                                   : VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
  key.opaqueAlpha = format.info->opaque;
  const auto relation = m_targets.relation(texture, key.baseMip, key.mipCount, key.baseLayer, key.layerCount);
  feedback = relation == Targets::Relation::Overlap;
  if (feedback) return CachedView{};
  if (relation == Targets::Relation::Disjoint && !object.mixedUse()) {
    // From now on both uses share one layout; the pass that is open has the other one.
    object.setMixedUse();
    m_gpu.recorder->outsidePass();
  }
  auto made = object.view(key);
  if (!made) return made;
  object.prepare(object.sampledLayout(), kShaderStages, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  return made;
}

Result<DescriptorWrite> Draws::textureWrite(const core::ShaderResourceBinding& resource,
                                            const core::SamplerState& sampler, d3d9::SamplerType type,
                                            uint32_t binding) {
  if (type == d3d9::SamplerType::TextureVolume)
    return Error{ErrorCode::Backend, "volume textures are not supported", {}};
  const VkImageViewType viewType =
      type == d3d9::SamplerType::TextureCube ? VK_IMAGE_VIEW_TYPE_CUBE : VK_IMAGE_VIEW_TYPE_2D;
  DescriptorWrite write;
  write.binding = binding;
  CachedView view;
  bool compare = false;
  if (resource.texture && resource.texture->gpu) {
    core::Texture& texture = *resource.texture;
    bool feedback = false;
    if (canView(texture.desc, viewType, resource.layers())) {
      auto made = sampledView(texture, resource.view.get(), viewType, sampler.srgb, feedback);
      if (!made) return made.error();
      view = *made;
      compare = view.handle && TextureObject::of(texture).format().info->depth;
      write.image.imageLayout = TextureObject::of(texture).sampledLayout();
    }
  }
  if (!view.handle) {
    // Unbound, or its own target: D3D9 reads opaque black.
    auto& dummy = static_cast<TextureObject&>(*m_dummies.opaque);
    ViewKey key;
    key.format = dummy.format().plain();
    key.type = viewType;
    key.layerCount = viewType == VK_IMAGE_VIEW_TYPE_CUBE ? 6 : 1;
    key.opaqueAlpha = true;
    auto made = dummy.view(key);
    if (!made) return made.error();
    dummy.prepare(dummy.sampledLayout(), kShaderStages, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
    view = *made;
    write.image.imageLayout = dummy.sampledLayout();
  }
  auto cached = m_samplers.get(sampler, compare);
  if (!cached) return cached.error();
  write.image.imageView = view.handle;
  write.image.sampler = cached->handle;
  write.serial[0] = view.serial;
  write.serial[1] = cached->serial;
  return write;
}

Result<void> Draws::useTextures(const core::DrawState& state) {
  m_wantedSets[1] = VK_NULL_HANDLE;
  if (m_samplerMask == 0) return {};
  uint32_t count = 0;
  for (uint32_t m = m_samplerMask; m; m &= m - 1) {
    const auto bit = static_cast<uint32_t>(std::countr_zero(m));
    const bool pixel = bit < shader::kPsSamplerCount;
    const uint32_t slot = pixel ? bit : bit - shader::kPsSamplerCount;
    const core::StageBindings& bindings =
        state.stages[static_cast<size_t>(pixel ? core::Stage::Pixel : core::Stage::Vertex)];
    const ShaderCode& code = pixel ? *m_ps : *m_vs;
    const uint32_t binding = (pixel ? shader::kPsSamplerBinding : shader::kVsSamplerBinding) + slot;
    const bool given = pixel && m_boundTypes[slot] != d3d9::SamplerType::Unknown;
    auto write = textureWrite(bindings.resources[slot], bindings.samplers[slot],
                              given ? m_boundTypes[slot] : code.program->info().samplerTypes[slot], binding);
    if (!write) return write.error();
    m_writes[count++] = *write;
  }
  auto set = m_descriptors.get(m_layout.textures, m_layout.serial, {m_writes.data(), count});
  if (!set) return set.error();
  m_wantedSets[1] = *set;
  return {};
}

void Draws::emitConstants(const core::DrawState& state, uint32_t dirty) {
  const shader::ConstantLayout& vs = m_vsModule->constants;
  const bool withPs = m_psModule && m_psModule->constants.sizeBytes() > 0;
  const bool vsNeeded =
      vs.sizeBytes() > 0 && ((dirty & core::kDirtyVsConstants) || m_writtenVs != m_vsModule->serial);
  const bool psNeeded = withPs && ((dirty & core::kDirtyPsConstants) || m_writtenPs != m_psModule->serial);
  m_writtenVs = m_vsModule->serial;
  if (withPs) m_writtenPs = m_psModule->serial;
  const uint64_t generation = m_constants.generation();
  const auto bind = [&](uint32_t number, VkDescriptorSet set, VkDescriptorSet& bound, bool moved,
                        uint32_t offset) {
    if (!moved && bound == set) return;
    bound = set;
    m_gpu.device->vk().CmdBindDescriptorSets(m_gpu.recorder->commands(), VK_PIPELINE_BIND_POINT_GRAPHICS,
                                             m_layout.handle, number, 1, &set, 1, &offset);
  };
  if (vs.sizeBytes() > 0) {
    const bool moved = vsNeeded || m_constantGenerations[0] != generation;
    if (moved)
      shader::writeConstants(vs, state.vsConstants.f.data(), state.vsConstants.i.data(),
                             state.clipPlanes.data(), m_constants.take(vs.sizeBytes(), m_constantOffsets[0]));
    m_constantGenerations[0] = generation;
    bind(shader::kVsConstantSet, m_constants.vertexSet(), m_boundSets[0], moved, m_constantOffsets[0]);
  }
  if (withPs) {
    const uint32_t bytes = m_psModule->constants.sizeBytes();
    const bool moved = psNeeded || m_constantGenerations[1] != generation;
    if (moved)
      shader::writeConstants(m_psModule->constants, state.psConstants.f.data(), state.psConstants.i.data(),
                             state.clipPlanes.data(), m_constants.take(bytes, m_constantOffsets[1]));
    m_constantGenerations[1] = generation;
    bind(shader::kPsConstantSet, m_constants.pixelSet(bytes), m_boundPixelConstants, moved,
         m_constantOffsets[1]);
  }
}

void Draws::emitPushConstants(const core::DrawState& state) {
  const core::PixelPipeState& p = state.pixelPipe;
  shader::PushConstants push;
  push.vsBools = state.vsConstants.b;
  push.psBools = state.psConstants.b;
  push.alphaFunc = static_cast<uint32_t>(p.alphaFunc);
  push.alphaRef = static_cast<float>(p.alphaRef) / 255.0f;
  for (uint32_t i = 0; i < 3; ++i)
    push.fogColor[i] = static_cast<float>(p.fogColor >> (16 - 8 * i) & 0xFF) / 255.0f;
  push.fogMode = static_cast<uint32_t>(p.fogTable);
  push.fogStart = p.fogStart;
  push.fogEnd = p.fogEnd;
  push.fogDensity = p.fogDensity;
  const DeviceCaps& caps = m_gpu.device->caps();
  push.pointSize = p.pointSize;
  push.pointSizeMin = std::max(p.pointSizeMin, caps.pointSizeMin);
  push.pointSizeMax = std::min(p.pointSizeMax, caps.pointSizeMax);
  // Equal bytes are what counts, also of numbers that compare differently.
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  if (m_pushed && std::memcmp(&push, &m_push, sizeof push) == 0) return;
  m_push = push;
  m_pushed = true;
  m_gpu.device->vk().CmdPushConstants(m_gpu.recorder->commands(), m_layout.handle,
                                      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                      sizeof push, &push);
}

}  // namespace aerogpu::vk
