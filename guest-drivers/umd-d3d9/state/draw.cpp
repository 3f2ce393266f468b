// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/draw.h"

#include <bit>

namespace aero {
namespace {

constexpr uint64_t kMaxVertices = 1u << 28;  // LIM-1

constexpr uint64_t kMaxInline = 65536;  // UPD-11
constexpr uint32_t kMaxInlineStride = 2048;

/** Indices less `first`; what is less than that becomes one past everything, which reads zeros (INPUT-10). */
template <class Index> void copyIndices(uint8_t *to, const void *from, uint64_t count, uint32_t first) {
  const auto *at = static_cast<const uint8_t *>(from);
  for (uint64_t i = 0; i < count; i++) {
    Index index;
    memcpy(&index, at + i * sizeof index, sizeof index);
    index = static_cast<Index>(index - first);
    memcpy(to + i * sizeof index, &index, sizeof index);
  }
}

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

inline bool Draws::sendDraw(uint32_t vertices, uint32_t first) {
  auto *packet = m_pipeline.appendDraw<aerogpu_cmd_draw>();
  if (!packet) return false;
  packet->vertex_count = vertices;
  packet->instance_count = 1;
  packet->first_vertex = first;
  return true;
}

inline bool Draws::sendIndexed(uint32_t indices, uint32_t instances, uint32_t first, int32_t base) {
  auto *packet = m_pipeline.appendDraw<aerogpu_cmd_draw_indexed>();
  if (!packet) return false;
  packet->index_count = indices;
  packet->instance_count = instances;
  packet->first_index = first;
  packet->base_vertex = base;
  return true;
}

Draws::Inline Draws::sendInline(D3DPRIMITIVETYPE type, const uint8_t *vertices, uint64_t vertexCount, uint32_t stride,
                                const void *indices, uint64_t indexCount, uint32_t indexBytes, uint32_t firstIndex) {
  Context &context = m_wire.context;
  if (!context.runtime().has(AEROGPU_EXT_FEATURE_HI_DRAW_INLINE) || !stride || stride > kMaxInlineStride)
    return Inline::Unfit;
  const uint64_t vertexBytes = vertexCount * stride, padded = (vertexBytes + 3) & ~uint64_t{3};
  const uint64_t bytes = indexCount ? padded + indexCount * indexBytes : vertexBytes;
  if (!vertexCount || bytes > kMaxInline) return Inline::Unfit;
  if (!m_pipeline.bindTopology(topologyOf(type))) return Inline::Failed;
  // The next batch may have less room: what is not whole in a batch is not sent by this packet.
  if (!context.ensure(0, m_pipeline.crossing())) return Inline::Failed;
  const size_t whole = sizeof(aerogpu_cmd_ext_draw_inline) + static_cast<size_t>((bytes + 3) & ~uint64_t{3});
  if (whole > context.room()) {
    if (failed(context.submit())) return Inline::Failed;
    if (whole > context.room()) return Inline::Unfit;
  }
  auto *packet = m_pipeline.appendDrawBytes<aerogpu_cmd_ext_draw_inline>(static_cast<size_t>(bytes));
  if (!packet) return Inline::Failed;
  packet->vertex_count = static_cast<uint32_t>(vertexCount);
  packet->vertex_stride_bytes = stride;
  uint8_t *to = Context::elementsOf(packet);
  memcpy(to, vertices, vertexBytes);
  if (!indexCount) return Inline::Sent;
  packet->index_count = static_cast<uint32_t>(indexCount);
  packet->index_format = indexBytes == 4 ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
  memset(to + vertexBytes, 0, padded - vertexBytes);
  if (!firstIndex)
    memcpy(to + padded, indices, indexCount * indexBytes);
  else if (indexBytes == 4)
    copyIndices<uint32_t>(to + padded, indices, indexCount, firstIndex);
  else
    copyIndices<uint16_t>(to + padded, indices, indexCount, firstIndex);
  return Inline::Sent;
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
    const uint32_t stride = m_pipeline.userStride();
    // Other streams count from the same vertex.
    const Inline carried = m_pipeline.streamsRead() == 1 || first == 0
                               ? sendInline(args.PrimitiveType, m_pipeline.userVertices() + uint64_t{first} * stride,
                                            vertices, stride, nullptr, 0, 0, 0)
                               : Inline::Unfit;
    if (carried != Inline::Unfit) return result(carried == Inline::Sent);
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
  uint32_t stepping;
  const uint32_t instances = m_pipeline.instances(stepping);
  const bool steps = m_wire.context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES);
  if (!instances || indices * instances > kMaxVertices) return kOk;
  bool sent = m_pipeline.bindStreams(range.first, range.count, stepping, instances);
  if (sent && user && m_pipeline.userVertices() && m_pipeline.streamsRead() == 1 && instances == 1 && base == 0) {
    // From the first vertex on, so that indices outside of the range that was named find theirs.
    const Inline carried =
        sendInline(args.PrimitiveType, m_pipeline.userVertices(), range.first + range.count, m_pipeline.userStride(),
                   user + uint64_t{args.StartIndex} * size, indices, size, 0);
    if (carried != Inline::Unfit) return result(carried == Inline::Sent);
  }
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
    sent = refreshBuffer(m_wire, m_pipeline.uploads, buffer, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER,
                         uint64_t{first} * size, (first + indices) * size) &&
           m_pipeline.bindIndices(buffer.handle, size, 0);
  }
  const auto count = static_cast<uint32_t>(indices);
  sent = sent && m_pipeline.bindTopology(topologyOf(args.PrimitiveType)) &&
         (stepping && !steps ? drawInstances(count, instances, stepping, first, base)
                             : sendIndexed(count, instances, first, base));
  return result(sent);
}

