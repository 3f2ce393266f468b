// SPDX-License-Identifier: MIT
// Vertex and index buffers, textures, samplers, the D3D10-style buffer tables. A packet that binds several
// things looks all of them up before it binds any.
#include <array>
#include <span>
#include <utility>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/cmd/stage.h"
#include "renderer/core/announced.h"
#include "renderer/core/caps.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/d3d10_states.h"
#include "renderer/core/d3d9_states.h"
#include "renderer/core/draw_cost.h"
#include "renderer/core/format.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/lacking.h"
#include "renderer/core/object_charge.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/state.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

namespace {

/// True if `count` slots from `start` on lie in a table of `limit`.
bool slotsFit(uint32_t start, size_t count, uint32_t limit) {
  return start <= limit && count <= limit - start;
}

Error noSlots(const char* what, uint32_t start, size_t count, uint32_t limit) {
  return refused(ErrorCode::OutOfBounds, what, {{"start_slot", start}, {"slots", count}, {"limit", limit}});
}

void setSampler(Submission& s, Stage stage, size_t slot, const SamplerState& state) {
  s.contexts.bindings(stage).samplers[slot] = state;
  if (stage == Stage::Pixel) noteFilter(s.contexts.state(), state);
  s.contexts.dirtyStage(stage, kDirtySamplers);
}

/// Resolves a range of a buffer; size 0 means to its end.
Result<BufferBinding> resolve(Buffer& buffer, uint32_t offset, uint32_t size) {
  if (offset > buffer.desc.sizeBytes || size > buffer.desc.sizeBytes - offset)
    return refused(ErrorCode::OutOfBounds, "binding reaches past the buffer",
                   {{"offset_bytes", offset}, {"size_bytes", size}, {"limit", buffer.desc.sizeBytes}});
  BufferBinding binding;
  binding.offset = offset;
  binding.size = size ? size : static_cast<uint32_t>(buffer.desc.sizeBytes - offset);
  if (binding.size == 0)
    return refused(ErrorCode::OutOfBounds, "binding is empty",
                   {{"offset_bytes", offset}, {"limit", buffer.desc.sizeBytes}});
  binding.buffer = Ref<Buffer>(&buffer);
  return binding;
}

/// Binds the buffers of a packet's list to slots of a stage, after all are looked up and their ranges
/// checked. Handle 0 empties a slot. `bind`: (StageBindings&, slot, element of the list, BufferBinding&&).
template <uint32_t kSlots, class Packet, class Wire, class Bind>
Result<void> setBuffers(Submission& s, const Packet& c, std::span<const Wire> list, const char* noSlot,
                        const char* noBuffer, uint32_t dirty, const Bind& bind) {
  const auto where = cmd::stageOf(c.shader_stage, c.reserved0, s.minor);
  if (!where) return where.error();
  if (!slotsFit(c.start_slot, list.size(), kSlots)) return noSlots(noSlot, c.start_slot, list.size(), kSlots);
  std::array<BufferBinding, kSlots> resolved;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].buffer == 0) continue;
    const auto buffer = s.handles.need<Buffer>(list[i].buffer, noBuffer);
    if (!buffer) return buffer.error();
    auto binding = resolve(**buffer, list[i].offset_bytes, list[i].size_bytes);
    if (!binding) return binding.error();
    resolved[i] = std::move(*binding);
  }
  StageBindings& bindings = s.contexts.bindings(*where);
  for (size_t i = 0; i < list.size(); ++i) bind(bindings, c.start_slot + i, list[i], std::move(resolved[i]));
  s.contexts.dirtyStage(*where, dirty);
  return {};
}

/// Succeeds if a view of a buffer has words, or whole texels of a format that views of buffers have (DXR-6).
Result<void> needTexels(const Submission& s, const aerogpu_shader_resource_buffer_binding& view) {
  if (view.buffer == 0 || view.reserved0 == 0) return {};
  const FormatInfo* format = findFormat(view.reserved0);
  if (!format || !(possibleFormatCaps(*format) & AEROGPU_FORMAT_CAP_VERTEX))
    return refused(ErrorCode::CmdDecode, "format that views of buffers do not have",
                   {{"reserved0", view.reserved0}});
  if (!(s.announced.formatCaps(format->format).caps & AEROGPU_FORMAT_CAP_VERTEX))
    return refused(ErrorCode::Backend, "this GPU has no views of buffers in that format",
                   {{"reserved0", view.reserved0}});
  if (view.offset_bytes % format->blockBytes != 0)
    return refused(ErrorCode::CmdDecode, "view of a buffer begins within a texel",
                   {{"offset_bytes", view.offset_bytes}, {"bytes", format->blockBytes}});
  return {};
}

constexpr uint32_t kMaxStride =
    2048;  // D3D11_REQ_..._STRUCTURE_IN_BYTES; Vulkan's required maxVertexInputBindingStride

}  // namespace

