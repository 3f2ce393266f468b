// SPDX-License-Identifier: MIT
// Draws and dispatches: from core::DrawState to commands. What a draw needs is looked at only where a dirty
// bit says so; nothing is allocated per draw. Render thread only.
#pragma once

#include <string>
#include <unordered_map>

#include "renderer/core/backend.h"
#include "renderer/vulkan/draw/constant_ring.h"
#include "renderer/vulkan/draw/depth_bias.h"
#include "renderer/vulkan/draw/descriptor_cache.h"
#include "renderer/vulkan/draw/pipeline_cache.h"
#include "renderer/vulkan/objects/buffer.h"
#include "renderer/vulkan/objects/sampler_cache.h"
#include "renderer/vulkan/objects/shader.h"
#include "renderer/vulkan/objects/targets.h"

namespace aerogpu::vk {

/// A triangle list for the patch topologies, which have no meaning without hull shaders.
VkPrimitiveTopology vulkanTopology(core::Topology topology);

class Draws {
public:
  Draws(Gpu& gpu, Targets& targets, const std::string& cacheDir);
  ~Draws();
  Result<void> create();

  /// Lets go of guest objects and saves the pipelines.
  void reset();
  ShaderStore& shaders() { return m_shaders; }
  PipelineCache& pipelines() { return m_pipelines; }

  Result<void> draw(core::DrawState& state, const core::DrawArgs& args);
  Result<void> drawIndexed(core::DrawState& state, const core::DrawIndexedArgs& args);
  Result<void> dispatch(core::DrawState& state, uint32_t x, uint32_t y, uint32_t z);

private:
  struct Layout {
    VkPipelineLayout handle = VK_NULL_HANDLE;
    VkDescriptorSetLayout textures = VK_NULL_HANDLE;  ///< set 1 of D3D9 layouts
    uint64_t serial = 0;
    bool stopWord = false;  ///< has the set of StopWords: a shader loops
  };
  /// Images that stand in for unbound textures: opaque black (D3D9) or zero (D3D10), 2D and cube.
  struct Dummies {
    std::unique_ptr<core::GpuTexture> opaque, zero;
    MemoryRange zeros;  ///< zeroed buffer memory: unbound streams and constant buffers
    VkBufferView texels[3] = {};
  };

  // draws.cpp: the order of things
  Result<bool> prepare(core::DrawState& state, bool indexed);
  Result<bool> prepareOnce(core::DrawState& state, bool indexed);
  void bindStopWord(VkPipelineBindPoint point, const Layout& layout, bool dxbc);
  // draw_pipeline.cpp
  Result<void> selectPipeline(const core::DrawState& state);
  Result<void> selectShaders(const core::DrawState& state);
  Result<Layout> d3d9Layout(uint32_t samplerMask, bool stopWord);
  Result<Layout> dxbcLayout(const ShaderCode& vs, const ShaderCode* ps);
  /// Makes room in `layouts` before one more goes in.
  template <class Map>
  void dropLayouts(Map& layouts);
  uint32_t shadowSamplers(const core::DrawState& state, uint32_t mask) const;
  SamplerTypes boundTypes(const core::DrawState& state, const shader::ShaderInfo& info) const;
  void blendOf(const core::DrawState& state, std::array<TargetBlend, core::kMaxColorTargets>& out) const;
  // draw_state.cpp
  void emitDynamicState(const core::DrawState& state, const DepthBias& bias, uint32_t dirty,
                        bool familyChanged);
  void emitBlend(const core::DrawState& state);
  void emitDepthStencil(const core::DrawState& state);
  void emitRasterizer(const core::DrawState& state, const DepthBias& bias);
  // draw_vertices.cpp
  Result<void> useVertexBuffers(const core::DrawState& state, bool indexed);
  Result<void> emitVertexInput(const core::DrawState& state);
  Result<void> emitIndexBuffer(const core::DrawState& state);
  // draw_textures.cpp (D3D9)
  Result<void> useTextures(const core::DrawState& state);
  Result<DescriptorWrite> textureWrite(const core::ShaderResourceBinding& resource,
                                       const core::SamplerState& sampler, d3d9::SamplerType type,
                                       uint32_t binding);
  void emitConstants(const core::DrawState& state, uint32_t dirty);
  void emitPushConstants(const core::DrawState& state);
  // draw_dxbc.cpp
  Result<void> useDxbcStage(const core::DrawState& state, const ShaderCode& code, VkDescriptorSet& set);
  Result<CachedView> sampledView(core::Texture& texture, const core::View* view, VkImageViewType type,
                                 bool srgb, bool& feedback);

