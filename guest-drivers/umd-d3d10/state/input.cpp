// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/state/input.h"

namespace aero {

void InputState::setVertexBuffers(UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers, const UINT *strides,
                                  const UINT *offsets) {
  for (UINT i = 0; i < count && first + i < kSlots; i++) {
    Stream &stream = m_streams[first + i];
    const Stream wanted = {Resource::from(buffers[i]), strides[i], offsets[i]};
    if (stream.buffer == wanted.buffer && stream.stride == wanted.stride && stream.offset == wanted.offset) continue;
    stream = wanted;
    m_dirtyStreams.add(first + i);
    m_dirty |= kVertexBuffers;
  }
}

void InputState::setIndexBuffer(Resource *buffer, DXGI_FORMAT format, UINT offset) {
  m_indices = buffer;
  m_indexFormat = format == DXGI_FORMAT_R32_UINT ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
  m_indexOffset = offset;
  m_dirty |= kIndexBuffer;
}

void InputState::setLayout(const ElementLayout *layout) {
  if (layout == m_layout) return;
  m_layout = layout;
  m_dirty |= kLayout;
}

void InputState::setTopology(D3D10_DDI_PRIMITIVE_TOPOLOGY topology) {
  if (m_topology == static_cast<uint32_t>(topology)) return;
  m_topology = static_cast<uint32_t>(topology);
  m_dirty |= kTopology;
}

HRESULT InputState::send() {
  Context &context = m_objects.context;
  bool sent = true;
  if (m_dirty & kVertexBuffers) {
    const uint32_t count = m_dirtyStreams.end - m_dirtyStreams.begin;
    auto *packet = context.append<aerogpu_cmd_set_vertex_buffers>(count);
    sent = packet != nullptr;
    for (uint32_t i = 0; packet && i < count; i++) {
      const Stream &stream = m_streams[m_dirtyStreams.begin + i];
      // A stream that begins past its buffer reads zeros, as one without a buffer does.
      const bool isBound = stream.buffer && stream.offset < stream.buffer->bytes();
      Context::elementsOf(packet)[i] = {isBound ? stream.buffer->identity.handle : 0, stream.stride,
                                        isBound ? stream.offset : 0, 0};
    }
    if (packet) packet->start_slot = m_dirtyStreams.begin;
    m_dirtyStreams = {};
  }
  if (m_dirty & kIndexBuffer) {
    aerogpu_cmd_set_index_buffer packet = {};
    packet.buffer = m_indices ? m_indices->identity.handle : 0;
    packet.format = m_indexFormat;
    packet.offset_bytes = m_indices ? m_indexOffset : 0;
    sent = sent && context.send(packet);
  }
  if (m_dirty & kLayout) {
    aerogpu_cmd_set_input_layout packet = {};
    packet.input_layout_handle = m_layout ? m_layout->handle : 0;
    sent = sent && context.send(packet);
  }
  if (m_dirty & kTopology && m_topology) {
    aerogpu_cmd_set_primitive_topology packet = {};
    packet.topology = m_topology;
    sent = sent && context.send(packet);
  }
  m_dirty &= ~kAll;
  return context.result(sent);
}

}  // namespace aero
