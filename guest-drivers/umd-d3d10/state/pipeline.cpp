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

HRESULT Pipeline::send() {
  HRESULT result = kOk;
  if (m_dirty & OutputState::kAll) result = output.send();
  if (!failed(result) && m_dirty & InputState::kAll) result = input.send();
  if (!failed(result) && m_dirty & kVertexStage) result = vertex.send();
  if (!failed(result) && m_dirty & kPixelStage) result = pixel.send();
  if (!failed(result) && m_geometryShader && m_geometryDirty) result = geometry.send();
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
