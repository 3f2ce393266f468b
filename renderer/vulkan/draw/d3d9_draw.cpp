// SPDX-License-Identifier: MIT
// Gathers and binds what D3D9 shaders read besides vertices: textures, constant registers, and states of the
// steps after the pixel shader (see shader/d3d9_interface.h).
#include "renderer/vulkan/draw/d3d9_draw.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "renderer/d3d9/depth_stencil.h"
#include "renderer/d3d9/pixel_pipe.h"
#include "renderer/vulkan/draw/sampled_view.h"

namespace aerogpu::vk {
namespace {

// A texture stage is copied to where the shader reads it.
static_assert(sizeof(core::TextureStage) == sizeof(shader::BumpStage) &&
              offsetof(core::TextureStage, luminanceScale) == offsetof(shader::BumpStage, luminanceScale) &&
              offsetof(core::TextureStage, luminanceOffset) == offsetof(shader::BumpStage, luminanceOffset));

VkImageViewType viewTypeOf(d3d9::SamplerType type) {
  return type == d3d9::SamplerType::TextureVolume ? VK_IMAGE_VIEW_TYPE_3D
         : type == d3d9::SamplerType::TextureCube ? VK_IMAGE_VIEW_TYPE_CUBE
                                                  : VK_IMAGE_VIEW_TYPE_2D;
}

}  // namespace

bool D3d9Draw::choiceChanges(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty) const {
  return choiceOf(state, shaders, dirty, m_choice) != m_choice;
}

Result<void> D3d9Draw::choose(const core::DrawState& state, DrawShaders& shaders) {
  m_choice = choiceOf(state, shaders);
  if (m_choice.vertex.clipPlaneCount && !m_parts.gpu.device->caps().clipDistance)
    return refused(ErrorCode::Backend, "this GPU has no clip planes",
                   {{"planes", m_choice.vertex.clipPlaneCount}, {"limit", 0u}});
  auto vs = m_parts.shaders.d3d9Module(*shaders.vs, m_choice.vertex);
  if (!vs) return vs.error();
  shaders.vsModule = *vs;
  m_samplerMask = shaders.vs->program->info().samplerMask << shader::kVsSamplerBinding;
  if (shaders.ps) {
    auto ps = m_parts.shaders.d3d9Module(*shaders.ps, m_choice.pixel);
    if (!ps) return ps.error();
    shaders.psModule = *ps;
    m_samplerMask |= shaders.ps->program->info().samplerMask;
  }
  const bool loops = shaders.vsModule->loops || (shaders.psModule && shaders.psModule->loops);
  auto layout = m_parts.layouts.d3d9(m_samplerMask, loops);
  if (!layout) return layout.error();
  shaders.layout = *layout;
  return {};
}

uint32_t D3d9Draw::specialization(const core::DrawState& state, const DrawShaders& shaders) const {
  return shaders.ps ? d3d9::specialization(state, shaders.ps->program->info()) : 0;
}

Result<CachedView> D3d9Draw::boundView(const core::DrawState& state,
                                       const core::ShaderResourceBinding& resource,
                                       const core::SamplerState& sampler, VkImageViewType type,
                                       VkImageLayout& layout, ViewKey& shown) {
  core::Texture& texture = *resource.texture;
  auto key = sampledViewKey(m_parts.gpu, resource, type, sampler.srgb);
  if (!key) return key.error();
  shown = *key;
  const TextureObject& object = TextureObject::of(texture);
  const auto sampled = [&] {
    auto view = sampledView(m_parts.gpu, m_parts.targets, texture, *key);
    layout = object.sampledLayout();
    return view;
  };
  auto view = sampled();
  if (!view || view->handle) return view;
  if (sampler.mip == core::Filter::None && key->mipCount > 1) {
    // Only one level is sampled, so the others may be targets: D3D9 has no views with which a program could
    // say that.
    key->baseMip += std::min(static_cast<uint32_t>(sampler.minLod), key->mipCount - 1);
    key->mipCount = 1;
    view = sampled();
    if (!view || view->handle) return view;
  }
  if (m_parts.targets.isDepth(texture) && !core::writesDepthOrStencil(state.depthStencil)) {
    m_readsDepth = true;
    layout = Targets::readOnlyLayout(object);
    return TextureObject::of(texture).view(*key);
  }
  return m_copies.copy(texture, *key, layout, m_copiedBytes);
}

Result<DescriptorWrite> D3d9Draw::textureWrite(const core::DrawState& state,
                                               const core::ShaderResourceBinding& resource,
                                               const core::SamplerState& sampler, d3d9::SamplerType type,
                                               uint32_t binding) {
  const VkImageViewType viewType = viewTypeOf(type);
  DescriptorWrite write;
  write.binding = binding;
  const bool bound = resource.texture && resource.texture->gpu && d3d9::isOfType(resource, type);
  // What is unbound reads opaque black in D3D9.
  ViewKey key;
  auto view = bound ? boundView(state, resource, sampler, viewType, write.image.imageLayout, key)
                    : m_parts.standIns.opaqueBlack(viewType, write.image.imageLayout);
  if (!view) return view.error();
  SampledAs as;
  if (bound) {
    const TextureObject& object = TextureObject::of(*resource.texture);
    // Direct3D 9's shadow maps have one comparison.
    if (samplersCompare(resource) && type != d3d9::SamplerType::TextureVolume)
      as.compare = core::CompareFunc::LessEqual;
    as.filters = object.filters();
    as.components = key.components;
    as.srgb = key.format == object.format().srgb;
  }
  auto cached = m_parts.samplers.get(sampler, as);
  if (!cached) return cached.error();
  write.image.imageView = view->handle;
  write.image.sampler = cached->handle;
  write.serial[0] = view->serial;
  write.serial[1] = cached->serial;
  return write;
}

Result<void> D3d9Draw::gather(const core::DrawState& state, const DrawShaders& shaders) {
  m_textures = VK_NULL_HANDLE;
  if (samplesTargets()) m_copies.begin();
  m_copiedBytes = 0;
  m_readsDepth = false;
  if (m_samplerMask == 0) return {};
  uint32_t count = 0;
  for (uint32_t m = m_samplerMask; m; m &= m - 1) {
    const auto bit = static_cast<uint32_t>(std::countr_zero(m));
    const bool pixel = bit < shader::kPsSamplerCount;
    const uint32_t slot = pixel ? bit : bit - shader::kPsSamplerCount;
    const core::StageBindings& bindings = stageOf(state, pixel ? core::Stage::Pixel : core::Stage::Vertex);
    const uint32_t binding = (pixel ? shader::kPsSamplerBinding : shader::kVsSamplerBinding) + slot;
    const d3d9::SamplerType type =
        pixel ? d3d9::samplerType(shaders.ps->program->info(), m_choice.pixel.samplerTypes, slot)
              : shaders.vs->program->info().samplerTypes[slot];
    auto write = textureWrite(state, bindings.resources[slot], bindings.samplers[slot], type, binding);
    if (!write) return write.error();
    m_writes[count++] = *write;
  }
  auto set =
      m_parts.descriptors.get(shaders.layout.textures, shaders.layout.serial, {m_writes.data(), count});
  if (!set) return set.error();
  m_textures = *set;
  return {};
}

void D3d9Draw::bind(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
                    BoundState& bound) {
  const Gpu& gpu = m_parts.gpu;
  if (m_textures && m_textures != bound.sets[1]) {
    gpu.device->vk().CmdBindDescriptorSets(gpu.recorder->commands(), VK_PIPELINE_BIND_POINT_GRAPHICS,
                                           shaders.layout.handle, shader::kTextureSet, 1, &m_textures, 0,
                                           nullptr);
    bound.sets[1] = m_textures;
  }
  bindConstants(state, shaders, dirty, bound);
  if (!bound.pushConstants || (dirty & (core::kDirtyTargets | core::kDirtyViewport | core::kDirtyPixelPipe |
                                        core::kDirtyVsConstants | core::kDirtyPsConstants)))
    pushConstants(state, shaders, bound);
}

void D3d9Draw::bindConstants(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
                             BoundState& bound) {
  const shader::ConstantLayout& vs = shaders.vsModule->constants;
  const bool withPs = shaders.psModule && shaders.psModule->constants.sizeBytes() > 0;
  const uint32_t vsDirty = vs.clipPlaneCount == 0
                               ? core::kDirtyVsConstants
                               : core::kDirtyVsConstants | core::kDirtyClipPlanes | core::kDirtyRasterizer;
  const bool vsNeeded = vs.sizeBytes() > 0 && ((dirty & vsDirty) || m_writtenVs != shaders.vsModule->serial);
  const uint32_t psDirty = withPs && shaders.psModule->constants.bumpStageCount > 0
                               ? core::kDirtyPsConstants | core::kDirtyTextureStages
                               : core::kDirtyPsConstants;
  const bool psNeeded = withPs && ((dirty & psDirty) || m_writtenPs != shaders.psModule->serial);
  m_writtenVs = shaders.vsModule->serial;
  if (withPs) m_writtenPs = shaders.psModule->serial;
  const uint64_t generation = m_constants.generation();
  const auto bind = [&](uint32_t number, VkDescriptorSet set, VkDescriptorSet& current, bool moved,
                        uint32_t offset) {
    if (!moved && current == set) return;
    current = set;
    m_parts.gpu.device->vk().CmdBindDescriptorSets(m_parts.gpu.recorder->commands(),
                                                   VK_PIPELINE_BIND_POINT_GRAPHICS, shaders.layout.handle,
                                                   number, 1, &set, 1, &offset);
  };
  if (vs.sizeBytes() > 0) {
    const bool moved = vsNeeded || m_constantGenerations[0] != generation;
    if (moved) {
      const d3d9::ClipPlanes planes = d3d9::clipPlanes(state);
      shader::writeConstants(vs, state.vsConstants.f.data(), state.vsConstants.i.data(), planes.planes.data(),
                             m_constants.take(vs.sizeBytes(), m_constantOffsets[0]));
    }
    m_constantGenerations[0] = generation;
    bind(shader::kVsConstantSet, m_constants.vertexSet(), bound.sets[0], moved, m_constantOffsets[0]);
  }
  if (withPs) {
    const uint32_t bytes = shaders.psModule->constants.sizeBytes();
    const bool moved = psNeeded || m_constantGenerations[1] != generation;
    if (moved)
      shader::writeConstants(shaders.psModule->constants, state.psConstants.f.data(),
                             state.psConstants.i.data(), state.textureStages.data(),
                             m_constants.take(bytes, m_constantOffsets[1]));
    m_constantGenerations[1] = generation;
    bind(shader::kPsConstantSet, m_constants.pixelSet(bytes), bound.pixelConstants, moved,
         m_constantOffsets[1]);
  }
}

void D3d9Draw::pushConstants(const core::DrawState& state, const DrawShaders& shaders, BoundState& bound) {
  const DeviceCaps& caps = m_parts.gpu.device->caps();
  shader::PushConstants push =
      d3d9::pushConstants(state, {caps.pointSizeMin, caps.pointSizeMax}, m_parts.targets.info().red);
  push.positionScale[0] = m_positionScale.x;
  push.positionScale[1] = m_positionScale.y;
  // Equal bytes are what counts, also of numbers that compare differently.
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  if (bound.pushConstants && std::memcmp(&push, &m_push, sizeof push) == 0) return;
  m_push = push;
  bound.pushConstants = true;
  m_parts.gpu.device->vk().CmdPushConstants(m_parts.gpu.recorder->commands(), shaders.layout.handle,
                                            VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                            sizeof push, &push);
}

}  // namespace aerogpu::vk
