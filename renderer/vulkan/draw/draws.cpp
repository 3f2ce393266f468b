// SPDX-License-Identifier: MIT
// The order of things in a draw (see draws.h): everything that may end the render pass comes before it
// begins.
#include "renderer/vulkan/draw/draws.h"

#include <cstring>

#include "renderer/vulkan/draw/draw_area.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

constexpr uint64_t kZeroBytes = 65536;  // the largest constant buffer
constexpr VkFormat kTexelFormats[3] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_UINT, VK_FORMAT_R32_SINT};

}  // namespace

Draws::Draws(Gpu& gpu, Targets& targets, const std::string& cacheDir)
    : m_gpu(gpu),
      m_targets(targets),
      m_shaders(gpu),
      m_pipelines(gpu, cacheDir),
      m_samplers(gpu),
      m_descriptors(gpu),
      m_constants(gpu) {}

Draws::~Draws() {
  const DeviceTable& vk = m_gpu.device->vk();
  VkDevice device = m_gpu.device->handle();
  for (const auto& [key, layout] : m_d3d9Layouts) {
    vk.DestroyPipelineLayout(device, layout.handle, nullptr);
    vk.DestroyDescriptorSetLayout(device, layout.textures, nullptr);
  }
  for (const auto& [key, layout] : m_dxbcLayouts) vk.DestroyPipelineLayout(device, layout.handle, nullptr);
  if (m_emptySet) vk.DestroyDescriptorSetLayout(device, m_emptySet, nullptr);
  for (VkBufferView view : m_dummies.texels) m_gpu.recorder->retire(Retired::Kind::BufferView, view);
  if (m_dummies.zeros) m_gpu.recorder->retire(*m_gpu.buffers, m_dummies.zeros);
}

Result<void> Draws::create() {
  if (auto created = m_constants.create(); !created) return created;
  VkDescriptorSetLayoutCreateInfo empty{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  VkResult result =
      m_gpu.device->vk().CreateDescriptorSetLayout(m_gpu.device->handle(), &empty, nullptr, &m_emptySet);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateDescriptorSetLayout");
  core::TextureDesc desc;
  desc.width = desc.height = 1;
  desc.arrayLayers = 6;
  desc.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  auto opaque = TextureObject::create(m_gpu, desc);
  if (!opaque) return opaque.error();
  m_dummies.opaque = std::move(*opaque);
  desc.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  auto zero = TextureObject::create(m_gpu, desc);
  if (!zero) return zero.error();
  m_dummies.zero = std::move(*zero);
  auto zeros = m_gpu.buffers->allocate(kZeroBytes, 256);
  if (!zeros) return zeros.error();
  m_dummies.zeros = *zeros;
  std::memset(zeros->mapped(), 0, zeros->size);
  for (size_t i = 0; i < 3; ++i) {
    VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = zeros->buffer();
    info.format = kTexelFormats[i];
    info.offset = zeros->offset;
    info.range = 256;
    result =
        m_gpu.device->vk().CreateBufferView(m_gpu.device->handle(), &info, nullptr, &m_dummies.texels[i]);
    if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateBufferView");
  }
  return {};
}

void Draws::reset() {
  m_vsRef.reset();
  m_psRef.reset();
  m_vs = m_ps = nullptr;
  m_vsModule = m_psModule = nullptr;
  m_pipeline = VK_NULL_HANDLE;
  m_fetchLayout.reset();
  m_fetchVs = 0;
  m_recent = {};
  m_commandBuffer = 0;
  m_pending = core::kDirtyAll;
  m_pipelines.save();
}

Result<bool> Draws::prepare(core::DrawState& state, bool indexed) {
  m_pending |= state.dirty;
  state.dirty = 0;
  // Staging memory can run out on the way, which hands the batch over: then all is done again in the next
  // one.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (auto opened = m_gpu.recorder->open(); !opened) return opened.error();
    const uint64_t commandBuffer = m_gpu.recorder->commandBufferId();
    auto ready = prepareOnce(state, indexed);
    if (!ready || !*ready || commandBuffer == m_gpu.recorder->commandBufferId()) return ready;
  }
  return Error{ErrorCode::Backend, "a draw needs more staging memory than there is", {}};
}

