// SPDX-License-Identifier: MIT
// Chooses the graphics pipeline of a draw. Render thread only.
#pragma once

#include <array>

#include "renderer/vulkan/draw/pipeline_cache.h"
#include "renderer/vulkan/draw/shader_path.h"

namespace aerogpu::vk {

class PipelineChoice {
public:
  PipelineChoice(Gpu& gpu, PipelineCache& pipelines) : m_gpu(gpu), m_pipelines(pipelines) {}

  /// `discards`: nothing is rasterized. Fails with Backend for draws that this GPU, or every GPU without hull
  /// shaders, cannot do.
  Result<PipelineCache::Graphics> choose(const core::DrawState& state, const TargetInfo& targets,
                                         const DrawShaders& shaders, const VertexFetch& fetch,
                                         uint32_t specialization, bool discards);
  void reset() { m_recent = {}; }

private:
  /// The inputs that can differ if everything else is dynamic.
  struct RecentKey {
    uint64_t vs = 0, gs = 0, ps = 0, layout = 0;
    uint32_t targets = 0, specialization = 0, topologyClass = 0, cache = 0, sampleMask = 0;
    bool alphaToCoverage = false, discards = false;
    bool operator==(const RecentKey&) const = default;
  };
  struct Recent {
    RecentKey key;
    PipelineCache::Graphics pipeline;
  };

  Gpu& m_gpu;
  PipelineCache& m_pipelines;
  std::array<Recent, 16> m_recent;  // the last used
};

}  // namespace aerogpu::vk
