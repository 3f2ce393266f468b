// SPDX-License-Identifier: MIT
// The steps of a draw (see draws.h): everything that may end the render pass comes before the pass begins.
#include "renderer/vulkan/draw/draws.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/core/stream_output.h"
#include "renderer/d3d9/depth_stencil.h"
#include "renderer/d3d9/draw_rules.h"
#include "renderer/shader/spirv/spirv_indices.h"
#include "renderer/vulkan/objects/stream_counter.h"

namespace aerogpu::vk {
namespace {

d3d9::ViewportLimits viewportLimits(const VkPhysicalDeviceLimits& limits) {
  return {limits.viewportBoundsRange[0], limits.viewportBoundsRange[1], limits.maxViewportDimensions[0],
          limits.maxViewportDimensions[1]};
}

/// D32_SFLOAT_S8_UINT stands in for 24 bits.
d3d9::DepthSteps depthSteps(VkFormat depthFormat) {
  return depthFormat == VK_FORMAT_UNDEFINED    ? d3d9::DepthSteps::None
         : depthFormat == VK_FORMAT_D32_SFLOAT ? d3d9::DepthSteps::Float32
         : depthFormat == VK_FORMAT_D16_UNORM  ? d3d9::DepthSteps::Fixed16
                                               : d3d9::DepthSteps::Fixed;
}

/// True if triangles are what is rasterized: only these have a depth bias.
bool drawsTriangles(const core::DrawState& state) {
  const core::Ref<core::Shader>& gs = state.shaders[static_cast<size_t>(core::Stage::Geometry)];
  if (!gs) return d3d9::hasDepthBias(state.topology);
  return ShaderObject::of(*gs).geometry.output == shader::GeometryTraits::Output::Triangles;
}

static_assert(core::kMaxViewports == shader::kViewportCount);
bool choosesViewport(const core::DrawState& state) {
  const core::Ref<core::Shader>& gs = state.shaders[static_cast<size_t>(core::Stage::Geometry)];
  return gs && ShaderObject::of(*gs).geometry.choosesViewport;
}

}  // namespace

Draws::Draws(Gpu& gpu, Targets& targets, const std::string& cacheDir)
    : m_gpu(gpu),
      m_targets(targets),
      m_viewportLimits(viewportLimits(gpu.device->limits())),
      m_shaderStore(gpu),
      m_pipelines(gpu, cacheDir),
      m_samplers(gpu),
      m_descriptors(gpu),
      m_constants(gpu),
      m_layouts(gpu, m_constants),
      m_standIns(gpu),
      m_d3d9({gpu, targets, m_shaderStore, m_samplers, m_descriptors, m_layouts, m_standIns}, m_constants),
      m_dxbc({gpu, targets, m_shaderStore, m_samplers, m_descriptors, m_layouts, m_standIns}, m_pipelines),
      m_vertices(gpu, m_standIns),
      m_choice(gpu, m_pipelines),
      m_dynamic(gpu),
      m_streams(gpu, m_standIns) {}

Result<void> Draws::create() {
  if (auto created = m_constants.create(); !created) return created;
  if (auto created = m_layouts.create(); !created) return created;
  return m_standIns.create();
}

void Draws::reset() {
  m_shaders = {};
  m_pipeline = {};
  m_vertices.reset();
  m_choice.reset();
  m_d3d9.reset();
  m_bound = {};
  m_pending = core::kDirtyAll;
  m_pipelines.save();
}

bool Draws::stands(bool indexed) const {
  const Recorder& recorder = *m_gpu.recorder;
  return (m_pending & (indexed ? core::kDirtyAll : ~core::kDirtyIndexBuffer)) == 0 &&
         !m_gpu.renames.anyStale() && m_path == &m_d3d9 && !m_vertices.brought() && recorder.inPass() &&
         m_bound.commandBuffer == recorder.commandBufferId() &&
         m_targetGeneration == m_targets.info().generation && m_layoutGeneration == m_layouts.generation();
}

Result<bool> Draws::repeat(const core::DrawState& state, const VertexBuffers::Drawn& drawn) {
  if (auto placed = m_vertices.ready(state, drawn, true); !placed) return placed.error();
  noteMoved();
  if (!stands(drawn.indexed)) return false;
  if (m_shaders.layout.stopWord) m_gpu.recorder->noteStoppable();
  m_gpu.recorder->drawComes();
  return true;
}

void Draws::noteMoved() {
  if (m_vertices.streamsMoved()) m_pending |= core::kDirtyVertexStreams;
  if (m_vertices.indicesMoved()) m_pending |= core::kDirtyIndexBuffer;
}

Result<bool> Draws::prepare(core::DrawState& state, const VertexBuffers::Drawn& drawn,
                            const core::InlineDraw* brings) {
  m_pending |= state.dirty;
  state.dirty = 0;
  if (!brings && stands(drawn.indexed))
    if (auto again = repeat(state, drawn); !again || *again) return again;
  if (!brings && m_vertices.brought()) m_pending |= core::kDirtyVertexStreams | core::kDirtyIndexBuffer;
  auto ready = m_gpu.recorder->inOneBatch([&]() -> Result<bool> {
    if (auto brought = m_vertices.bring(brings); !brought) return brought.error();
    return gather(state, drawn);
  });
  if (!ready || !*ready) return ready;
  return bind(state, drawn.indexed);
}

Result<bool> Draws::gather(const core::DrawState& state, const VertexBuffers::Drawn& drawn) {
  Recorder& recorder = *m_gpu.recorder;
  const bool dxbc = d3d9::usesDxbc(state);
  m_path = dxbc ? static_cast<ShaderPath*>(&m_dxbc) : &m_d3d9;
  if (auto begun = m_path->begin(); !begun) return begun.error();
  if (m_bound.enter(recorder.commandBufferId())) {
    m_pending = core::kDirtyAll;
    m_batchDraws = 0;
  }
  m_pending |= m_gpu.renames.takeStale();
  if (auto updated = m_targets.update(state, m_pending & (core::kDirtyTargets | core::kDirtyBlend),
                                      d3d9::usesDepthTarget(state.depthStencil));
      !updated)
    return updated.error();
  const bool streams = core::streamsOut(state);
  const TargetInfo& targets = m_targets.info();
  m_discards = !targets.any() || !state.streamOutput.rasterizes ||
               (targets.samples == 1 && d3d9::sampleMaskHidesAll(state));
  if (m_discards && !streams) return false;
  if (m_targetGeneration != targets.generation) {
    m_targetGeneration = targets.generation;
    m_pending |= core::kDirtyTargets | core::kDirtyResources;
  }
  constexpr uint32_t kArea = core::kDirtyViewport | core::kDirtyScissor | core::kDirtyRasterizer |
                             core::kDirtyTargets | core::kDirtyShaders | core::kDirtyStreamOutput;
  if (m_pending & (kArea | d3d9::biasDirtyBits(state.rasterizer))) measureArea(state);
  m_discards = m_discards || !m_area.visible;
  if (m_discards && !streams) return false;
  if (std::exchange(m_discarded, m_discards) != m_discards)
    m_pending |= core::kDirtyViewport | core::kDirtyTopology;
  m_d3d9.setPositionScale(m_area.scale);

  if (m_layoutGeneration != m_layouts.generation() || m_pipelineGeneration != m_pipelines.generation())
    m_pending |= core::kDirtyShaders;
  constexpr uint32_t kPipeline = core::kDirtyShaders | core::kDirtyInputLayout | core::kDirtyTargets |
                                 core::kDirtyPixelPipe | core::kDirtyTopology | core::kDirtyRasterizer |
                                 core::kDirtyBlend | core::kDirtyStreamOutput;
  const bool clipsAnew = !m_gpu.device->caps().dynamicDepthClamp && (m_pending & core::kDirtyDepthStencil);
  if ((m_pending & (kPipeline | D3d9Choice::kDirty)) || clipsAnew)
    if (auto chosen = chooseAnew(state, clipsAnew || (m_pending & kPipeline)); !chosen) {
      m_pending |= core::kDirtyShaders;  // the next draw chooses all of it again
      return chosen.error();
    }

  if (m_vertices.brought()) {
    if (dxbc || !m_vertices.goesOn()) m_pending |= core::kDirtyVertexStreams;
    m_pending |= core::kDirtyIndexBuffer;
  }

  constexpr uint32_t kVertices = core::kDirtyVertexStreams | core::kDirtyShaders | core::kDirtyInputLayout;
  if ((m_pending & (drawn.indexed ? kVertices | core::kDirtyIndexBuffer : kVertices)) || !recorder.inPass())
    m_vertices.gather(state, drawn.indexed);
  if (auto placed = m_vertices.ready(state, drawn, !dxbc); !placed) return placed.error();
  noteMoved();
  m_pending |= m_gpu.renames.takeStale();

  if (streams)
    if (auto gathered = m_streams.gather(state); !gathered) return gathered.error();
  if (m_counter)
    if (auto ready = m_counter->ready(); !ready) return ready.error();

  constexpr uint32_t kResources = core::kDirtyResources | core::kDirtySamplers | core::kDirtyShaders |
                                  core::kDirtyTargets | core::kDirtyConstantBuffers |
                                  core::kDirtyUnorderedAccess;
  if ((m_pending & kResources) || !recorder.inPass() ||
      ((m_pending & core::kDirtyDepthStencil) && m_d3d9.samplesTargets()))
    if (auto gathered = m_path->gather(state, m_shaders); !gathered) return gathered.error();
  m_targets.setDepthReadOnly(m_path == &m_d3d9 && m_d3d9.readsDepth());
  return true;
}

void Draws::measureArea(const core::DrawState& state) {
  Area area;
  if (!m_targets.info().any()) {
    m_area = area;
    return;
  }
  const auto [width, height] = m_targets.info().extent;
  area.scissor = d3d9::drawArea(state, width, height);
  area.visible =
      !area.scissor.empty() && d3d9::gpuViewport(state, m_viewportLimits, width, height, area.viewport);
  float minDepth = area.viewport.minDepth, maxDepth = area.viewport.maxDepth;
  if (choosesViewport(state)) {
    const core::Viewport any{0, 0, 1, 1, 0, 1};  // whose rectangle is empty
    if (!area.visible) {
      area.scissor = {};
      area.viewport = any;
    }
    area.count = core::kMaxViewports;
    for (uint32_t i = 1; i < core::kMaxViewports; ++i) {
      core::Viewport& viewport = m_more.viewports[i - 1];
      d3d9::PixelRect& scissor = m_more.scissors[i - 1];
      scissor = i < state.more.viewportCount ? d3d9::drawArea(state, width, height, i) : d3d9::PixelRect{};
      if (scissor.empty() || !d3d9::gpuViewport(state, m_viewportLimits, width, height, viewport, i)) {
        scissor = {};
        viewport = any;
        continue;
      }
      minDepth = area.visible ? std::min(minDepth, viewport.minDepth) : viewport.minDepth;
      maxDepth = area.visible ? std::max(maxDepth, viewport.maxDepth) : viewport.maxDepth;
      area.visible = true;
    }
  }
  if (area.visible && m_targets.info().samples > 1 && !d3d9::usesDxbc(state))
    area.scale = d3d9::widenForSamples(area.viewport, m_viewportLimits);
  const DeviceCaps& caps = m_gpu.device->caps();
  if (drawsTriangles(state))
    area.bias = d3d9::depthBias(state.rasterizer, depthSteps(m_targets.info().depthFormat),
                                {caps.floatDepthBias, caps.unrestrictedDepth}, minDepth, maxDepth);
  m_area = area;
}

void Draws::setViewports() {
  const DeviceTable& vk = m_gpu.device->vk();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  std::array<VkViewport, core::kMaxViewports> viewports;
  std::array<VkRect2D, core::kMaxViewports> scissors;
  for (uint32_t i = 0; i < m_area.count; ++i) {
    const core::Viewport v = i            ? m_more.viewports[i - 1]
                             : m_discards ? core::Viewport{0, 0, 1, 1}
                                          : m_area.viewport;
    const d3d9::PixelRect& s = i ? m_more.scissors[i - 1] : m_area.scissor;
    const float shift = m_area.bias.shift;
    // y is up in clip space.
    viewports[i] = {v.x, v.y + v.height, v.width, -v.height, v.minDepth + shift, v.maxDepth + shift};
    scissors[i] = {{s.x, s.y}, {s.width, s.height}};
  }
  vk.CmdSetViewportWithCount(commands, m_area.count, viewports.data());
  vk.CmdSetScissorWithCount(commands, m_area.count, scissors.data());
  m_bound.viewports = m_area.count;
}

Result<void> Draws::chooseAnew(const core::DrawState& state, bool pipeline) {
  if ((m_pending & core::kDirtyShaders) || m_path->choiceChanges(state, m_shaders, m_pending)) {
    if (auto chosen = chooseShaders(state); !chosen) return chosen;
    pipeline = true;
  }
  return pipeline ? choosePipeline(state) : Result<void>{};
}

Result<void> Draws::choosePipeline(const core::DrawState& state) {
  if (auto matched = m_vertices.match(state, m_shaders); !matched) return matched;
  auto pipeline = m_choice.choose(state, m_targets.info(), m_shaders, m_vertices.fetch(),
                                  m_path->specialization(state, m_shaders), m_discards);
  if (!pipeline) return pipeline.error();
  m_pipeline = *pipeline;
  m_pipelineGeneration = m_pipelines.generation();
  return {};
}

Result<void> Draws::chooseShaders(const core::DrawState& state) {
  DrawShaders& s = m_shaders;
  s.vsRef = state.shaders[static_cast<size_t>(core::Stage::Vertex)];
  s.gsRef = state.shaders[static_cast<size_t>(core::Stage::Geometry)];
  s.psRef = state.shaders[static_cast<size_t>(core::Stage::Pixel)];
  if (!s.vsRef) return refused(ErrorCode::CmdDecode, "draw without a vertex shader", {{"vs", 0u}});
  if (s.psRef && s.psRef->family != s.vsRef->family)
    return refused(ErrorCode::CmdDecode, "vertex and pixel shader are of different kinds",
                   {{"vs kind", static_cast<uint8_t>(s.vsRef->family)},
                    {"ps kind", static_cast<uint8_t>(s.psRef->family)}});
  if (s.gsRef && s.vsRef->family != core::ShaderFamily::Dxbc)
    return refused(ErrorCode::CmdDecode, "a geometry shader needs a vertex shader of its kind",
                   {{"vs kind", static_cast<uint8_t>(s.vsRef->family)}});
  s.vs = &ShaderObject::of(*s.vsRef);
  s.gs = s.gsRef ? &ShaderObject::of(*s.gsRef) : nullptr;
  s.gsModule = nullptr;
  s.ps = s.psRef ? &ShaderObject::of(*s.psRef) : nullptr;
  s.psModule = nullptr;
  if (auto chosen = m_path->choose(state, s); !chosen) return chosen;
  m_layoutGeneration = m_layouts.generation();
  return {};
}

Result<bool> Draws::bind(const core::DrawState& state, bool indexed) {
  if (!m_targets.begin(m_discards)) return false;
  const DeviceTable& vk = m_gpu.device->vk();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  if (m_bound.pipeline != m_pipeline.handle) {
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline.handle);
    m_bound.pipeline = m_pipeline.handle;
    *m_pipeline.usedIn = m_gpu.recorder->batch();
  }
  m_bound.useLayout(m_shaders.layout.serial);
  const d3d9::DepthBias& bias = m_area.bias;
  if (m_bound.fresh || m_bound.family != family() ||
      (m_pending & (core::kDirtyViewport | core::kDirtyScissor | core::kDirtyRasterizer |
                    core::kDirtyTargets | d3d9::biasDirtyBits(state.rasterizer))) ||
      m_area.count != m_bound.viewports)
    setViewports();
  m_dynamic.emit(state, m_targets.info(), m_shaders.outputMask(), bias, m_pending, family(), m_bound);
  if (m_bound.fresh || m_vertices.changed() || (m_pending & core::kDirtyVertexStreams))
    if (auto bound = m_vertices.bind(state, m_bound.fresh); !bound) return bound.error();
  if (indexed && (m_pending & core::kDirtyIndexBuffer))
    if (auto bound = m_vertices.bindIndices(state); !bound) return bound.error();
  m_bound.fresh = false;
  m_bound.family = family();
  m_path->bind(state, m_shaders, m_pending, m_bound);
  if (m_shaders.layout.stopWord) {
    if (!m_bound.stopWord)
      bindStopWord(m_gpu, VK_PIPELINE_BIND_POINT_GRAPHICS, m_shaders.layout.handle, family());
    m_bound.stopWord = true;
    m_gpu.recorder->noteStoppable();
  }
  m_pending = indexed ? 0 : m_pending & core::kDirtyIndexBuffer;
  m_gpu.recorder->drawComes();
  return true;
}

