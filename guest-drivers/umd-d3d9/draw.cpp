// SPDX-License-Identifier: MIT
#include "draw.h"

#include <bit>

namespace aero {
namespace {

constexpr uint64_t kMaxVertices = 1u << 28;  // LIM-1

constexpr uint32_t kIndexedData = 1u << 30, kInstanceData = 1u << 31;  // D3DSTREAMSOURCE_*

/** D3DPRIMITIVETYPE and enum aerogpu_primitive_topology have the same numbers. */
uint32_t topologyOf(D3DPRIMITIVETYPE type) {
  static_assert(static_cast<uint32_t>(D3DPT_POINTLIST) == AEROGPU_TOPOLOGY_POINTLIST);
  static_assert(static_cast<uint32_t>(D3DPT_LINELIST) == AEROGPU_TOPOLOGY_LINELIST);
  static_assert(static_cast<uint32_t>(D3DPT_LINESTRIP) == AEROGPU_TOPOLOGY_LINESTRIP);
  static_assert(static_cast<uint32_t>(D3DPT_TRIANGLELIST) == AEROGPU_TOPOLOGY_TRIANGLELIST);
  static_assert(static_cast<uint32_t>(D3DPT_TRIANGLESTRIP) == AEROGPU_TOPOLOGY_TRIANGLESTRIP);
  static_assert(static_cast<uint32_t>(D3DPT_TRIANGLEFAN) == AEROGPU_TOPOLOGY_TRIANGLEFAN);
  return static_cast<uint32_t>(type);
}

}  // namespace

uint64_t verticesOf(D3DPRIMITIVETYPE type, uint32_t primitives) {
  if (!primitives) return 0;
  switch (type) {
  case D3DPT_POINTLIST:
    return primitives;
  case D3DPT_LINELIST:
    return uint64_t{primitives} * 2;
  case D3DPT_LINESTRIP:
    return uint64_t{primitives} + 1;
  case D3DPT_TRIANGLELIST:
    return uint64_t{primitives} * 3;
  case D3DPT_TRIANGLESTRIP:
  case D3DPT_TRIANGLEFAN:
    return uint64_t{primitives} + 2;
  default:
    return 0;
  }
}

HRESULT Draws::result(bool sent) {
  const HRESULT error = m_wire.context.takeError();
  return failed(error) || sent ? error : kOutOfMemory;
}

bool Draws::sendDraw(uint32_t vertices, uint32_t first) {
  auto *packet = m_pipeline.appendDraw<aerogpu_cmd_draw>();
  if (!packet) return false;
  packet->vertex_count = vertices;
  packet->instance_count = 1;
  packet->first_vertex = first;
  return true;
}

bool Draws::sendIndexed(uint32_t indices, uint32_t instances, uint32_t first, int32_t base) {
  auto *packet = m_pipeline.appendDraw<aerogpu_cmd_draw_indexed>();
  if (!packet) return false;
  packet->index_count = indices;
  packet->instance_count = instances;
  packet->first_index = first;
  packet->base_vertex = base;
  return true;
}

/** Sends the vertices of stream 0 that a draw reads from memory of the program's, and binds them. What was vertex
 *  `rebased` of the array is vertex 0 of the stream. */
bool Draws::placeUserVertices(const Vertices &range, uint32_t &rebased) {
  // Small arrays go whole, so that indices outside of the range that was named still find their vertex.
  constexpr uint64_t kWhole = 65536;
  const uint64_t stride = m_pipeline.userStride();
  const uint64_t end = (range.first + range.count) * stride;
  const uint64_t begin = end <= kWhole ? 0 : range.first * stride;
  rebased = static_cast<uint32_t>(stride ? begin / stride : 0);
  uint32_t offset;
  if (end - begin > UINT32_MAX ||
      !m_ring.place(m_wire, m_pipeline.userVertices() + begin, static_cast<uint32_t>(stride ? end - begin : 4), offset))
    return false;
  return m_pipeline.bindStream(0, {m_ring.handle(), offset, static_cast<uint32_t>(stride)});
}

HRESULT Draws::draw(const D3DDDIARG_DRAWPRIMITIVE &args) {
  const uint64_t vertices = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  if (!vertices || vertices > kMaxVertices || args.VStart > UINT32_MAX - vertices) return kOk;
  const Prepared prepared = m_pipeline.prepareDraw();
  if (prepared != Prepared::Ready) return result(prepared == Prepared::Nothing);
  uint32_t first = args.VStart, rebased = 0;
  bool sent = m_pipeline.bindStreams(first, vertices);
  if (sent && m_pipeline.userVertices() && m_pipeline.streamsRead() & 1) {
    sent = placeUserVertices({first, vertices}, rebased);
    first -= rebased;
  }
  sent = sent && m_pipeline.bindTopology(topologyOf(args.PrimitiveType)) &&
         sendDraw(static_cast<uint32_t>(vertices), first);
  return result(sent);
}

HRESULT Draws::drawIndexed(const D3DDDIARG_DRAWINDEXEDPRIMITIVE &args) {
  uint64_t indices = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  if (!indices || indices > kMaxVertices) return kOk;
  const uint32_t size = m_pipeline.indexStride();
  const uint8_t *user = m_pipeline.userIndices();
  Resource *resource = m_pipeline.indices();
  if (!user && !resource) return kOk;
  if (!user) {
    // What lies past the buffer is not there (DRAW-17).
    const uint64_t there = resource->buffer().size / size;
    if (args.StartIndex >= there) return kOk;
    if (indices > there - args.StartIndex) indices = there - args.StartIndex;
  }
  const Prepared prepared = m_pipeline.prepareDraw();
  if (prepared != Prepared::Ready) return result(prepared == Prepared::Nothing);

  const int64_t firstVertex = int64_t{args.BaseVertexIndex} + args.MinIndex;
  const Vertices range = {static_cast<uint64_t>(firstVertex > 0 ? firstVertex : 0), args.NumVertices};
  int32_t base = args.BaseVertexIndex;
  bool sent = m_pipeline.bindStreams(range.first, range.count);
  if (sent && m_pipeline.userVertices() && m_pipeline.streamsRead() & 1) {
    uint32_t rebased = 0;
    sent = placeUserVertices(range, rebased);
    base -= static_cast<int32_t>(rebased);
  }
  uint32_t first = args.StartIndex;
  if (sent && user) {
    uint32_t offset;
    sent =
        m_ring.place(m_wire, user + uint64_t{args.StartIndex} * size, static_cast<uint32_t>(indices * size), offset) &&
        m_pipeline.bindIndices(m_ring.handle(), size, offset);
    first = 0;
  } else if (sent) {
    BufferStore &buffer = resource->buffer();
    sent = refreshBuffer(m_wire, buffer, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER, uint64_t{first} * size,
                         (first + indices) * size) &&
           m_pipeline.bindIndices(buffer.handle, size, 0);
  }
  const auto count = static_cast<uint32_t>(indices);
  sent = sent && m_pipeline.bindTopology(topologyOf(args.PrimitiveType)) &&
         (m_pipeline.usesInstancing() ? drawInstances(count, first, base) : sendIndexed(count, 1, first, base));
  return result(sent);
}

/** The device steps streams by instances only through layouts that lack some of Direct3D 9's vertex types, so each
 *  instance is a draw whose instance streams stand still. */
bool Draws::drawInstances(uint32_t indices, uint32_t first, int32_t base) {
  const uint32_t frequency = m_pipeline.stream(0).frequency;
  const uint32_t instances = frequency & kIndexedData ? frequency & (kIndexedData - 1) : 1;
  uint32_t perInstance = 0;
  for (uint32_t rest = m_pipeline.streamsRead() & ~1u; rest; rest &= rest - 1)
    if (m_pipeline.stream(static_cast<uint32_t>(std::countr_zero(rest))).frequency & kInstanceData)
      perInstance |= rest & (0 - rest);
  if (!perInstance) return sendIndexed(indices, instances, first, base);
  for (uint32_t instance = 0; instance < instances; instance++) {
    for (uint32_t rest = perInstance; rest; rest &= rest - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(rest));
      const Stream &stream = m_pipeline.stream(index);
      if (!stream.buffer) continue;
      const uint32_t step = stream.frequency & (kInstanceData - 1);
      const uint64_t offset = stream.offset + uint64_t{instance / (step ? step : 1)} * stream.stride;
      BufferStore &buffer = stream.buffer->buffer();
      StreamBinding binding;
      if (offset < buffer.size) binding = {buffer.handle, static_cast<uint32_t>(offset), 0};
      if (buffer.ofRuntime &&
          !refreshBuffer(m_wire, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, offset, offset + stream.stride))
        return false;
      if (!m_pipeline.bindStream(index, binding)) return false;
    }
    if (!sendIndexed(indices, 1, first, base)) return false;
  }
  return true;
}

