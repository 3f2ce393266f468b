// SPDX-License-Identifier: MIT
// Clears, draws, dispatches.
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/lacking.h"
#include "renderer/core/state.h"
#include "renderer/core/stats.h"
#include "renderer/core/stream_output.h"
#include "renderer/core/submission.h"
#include "renderer/core/topology.h"
#include "renderer/core/work_meter.h"
#include "renderer/core/write_clock.h"

namespace aerogpu::core {

namespace {

/// Most vertices (times instances) of one draw and groups of one dispatch: they bound the cost of a packet.
constexpr uint64_t kMaxVerticesPerDraw = uint64_t{1} << 28;
constexpr uint64_t kMaxGroupsPerDispatch = uint64_t{1} << 24;

/// Returns the bytes of a layer of a target's mip; 0 without a target.
uint64_t targetBytes(const TargetBinding& binding) {
  if (!binding.texture) return 0;
  const TextureLayout::Mip& mip = binding.texture->layout.mip(binding.view ? binding.view->desc.baseMip : 0);
  return uint64_t{mip.rows} * mip.rowBytes;
}

/// Notes that the colour targets are about to be written.
void noteColorWrites(Submission& s, const DrawState& state) {
  for (uint32_t i = 0; i < state.colorTargetCount; ++i)
    if (Texture* texture = state.colorTargets[i].texture.get()) s.writes.note(*texture);
}

/// Notes that the buffers which shaders of the stage may write are about to be written.
void noteBufferWrites(Submission& s, const DrawState& state, Stage stage) {
  for (const BufferBinding& binding : state.stages[static_cast<size_t>(stage)].unorderedAccess)
    if (Buffer* buffer = binding.buffer.get()) s.writes.note(*buffer);
}

/// Notes that a draw is about to write what it may.
void noteDrawWrites(Submission& s, const DrawState& state) {
  noteColorWrites(s, state);
  if (Texture* depth = state.depthTarget.texture.get(); depth && writesDepthOrStencil(state.depthStencil))
    s.writes.note(*depth);
  if (state.shaders[static_cast<size_t>(Stage::Vertex)]->family == ShaderFamily::D3d9) return;
  for (size_t stage = 0; stage < kStageCount; ++stage)
    if (state.shaders[stage] && stage != static_cast<size_t>(Stage::Compute))
      noteBufferWrites(s, state, static_cast<Stage>(stage));
  for (size_t slot = 0; slot < kMaxStreamTargets; ++slot)
    if (Buffer* buffer = state.streamTargets[slot].get(); buffer && (state.streamOutput.slots >> slot & 1))
      s.writes.note(*buffer);
}

/// Succeeds if a draw streams nothing out, or can: SO-1, SO-8.
Result<void> checkStreams(Submission& s, const DrawState& state) {
  if (!streamsOut(state)) return {};
  const ShaderFamily family = state.shaders[static_cast<size_t>(Stage::Vertex)]->family;
  if (family == ShaderFamily::D3d9)
    return refused(ErrorCode::CmdDecode, "stream output needs shaders of models 4 and 5",
                   {{"vs kind", static_cast<uint8_t>(family)}});
  if (state.topology == Topology::TriangleFan)
    return Error{ErrorCode::Backend, "triangle fans are not streamed out", {}};
  return needOffered(s, AEROGPU_CAPS_STREAM_OUTPUT, "stream output is not supported");
}

/// Succeeds if a draw has a vertex shader and is not too large.
Result<void> checkDraw(Submission& s, const DrawState& state, uint32_t vertices, uint32_t instances) {
  if (!state.shaders[static_cast<size_t>(Stage::Vertex)])
    return refused(ErrorCode::CmdDecode, "draw without a vertex shader", {{"vs", 0u}});
  if (uint64_t{vertices} * instances > kMaxVerticesPerDraw)
    return refused(ErrorCode::OutOfBounds, "draw is too large",
                   {{"vertices", vertices}, {"instances", instances}, {"limit", kMaxVerticesPerDraw}});
  return checkStreams(s, state);
}

/// Returns false for a draw whose geometry shader takes other primitives: GEOM-3.
bool geometryFits(const DrawState& state) {
  const Shader* shader = state.shaders[static_cast<size_t>(Stage::Geometry)].get();
  return !shader || shader->gpu->geometry.inputVertices == verticesOf(state.topology);
}

/// Counts what a geometry shader does and emits at most for that many vertices: GEOM-5.
Result<void> takeGeometry(Submission& s, const DrawState& state, uint64_t vertices, uint64_t instances) {
  const Shader* shader = state.shaders[static_cast<size_t>(Stage::Geometry)].get();
  if (!shader) return {};
  const GeometryReach& reach = shader->gpu->geometry;
  const uint64_t primitives = mostPrimitives(state.topology, vertices) * instances;
  if (auto taken = s.work.take(Work::Vertices, primitives * reach.invocations, state.geometryWeight); !taken)
    return taken;
  return s.work.take(Work::Vertices, primitives * reach.outputVertices);
}

/// Counts what that many vertices stream out at most: SO-12.
Result<void> takeStreams(Submission& s, const DrawState& state, uint64_t vertices, uint64_t instances) {
  if (!streamsOut(state)) return {};
  constexpr uint64_t kMostOfPrimitive = 3;  // vertices, with all that a strip's vertex is part of
  uint64_t streamed = mostPrimitives(state.topology, vertices) * instances * kMostOfPrimitive;
  if (const Shader* shader = state.shaders[static_cast<size_t>(Stage::Geometry)].get())
    streamed *= shader->gpu->geometry.outputVertices;
  return s.work.take(Work::Bytes, mostStreamedBytes(state, streamed));
}

/// Counts a draw, right before the back end is asked for it.
Result<void> takeDraw(Submission& s, DrawState& state, uint64_t vertices, uint64_t instances) {
  if (auto taken = s.work.take(Work::Vertices, vertices * instances, state.vertexWeight); !taken)
    return taken;
  if (auto taken = takeGeometry(s, state, vertices, instances); !taken) return taken;
  if (auto taken = takeStreams(s, state, vertices, instances); !taken) return taken;
  if (auto taken = s.work.take(Work::Pixels, state.drawPixels, state.pixelWeight); !taken) return taken;
  if (auto within = s.work.needNotOver(Work::Bytes); !within) return within;  // see noteDrawn()
  s.stats.draws.add(1);
  noteDrawWrites(s, state);
  return {};
}

/// Counts what became known of a draw when it was done. Returns `drawn`.
Result<void> noteDrawn(Submission& s, DrawState& state, Result<void> drawn) {
  s.work.noteCompiled();
  // How much a draw copies only the back end knows, and only when it is done.
  if (state.copiedBytes != 0) s.work.note(Work::Bytes, std::exchange(state.copiedBytes, 0));
  return drawn;
}

}  // namespace

Result<void> runClear(Submission& s, const aerogpu_cmd_clear& c) {
  DrawState& state = s.contexts.state();
  ClearArgs args;
  args.color = c.flags & AEROGPU_CLEAR_COLOR;
  args.depth = c.flags & AEROGPU_CLEAR_DEPTH;
  args.stencil = c.flags & AEROGPU_CLEAR_STENCIL;
  for (size_t i = 0; i < 4; ++i) args.rgba[i] = std::bit_cast<float>(c.color_rgba_f32[i]);
  args.depthValue = std::bit_cast<float>(c.depth_f32);
  args.stencilValue = c.stencil;
  if (!args.color && !args.depth && !args.stencil) return {};
  if ((args.depth || args.stencil) && !state.depthTarget.texture)
    return refused(ErrorCode::CmdDecode, "depth or stencil clear without a depth-stencil target",
                   {{"flags", c.flags}});
  if (args.depth && !(args.depthValue >= 0 && args.depthValue <= 1))
    return refused(ErrorCode::CmdDecode, "clear depth is outside 0..1", {{"depth_f32", args.depthValue}});
  uint64_t bytes = args.depth || args.stencil ? targetBytes(state.depthTarget) : 0;
  if (args.color)
    for (uint32_t i = 0; i < state.colorTargetCount; ++i) bytes += targetBytes(state.colorTargets[i]);
  if (auto taken = s.work.take(Work::Bytes, bytes * state.targetLayers); !taken) return taken;
  if (args.color) noteColorWrites(s, state);
  if (args.depth || args.stencil) s.writes.note(*state.depthTarget.texture);
  return s.backend.clear(state, args);
}

Result<void> runDraw(Submission& s, const aerogpu_cmd_draw& c) {
  DrawState& state = s.contexts.state();
  if (c.vertex_count == 0 || c.instance_count == 0) return {};
  if (auto checked = checkDraw(s, state, c.vertex_count, c.instance_count); !checked) return checked;
  if (uint64_t{c.first_vertex} + c.vertex_count > UINT32_MAX)
    return refused(
        ErrorCode::OutOfBounds, "vertex numbers wrap",
        {{"first_vertex", c.first_vertex}, {"vertex_count", c.vertex_count}, {"limit", UINT32_MAX}});
  if (!geometryFits(state)) return {};
  if (auto taken = takeDraw(s, state, c.vertex_count, c.instance_count); !taken) return taken;
  return noteDrawn(
      s, state, s.backend.draw(state, {c.vertex_count, c.instance_count, c.first_vertex, c.first_instance}));
}

Result<void> runDrawIndexed(Submission& s, const aerogpu_cmd_draw_indexed& c) {
  DrawState& state = s.contexts.state();
  if (c.index_count == 0 || c.instance_count == 0) return {};
  if (auto checked = checkDraw(s, state, c.index_count, c.instance_count); !checked) return checked;
  const IndexBinding& indices = state.indexBuffer;
  if (!indices.buffer)
    return refused(ErrorCode::CmdDecode, "indexed draw without an index buffer", {{"index buffer", 0u}});
  // Indices past the end of their buffer are not drawn (DRAW-17).
  const uint64_t held = (indices.buffer->desc.sizeBytes - indices.offset) >> (indices.is32Bit ? 2 : 1);
  if (c.first_index >= held) return {};
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(c.index_count, held - c.first_index));
  if (!geometryFits(state)) return {};
  if (auto taken = takeDraw(s, state, count, c.instance_count); !taken) return taken;
  return noteDrawn(s, state,
                   s.backend.drawIndexed(
                       state, {count, c.instance_count, c.first_index, c.base_vertex, c.first_instance}));
}

