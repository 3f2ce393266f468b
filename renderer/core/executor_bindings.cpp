// SPDX-License-Identifier: MIT
// Executor: vertex and index buffers, textures, samplers, the D3D10-style buffer tables. A packet that binds
// several things looks all of them up before it binds any.
#include "renderer/core/d3d9_states.h"
#include "renderer/core/executor.h"

namespace aerogpu::core {

namespace {

/// `count` slots from `start` on lie in a table of `limit`.
bool slotsFit(uint32_t start, size_t count, uint32_t limit) {
  return start <= limit && count <= limit - start;
}

/// Resolves a range of a buffer; size 0 means to its end.
Result<BufferBinding> resolve(Buffer& buffer, uint32_t offset, uint32_t size) {
  if (offset > buffer.desc.sizeBytes || size > buffer.desc.sizeBytes - offset)
    return Error{ErrorCode::OutOfBounds, "binding reaches past the buffer"};
  BufferBinding binding;
  binding.offset = offset;
  binding.size = size ? size : static_cast<uint32_t>(buffer.desc.sizeBytes - offset);
  if (binding.size == 0) return Error{ErrorCode::OutOfBounds, "binding is empty"};
  binding.buffer = Ref<Buffer>(&buffer);
  return binding;
}

/// Looks up the buffers of a packet's list and checks their ranges, before any slot changes. Handle 0 empties
/// a slot. `need`: handle -> Result<Buffer*>.
template <class Wire, class Need>
Result<void> resolveAll(std::span<const Wire> list, std::span<BufferBinding> out, const Need& need) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].buffer == 0) continue;
    const auto buffer = need(list[i].buffer);
    if (!buffer) return buffer.error();
    auto binding = resolve(**buffer, list[i].offset_bytes, list[i].size_bytes);
    if (!binding) return binding.error();
    out[i] = std::move(*binding);
  }
  return {};
}

constexpr uint32_t kMaxStride =
    2048;  // D3D11_REQ_..._STRUCTURE_IN_BYTES; Vulkan's required maxVertexInputBindingStride

}  // namespace