Result<bool> Draws::prepareOnce(core::DrawState& state, bool indexed) {
  Recorder& recorder = *m_gpu.recorder;
  m_dxbc = usesDxbc(state);
  if (!m_dxbc)
    if (auto reserved = m_constants.reserve(2 * ConstantRing::kMaxStageBytes); !reserved)
      return reserved.error();
  if (m_commandBuffer != recorder.commandBufferId()) {
    m_commandBuffer = recorder.commandBufferId();
    m_pending = core::kDirtyAll;
    m_fresh = true;
    m_batchDraws = 0;
    m_boundPipeline = VK_NULL_HANDLE;
    m_boundLayout = 0;
    m_boundSets[0] = m_boundSets[1] = m_boundPixelConstants = VK_NULL_HANDLE;
    m_boundStopWord = m_pushed = false;
  }
  m_pending |= std::exchange(m_gpu.renamed, 0u);
  // With one sample a pixel, the sample mask either lets a draw through or not. D3D9 ignores it then.
  if (m_dxbc && !(state.blend.sampleMask & 1)) return false;

  if (auto updated = m_targets.update(state, m_pending & (core::kDirtyTargets | core::kDirtyBlend)); !updated)
    return updated.error();
  if (!m_targets.info().any()) return false;
  if (m_targetGeneration != m_targets.info().generation) {
    m_targetGeneration = m_targets.info().generation;
    m_pending |= core::kDirtyTargets | core::kDirtyResources;
  }
  const VkRect2D area = drawArea(state, m_targets.info().extent);
  VkViewport viewport;
  if (area.extent.width == 0 || area.extent.height == 0 ||
      !vulkanViewport(state, m_gpu.device->limits(), m_targets.info().extent, viewport))
    return false;

  constexpr uint32_t kPipeline = core::kDirtyShaders | core::kDirtyInputLayout | core::kDirtyTargets |
                                 core::kDirtyPixelPipe | core::kDirtyTopology | core::kDirtyRasterizer |
                                 core::kDirtyBlend | core::kDirtyResources;
  if (m_pending & kPipeline)
    if (auto selected = selectPipeline(state); !selected) return selected.error();

  // What may end the pass.
  m_uavs.clear();
  constexpr uint32_t kTextures = core::kDirtyResources | core::kDirtySamplers | core::kDirtyShaders |
                                 core::kDirtyTargets | core::kDirtyConstantBuffers |
                                 core::kDirtyUnorderedAccess;
  if ((m_pending & kTextures) || !recorder.inPass()) {
    if (m_dxbc) {
      m_wantedSets[0] = m_wantedSets[1] = VK_NULL_HANDLE;
      if (auto used = useDxbcStage(state, *m_vs, m_wantedSets[0]); !used) return used.error();
      if (m_ps)
        if (auto used = useDxbcStage(state, *m_ps, m_wantedSets[1]); !used) return used.error();
    } else if (auto used = useTextures(state); !used) {
      return used.error();
    }
  }
  constexpr uint32_t kVertices =
      core::kDirtyVertexStreams | core::kDirtyIndexBuffer | core::kDirtyShaders | core::kDirtyInputLayout;
  if ((m_pending & kVertices) || !recorder.inPass())
    if (auto used = useVertexBuffers(state, indexed); !used) return used.error();
  if (m_commandBuffer != recorder.commandBufferId()) return true;  // again
  if (!m_targets.begin()) return false;

  const DeviceTable& vk = m_gpu.device->vk();
  VkCommandBuffer commands = recorder.commands();
  if (m_boundPipeline != m_pipeline) {
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline);
    m_boundPipeline = m_pipeline;
  }
  if (m_boundLayout != m_layout.serial) {
    m_boundLayout = m_layout.serial;
    m_boundSets[0] = m_boundSets[1] = m_boundPixelConstants = VK_NULL_HANDLE;
    m_boundStopWord = m_pushed = false;
  }
  const bool familyChanged = m_fresh || m_emittedDxbc != m_dxbc;
  m_emittedDxbc = m_dxbc;
  const DepthBias bias = depthBias(state.rasterizer, m_targets.info().depthFormat, m_gpu.device->caps(),
                                   viewport.minDepth, viewport.maxDepth);
  viewport.minDepth += bias.shift;
  viewport.maxDepth += bias.shift;
  if (familyChanged || (m_pending & (core::kDirtyViewport | core::kDirtyScissor | core::kDirtyRasterizer |
                                     core::kDirtyTargets))) {
    vk.CmdSetViewportWithCount(commands, 1, &viewport);
    vk.CmdSetScissorWithCount(commands, 1, &area);
  }
  emitDynamicState(state, bias, m_pending, familyChanged);
  if (m_fresh || m_fetchChanged || (m_pending & core::kDirtyVertexStreams))
    if (auto emitted = emitVertexInput(state); !emitted) return emitted.error();
  m_fetchChanged = m_fresh = false;
  if (indexed && (m_pending & core::kDirtyIndexBuffer))
    if (auto emitted = emitIndexBuffer(state); !emitted) return emitted.error();
  if (m_dxbc) {
    for (uint32_t i = 0; i < 2; ++i) {
      if (!m_wantedSets[i] || m_wantedSets[i] == m_boundSets[i]) continue;
      vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout.handle, i, 1,
                               &m_wantedSets[i], 0, nullptr);
      m_boundSets[i] = m_wantedSets[i];
    }
  } else {
    if (m_wantedSets[1] && m_wantedSets[1] != m_boundSets[1]) {
      vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout.handle,
                               shader::kTextureSet, 1, &m_wantedSets[1], 0, nullptr);
      m_boundSets[1] = m_wantedSets[1];
    }
    emitConstants(state, m_pending);
    if (!m_pushed ||
        (m_pending & (core::kDirtyPixelPipe | core::kDirtyVsConstants | core::kDirtyPsConstants)))
      emitPushConstants(state);
  }
  if (m_layout.stopWord) {
    if (!m_boundStopWord) bindStopWord(VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, m_dxbc);
    m_boundStopWord = true;
    recorder.noteStoppable();
  }
  m_pending = indexed ? 0 : m_pending & core::kDirtyIndexBuffer;
  return true;
}

