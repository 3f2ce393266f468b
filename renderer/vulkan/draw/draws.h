// SPDX-License-Identifier: MIT
// Records the commands for draws and dispatches with a core::DrawState. Examines only state whose dirty bits
// are set, and allocates nothing per draw. Render thread only.
#pragma once

#include <string>

#include "renderer/core/backend.h"
#include "renderer/d3d9/depth_bias.h"
#include "renderer/d3d9/draw_area.h"
#include "renderer/vulkan/draw/constant_ring.h"
#include "renderer/vulkan/draw/d3d9_draw.h"
#include "renderer/vulkan/draw/dxbc_draw.h"
#include "renderer/vulkan/draw/dynamic_state.h"
#include "renderer/vulkan/draw/pipeline_choice.h"
#include "renderer/vulkan/draw/stream_outputs.h"
#include "renderer/vulkan/draw/vertex_buffers.h"

namespace aerogpu::vk {

class Draws {
public:
  Draws(Gpu& gpu, Targets& targets, const std::string& cacheDir);
  Result<void> create();

  /// Releases guest objects and saves the pipelines.
  void reset();
  ShaderStore& shaders() { return m_shaderStore; }
  /// Returns draws that need the pipelines used last (core::Backend).
  std::vector<std::unique_ptr<core::DrawState>> recentDraws(size_t most) {
    return m_pipelines.recentDraws(most);
  }
  /// Drops what is kept for the owner of `account`, who has ended (core::Backend).
  void processEnds(const HostMemory& account) {
    m_pipelines.processEnds(account);
    m_samplers.processEnds(account);
  }

  Result<void> draw(core::DrawState& state, const core::DrawArgs& args);
  Result<void> drawIndexed(core::DrawState& state, const core::DrawIndexedArgs& args);
  Result<void> drawInline(core::DrawState& state, const core::InlineDraw& draw);
  Result<void> drawAuto(core::DrawState& state, uint32_t most);
  Result<void> dispatch(const core::DrawState& state, uint32_t x, uint32_t y, uint32_t z) {
    return m_dxbc.dispatch(state, x, y, z);
  }

private:
  /// A batch of this many draws is handed over, so that the GPU works while the rest is recorded.
  static constexpr uint32_t kDrawsPerBatch = 8192;

  /// The pixels that a draw may write, and what is added to its depth.
  struct Area {
    bool visible = false;
    d3d9::PixelRect scissor;
    core::Viewport viewport;
    uint32_t count = 1;  ///< of viewports and rectangles: kMaxViewports for a shader that chooses of them
    d3d9::DepthBias bias;
    d3d9::PositionScale scale;  ///< of positions that D3D9 shaders write
  };

  /// Does all that comes before the draw's own command; false if the draw would draw nothing. `brings`: the
  /// draw's own vertices and indices, used in place of the bound ones; null = none.
  Result<bool> prepare(core::DrawState& state, const VertexBuffers::Drawn& drawn,
                       const core::InlineDraw* brings = nullptr);
  /// True if all that the previous draw chose and bound is right for a draw without changed state.
  bool stands(bool indexed) const;
  /// Prepares a draw for which stands() is true: locates its vertices. False if stands() is false after that.
  Result<bool> repeat(const core::DrawState& state, const VertexBuffers::Drawn& drawn);
  /// Notes that streams or indices that moved in m_vertices.ready() must be bound.
  void noteMoved();
  /// Chooses and readies what the draw needs; may end the render pass or hand the batch over.
  Result<bool> gather(const core::DrawState& state, const VertexBuffers::Drawn& drawn);
  /// Opens the render pass and binds what differs from what is bound.
  Result<bool> bind(const core::DrawState& state, bool indexed);
  /// Sets m_area, and m_more for shaders that choose of several.
  void measureArea(const core::DrawState& state);
  void setViewports();
  /// Chooses the shaders' modules if the state that they depend on has changed, and then the pipeline; with
  /// `pipeline`, the pipeline in any case.
  Result<void> chooseAnew(const core::DrawState& state, bool pipeline);
  Result<void> choosePipeline(const core::DrawState& state);
  Result<void> chooseShaders(const core::DrawState& state);
  Result<void> record(core::DrawState& state, const VertexBuffers::Drawn& drawn, uint32_t instances,
                      uint32_t firstInstance);
  /// Records a draw's command, void(VkCommandBuffer), with what captures what it streams out.
  template <class Command>
  Result<void> recordWith(core::DrawState& state, Command command);
  Result<void> afterDraw(core::DrawState& state);
  core::ShaderFamily family() const {
    return m_path == &m_dxbc ? core::ShaderFamily::Dxbc : core::ShaderFamily::D3d9;
  }

  Gpu& m_gpu;
  Targets& m_targets;
  const d3d9::ViewportLimits m_viewportLimits;
  ShaderStore m_shaderStore;
  PipelineCache m_pipelines;
  SamplerCache m_samplers;
  DescriptorCache m_descriptors;
  ConstantRing m_constants;
  PipelineLayouts m_layouts;
  StandIns m_standIns;
  D3d9Draw m_d3d9;
  DxbcDraw m_dxbc;
  VertexBuffers m_vertices;
  PipelineChoice m_choice;
  DynamicState m_dynamic;
  StreamOutputs m_streams;

  uint32_t m_pending = core::kDirtyAll;  ///< DirtyBits of state that is not bound yet
  BoundState m_bound;
  uint32_t m_batchDraws = 0;

  // The current choice.
  ShaderPath* m_path = &m_d3d9;
  DrawShaders m_shaders;
  PipelineCache::Graphics m_pipeline;
  Area m_area;
  struct {
    std::array<d3d9::PixelRect, core::kMaxViewports - 1> scissors;
    std::array<core::Viewport, core::kMaxViewports - 1> viewports;
  } m_more;                            ///< the first m_area.count - 1 count
  bool m_discards = false;             ///< nothing is rasterized: the draw only streams out
  bool m_discarded = false;            ///< and so did the one that was recorded last
  StreamCounter* m_counter = nullptr;  ///< that says how many vertices the draw has; null: the packet does
  uint32_t m_layoutGeneration = 0;     ///< of m_layouts, when m_shaders was chosen
  uint32_t m_pipelineGeneration = 0;   ///< of m_pipelines, when m_pipeline was chosen
  uint32_t m_targetGeneration = 0;     ///< of m_targets, when it was looked at last
};

}  // namespace aerogpu::vk
