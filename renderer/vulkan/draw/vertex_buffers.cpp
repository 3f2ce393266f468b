// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/vertex_buffers.h"

#include <algorithm>
#include <cstring>

#include "renderer/vulkan/objects/buffer.h"

namespace aerogpu::vk {

Result<void> VertexBuffers::match(const core::DrawState& state, const DrawShaders& shaders) {
  if (m_vs == shaders.vsModule->serial && m_layout == state.inputLayout && !stepsChanged(state)) return {};
  auto fetch = matchInputs(*m_gpu.device, *shaders.vs, state);
  if (!fetch) return fetch.error();
  m_fetch = *fetch;
  m_vs = shaders.vsModule->serial;
  m_layout = state.inputLayout;
  m_changed = true;
  return {};
}

Result<void> VertexBuffers::bring(const core::InlineDraw* draw) {
  m_brought = {};
  if (!draw) return {};
  if (draw->indices.empty() && !draw->vertices.empty() && draw->vertices.size() <= kRunBytes / 4)
    return appendToRun(*draw);
  const uint64_t vertexBytes = draw->vertices.size(), firstIndex = (vertexBytes + 3) & ~uint64_t{3};
  auto staged = m_gpu.recorder->stage(firstIndex + draw->indices.size());
  if (!staged) return staged.error();
  m_brought.vertices = m_brought.indices = *staged;
  m_brought.indices.offset += firstIndex;
  m_brought.vertexBytes = vertexBytes;
  m_brought.stride = draw->stride;
  m_brought.is32Bit = draw->is32Bit;
  std::memcpy(staged->mapped(), draw->vertices.data(), vertexBytes);
  if (!draw->indices.empty())
    std::memcpy(m_brought.indices.mapped(), draw->indices.data(), draw->indices.size());
  return {};
}

Result<void> VertexBuffers::appendToRun(const core::InlineDraw& draw) {
  // A run stays within one batch: staged bytes live no longer.
  const uint64_t batch = m_gpu.recorder->batch();
  if (m_run.batch != batch || m_run.stride != draw.stride ||
      m_run.memory.size - m_run.used < draw.vertices.size()) {
    auto staged = m_gpu.recorder->stage(kRunBytes);
    if (!staged) return staged.error();
    m_run = {*staged, m_run.number + 1, 0, m_gpu.recorder->batch(), draw.stride, 0};
  }
  m_brought.run = m_run.number;
  m_brought.firstOfRun = m_run.vertices;
  m_brought.vertices = m_run.memory;
  m_brought.vertices.offset += m_run.used;
  m_brought.vertices.size = m_brought.vertexBytes = draw.vertices.size();
  m_brought.stride = draw.stride;
  std::memcpy(m_brought.vertices.mapped(), draw.vertices.data(), draw.vertices.size());
  m_run.used += draw.vertices.size();
  m_run.vertices += draw.vertexCount;
  return {};
}

bool VertexBuffers::stepsChanged(const core::DrawState& state) const {
  for (uint32_t i = 0; i < m_fetch.bindingCount; ++i)
    if (m_fetch.streams[i] < core::kMaxVertexStreams &&
        m_fetch.steps[i] != state.vertexStreams[m_fetch.streams[i]].step)
      return true;
  return false;
}

void VertexBuffers::gather(const core::DrawState& state, bool indexed) {
  for (uint32_t i = 0; i < m_fetch.bindingCount; ++i) {
    if (m_fetch.streams[i] >= core::kMaxVertexStreams) continue;
    if (m_fetch.streams[i] == 0 && brought()) continue;
    const core::VertexStream& stream = state.vertexStreams[m_fetch.streams[i]];
    if (stream.buffer) BufferObject::of(*stream.buffer).settleWrites();
  }
  if (indexed && !brought() && state.indexBuffer.buffer)
    BufferObject::of(*state.indexBuffer.buffer).settleWrites();
}

bool VertexBuffers::rangeOfIndices(const core::DrawState& state, const Drawn& drawn, uint32_t& least,
                                   uint32_t& most) const {
  constexpr uint32_t kMost = 1u << 16;  // beyond this a search costs more than it can save
  if (drawn.count > kMost) return false;
  const auto scan = [&]<class Index>(const Index* indices) {
    Index low = indices[0], high = indices[0];
    for (uint32_t i = 1; i < drawn.count; ++i) {
      low = std::min(low, indices[i]);
      high = std::max(high, indices[i]);
    }
    least = low;
    most = high;
  };
  const uint8_t* bytes = nullptr;
  bool is32Bit = m_brought.is32Bit;
  if (brought()) {
    bytes = m_brought.indices.mapped();
  } else {
    const core::IndexBinding& binding = state.indexBuffer;
    is32Bit = binding.is32Bit;
    const uint64_t size = is32Bit ? 4 : 2, lo = binding.offset + drawn.first * size;
    bytes = BufferObject::of(*binding.buffer).hostBytes(lo, lo + drawn.count * size);
  }
  if (!bytes) return false;
  if (is32Bit)
    scan(reinterpret_cast<const uint32_t*>(bytes));
  else
    scan(reinterpret_cast<const uint16_t*>(bytes));
  return true;
}

VertexBuffers::Span VertexBuffers::spanOf(uint32_t binding, const core::VertexStream& stream, uint64_t size,
                                          uint64_t first, uint64_t last) const {
  const uint64_t lo = stream.offset + first * stream.stride;
  const uint64_t hi = stream.offset + last * stream.stride + m_fetch.extents[binding];
  return {std::min(lo, size), std::min(hi, size)};
}

Result<void> VertexBuffers::boundBrought(const core::DrawState& state, const Drawn& drawn) {
  bool beyond = false;
  for (uint32_t i = 0; i < m_fetch.bindingCount; ++i)
    beyond |= m_fetch.streams[i] == 0 && m_fetch.extents[i] > m_brought.stride;
  uint32_t least = 0, most = 0;
  if (drawn.indexed && !beyond)
    beyond = !rangeOfIndices(state, drawn, least, most) || most >= m_brought.vertexBytes / m_brought.stride;
  if (!beyond) return {};
  auto bounded = m_gpu.buffers->allocate(m_brought.vertexBytes, 256);
  if (!bounded) return bounded.error();
  std::memcpy(bounded->mapped(), m_brought.vertices.mapped(), m_brought.vertexBytes);
  m_gpu.recorder->retire(*m_gpu.buffers, *bounded);
  m_brought.vertices = *bounded;
  m_brought.run = 0;
  return {};
}

Result<void> VertexBuffers::ready(const core::DrawState& state, const Drawn& drawn, bool movable) {
  const bool unbounded = m_gpu.device->caps().boundByBuffers;
  if (unbounded && brought())
    if (auto bounded = boundBrought(state, drawn); !bounded) return bounded;
  m_wasMoved = m_moved;
  m_moved = {};
  m_movable = movable;
  BufferObject* indices = nullptr;
  Span indexSpan{};
  if (drawn.indexed && !brought() && state.indexBuffer.buffer) {
    const core::IndexBinding& binding = state.indexBuffer;
    const uint64_t size = binding.is32Bit ? 4 : 2;
    indices = &BufferObject::of(*binding.buffer);
    indexSpan.lo = binding.offset + drawn.first * size;
    indexSpan.hi = indexSpan.lo + drawn.count * size;
  }
  const auto streamOf = [&](uint32_t binding) -> const core::VertexStream* {
    const uint32_t slot = m_fetch.streams[binding];
    if (slot >= core::kMaxVertexStreams || (slot == 0 && brought())) return nullptr;
    const core::VertexStream& stream = state.vertexStreams[slot];
    return stream.buffer ? &stream : nullptr;
  };
  // The vertex numbers are known without indices; indices are read only if that can pay.
  bool known = !drawn.indexed;
  uint64_t first = drawn.first, last = uint64_t{drawn.first} + drawn.count - 1;
  if (drawn.indexed) {
    bool streamed = false;
    for (uint32_t i = 0; i < m_fetch.bindingCount; ++i)
      if (const core::VertexStream* stream = streamOf(i))
        streamed |= BufferObject::of(*stream->buffer).streamed();
    uint32_t least = 0, most = 0;
    if (streamed && rangeOfIndices(state, drawn, least, most) && int64_t{least} + drawn.base >= 0) {
      known = true;
      first = static_cast<uint64_t>(int64_t{least} + drawn.base);
      last = static_cast<uint64_t>(int64_t{most} + drawn.base);
    }
  }
  known &= last < INT32_MAX;
  // A fetch can move bytes that another fetch of the same buffer has located: then all are located again.
  for (int round = 0; round < 2; ++round) {
    bool moved = false;
    if (indices && indexSpan.lo < indexSpan.hi) {
      m_moved.indices = indices->fetch(indexSpan.lo, indexSpan.hi, core::kDirtyIndexBuffer, true);
      moved |= m_moved.indices;
    }
    for (uint32_t i = 0; i < m_fetch.bindingCount; ++i) {
      const core::VertexStream* stream = streamOf(i);
      if (!stream) continue;
      BufferObject& buffer = BufferObject::of(*stream->buffer);
      Span span{0, buffer.size()};
      bool exact = known && m_fetch.divisors[i] == ~0u;
      // Windows end at their size; a GPU that ignores it, or may ignore it, must fetch from the buffer's
      // home.
      if (unbounded && exact)
        exact = stream->offset + last * stream->stride + m_fetch.extents[i] <= buffer.size();
      if (exact) span = spanOf(i, *stream, buffer.size(), first, last);
      if (span.lo >= span.hi) continue;
      moved |= buffer.fetch(span.lo, span.hi, core::kDirtyVertexStreams, exact && movable);
    }
    if (!moved) break;
    m_moved.streams = true;
  }
  m_moved.index = indexSpan.lo;
  m_moved.vertex = static_cast<int32_t>(known ? first : 0);
  if (!known || !movable) m_moved.streams = false;
  return {};
}

Result<void> VertexBuffers::bind(const core::DrawState& state, bool fresh) {
  const Device& device = *m_gpu.device;
  const DeviceTable& vk = device.vk();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  const uint32_t count = m_fetch.bindingCount;
  VkBuffer buffers[VertexFetch::kMax];
  VkDeviceSize offsets[VertexFetch::kMax], sizes[VertexFetch::kMax], strides[VertexFetch::kMax];
  m_bound = {};
  for (uint32_t i = 0; i < count; ++i) {
    // Unbound streams, and those whose offset is past the end, read zero.
    buffers[i] = m_standIns.zeros().buffer();
    offsets[i] = m_standIns.zeros().at();
    sizes[i] = m_standIns.zeros().size;
    strides[i] = 0;
    if (m_fetch.streams[i] >= core::kMaxVertexStreams) continue;
    if (m_fetch.streams[i] == 0 && brought()) {
      const uint64_t vertices = m_moved.streams && m_fetch.divisors[i] == ~0u ? uint64_t(m_moved.vertex) : 0;
      const uint64_t skipped = std::min(vertices * m_brought.stride, m_brought.vertexBytes);
      if (skipped == m_brought.vertexBytes) continue;
      if (m_brought.run && m_movable && fetchesOnlyBrought()) {
        m_bound = {m_brought.run, m_gpu.recorder->commandBufferId(), m_brought.stride};
        buffers[i] = m_run.memory.buffer();
        offsets[i] = m_run.memory.offset;
        sizes[i] = m_run.memory.size;
        strides[i] = m_brought.stride;
        continue;
      }
      buffers[i] = m_brought.vertices.buffer();
      offsets[i] = m_brought.vertices.at() + skipped;
      sizes[i] = m_brought.vertexBytes - skipped;
      strides[i] = m_brought.stride;
      continue;
    }
    const core::VertexStream& stream = state.vertexStreams[m_fetch.streams[i]];
    if (!stream.buffer) continue;
    const BufferObject& buffer = BufferObject::of(*stream.buffer);
    const bool perVertex = m_fetch.divisors[i] == ~0u;
    const uint64_t skipped = m_moved.streams && perVertex ? uint64_t(m_moved.vertex) * stream.stride : 0;
    if (stream.offset + skipped >= buffer.size()) continue;
    if (stream.stride > device.limits().maxVertexInputBindingStride)
      return refused(
          ErrorCode::Backend, "vertex stride is too large for this GPU",
          {{"stride_bytes", stream.stride}, {"limit", device.limits().maxVertexInputBindingStride}});
    const BufferObject::Place place =
        m_moved.streams && perVertex ? buffer.place(stream.offset + skipped) : buffer.home(stream.offset);
    buffers[i] = place.buffer;
    offsets[i] = place.offset;
    sizes[i] = place.size;
    strides[i] = stream.stride;
  }
  const bool restrided = !std::equal(strides, strides + count, m_strides.begin());
  if (device.caps().dynamicVertexInput && (fresh || m_changed || restrided)) {
    std::copy_n(strides, count, m_strides.begin());
    auto& bindings = m_bindings;
    auto& attributes = m_attributes;
    for (uint32_t i = 0; i < count; ++i) {
      bindings[i] = {VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT};
      bindings[i].binding = i;
      bindings[i].stride = static_cast<uint32_t>(strides[i]);
      const bool instance = m_fetch.divisors[i] != ~0u;
      bindings[i].inputRate = instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX;
      bindings[i].divisor = instance ? m_fetch.divisors[i] : 1;
    }
    for (uint32_t i = 0; i < m_fetch.attributeCount; ++i) {
      attributes[i] = {VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT};
      attributes[i].location = m_fetch.attributes[i].location;
      attributes[i].binding = m_fetch.attributes[i].binding;
      attributes[i].format = static_cast<VkFormat>(m_fetch.attributes[i].format);
      attributes[i].offset = m_fetch.attributes[i].offset;
    }
    vk.CmdSetVertexInputEXT(commands, count, bindings.data(), m_fetch.attributeCount, attributes.data());
  }
  if (count > 0)
    vk.CmdBindVertexBuffers2(commands, 0, count, buffers, offsets, sizes,
                             device.caps().dynamicVertexInput ? nullptr : strides);
  m_changed = false;
  return {};
}

Result<void> VertexBuffers::bindIndices(const core::DrawState& state) {
  if (brought()) {
    m_gpu.device->vk().CmdBindIndexBuffer(m_gpu.recorder->commands(), m_brought.indices.buffer(),
                                          m_brought.indices.offset,
                                          m_brought.is32Bit ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
    return {};
  }
  const core::IndexBinding& binding = state.indexBuffer;
  if (!binding.buffer)
    return refused(ErrorCode::CmdDecode, "indexed draw without an index buffer", {{"index buffer", 0u}});
  if (binding.offset % (binding.is32Bit ? 4 : 2) != 0)
    return refused(ErrorCode::Backend, "offset of the index buffer is not aligned",
                   {{"offset_bytes", binding.offset}});
  const BufferObject& buffer = BufferObject::of(*binding.buffer);
  const BufferObject::Place place =
      m_moved.indices ? buffer.place(m_moved.index) : buffer.home(binding.offset);
  m_gpu.device->vk().CmdBindIndexBuffer(m_gpu.recorder->commands(), place.buffer, place.offset,
                                        binding.is32Bit ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
  return {};
}

}  // namespace aerogpu::vk