void Draws::bindStopWord(VkPipelineBindPoint point, const Layout& layout, bool dxbc) {
  const VkDescriptorSet set = m_gpu.stopWords->set();
  const uint32_t offset = m_gpu.recorder->stopWordOffset();
  m_gpu.device->vk().CmdBindDescriptorSets(m_gpu.recorder->commands(), point, layout.handle,
                                           dxbc ? StopWords::kDxbcSet : StopWords::kD3d9Set, 1, &set, 1,
                                           &offset);
}

Result<void> Draws::afterDraw() {
  for (BufferObject* buffer : m_uavs)
    buffer->noteGpuWrite(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  Recorder& recorder = *m_gpu.recorder;
  const bool crowded = recorder.crowded() || m_samplers.crowded();
  if (++m_batchDraws < kDrawsPerBatch && !crowded) return {};
  m_batchDraws = 0;
  if (auto flushed = recorder.flush(); !flushed) return flushed;
  if (crowded) recorder.drain();
  return {};
}

Result<void> Draws::draw(core::DrawState& state, const core::DrawArgs& args) {
  auto ready = prepare(state, false);
  if (!ready) return ready.error();
  if (!*ready) return {};
  m_gpu.device->vk().CmdDraw(m_gpu.recorder->commands(), args.vertexCount, args.instanceCount,
                             args.firstVertex, args.firstInstance);
  return afterDraw();
}

Result<void> Draws::drawIndexed(core::DrawState& state, const core::DrawIndexedArgs& args) {
  auto ready = prepare(state, true);
  if (!ready) return ready.error();
  if (!*ready) return {};
  m_gpu.device->vk().CmdDrawIndexed(m_gpu.recorder->commands(), args.indexCount, args.instanceCount,
                                    args.firstIndex, args.baseVertex, args.firstInstance);
  return afterDraw();
}

}  // namespace aerogpu::vk
