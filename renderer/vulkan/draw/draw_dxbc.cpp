// SPDX-License-Identifier: MIT
// Resources of DXBC shaders, and compute (see draws.h).
#include <algorithm>

#include "renderer/vulkan/draw/draws.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

constexpr VkPipelineStageFlags2 kShaderStages = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
                                                VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
                                                VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

size_t texelIndex(VkFormat format) {
  return format == VK_FORMAT_R32_SFLOAT ? 0 : format == VK_FORMAT_R32_UINT ? 1 : 2;
}

}  // namespace

Result<void> Draws::useDxbcStage(const core::DrawState& state, const ShaderCode& code, VkDescriptorSet& set) {
  const core::StageBindings& bound = state.stages[static_cast<size_t>(code.stage)];
  const VkPhysicalDeviceLimits& limits = m_gpu.device->limits();
  m_dxbcWrites.clear();
  if (code.bindings.empty()) return {};
  for (const DxbcBinding& b : code.bindings) {
    DescriptorWrite write;
    write.binding = b.binding;
    write.type = b.type;
    switch (b.kind) {
      case DxbcBinding::Kind::ConstantBuffer: {
        const core::BufferBinding& cb = bound.constantBuffers[b.reg];
        write.buffer = {m_dummies.zeros.buffer(), m_dummies.zeros.offset,
                        std::min<VkDeviceSize>(m_dummies.zeros.size, limits.maxUniformBufferRange)};
        if (cb.buffer && cb.size > 0) {
          if (cb.offset % limits.minUniformBufferOffsetAlignment != 0)
            return Error{ErrorCode::Backend, "offset of a constant buffer is not aligned for this GPU", {}};
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
        auto sampler = m_samplers.get(bound.samplers[b.reg], b.compare);
        if (!sampler) return sampler.error();
        write.image.sampler = sampler->handle;
        write.serial[0] = sampler->serial;
        break;
      }
      case DxbcBinding::Kind::Texture: {
        const core::ShaderResourceBinding& resource = bound.resources[b.reg];
        const bool cube =
            b.viewType == VK_IMAGE_VIEW_TYPE_CUBE || b.viewType == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
        CachedView view;
        if (resource.texture && resource.texture->gpu) {
          core::Texture& texture = *resource.texture;
          bool feedback = false;
          if (canView(texture.desc, b.viewType, resource.layers())) {
            auto made = sampledView(texture, resource.view.get(), b.viewType, false, feedback);
            if (!made) return made.error();
            view = *made;
            write.image.imageLayout = TextureObject::of(texture).sampledLayout();
          }
        }
        if (!view.handle) {
          auto& dummy = static_cast<TextureObject&>(*m_dummies.zero);
          ViewKey key;
          key.format = dummy.format().plain();
          key.type = b.viewType;
          key.layerCount = cube ? 6 : 1;
          auto made = dummy.view(key);
          if (!made) return made.error();
          dummy.prepare(dummy.sampledLayout(), kShaderStages, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
          view = *made;
          write.image.imageLayout = dummy.sampledLayout();
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
        if (!buffer || size < 4) {
          if (uav)
            return Error{
                ErrorCode::CmdDecode, "the shader writes an unordered access view that is not bound", {}};
          write.texels = m_dummies.texels[texelIndex(b.texelFormat)];
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
        auto texels = object.texels(b.texelFormat, offset, size);
        if (!texels) return texels.error();
        write.texels = *texels;
        write.serial[0] = object.serial();
        write.serial[1] = uint64_t{offset} << 32 | size;
        break;
      }
    }
    m_dxbcWrites.push_back(write);
  }
  auto made = m_descriptors.get(code.setLayout, code.setSerial, m_dxbcWrites);
  if (!made) return made.error();
  set = *made;
  return {};
}

Result<void> Draws::dispatch(core::DrawState& state, uint32_t x, uint32_t y, uint32_t z) {
  const core::Ref<core::Shader>& shader = state.shaders[static_cast<size_t>(core::Stage::Compute)];
  if (!shader) return Error{ErrorCode::CmdDecode, "dispatch without a compute shader", {}};
  const uint32_t* most = m_gpu.device->limits().maxComputeWorkGroupCount;
  if (x > most[0] || y > most[1] || z > most[2])
    return Error{ErrorCode::Backend, "this GPU runs fewer thread groups at a time", {}};
  ShaderCode& code = ShaderObject::of(*shader);
  Recorder& recorder = *m_gpu.recorder;
  auto layout = dxbcLayout(code, nullptr);
  if (!layout) return layout.error();
  auto pipeline = m_pipelines.compute(code.module.serial, code.module.handle, layout->handle);
  if (!pipeline) return pipeline.error();
  VkDescriptorSet set = VK_NULL_HANDLE;
  uint64_t commandBuffer;
  do {
    if (auto opened = recorder.open(); !opened) return opened;
    commandBuffer = recorder.commandBufferId();
    m_uavs.clear();
    if (auto used = useDxbcStage(state, code, set); !used) return used;
  } while (commandBuffer != recorder.commandBufferId());
  const DeviceTable& vk = m_gpu.device->vk();
  VkCommandBuffer commands = recorder.outsidePass();
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, *pipeline);
  if (set)
    vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout->handle, 0, 1, &set, 0,
                             nullptr);
  if (layout->stopWord) {
    bindStopWord(VK_PIPELINE_BIND_POINT_COMPUTE, *layout, true);
    recorder.noteStoppable();
  }
  vk.CmdDispatch(commands, x, y, z);
  for (BufferObject* buffer : m_uavs)
    buffer->noteGpuWrite(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  m_uavs.clear();
  return {};
}

}  // namespace aerogpu::vk