HRESULT Draws::draw2(const D3DDDIARG_DRAWPRIMITIVE2 &args) {
  const uint64_t vertices = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  const Stream &stream = m_pipeline.stream(0);
  const uint8_t *user = m_pipeline.userVertices();
  const uint32_t stride = user ? m_pipeline.userStride() : stream.stride;
  if (!vertices || vertices > kMaxVertices || !stride || (!user && !stream.buffer)) return kOk;
  const Prepared prepared = m_pipeline.prepareDraw();
  if (prepared != Prepared::Ready) return result(prepared == Prepared::Nothing);
  bool sent = m_pipeline.bindTopology(topologyOf(args.PrimitiveType));
  if (user) {
    uint32_t offset;
    sent = sent && vertices * stride <= UINT32_MAX &&
           m_ring.place(m_wire, user + args.FirstVertexOffset, static_cast<uint32_t>(vertices * stride), offset) &&
           m_pipeline.bindStream(0, {m_ring.handle(), offset, stride});
  } else {
    BufferStore &buffer = stream.buffer->buffer();
    const uint64_t begin = uint64_t{stream.offset} + args.FirstVertexOffset;
    if (begin >= buffer.size) return result(sent);
    sent = sent &&
           refreshBuffer(m_wire, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, begin, begin + vertices * stride) &&
           m_pipeline.bindStream(0, {buffer.handle, static_cast<uint32_t>(begin), stride});
  }
  return result(sent && sendDraw(static_cast<uint32_t>(vertices), 0));
}