Result<void> Executor::run(const aerogpu_cmd_set_vertex_buffers& c,
                           std::span<const aerogpu_vertex_buffer_binding> bindings) {
  if (!slotsFit(c.start_slot, bindings.size(), kMaxVertexStreams))
    return Error{ErrorCode::OutOfBounds, "no such vertex buffer slot"};
  std::array<VertexStream, kMaxVertexStreams> streams;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const aerogpu_vertex_buffer_binding& b = bindings[i];
    if (b.buffer == 0) continue;
    const auto buffer = need<Buffer>(b.buffer, "no such vertex buffer");
    if (!buffer) return buffer.error();
    if (b.stride_bytes > kMaxStride) return Error{ErrorCode::OutOfBounds, "vertex stride is over 2048"};
    if (b.offset_bytes > (*buffer)->desc.sizeBytes)
      return Error{ErrorCode::OutOfBounds, "vertex stream starts past its buffer"};
    streams[i] = {Ref<Buffer>(*buffer), b.stride_bytes, b.offset_bytes, 0};
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    VertexStream& stream = state().vertexStreams[c.start_slot + i];
    streams[i].step = stream.step;  // XSTATE-10: the stream's, not the buffer's
    stream = std::move(streams[i]);
  }
  state().dirty |= kDirtyVertexStreams;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_index_buffer& c) {
  IndexBinding binding;
  if (c.buffer != 0) {
    const auto buffer = need<Buffer>(c.buffer, "no such index buffer");
    if (!buffer) return buffer.error();
    binding.is32Bit = c.format == AEROGPU_INDEX_FORMAT_UINT32;
    if (c.offset_bytes > (*buffer)->desc.sizeBytes)
      return Error{ErrorCode::OutOfBounds, "indices start past their buffer"};
    if (c.offset_bytes % (binding.is32Bit ? 4 : 2))
      return Error{ErrorCode::CmdDecode, "indices are not aligned"};
    binding.offset = c.offset_bytes;
    binding.buffer = Ref<Buffer>(*buffer);
  }
  state().indexBuffer = std::move(binding);
  state().dirty |= kDirtyIndexBuffer;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_primitive_topology& c) {
  state().topology = static_cast<Topology>(c.topology);
  state().dirty |= kDirtyTopology;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_texture& c) {
  const auto where = stage(c.shader_stage, c.reserved0);
  if (!where) return where.error();
  if (c.slot >= kMaxShaderResources) return Error{ErrorCode::OutOfBounds, "no such texture slot"};
  ShaderResourceBinding binding;
  if (Texture* texture = m_handles.get<Texture>(c.texture)) {
    binding.texture = Ref<Texture>(texture);
  } else if (View* view = m_handles.get<View>(c.texture)) {
    binding.view = Ref<View>(view);
    binding.texture = view->texture;
  } else if (c.texture != 0) {
    return Error{ErrorCode::CmdDecode, "neither a texture nor a view"};
  }
  bindings(*where).resources[c.slot] = std::move(binding);
  dirtyStage(*where, kDirtyResources);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_sampler_state& c) {
  const auto where = stage(c.shader_stage, 0);
  if (!where) return where.error();
  if (c.slot >= kMaxSamplers) return Error{ErrorCode::OutOfBounds, "no such sampler slot"};
  if (setSamplerState(bindings(*where).samplers[c.slot], c.state, c.value))
    dirtyStage(*where, kDirtySamplers);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_create_sampler& c) {
  if (auto free = needFreeHandle(c.sampler_handle); !free) return free;
  auto charge = chargeObject();
  if (!charge) return charge.error();
  auto sampler = makeRef<Sampler>();
  sampler->charge = std::move(*charge);
  sampler->state = samplerFromPacket(c);
  m_handles.insert(c.sampler_handle, sampler);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_destroy_sampler& c) {
  if (!m_handles.get<Sampler>(c.sampler_handle)) return Error{ErrorCode::CmdDecode, "no such sampler"};
  m_handles.remove(c.sampler_handle);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_samplers& c, std::span<const uint32_t> handles) {
  const auto where = stage(c.shader_stage, c.reserved0);
  if (!where) return where.error();
  if (!slotsFit(c.start_slot, handles.size(), kMaxSamplers))
    return Error{ErrorCode::OutOfBounds, "no such sampler slot"};
  std::array<SamplerState, kMaxSamplers> states;  // 0 = Direct3D's default sampler
  for (size_t i = 0; i < handles.size(); ++i) {
    if (handles[i] == 0) continue;
    const auto sampler = need<Sampler>(handles[i], "no such sampler");
    if (!sampler) return sampler.error();
    states[i] = (*sampler)->state;
  }
  for (size_t i = 0; i < handles.size(); ++i) bindings(*where).samplers[c.start_slot + i] = states[i];
  dirtyStage(*where, kDirtySamplers);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_constant_buffers& c,
                           std::span<const aerogpu_constant_buffer_binding> list) {
  const auto where = stage(c.shader_stage, c.reserved0);
  if (!where) return where.error();
  if (!slotsFit(c.start_slot, list.size(), kMaxConstantBuffers))
    return Error{ErrorCode::OutOfBounds, "no such constant buffer slot"};
  std::array<BufferBinding, kMaxConstantBuffers> resolved;
  const auto lookUp = [this](uint32_t handle) { return need<Buffer>(handle, "no such constant buffer"); };
  if (auto all = resolveAll(list, std::span<BufferBinding>(resolved), lookUp); !all) return all;
  for (size_t i = 0; i < list.size(); ++i)
    bindings(*where).constantBuffers[c.start_slot + i] = std::move(resolved[i]);
  dirtyStage(*where, kDirtyConstantBuffers);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_shader_resource_buffers& c,
                           std::span<const aerogpu_shader_resource_buffer_binding> list) {
  const auto where = stage(c.shader_stage, c.reserved0);
  if (!where) return where.error();
  if (!slotsFit(c.start_slot, list.size(), kMaxShaderResources))
    return Error{ErrorCode::OutOfBounds, "no such resource slot"};
  std::array<BufferBinding, kMaxShaderResources> resolved;
  const auto lookUp = [this](uint32_t handle) { return need<Buffer>(handle, "no such buffer"); };
  if (auto all = resolveAll(list, std::span<BufferBinding>(resolved), lookUp); !all) return all;
  for (size_t i = 0; i < list.size(); ++i) {
    BufferBinding& from = resolved[i];
    bindings(*where).resources[c.start_slot + i] = {{}, {}, std::move(from.buffer), from.offset, from.size};
  }
  dirtyStage(*where, kDirtyResources);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_unordered_access_buffers& c,
                           std::span<const aerogpu_unordered_access_buffer_binding> list) {
  const auto where = stage(c.shader_stage, c.reserved0);
  if (!where) return where.error();
  if (!slotsFit(c.start_slot, list.size(), kMaxUnorderedAccess))
    return Error{ErrorCode::OutOfBounds, "no such unordered access slot"};
  std::array<BufferBinding, kMaxUnorderedAccess> resolved;
  const auto lookUp = [this](uint32_t handle) { return need<Buffer>(handle, "no such buffer"); };
  if (auto all = resolveAll(list, std::span<BufferBinding>(resolved), lookUp); !all) return all;
  for (size_t i = 0; i < list.size(); ++i) {
    if (resolved[i].buffer) resolved[i].initialCount = list[i].initial_count;
    bindings(*where).unorderedAccess[c.start_slot + i] = std::move(resolved[i]);
  }
  dirtyStage(*where, kDirtyUnorderedAccess);
  return {};
}

}  // namespace aerogpu::core