  Gpu& m_gpu;
  Targets& m_targets;
  ShaderStore m_shaders;
  PipelineCache m_pipelines;
  SamplerCache m_samplers;
  DescriptorCache m_descriptors;
  ConstantRing m_constants;
  Dummies m_dummies;
  static constexpr size_t kMaxLayouts = 128;           ///< of each kind
  std::unordered_map<uint32_t, Layout> m_d3d9Layouts;  // by sampler mask, bit 31: with stop word
  std::unordered_map<uint64_t, Layout> m_dxbcLayouts;  // by serials of both sets
  VkDescriptorSetLayout m_emptySet = VK_NULL_HANDLE;

  uint32_t m_pending = core::kDirtyAll;  ///< not emitted yet
  uint64_t m_commandBuffer = 0;          ///< in which the members below are bound
  uint32_t m_targetGeneration = 0;

  // The current choice.
  bool m_dxbc = false;
  ShaderCode* m_vs = nullptr;
  ShaderCode* m_ps = nullptr;
  core::Ref<core::Shader> m_vsRef, m_psRef;  // keep the two alive
  const ModuleRef* m_vsModule = nullptr;
  const ModuleRef* m_psModule = nullptr;
  uint32_t m_samplerMask = 0;  ///< pixel s# in bits 0..15, vertex s# in 16..19
  uint32_t m_shadowMask = 0;
  SamplerTypes m_boundTypes{};  ///< of ps_1_x; else all Unknown
  VertexFetch m_fetch;
  Layout m_layout;
  VkPipeline m_pipeline = VK_NULL_HANDLE;

  // The pipelines used last, by what can differ where everything else is dynamic.
  struct RecentKey {
    uint64_t vs = 0, ps = 0, layout = 0;
    uint32_t targets = 0, specialization = 0, topologyClass = 0, cache = 0;
    bool operator==(const RecentKey&) const = default;
  };
  struct Recent {
    RecentKey key;
    VkPipeline pipeline = VK_NULL_HANDLE;
  };
  std::array<Recent, 16> m_recent;
  uint64_t m_fetchVs = 0;  ///< m_fetch was made for this module and layout
  core::Ref<core::InputLayout> m_fetchLayout;

  /// A batch of this many draws is handed over, so that the GPU works while the rest is recorded.
  static constexpr uint32_t kDrawsPerBatch = 8192;
  Result<void> afterDraw();
  uint32_t m_batchDraws = 0;

  // What is bound in the command buffer.
  bool m_fresh = true;  ///< nothing yet
  bool m_fetchChanged = true;
  bool m_emittedDxbc = false;
  uint32_t m_emittedOutputs = 0;
  uint64_t m_writtenVs = 0, m_writtenPs = 0;  ///< modules whose constants the slices hold
  VkPipeline m_boundPipeline = VK_NULL_HANDLE;
  uint64_t m_boundLayout = 0;
  VkDescriptorSet m_boundSets[2] = {};
  VkDescriptorSet m_wantedSets[2] = {};
  uint64_t m_constantGenerations[2] = {};  // of the ring, when the offsets were taken: vertex, pixel
  VkDescriptorSet m_boundPixelConstants = VK_NULL_HANDLE;
  uint32_t m_constantOffsets[2] = {};
  bool m_boundStopWord = false;
  bool m_pushed = false;
  shader::PushConstants m_push;
  std::array<DescriptorWrite, 32> m_writes;
  std::array<VkVertexInputBindingDescription2EXT, VertexFetch::kMax> m_vertexBindings;
  std::array<VkVertexInputAttributeDescription2EXT, VertexFetch::kMax> m_vertexAttributes;
  std::vector<DescriptorWrite> m_dxbcWrites;
  std::vector<BufferObject*> m_uavs;  ///< written by the draw or dispatch being prepared
};

}  // namespace aerogpu::vk