Result<void> Draws::afterDraw(core::DrawState& state) {
  Recorder& recorder = *m_gpu.recorder;
  if (m_path == &m_dxbc) {
    m_dxbc.noteDrawn();
  } else if (m_d3d9.copiedBytes() != 0) {
    state.copiedBytes += m_d3d9.copiedBytes();
    recorder.outsidePass();  // the next draw gathers what it samples anew
  }
  const bool crowded = recorder.crowded() || m_samplers.crowded();
  if (++m_batchDraws < kDrawsPerBatch && !crowded) return {};
  m_batchDraws = 0;
  if (auto flushed = recorder.flush(); !flushed) return flushed;
  if (crowded) recorder.drain();
  return {};
}

template <class Command>
Result<void> Draws::recordWith(core::DrawState& state, Command command) {
  const bool streams = core::streamsOut(state);
  if (streams) m_streams.begin();
  command(m_gpu.recorder->commands());
  if (streams) m_streams.end();
  return afterDraw(state);
}

Result<void> Draws::record(core::DrawState& state, const VertexBuffers::Drawn& drawn, uint32_t instances,
                           uint32_t firstInstance) {
  const DeviceTable& vk = m_gpu.device->vk();
  const VertexBuffers::Drawn d = m_vertices.recorded(drawn);
  return recordWith(state, [&](VkCommandBuffer commands) {
    if (d.indexed)
      vk.CmdDrawIndexed(commands, d.count, instances, d.first, d.base, firstInstance);
    else
      vk.CmdDraw(commands, d.count, instances, d.first, firstInstance);
  });
}

