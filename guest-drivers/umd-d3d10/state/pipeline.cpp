// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/state/pipeline.h"

namespace aero {

void Pipeline::rotated() {
  output.rotated();
  vertex.rotated();
  geometry.rotated();
  noteGeometry();
  pixel.rotated();
}

HRESULT Pipeline::sendStreams() {
  const StreamDeclaration *streams = m_geometryShader ? m_geometryShader->streams : nullptr;
  const uint32_t count = streams ? streams->count : 0;
  auto *packet = m_objects.context.append<aerogpu_cmd_ext_set_stream_output>(count);
  if (!packet) return m_objects.context.result(false);
  packet->rasterized_stream = !streams || streams->rasterizes ? 0 : AEROGPU_EXT_STREAM_NONE;
  if (streams) memcpy(packet->stride_bytes, streams->strides, sizeof packet->stride_bytes);
  for (uint32_t i = 0; i < count; i++) Context::elementsOf(packet)[i] = streams->elements[i];
  return kOk;
}

HRESULT Pipeline::setStreamTargets(UINT count, const D3D10DDI_HRESOURCE *buffers, const UINT *offsets) {
  if (!m_objects.formats.hasStreams()) return kOk;  // no buffer for it can be made
  constexpr UINT kSlots = 4;
  if (count > kSlots) count = kSlots;
  Context &context = m_objects.context;
  auto *packet = context.append<aerogpu_cmd_ext_set_stream_targets>(count);
  if (!packet) return context.result(false);
  for (UINT i = 0; i < count; i++) {
    const Resource *buffer = Resource::from(buffers[i]);
    aerogpu_ext_stream_target &target = Context::elementsOf(packet)[i];
    target = {buffer ? buffer->identity.handle : 0, AEROGPU_EXT_STREAM_APPEND};
    if (!buffer || offsets[i] == AEROGPU_EXT_STREAM_APPEND) continue;
    const uint32_t full = buffer->bytes() & ~3u;  // and so is one that begins past its end
    target.offset_bytes = offsets[i] < full ? offsets[i] & ~3u : full;
  }
  return kOk;
}

HRESULT Pipeline::send() {
  HRESULT result = kOk;
  if (m_dirty & OutputState::kAll) result = output.send();
  if (!failed(result) && m_dirty & InputState::kAll) result = input.send();
  if (!failed(result) && m_dirty & kVertexStage) result = vertex.send();
  if (!failed(result) && m_dirty & kPixelStage) result = pixel.send();
  if (!failed(result) && m_geometryShader && m_geometryDirty) result = geometry.send();
  if (failed(result)) return result;
  if (m_dirty & kStreams) result = sendStreams();
  if (failed(result)) return result;
  if (m_dirty & kShaders) {
    aerogpu_cmd_bind_shaders packet = {};
    packet.vs = m_vertexShader ? m_vertexShader->handle : 0;
    packet.ps = m_pixelShader ? m_pixelShader->handle : 0;
    packet.reserved0 = m_geometryShader ? m_geometryShader->handle : 0;
    if (!m_objects.context.send(packet)) return m_objects.context.result(false);
  }
  m_dirty = 0;
  // What crosses contexts is listed by every batch that uses it.
  bool isComplete = true;
  m_crossing.clear();
  const auto add = [&](bool isWritten) {
    return [&, isWritten](Resource &resource) {
      if (resource.identity.crossesContexts) isComplete = m_crossing.push({&resource, isWritten}) && isComplete;
    };
  };
  output.forEach(add(true));
  vertex.forEach(add(false));
  if (m_geometryShader) geometry.forEach(add(false));
  pixel.forEach(add(false));
  return isComplete ? kOk : kOutOfMemory;
}

HRESULT Pipeline::prepareAll(size_t bytes) {
  Context &context = m_objects.context;
  if (m_dirty) {
    const HRESULT sent = send();
    if (failed(sent)) return sent;
  }
  if (!context.ensure(bytes, static_cast<uint32_t>(m_crossing.size()))) return context.result(false);
  for (const Listed &each : m_crossing) context.use(each.resource->identity.memory, each.isWritten);
  m_listedBatch = context.batch();
  return kOk;
}

HRESULT Pipeline::draw(UINT vertices, UINT instances, UINT firstVertex, UINT firstInstance) {
  // Without a vertex shader or a topology there is nothing to draw.
  if (!m_vertexShader || !input.hasTopology()) return kOk;
  const HRESULT result = prepare(sizeof(aerogpu_cmd_draw));
  if (failed(result)) return result;
  auto *packet = m_objects.context.appendFitting<aerogpu_cmd_draw>();
  packet->vertex_count = vertices;
  packet->instance_count = instances;
  packet->first_vertex = firstVertex;
  packet->first_instance = firstInstance;
  return kOk;
}

HRESULT Pipeline::drawAuto() {
  if (!m_vertexShader || !input.hasTopology() || !m_objects.formats.hasStreams()) return kOk;
  const HRESULT result = prepare(sizeof(aerogpu_cmd_ext_draw_auto));
  if (failed(result)) return result;
  m_objects.context.appendFitting<aerogpu_cmd_ext_draw_auto>();
  return kOk;
}

HRESULT Pipeline::drawIndexed(UINT indices, UINT instances, UINT firstIndex, INT baseVertex, UINT firstInstance) {
  if (!m_vertexShader || !input.hasTopology() || !input.hasIndices()) return kOk;
  const HRESULT result = prepare(sizeof(aerogpu_cmd_draw_indexed));
  if (failed(result)) return result;
  auto *packet = m_objects.context.appendFitting<aerogpu_cmd_draw_indexed>();
  packet->index_count = indices;
  packet->instance_count = instances;
  packet->first_index = firstIndex;
  packet->base_vertex = baseVertex;
  packet->first_instance = firstInstance;
  return kOk;
}

}  // namespace aero