HRESULT Draws::drawIndexed2(const D3DDDIARG_DRAWINDEXEDPRIMITIVE2 &args, uint32_t indexBytes, const void *indices) {
  const uint64_t count = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  const Stream &stream = m_pipeline.stream(0);
  const uint8_t *user = m_pipeline.userVertices();
  const uint32_t stride = user ? m_pipeline.userStride() : stream.stride;
  const uint32_t size = indexBytes == 4 ? 4 : 2;
  if (!count || count > kMaxVertices || !stride || !indices || (!user && !stream.buffer)) return kOk;
  // The base may be negative: base + smallest index * stride is not (page "D3DDDIARG_DRAWINDEXEDPRIMITIVE2").
  const int64_t begin = int64_t{args.BaseVertexOffset} + int64_t{args.MinIndex} * stride + (user ? 0 : stream.offset);
  if (begin < 0 || args.MinIndex > INT32_MAX) return kOk;
  const uint64_t bytes = uint64_t{args.NumVertices} * stride;
  const Prepared prepared = m_pipeline.prepareDraw();
  if (prepared != Prepared::Ready) return result(prepared == Prepared::Nothing);
  uint32_t offset;
  bool sent = m_pipeline.bindTopology(topologyOf(args.PrimitiveType));
  if (user) {
    sent = sent && bytes <= UINT32_MAX && m_ring.place(m_wire, user + begin, static_cast<uint32_t>(bytes), offset) &&
           m_pipeline.bindStream(0, {m_ring.handle(), offset, stride});
  } else {
    BufferStore &buffer = stream.buffer->buffer();
    if (static_cast<uint64_t>(begin) >= buffer.size) return result(sent);
    sent = sent &&
           refreshBuffer(m_wire, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, static_cast<uint64_t>(begin),
                         static_cast<uint64_t>(begin) + bytes) &&
           m_pipeline.bindStream(0, {buffer.handle, static_cast<uint32_t>(begin), stride});
  }
  const auto *from = static_cast<const uint8_t *>(indices) + args.StartIndexOffset;
  sent = sent && m_ring.place(m_wire, from, static_cast<uint32_t>(count * size), offset) &&
         m_pipeline.bindIndices(m_ring.handle(), size, offset) &&
         sendIndexed(static_cast<uint32_t>(count), 1, 0, -static_cast<int32_t>(args.MinIndex));
  return result(sent);
}

}  // namespace aero