Result<void> Draws::draw(core::DrawState& state, const core::DrawArgs& args) {
  const VertexBuffers::Drawn drawn{false, args.firstVertex, args.vertexCount, 0};
  auto ready = prepare(state, drawn);
  if (!ready) return ready.error();
  return *ready ? record(state, drawn, args.instanceCount, args.firstInstance) : Result<void>{};
}

Result<void> Draws::drawIndexed(core::DrawState& state, const core::DrawIndexedArgs& args) {
  const VertexBuffers::Drawn drawn{true, args.firstIndex, args.indexCount, args.baseVertex};
  auto ready = prepare(state, drawn);
  if (!ready) return ready.error();
  return *ready ? record(state, drawn, args.instanceCount, args.firstInstance) : Result<void>{};
}

Result<void> Draws::drawAuto(core::DrawState& state, uint32_t most) {
  const core::VertexStream& stream = state.vertexStreams[0];
  StreamCounter& counter = BufferObject::of(*stream.buffer).streamCounter();
  std::optional<uint32_t> filled = counter.known();
  // An offset beyond what is filled would have to be a draw of nothing, and lavapipe 22.3 ignores offsets.
  if (!filled && stream.offset != 0) {
    auto read = counter.read();
    if (!read) return read.error();
    filled = *read;
  }
  if (filled) {
    const uint32_t vertices = *filled > stream.offset ? (*filled - stream.offset) / stream.stride : 0;
    return vertices != 0 ? draw(state, {std::min(vertices, most), 1, 0, 0}) : Result<void>{};
  }
  m_counter = &counter;
  auto ready = prepare(state, {false, 0, most, 0});
  m_counter = nullptr;
  if (!ready) return ready.error();
  if (!*ready) return {};
  return recordWith(state, [&](VkCommandBuffer commands) {
    m_gpu.device->vk().CmdDrawIndirectByteCountEXT(commands, 1, 0, counter.buffer(), counter.offset(), 0,
                                                   stream.stride);
  });
}

Result<void> Draws::drawInline(core::DrawState& state, const core::InlineDraw& draw) {
  const bool indexed = !draw.indices.empty();
  const VertexBuffers::Drawn drawn{indexed, 0, indexed ? draw.indexCount : draw.vertexCount, 0};
  auto ready = prepare(state, drawn, &draw);
  if (!ready) return ready.error();
  return *ready ? record(state, drawn, 1, 0) : Result<void>{};
}

}  // namespace aerogpu::vk
