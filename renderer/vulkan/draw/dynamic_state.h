// SPDX-License-Identifier: MIT
// State of a draw that is set in the command buffer. Render thread only.
#pragma once

#include <array>

#include "renderer/core/state.h"
#include "renderer/d3d9/depth_bias.h"
#include "renderer/vulkan/draw/bound_state.h"
#include "renderer/vulkan/draw/pipeline_cache.h"
#include "renderer/vulkan/objects/targets.h"

namespace aerogpu::vk {

/// Returns a triangle list for the patch topologies, which have no meaning without hull shaders.
VkPrimitiveTopology vulkanTopology(core::Topology topology);

/// Fills the blending of each target; the pixel shader writes the targets in `written`.
void blendOf(const core::BlendState& state, const TargetInfo& targets, uint32_t written,
             std::array<TargetBlend, core::kMaxColorTargets>& out);

class DynamicState {
public:
  explicit DynamicState(Gpu& gpu) : m_gpu(gpu) {}

  /// Sets dirty state that is not in the pipeline on this device; the caller sets viewport and scissor.
  /// `outputs`: targets that the pixel shader writes.
  void emit(const core::DrawState& state, const TargetInfo& targets, uint32_t outputs,
            const d3d9::DepthBias& bias, uint32_t dirty, core::ShaderFamily family, BoundState& bound);

private:
  void emitBlend(const core::DrawState& state, const TargetInfo& targets, uint32_t outputs);
  void emitDepthStencil(const core::DrawState& state, bool frontIsCcw);
  void emitRasterizer(const core::DrawState& state, bool frontIsCcw, const d3d9::DepthBias& bias);

  Gpu& m_gpu;
};

}  // namespace aerogpu::vk