Result<void> runSetVertexBuffers(Submission& s, const aerogpu_cmd_set_vertex_buffers& c,
                                 std::span<const aerogpu_vertex_buffer_binding> bindings) {
  DrawState& state = s.contexts.state();
  if (!slotsFit(c.start_slot, bindings.size(), kMaxVertexStreams))
    return noSlots("no such vertex buffer slot", c.start_slot, bindings.size(), kMaxVertexStreams);
  std::array<VertexStream, kMaxVertexStreams> streams;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const aerogpu_vertex_buffer_binding& b = bindings[i];
    if (b.buffer == 0) continue;
    const auto buffer = s.handles.need<Buffer>(b.buffer, "no such vertex buffer");
    if (!buffer) return buffer.error();
    if (b.stride_bytes > kMaxStride)
      return refused(ErrorCode::OutOfBounds, "vertex stride is over its limit",
                     {{"stride_bytes", b.stride_bytes}, {"limit", kMaxStride}});
    if (b.offset_bytes > (*buffer)->desc.sizeBytes)
      return refused(ErrorCode::OutOfBounds, "vertex stream starts past its buffer",
                     {{"offset_bytes", b.offset_bytes}, {"limit", (*buffer)->desc.sizeBytes}});
    streams[i] = {Ref<Buffer>(*buffer), b.stride_bytes, b.offset_bytes, 0};
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    VertexStream& stream = state.vertexStreams[c.start_slot + i];
    streams[i].step = stream.step;  // XSTATE-10: the stream's, not the buffer's
    stream = std::move(streams[i]);
  }
  state.dirty |= kDirtyVertexStreams;
  return {};
}

Result<void> runSetIndexBuffer(Submission& s, const aerogpu_cmd_set_index_buffer& c) {
  DrawState& state = s.contexts.state();
  IndexBinding binding;
  if (c.buffer != 0) {
    const auto buffer = s.handles.need<Buffer>(c.buffer, "no such index buffer");
    if (!buffer) return buffer.error();
    binding.is32Bit = c.format == AEROGPU_INDEX_FORMAT_UINT32;
    if (c.offset_bytes > (*buffer)->desc.sizeBytes)
      return refused(ErrorCode::OutOfBounds, "indices start past their buffer",
                     {{"offset_bytes", c.offset_bytes}, {"limit", (*buffer)->desc.sizeBytes}});
    if (c.offset_bytes % (binding.is32Bit ? 4 : 2))
      return refused(ErrorCode::CmdDecode, "indices are not aligned",
                     {{"offset_bytes", c.offset_bytes}, {"format", c.format}});
    binding.offset = c.offset_bytes;
    binding.buffer = Ref<Buffer>(*buffer);
  }
  state.indexBuffer = std::move(binding);
  state.dirty |= kDirtyIndexBuffer;
  return {};
}

Result<void> runSetPrimitiveTopology(Submission& s, const aerogpu_cmd_set_primitive_topology& c) {
  DrawState& state = s.contexts.state();
  state.topology = static_cast<Topology>(c.topology);
  state.dirty |= kDirtyTopology;
  return {};
}

Result<void> runSetTexture(Submission& s, const aerogpu_cmd_set_texture& c) {
  const auto where = cmd::stageOf(c.shader_stage, c.reserved0, s.minor);
  if (!where) return where.error();
  if (c.slot >= kMaxShaderResources)
    return refused(ErrorCode::OutOfBounds, "no such texture slot",
                   {{"slot", c.slot}, {"of", kMaxShaderResources}});
  ShaderResourceBinding binding;
  if (Texture* texture = s.handles.get<Texture>(c.texture)) {
    binding.texture = Ref<Texture>(texture);
  } else if (View* view = s.handles.get<View>(c.texture)) {
    binding.view = Ref<View>(view);
    binding.texture = view->texture;
  } else if (c.texture != 0) {
    return refused(ErrorCode::CmdDecode, "neither a texture nor a view", {{"texture", c.texture}});
  }
  s.contexts.bindings(*where).resources[c.slot] = std::move(binding);
  s.contexts.dirtyStage(*where, kDirtyResources);
  return {};
}

Result<void> runSetSamplerState(Submission& s, const aerogpu_cmd_set_sampler_state& c) {
  const auto where = cmd::stageOf(c.shader_stage, 0, s.minor);
  if (!where) return where.error();
  if (c.slot >= kMaxSamplers)
    return refused(ErrorCode::OutOfBounds, "no such sampler slot", {{"slot", c.slot}, {"of", kMaxSamplers}});
  SamplerState& sampler = s.contexts.bindings(*where).samplers[c.slot];
  if (setSamplerState(sampler, c.state, c.value)) {
    s.contexts.dirtyStage(*where, kDirtySamplers);
    if (*where == Stage::Pixel) noteFilter(s.contexts.state(), sampler);
  }
  return {};
}

