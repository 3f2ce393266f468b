// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/draw.h"

#include <bit>

namespace aero {
namespace {

constexpr uint64_t kMaxVertices = 1u << 28;  // LIM-1

constexpr uint64_t kMaxInline = 65536;  // UPD-11
constexpr uint32_t kMaxInlineStride = 2048;

/** Copies indices minus `first`. An index below `first` becomes one past all vertices, which reads zeros (INPUT-10). */
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

/** Sends a draw of vertices in their order, and its topology. */
inline bool Draws::sendPlain(D3DPRIMITIVETYPE type, uint32_t vertices, uint32_t first) {
  return m_pipeline.topology.force(m_objects.context, topologyOf(type)) && sendDraw(vertices, first);
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

Draws::Inline Draws::sendInline(D3DPRIMITIVETYPE type, const UserArrays &arrays) {
  Context &context = m_objects.context;
  const uint32_t stride = arrays.stride;
  if (!context.runtime().has(AEROGPU_EXT_FEATURE_HI_DRAW_INLINE) || !stride || stride > kMaxInlineStride)
    return Inline::Unfit;
  const uint64_t vertexBytes = arrays.vertexCount * stride, padded = (vertexBytes + 3) & ~uint64_t{3};
  const uint64_t indexBytes = arrays.indexCount * arrays.indexBytes;
  const uint64_t bytes = indexBytes ? padded + indexBytes : vertexBytes;
  if (!arrays.vertexCount || bytes > kMaxInline) return Inline::Unfit;
  if (!m_pipeline.topology.force(context, topologyOf(type))) return Inline::Failed;
  // The packet must fit into one batch as a whole: into this one or, after a submission, into the next.
  if (!context.ensure(0, m_pipeline.crossing())) return Inline::Failed;
  const size_t whole = sizeof(aerogpu_cmd_ext_draw_inline) + static_cast<size_t>((bytes + 3) & ~uint64_t{3});
  if (whole > context.room()) {
    if (failed(context.submit())) return Inline::Failed;
    if (whole > context.room()) return Inline::Unfit;
  }
  auto *packet = m_pipeline.appendDrawBytes<aerogpu_cmd_ext_draw_inline>(static_cast<size_t>(bytes));
  if (!packet) return Inline::Failed;
  packet->vertex_count = static_cast<uint32_t>(arrays.vertexCount);
  packet->vertex_stride_bytes = stride;
  uint8_t *to = Context::elementsOf(packet);
  memcpy(to, arrays.vertices, vertexBytes);
  if (!indexBytes) return Inline::Sent;
  packet->index_count = static_cast<uint32_t>(arrays.indexCount);
  packet->index_format = arrays.indexBytes == 4 ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
  memset(to + vertexBytes, 0, padded - vertexBytes);
  if (!arrays.firstIndex)
    memcpy(to + padded, arrays.indices, indexBytes);
  else if (arrays.indexBytes == 4)
    copyIndices<uint32_t>(to + padded, arrays.indices, arrays.indexCount, arrays.firstIndex);
  else
    copyIndices<uint16_t>(to + padded, arrays.indices, arrays.indexCount, arrays.firstIndex);
  return Inline::Sent;
}

/** Sends vertices [first, first + count) of an array in the program's memory, and binds them as stream 0. Vertex 0 of
 *  the stream is vertex `rebased` of the array. */
bool Draws::placeUserVertices(const VertexSource &source, uint64_t first, uint64_t count, uint32_t &rebased) {
  // Small arrays are sent from their beginning, so that indices below the range in the call still find their vertex.
  constexpr uint64_t kWhole = 65536;
  const uint64_t stride = source.stride;
  const uint64_t end = (first + count) * stride;
  const uint64_t begin = end <= kWhole ? 0 : first * stride;
  rebased = static_cast<uint32_t>(stride ? begin / stride : 0);
  uint32_t offset;
  if (end - begin > UINT32_MAX ||
      !m_ring.place(m_objects, source.user + begin, static_cast<uint32_t>(stride ? end - begin : 4), offset))
    return false;
  return m_pipeline.streams.force(m_objects.context, 0, {m_ring.handle(), offset, source.stride});
}

/** Binds the source from byte `begin` on as stream 0, and sends what the device lacks of the `bytes` bytes there.
 * `begin` must lie inside of a buffer. */
bool Draws::bindVertices(const VertexSource &source, uint64_t begin, uint64_t bytes) {
  Context &context = m_objects.context;
  if (source.user) {
    uint32_t offset;
    return bytes <= UINT32_MAX && m_ring.place(m_objects, source.user + begin, static_cast<uint32_t>(bytes), offset) &&
           m_pipeline.streams.force(context, 0, {m_ring.handle(), offset, source.stride});
  }
  return refreshBuffer(m_objects, m_pipeline.uploads, *source.buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, begin,
                       begin + bytes) &&
         m_pipeline.streams.force(context, 0, {source.buffer->handle, static_cast<uint32_t>(begin), source.stride});
}

/** Binds the source of indices [first, first + count), and sends those that the device lacks. Changes `first` to the
 * position of the first one in the bound buffer. */
bool Draws::bindIndices(const IndexSource &source, uint32_t &first, uint64_t count) {
  const uint64_t begin = uint64_t{first} * source.size;
  if (source.user) {
    uint32_t offset;
    first = 0;
    return m_ring.place(m_objects, source.user + begin, static_cast<uint32_t>(count * source.size), offset) &&
           m_pipeline.indices.force(m_objects.context, m_ring.handle(), source.size, offset);
  }
  return refreshBuffer(m_objects, m_pipeline.uploads, *source.buffer, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER, begin,
                       begin + count * source.size) &&
         m_pipeline.indices.force(m_objects.context, source.buffer->handle, source.size, 0);
}

HRESULT Draws::draw(const D3DDDIARG_DRAWPRIMITIVE &args) {
  const uint64_t vertices = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  if (!vertices || vertices > kMaxVertices || args.VStart > UINT32_MAX - vertices) return kOk;
  const Prepared prepared = m_pipeline.prepareDraw();
  if (prepared != Prepared::Ready) return m_objects.context.result(prepared == Prepared::Nothing);
  const bool sent = m_pipeline.prepareStreams(args.VStart, vertices);
  if (m_pipeline.streams.hasUser()) [[unlikely]]
    return sent ? drawUser(args, vertices) : m_objects.context.result(false);
  return m_objects.context.result(sent && sendPlain(args.PrimitiveType, static_cast<uint32_t>(vertices), args.VStart));
}

/** Draws while the program's memory replaces stream 0, whether or not the draw reads it. The other streams are
 * bound. */
HRESULT Draws::drawUser(const D3DDDIARG_DRAWPRIMITIVE &args, uint64_t vertices) {
  const DrawSource source = m_pipeline.source();
  const VertexSource &from = source.vertices;
  const uint32_t first = args.VStart;
  if (!source.readsUser())
    return m_objects.context.result(sendPlain(args.PrimitiveType, static_cast<uint32_t>(vertices), first));
  // An inline draw's vertices count from 0, so other streams would be read from vertex 0 too.
  if (source.readsUserOnly() || first == 0) {
    const Inline carried =
        sendInline(args.PrimitiveType, {from.user + uint64_t{first} * from.stride, vertices, from.stride});
    if (carried != Inline::Unfit) return m_objects.context.result(carried == Inline::Sent);
  }
  uint32_t rebased = 0;
  return m_objects.context.result(placeUserVertices(from, first, vertices, rebased) &&
                                  sendPlain(args.PrimitiveType, static_cast<uint32_t>(vertices), first - rebased));
}

HRESULT Draws::drawIndexed(const D3DDDIARG_DRAWINDEXEDPRIMITIVE &args) {
  uint64_t indices = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  if (!indices || indices > kMaxVertices) return kOk;
  const DrawSource source = m_pipeline.source();
  const VertexSource &from = source.vertices;
  if (!source.indices.isThere()) return kOk;
  if (!source.indices.user) {
    // The draw ends with the last index in the buffer (DRAW-17).
    const uint64_t there = source.indices.buffer->size / source.indices.size;
    if (args.StartIndex >= there) return kOk;
    if (indices > there - args.StartIndex) indices = there - args.StartIndex;
  }
  const Prepared prepared = m_pipeline.prepareDraw();
  if (prepared != Prepared::Ready) return m_objects.context.result(prepared == Prepared::Nothing);

  const int64_t firstVertex = int64_t{args.BaseVertexIndex} + args.MinIndex;
  const uint64_t begin = static_cast<uint64_t>(firstVertex > 0 ? firstVertex : 0), vertices = args.NumVertices;
  int32_t base = args.BaseVertexIndex;
  const Instances instances = m_pipeline.instances();
  if (!instances.count || indices * instances.count > kMaxVertices) return kOk;
  bool sent = m_pipeline.prepareStreams(begin, vertices, instances);
  if (sent && source.indices.user && source.readsUserOnly() && instances.count == 1 && base == 0) {
    // Sends vertices from 0 on, so that indices below the range in the call find theirs.
    const uint32_t size = source.indices.size;
    const Inline carried =
        sendInline(args.PrimitiveType, {from.user, begin + vertices, from.stride,
                                        source.indices.user + uint64_t{args.StartIndex} * size, indices, size});
    if (carried != Inline::Unfit) return m_objects.context.result(carried == Inline::Sent);
  }
  if (sent && source.readsUser()) {
    uint32_t rebased = 0;
    sent = placeUserVertices(from, begin, vertices, rebased);
    base -= static_cast<int32_t>(rebased);
  }
  uint32_t first = args.StartIndex;
  const auto count = static_cast<uint32_t>(indices);
  sent = sent && bindIndices(source.indices, first, indices) &&
         m_pipeline.topology.force(m_objects.context, topologyOf(args.PrimitiveType)) &&
         (instances.stepping && !m_objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES)
              ? drawInstances(count, instances, first, base)
              : sendIndexed(count, instances.count, first, base));
  return m_objects.context.result(sent);
}

/** Draws each instance by a packet of its own, in which the instance streams do not advance: for devices without
 * EXT_SET_STREAM_FREQUENCY. */
bool Draws::drawInstances(uint32_t indices, const Instances &instances, uint32_t first, int32_t base) {
  Streams &streams = m_pipeline.streams;
  for (uint32_t instance = 0; instance < instances.count; instance++) {
    for (uint32_t rest = instances.stepping; rest; rest &= rest - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(rest));
      const Stream &stream = streams.wanted(index);
      if (!stream.buffer) continue;
      const uint64_t offset = stream.offset + uint64_t{instance / streams.step(index)} * stream.stride;
      BufferStore &buffer = stream.buffer->buffer();
      StreamBinding binding;
      if (offset < buffer.size) binding = {buffer.handle, static_cast<uint32_t>(offset), 0};
      if (buffer.ofRuntime && !refreshBuffer(m_objects, m_pipeline.uploads, buffer,
                                             AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, offset, offset + stream.stride))
        return false;
      if (!streams.force(m_objects.context, index, binding)) return false;
    }
    if (!sendIndexed(indices, 1, first, base)) return false;
  }
  return true;
}

HRESULT Draws::draw2(const D3DDDIARG_DRAWPRIMITIVE2 &args) {
  const uint64_t vertices = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  const VertexSource source = m_pipeline.streams.source();
  if (!vertices || vertices > kMaxVertices || !source.stride || !source.isThere()) return kOk;
  return drawTransformed(source, {args.PrimitiveType, int64_t{source.offset} + args.FirstVertexOffset, vertices});
}

HRESULT Draws::drawIndexed2(const D3DDDIARG_DRAWINDEXEDPRIMITIVE2 &args, uint32_t indexBytes, const void *indices) {
  const uint64_t count = verticesOf(args.PrimitiveType, args.PrimitiveCount);
  const VertexSource source = m_pipeline.streams.source();
  if (!count || count > kMaxVertices || !source.stride || !indices || !source.isThere()) return kOk;
  // The base may be negative: base + smallest index * stride is not (page "D3DDDIARG_DRAWINDEXEDPRIMITIVE2").
  const int64_t begin = int64_t{args.BaseVertexOffset} + int64_t{args.MinIndex} * source.stride + source.offset;
  if (begin < 0 || args.MinIndex > INT32_MAX) return kOk;
  const auto *from = static_cast<const uint8_t *>(indices) + args.StartIndexOffset;
  return drawTransformed(
      source, {args.PrimitiveType, begin, args.NumVertices, from, count, indexBytes == 4 ? 4u : 2u, args.MinIndex});
}

HRESULT Draws::drawTransformed(const VertexSource &source, const TransformedDraw &draw) {
  const Prepared prepared = m_pipeline.prepareDraw();
  if (prepared != Prepared::Ready) return m_objects.context.result(prepared == Prepared::Nothing);
  const auto begin = static_cast<uint64_t>(draw.begin);
  if (source.user) {
    const Inline carried = sendInline(draw.type, {source.user + begin, draw.vertexCount, source.stride, draw.indices,
                                                  draw.indexCount, draw.indexBytes, draw.firstIndex});
    if (carried != Inline::Unfit) return m_objects.context.result(carried == Inline::Sent);
  }
  bool sent = m_pipeline.topology.force(m_objects.context, topologyOf(draw.type));
  if (!source.user && begin >= source.buffer->size)
    return m_objects.context.result(sent);  // all vertices lie past the buffer
  sent = sent && bindVertices(source, begin, draw.vertexCount * source.stride);
  if (!draw.indices) return m_objects.context.result(sent && sendDraw(static_cast<uint32_t>(draw.vertexCount), 0));
  uint32_t first = 0;
  sent = sent && bindIndices({draw.indices, nullptr, draw.indexBytes}, first, draw.indexCount) &&
         sendIndexed(static_cast<uint32_t>(draw.indexCount), 1, first, -static_cast<int32_t>(draw.firstIndex));
  return m_objects.context.result(sent);
}

}  // namespace aero
