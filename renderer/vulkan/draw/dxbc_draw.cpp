// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/dxbc_draw.h"

#include <algorithm>

#include "renderer/core/format.h"
#include "renderer/core/stream_output.h"
#include "renderer/d3d9/blending.h"
#include "renderer/vulkan/draw/sampled_view.h"
#include "renderer/vulkan/objects/dxgi_format.h"
#include "renderer/vulkan/objects/input_layout.h"

namespace aerogpu::vk {

bool DxbcDraw::choiceChanges(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty) const {
  if ((dirty & core::kDirtyTargets) && shaders.ps && targetClassesOf(*shaders.ps) != shaders.targetClasses)
    return true;
  if ((dirty & (core::kDirtyTargets | core::kDirtyBlend)) && shaders.ps &&
      isDualSource(state) != shaders.dualSource)
    return true;
  if (dirty & core::kDirtyStreamOutput) return true;
  return (dirty & core::kDirtyInputLayout) && inputClassesOf(state, *shaders.vs) != shaders.inputClasses;
}

shader::RegisterClasses DxbcDraw::targetClassesOf(const ShaderCode& ps) const {
  return m_parts.targets.info().classes & ps.typedRegisters;
}

bool DxbcDraw::isDualSource(const core::DrawState& state) const {
  return d3d9::usesSecondSource(state.blend, m_parts.targets.info().colorCount);
}

Result<void> DxbcDraw::choose(const core::DrawState& state, DrawShaders& shaders) {
  // What is streamed out comes from the last stage before the rasterizer.
  const core::StreamOutput* const streams = core::streamsOut(state) ? &state.streamOutput : nullptr;
  shaders.inputClasses = inputClassesOf(state, *shaders.vs);
  auto module = m_parts.shaders.tokenModule(*shaders.vs, shaders.inputClasses, false, {},
                                            shaders.gs ? nullptr : streams);
  if (!module) return module.error();
  shaders.vsModule = *module;
  if (shaders.ps) {
    shaders.targetClasses = targetClassesOf(*shaders.ps);
    shaders.dualSource = isDualSource(state);
    const shader::IndexPlaces places =
        shaders.gs && shaders.ps->readsIndices ? shaders.gs->places : shader::IndexPlaces{};
    auto pixel = m_parts.shaders.tokenModule(*shaders.ps, shaders.targetClasses, shaders.dualSource, places);
    if (!pixel) return pixel.error();
    shaders.psModule = *pixel;
  }
  if (shaders.gs) {
    auto geometry = m_parts.shaders.tokenModule(*shaders.gs, 0, false, {}, streams);
    if (!geometry) return geometry.error();
    shaders.gsModule = *geometry;
  }
  auto layout = m_parts.layouts.dxbc({shaders.vs, shaders.ps, shaders.gs});
  if (!layout) return layout.error();
  shaders.layout = *layout;
  return {};
}

Result<void> DxbcDraw::gather(const core::DrawState& state, const DrawShaders& shaders) {
  m_sets = {};
  for (const ShaderCode* code : {shaders.vs, shaders.gs, shaders.ps})
    if (code)
      if (auto gathered = gatherStage(state, *code, m_sets[dxbcSetOf(code->stage)]); !gathered)
        return gathered;
  return {};
}

void DxbcDraw::bind(const core::DrawState&, const DrawShaders& shaders, uint32_t, BoundState& bound) {
  const Gpu& gpu = m_parts.gpu;
  for (uint32_t i = 0; i < kDxbcSets; ++i) {
    if (!m_sets[i] || m_sets[i] == bound.sets[i]) continue;
    gpu.device->vk().CmdBindDescriptorSets(gpu.recorder->commands(), VK_PIPELINE_BIND_POINT_GRAPHICS,
                                           shaders.layout.handle, i, 1, &m_sets[i], 0, nullptr);
    bound.sets[i] = m_sets[i];
  }
}

void DxbcDraw::noteWrites(VkPipelineStageFlags2 stages) {
  for (BufferObject* buffer : m_uavs) buffer->noteGpuWrite(stages, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  m_uavs.clear();
}

Result<void> DxbcDraw::gatherStage(const core::DrawState& state, const ShaderCode& code,
                                   VkDescriptorSet& set) {
  const core::StageBindings& bound = state.stages[static_cast<size_t>(code.stage)];
  const VkPhysicalDeviceLimits& limits = m_parts.gpu.device->limits();
  m_writes.clear();
  if (code.bindings.empty()) return {};
  for (const DxbcBinding& b : code.bindings) {
    DescriptorWrite write;
    write.binding = b.binding;
    write.type = b.type;
    switch (b.kind) {
      case DxbcBinding::Kind::ConstantBuffer: {
        const core::BufferBinding& cb = bound.constantBuffers[b.reg];
        const MemoryRange& zeros = m_parts.standIns.zeros();
        write.buffer = {zeros.buffer(), zeros.at(),
                        std::min<VkDeviceSize>(zeros.size, limits.maxUniformBufferRange)};
        if (cb.buffer && cb.size > 0) {
          if (cb.offset % limits.minUniformBufferOffsetAlignment != 0)
            return refused(ErrorCode::Backend, "offset of a constant buffer is not aligned for this GPU",
                           {{"offset_bytes", cb.offset}, {"bytes", limits.minUniformBufferOffsetAlignment}});
          BufferObject& buffer = BufferObject::of(*cb.buffer);
          buffer.useAfterWrites(VK_ACCESS_2_UNIFORM_READ_BIT, core::kDirtyConstantBuffers);
          write.buffer = {buffer.handle(), buffer.offset() + cb.offset,
                          std::min<VkDeviceSize>(cb.size, limits.maxUniformBufferRange)};
          write.serial[0] = buffer.serial();
          write.serial[1] = uint64_t{cb.offset} << 32 | cb.size;
        }
        break;
      }
      case DxbcBinding::Kind::Sampler: {
        const core::SamplerState& sampled = bound.samplers[b.reg];
        SampledAs as;
        if (b.compare) as.compare = sampled.compare;
        auto sampler = m_parts.samplers.get(sampled, as);
        if (!sampler) return sampler.error();
        write.image.sampler = sampler->handle;
        write.serial[0] = sampler->serial;
        break;
      }
      case DxbcBinding::Kind::Texture: {
        const core::ShaderResourceBinding& resource = bound.resources[b.reg];
        CachedView view;
        if (resource.texture && resource.texture->gpu &&
            canView(resource.texture->desc, b.viewType, resource.layers()) &&
            numbersOf(*core::findFormat(resource.view ? resource.view->desc.format
                                                      : resource.texture->desc.format)) == b.texelFormat) {
          auto key = sampledViewKey(m_parts.gpu, resource, b.viewType, false);
          if (!key) return key.error();
          auto made = sampledView(m_parts.gpu, m_parts.targets, *resource.texture, *key);
          if (!made) return made.error();
          view = *made;
          write.image.imageLayout = TextureObject::of(*resource.texture).sampledLayout();
        }
        if (!view.handle) {
          auto made = m_parts.standIns.zero(b.texelFormat, b.viewType, write.image.imageLayout);
          if (!made) return made.error();
          view = *made;
        }
        write.image.imageView = view.handle;
        write.serial[0] = view.serial;
        break;
      }
      case DxbcBinding::Kind::BufferResource:
      case DxbcBinding::Kind::BufferUav: {
        const bool uav = b.kind == DxbcBinding::Kind::BufferUav;
        core::Buffer* buffer =
            uav ? bound.unorderedAccess[b.reg].buffer.get() : bound.resources[b.reg].buffer.get();
        const uint32_t offset = uav ? bound.unorderedAccess[b.reg].offset : bound.resources[b.reg].offset;
        const uint32_t size = uav ? bound.unorderedAccess[b.reg].size : bound.resources[b.reg].size;
        // Words, unless the view has a format: then it reads zeros where the shader declares other numbers.
        VkFormat texel = b.texelFormat;
        uint32_t texelBytes = 4;
        if (const aerogpu_format format = uav ? AEROGPU_FORMAT_INVALID : bound.resources[b.reg].format;
            buffer && format != AEROGPU_FORMAT_INVALID) {
          const core::FormatInfo& info = *core::findFormat(format);
          texel = dxgiVertexFormat(uint32_t{format} - core::kFirstDxgiFormat);
          texelBytes = info.blockBytes;
          if (!(m_parts.gpu.device->bufferFormatFeatures(texel) & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT))
            return Error{ErrorCode::Backend, "this GPU has no views of buffers in that format", info.name};
          if (numbersOf(info) != b.texelFormat) buffer = nullptr;
        }
        if (!buffer || size < texelBytes) {
          if (uav)
            return Error{
                ErrorCode::CmdDecode, "the shader writes an unordered access view that is not bound", {}};
          write.texels = m_parts.standIns.texels(b.texelFormat);
          break;
        }
        BufferObject& object = BufferObject::of(*buffer);
        if (uav) {
          object.useAfterWrites(VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                                core::kDirtyUnorderedAccess);
          m_uavs.push_back(&object);
        } else {
          object.useAfterWrites(VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, core::kDirtyResources);
        }
        auto texels = object.texels(texel, texelBytes, offset, size);
        if (!texels) return texels.error();
        write.texels = *texels;
        write.serial[0] = object.serial() | static_cast<uint64_t>(texel) << 48;  // a small number
        write.serial[1] = uint64_t{offset} << 32 | size;
        break;
      }
    }
    m_writes.push_back(write);
  }
  auto made = m_parts.descriptors.get(code.setLayout, code.setSerial, m_writes);
  if (!made) return made.error();
  set = *made;
  return {};
}

Result<void> DxbcDraw::dispatch(const core::DrawState& state, uint32_t x, uint32_t y, uint32_t z) {
  const core::Ref<core::Shader>& shader = state.shaders[static_cast<size_t>(core::Stage::Compute)];
  if (!shader) return refused(ErrorCode::CmdDecode, "dispatch without a compute shader", {{"cs", 0u}});
  const uint32_t* most = m_parts.gpu.device->limits().maxComputeWorkGroupCount;
  const std::pair<const char*, uint32_t> counts[] = {
      {"group_count_x", x}, {"group_count_y", y}, {"group_count_z", z}};
  for (size_t i = 0; i < std::size(counts); ++i)
    if (counts[i].second > most[i])
      return refused(ErrorCode::Backend, "this GPU runs fewer thread groups at a time",
                     {{counts[i].first, counts[i].second}, {"limit", most[i]}});
  ShaderCode& code = ShaderObject::of(*shader);
  Recorder& recorder = *m_parts.gpu.recorder;
  auto layout = m_parts.layouts.dxbc({&code, nullptr, nullptr});
  if (!layout) return layout.error();
  auto pipeline = m_pipelines.compute(code.module.serial, code.module.handle, layout->handle);
  if (!pipeline) return pipeline.error();
  VkDescriptorSet set = VK_NULL_HANDLE;
  auto ready = recorder.inOneBatch([&]() -> Result<bool> {
    m_uavs.clear();
    if (auto gathered = gatherStage(state, code, set); !gathered) return gathered.error();
    return true;
  });
  if (!ready) return ready.error();
  const DeviceTable& vk = m_parts.gpu.device->vk();
  VkCommandBuffer commands = recorder.outsidePass();
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, *pipeline);
  if (set)
    vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout->handle, 0, 1, &set, 0,
                             nullptr);
  if (layout->stopWord) {
    bindStopWord(m_parts.gpu, VK_PIPELINE_BIND_POINT_COMPUTE, layout->handle, core::ShaderFamily::Dxbc);
    recorder.noteStoppable();
  }
  recorder.noteDispatch();
  vk.CmdDispatch(commands, x, y, z);
  noteWrites(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
  return {};
}

}  // namespace aerogpu::vk