Result<void> runCreateSampler(Submission& s, const aerogpu_cmd_create_sampler& c) {
  if (auto free = s.space.needFreeHandle(c.sampler_handle); !free) return free;
  auto charge = chargeObject(s.hostMemory);
  if (!charge) return charge.error();
  auto sampler = makeRef<Sampler>();
  sampler->charge = std::move(*charge);
  sampler->state = samplerFromPacket(c);
  s.handles.insert(c.sampler_handle, sampler);
  return {};
}

Result<void> runDestroySampler(Submission& s, const aerogpu_cmd_destroy_sampler& c) {
  if (const auto found = s.handles.need<Sampler>(c.sampler_handle, "no such sampler"); !found)
    return found.error();
  s.handles.remove(c.sampler_handle);
  return {};
}

Result<void> runSetSamplers(Submission& s, const aerogpu_cmd_set_samplers& c,
                            std::span<const uint32_t> handles) {
  const auto where = cmd::stageOf(c.shader_stage, c.reserved0, s.minor);
  if (!where) return where.error();
  if (!slotsFit(c.start_slot, handles.size(), kMaxSamplers))
    return noSlots("no such sampler slot", c.start_slot, handles.size(), kMaxSamplers);
  std::array<SamplerState, kMaxSamplers> states;  // 0 = Direct3D's default sampler
  for (size_t i = 0; i < handles.size(); ++i) {
    if (handles[i] == 0) continue;
    const auto sampler = s.handles.need<Sampler>(handles[i], "no such sampler");
    if (!sampler) return sampler.error();
    states[i] = (*sampler)->state;
  }
  for (size_t i = 0; i < handles.size(); ++i) setSampler(s, *where, c.start_slot + i, states[i]);
  return {};
}

Result<void> runExtSetSamplers(Submission& s, const aerogpu_cmd_ext_set_samplers& c,
                               std::span<const aerogpu_ext_sampler> blocks) {
  if (auto there = needD3d10States(s); !there) return there;
  const auto where = cmd::stageOf(c.shader_stage, c.reserved0, s.minor);
  if (!where) return where.error();
  if (!slotsFit(c.start_slot, blocks.size(), kMaxSamplers))
    return noSlots("no such sampler slot", c.start_slot, blocks.size(), kMaxSamplers);
  std::array<SamplerState, kMaxSamplers> states;
  for (size_t i = 0; i < blocks.size(); ++i) {
    auto state = samplerFromBlock(blocks[i]);
    if (!state) return state.error();
    states[i] = *state;
  }
  for (size_t i = 0; i < blocks.size(); ++i) setSampler(s, *where, c.start_slot + i, states[i]);
  return {};
}

Result<void> runSetConstantBuffers(Submission& s, const aerogpu_cmd_set_constant_buffers& c,
                                   std::span<const aerogpu_constant_buffer_binding> list) {
  return setBuffers<kMaxConstantBuffers>(
      s, c, list, "no such constant buffer slot", "no such constant buffer", kDirtyConstantBuffers,
      [](StageBindings& bindings, size_t slot, const auto&, BufferBinding&& from) {
        bindings.constantBuffers[slot] = std::move(from);
      });
}

Result<void> runSetShaderResourceBuffers(Submission& s, const aerogpu_cmd_set_shader_resource_buffers& c,
                                         std::span<const aerogpu_shader_resource_buffer_binding> list) {
  const bool typed = s.announced.has(AEROGPU_CAPS_D3D10_RESOURCES);  // else the field is ignored
  for (const aerogpu_shader_resource_buffer_binding& b : list)
    if (auto texels = typed ? needTexels(s, b) : Result<void>{}; !texels) return texels;
  return setBuffers<kMaxShaderResources>(
      s, c, list, "no such resource slot", "no such buffer", kDirtyResources,
      [&](StageBindings& bindings, size_t slot, const auto& element, BufferBinding&& from) {
        const auto format = static_cast<aerogpu_format>(typed && from.buffer ? element.reserved0 : 0);
        bindings.resources[slot] = {{}, {}, std::move(from.buffer), from.offset, from.size, format};
      });
}

Result<void> runSetUnorderedAccessBuffers(Submission& s, const aerogpu_cmd_set_unordered_access_buffers& c,
                                          std::span<const aerogpu_unordered_access_buffer_binding> list) {
  return setBuffers<kMaxUnorderedAccess>(
      s, c, list, "no such unordered access slot", "no such buffer", kDirtyUnorderedAccess,
      [](StageBindings& bindings, size_t slot, const auto& element, BufferBinding&& from) {
        if (from.buffer) from.initialCount = element.initial_count;
        bindings.unorderedAccess[slot] = std::move(from);
      });
}

}  // namespace aerogpu::core