Result<void> runExtDrawAuto(Submission& s, const aerogpu_cmd_ext_draw_auto&) {
  DrawState& state = s.contexts.state();
  const VertexStream& stream = state.vertexStreams[0];
  const uint64_t bytes = stream.buffer ? stream.buffer->desc.sizeBytes - stream.offset : 0;
  const uint64_t most = stream.stride ? bytes / stream.stride : 0;
  if (auto checked = checkDraw(s, state, static_cast<uint32_t>(std::min<uint64_t>(most, UINT32_MAX)), 1);
      !checked)
    return checked;
  if (auto offered = needOffered(s, AEROGPU_CAPS_STREAM_OUTPUT, "stream output is not supported"); !offered)
    return offered;
  if (most == 0 || !geometryFits(state)) return {};
  if (auto taken = takeDraw(s, state, most, 1); !taken) return taken;
  return noteDrawn(s, state, s.backend.drawAuto(state, static_cast<uint32_t>(most)));
}

Result<void> runDispatch(Submission& s, const aerogpu_cmd_dispatch& c) {
  DrawState& state = s.contexts.state();
  if (!state.shaders[static_cast<size_t>(Stage::Compute)])
    return refused(ErrorCode::CmdDecode, "dispatch without a compute shader", {{"cs", 0u}});
  constexpr uint32_t kMaxSide = 65535;  // D3D11_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION
  if (c.group_count_x > kMaxSide || c.group_count_y > kMaxSide || c.group_count_z > kMaxSide ||
      uint64_t{c.group_count_x} * c.group_count_y * c.group_count_z > kMaxGroupsPerDispatch)
    return refused(ErrorCode::OutOfBounds, "dispatch is too large",
                   {{"group_count_x", c.group_count_x},
                    {"group_count_y", c.group_count_y},
                    {"group_count_z", c.group_count_z},
                    {"limit of each", kMaxSide},
                    {"limit", kMaxGroupsPerDispatch}});
  if (c.group_count_x == 0 || c.group_count_y == 0 || c.group_count_z == 0) return {};
  const uint64_t groups = uint64_t{c.group_count_x} * c.group_count_y * c.group_count_z;
  const ShaderCost& cost = state.shaders[static_cast<size_t>(Stage::Compute)]->gpu->cost;
  if (auto taken = s.work.take(Work::Groups, groups, WorkBudget::weight(cost.instructions, cost.samples, 1));
      !taken)
    return taken;
  s.stats.dispatches.add(1);
  noteBufferWrites(s, state, Stage::Compute);
  auto dispatched = s.backend.dispatch(state, c.group_count_x, c.group_count_y, c.group_count_z);
  s.work.noteCompiled();
  return dispatched;
}

