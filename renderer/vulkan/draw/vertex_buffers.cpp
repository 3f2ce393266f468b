// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/vertex_buffers.h"

#include <algorithm>
#include <cstring>

#include "renderer/vulkan/objects/buffer.h"

namespace aerogpu::vk {

Result<void> VertexBuffers::match(const core::DrawState& state, const DrawShaders& shaders) {
  if (m_vs == shaders.vsModule->serial && m_layout == state.inputLayout) return {};
  auto fetch = matchInputs(*m_gpu.device, *shaders.vs,
                           state.inputLayout ? &InputLayoutObject::of(*state.inputLayout) : nullptr);
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

void VertexBuffers::gather(const core::DrawState& state, bool indexed) {
  for (uint32_t i = 0; i < m_fetch.bindingCount; ++i) {
    if (m_fetch.streams[i] >= core::kMaxVertexStreams) continue;
    if (m_fetch.streams[i] == 0 && brought()) continue;
    const core::VertexStream& stream = state.vertexStreams[m_fetch.streams[i]];
    if (stream.buffer)
      BufferObject::of(*stream.buffer)
          .useAfterWrites(VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT, core::kDirtyVertexStreams);
  }
  if (indexed && !brought() && state.indexBuffer.buffer)
    BufferObject::of(*state.indexBuffer.buffer)
        .useAfterWrites(VK_ACCESS_2_INDEX_READ_BIT, core::kDirtyIndexBuffer);
}

Result<void> VertexBuffers::bind(const core::DrawState& state, bool fresh) {
  const Device& device = *m_gpu.device;
  const DeviceTable& vk = device.vk();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  const uint32_t count = m_fetch.bindingCount;
  VkBuffer buffers[VertexFetch::kMax];
  VkDeviceSize offsets[VertexFetch::kMax], sizes[VertexFetch::kMax], strides[VertexFetch::kMax];
  for (uint32_t i = 0; i < count; ++i) {
    // Unbound streams, and those whose offset is past the end, read zero.
    buffers[i] = m_standIns.zeros().buffer();
    offsets[i] = m_standIns.zeros().offset;
    sizes[i] = m_standIns.zeros().size;
    strides[i] = 0;
    if (m_fetch.streams[i] >= core::kMaxVertexStreams) continue;
    if (m_fetch.streams[i] == 0 && brought()) {
      buffers[i] = m_brought.vertices.buffer();
      offsets[i] = m_brought.vertices.offset;
      sizes[i] = m_brought.vertexBytes;
      strides[i] = m_brought.stride;
      continue;
    }
    const core::VertexStream& stream = state.vertexStreams[m_fetch.streams[i]];
    if (!stream.buffer) continue;
    const BufferObject& buffer = BufferObject::of(*stream.buffer);
    if (stream.offset >= buffer.size()) continue;
    if (stream.stride > device.limits().maxVertexInputBindingStride)
      return Error{ErrorCode::Backend, "vertex stride is too large for this GPU", {}};
    buffers[i] = buffer.handle();
    offsets[i] = buffer.offset() + stream.offset;
    sizes[i] = buffer.size() - stream.offset;
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
  if (!binding.buffer) return Error{ErrorCode::CmdDecode, "indexed draw without an index buffer", {}};
  if (binding.offset % (binding.is32Bit ? 4 : 2) != 0)
    return Error{ErrorCode::Backend, "offset of the index buffer is not aligned", {}};
  const BufferObject& buffer = BufferObject::of(*binding.buffer);
  m_gpu.device->vk().CmdBindIndexBuffer(m_gpu.recorder->commands(), buffer.handle(),
                                        buffer.offset() + binding.offset,
                                        binding.is32Bit ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
  return {};
}

}  // namespace aerogpu::vk
