// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/pipeline_choice.h"

#include <algorithm>
#include <string>

#include "renderer/d3d9/blending.h"
#include "renderer/d3d9/depth_stencil.h"
#include "renderer/vulkan/draw/dynamic_state.h"

namespace aerogpu::vk {
namespace {

/// Returns one topology of the class that a pipeline is made for.
VkPrimitiveTopology classOf(VkPrimitiveTopology t) {
  switch (t) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
      return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    default:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  }
}

/// Returns the topology that a geometry shader's pipeline is made for: a list of what it takes
/// (VUID-VkGraphicsPipelineCreateInfo-pStages-00738).
VkPrimitiveTopology inputOf(const shader::GeometryTraits& geometry) {
  switch (geometry.inputVertices) {
    case 1:
      return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case 2:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case 4:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
    case 6:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    default:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  }
}

}  // namespace

Result<PipelineCache::Graphics> PipelineChoice::choose(const core::DrawState& state,
                                                       const TargetInfo& targets, const DrawShaders& shaders,
                                                       const VertexFetch& fetch, uint32_t specialization,
                                                       bool discards) {
  const DeviceCaps& caps = m_gpu.device->caps();
  if (state.topology >= core::Topology::PatchList1)
    return Error{ErrorCode::Backend, "patch lists need hull and domain shaders", {}};
  if (state.topology == core::Topology::TriangleFan && !caps.triangleFans)
    return Error{ErrorCode::Backend, "this GPU has no triangle fans", {}};
  if (d3d9::usesSecondSource(state.blend, targets.colorCount)) {
    if (!caps.dualSourceBlend) return Error{ErrorCode::Backend, "this GPU has no second source color", {}};
    if (targets.colorCount > 1)
      return Error{ErrorCode::Backend, "a second source color goes with one target",
                   std::to_string(targets.colorCount) + " targets"};
  }
  if (state.rasterizer.depthBiasClamp != 0 && !caps.depthBiasClamp)
    return Error{ErrorCode::Backend, "this GPU does not clamp a depth bias", {}};

  const auto topologyClass = static_cast<uint32_t>(shaders.gs ? inputOf(shaders.gs->geometry)
                                                              : classOf(vulkanTopology(state.topology)));
  RecentKey brief;
  brief.vs = shaders.vsModule->serial;
  brief.gs = shaders.gsModule ? shaders.gsModule->serial : 0;
  brief.ps = shaders.psModule ? shaders.psModule->serial : 0;
  brief.layout = shaders.layout.content;
  brief.targets = targets.generation;
  brief.specialization = specialization;
  brief.topologyClass = topologyClass;
  // One sample: D3D9 ignores the mask, and D3D10 draws nothing if its mask hides the sample.
  brief.sampleMask = targets.samples > 1 ? state.blend.sampleMask : ~0u;
  brief.alphaToCoverage = targets.samples > 1 && (shaders.vs->program ? state.blend.alphaToCoverage
                                                                      : state.blend.dxbcAlphaToCoverage);
  brief.discards = discards;
  brief.cache = m_pipelines.generation();
  const bool allDynamic =
      caps.dynamicPolygonMode && caps.dynamicDepthClamp && caps.dynamicBlend && caps.dynamicVertexInput;
  Recent& recent = m_recent[(brief.vs * 7 + brief.ps) % m_recent.size()];
  if (allDynamic && recent.pipeline.handle && recent.key == brief) {
    return recent.pipeline;
  }

  PipelineKey key;
  key.vs = shaders.vsModule->serial;
  key.gs = brief.gs;
  key.ps = brief.ps;
  key.layout = shaders.layout.content;
  key.colorCount = targets.colorCount;
  for (uint32_t i = 0; i < targets.colorCount; ++i)
    key.colorFormats[i] = static_cast<uint32_t>(targets.colorFormats[i]);
  key.depthFormat = static_cast<uint32_t>(targets.depthFormat);
  key.stencilFormat = static_cast<uint32_t>(targets.stencilFormat);
  key.samples = std::max(targets.samples, 1u);
  key.discards = discards;
  key.alphaToCoverage = brief.alphaToCoverage;
  key.sampleMask = brief.sampleMask;
  if (shaders.gs && shaders.gs->geometry.choosesLayer) key.layers = static_cast<uint16_t>(targets.layers);
  key.topologyClass = topologyClass;
  key.specialization = specialization;
  if (!caps.dynamicPolygonMode && caps.fillModeNonSolid)
    key.polygonMode = state.rasterizer.fill == core::FillMode::Solid       ? VK_POLYGON_MODE_FILL
                      : state.rasterizer.fill == core::FillMode::Wireframe ? VK_POLYGON_MODE_LINE
                                                                           : VK_POLYGON_MODE_POINT;
  if (!caps.dynamicDepthClamp) key.depthClip = d3d9::clipsDepth(state);
  if (!caps.dynamicBlend) {
    std::array<TargetBlend, core::kMaxColorTargets> blends;
    blendOf(state.blend, targets, shaders.outputMask(), blends);
    for (uint32_t i = 0; i < targets.colorCount; ++i) key.blend[i] = packBlend(blends[i]);
  }
  if (!caps.dynamicVertexInput) {
    key.attributeCount = fetch.attributeCount;
    key.bindingCount = fetch.bindingCount;
    for (uint32_t i = 0; i < fetch.attributeCount; ++i) {
      const VertexFetch::Attribute& a = fetch.attributes[i];
      key.attributes[i] = a.location | a.binding << 8 | a.offset << 16;
      key.attributeFormats[i] = a.format;
    }
    for (uint32_t i = 0; i < fetch.bindingCount; ++i) key.divisors[i] = fetch.divisors[i];
  }
  auto pipeline = m_pipelines.graphics(key, state, shaders);
  if (!pipeline) return pipeline;
  brief.cache = m_pipelines.generation();
  recent = {brief, *pipeline};
  return pipeline;
}

}  // namespace aerogpu::vk