Result<void> runExtDrawInline(Submission& s, const aerogpu_cmd_ext_draw_inline& c,
                              std::span<const uint8_t> bytes) {
  DrawState& state = s.contexts.state();
  constexpr uint64_t kMostBytes = uint64_t{64} << 10;
  constexpr uint32_t kMaxStride = 2048;  // that of SET_VERTEX_BUFFERS
  if (c.vertex_stride_bytes > kMaxStride)
    return refused(ErrorCode::OutOfBounds, "vertex stride is over its limit",
                   {{"vertex_stride_bytes", c.vertex_stride_bytes}, {"limit", kMaxStride}});
  const bool is32Bit = c.index_format == AEROGPU_INDEX_FORMAT_UINT32;
  const uint64_t vertexBytes = uint64_t{c.vertex_count} * c.vertex_stride_bytes;
  const uint64_t indexBytes = uint64_t{c.index_count} * (is32Bit ? 4 : 2);
  if (vertexBytes + indexBytes > kMostBytes)
    return refused(ErrorCode::OutOfBounds, "more vertices and indices than one packet may hold",
                   {{"vertex_count", c.vertex_count},
                    {"vertex_stride_bytes", c.vertex_stride_bytes},
                    {"index_count", c.index_count},
                    {"bytes", vertexBytes + indexBytes},
                    {"limit", kMostBytes}});
  const uint64_t firstIndex = (vertexBytes + 3) & ~uint64_t{3};
  if ((indexBytes ? firstIndex + indexBytes : vertexBytes) > bytes.size())
    return refused(ErrorCode::CmdDecode, "vertices or indices run past the packet",
                   {{"vertex_count", c.vertex_count},
                    {"vertex_stride_bytes", c.vertex_stride_bytes},
                    {"index_count", c.index_count},
                    {"index_format", c.index_format},
                    {"limit", bytes.size()}});
  if (c.vertex_count == 0) return {};
  const uint32_t drawn = c.index_count != 0 ? c.index_count : c.vertex_count;
  if (auto checked = checkDraw(s, state, drawn, 1); !checked) return checked;
  if (!geometryFits(state)) return {};
  if (auto taken = s.work.take(Work::Bytes, vertexBytes + indexBytes); !taken) return taken;
  if (auto taken = takeDraw(s, state, drawn, 1); !taken) return taken;
  s.stats.uploadBytes.add(vertexBytes + indexBytes);
  InlineDraw draw{
      bytes.first(vertexBytes), c.vertex_count, c.vertex_stride_bytes, {}, c.index_count, is32Bit};
  if (indexBytes != 0) draw.indices = bytes.subspan(firstIndex, indexBytes);
  return noteDrawn(s, state, s.backend.drawInline(state, draw));
}

}  // namespace aerogpu::core