/** Where the device has no packet that says how streams step, each instance is a draw whose instance streams stand
 *  still. */
bool Draws::drawInstances(uint32_t indices, uint32_t instances, uint32_t perInstance, uint32_t first, int32_t base) {
  for (uint32_t instance = 0; instance < instances; instance++) {
    for (uint32_t rest = perInstance; rest; rest &= rest - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(rest));
      const Stream &stream = m_pipeline.stream(index);
      if (!stream.buffer) continue;
      const uint64_t offset = stream.offset + uint64_t{instance / m_pipeline.instanceStep(index)} * stream.stride;
      BufferStore &buffer = stream.buffer->buffer();
      StreamBinding binding;
      if (offset < buffer.size) binding = {buffer.handle, static_cast<uint32_t>(offset), 0};
      if (buffer.ofRuntime && !refreshBuffer(m_wire, m_pipeline.uploads, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER,
                                             offset, offset + stream.stride))
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
  if (user) {
    const Inline carried =
        sendInline(args.PrimitiveType, user + args.FirstVertexOffset, vertices, stride, nullptr, 0, 0, 0);
    if (carried != Inline::Unfit) return result(carried == Inline::Sent);
  }
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
           refreshBuffer(m_wire, m_pipeline.uploads, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, begin,
                         begin + vertices * stride) &&
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
  const auto *from = static_cast<const uint8_t *>(indices) + args.StartIndexOffset;
  if (user) {
    const Inline carried =
        sendInline(args.PrimitiveType, user + begin, args.NumVertices, stride, from, count, size, args.MinIndex);
    if (carried != Inline::Unfit) return result(carried == Inline::Sent);
  }
  uint32_t offset;
  bool sent = m_pipeline.bindTopology(topologyOf(args.PrimitiveType));
  if (user) {
    sent = sent && bytes <= UINT32_MAX && m_ring.place(m_wire, user + begin, static_cast<uint32_t>(bytes), offset) &&
           m_pipeline.bindStream(0, {m_ring.handle(), offset, stride});
  } else {
    BufferStore &buffer = stream.buffer->buffer();
    if (static_cast<uint64_t>(begin) >= buffer.size) return result(sent);
    sent = sent &&
           refreshBuffer(m_wire, m_pipeline.uploads, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER,
                         static_cast<uint64_t>(begin), static_cast<uint64_t>(begin) + bytes) &&
           m_pipeline.bindStream(0, {buffer.handle, static_cast<uint32_t>(begin), stride});
  }
  sent = sent && m_ring.place(m_wire, from, static_cast<uint32_t>(count * size), offset) &&
         m_pipeline.bindIndices(m_ring.handle(), size, offset) &&
         sendIndexed(static_cast<uint32_t>(count), 1, 0, -static_cast<int32_t>(args.MinIndex));
  return result(sent);
}

}  // namespace aero
