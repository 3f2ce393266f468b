// SPDX-License-Identifier: MIT
// draw.h: implements the four draw functions of the DDI.
#pragma once

#include "guest-drivers/umd-d3d9/state/pipeline.h"

namespace aero {

class Draws {
public:
  Draws(DeviceObjects &objects, Pipeline &pipeline) : m_objects(objects), m_pipeline(pipeline) {}
  void destroy() { m_ring.destroy(m_objects); }

  HRESULT draw(const D3DDDIARG_DRAWPRIMITIVE &args);
  HRESULT drawIndexed(const D3DDDIARG_DRAWINDEXEDPRIMITIVE &args);
  /** Draws vertices that the runtime transformed; the arguments have byte offsets into stream 0. */
  HRESULT draw2(const D3DDDIARG_DRAWPRIMITIVE2 &args);
  HRESULT drawIndexed2(const D3DDDIARG_DRAWINDEXEDPRIMITIVE2 &args, uint32_t indexBytes, const void *indices);

  /** Returns the ring, for vertices of the driver's own draws. */
  UploadRing &ring() { return m_ring; }

private:
  /** Vertices and indices in the program's memory. */
  struct UserArrays {
    const uint8_t *vertices;
    uint64_t vertexCount;
    uint32_t stride;
    const void *indices = nullptr;
    uint64_t indexCount = 0;
    uint32_t indexBytes = 0;
    uint32_t firstIndex = 0;  // subtracted from each index
  };
  /** A draw of vertices that the runtime transformed. */
  struct TransformedDraw {
    D3DPRIMITIVETYPE type;
    int64_t begin;  // bytes, from the beginning of the buffer or array
    uint64_t vertexCount;
    const uint8_t *indices = nullptr;  // none: the vertices in their order
    uint64_t indexCount = 0;
    uint32_t indexBytes = 0;
    uint32_t firstIndex = 0;  // the index of the vertex at `begin`
  };

  enum class Inline { Sent, Unfit, Failed };
  /** Sends a draw packet that carries its vertices and indices. Unfit: it is too large, or the device has no such
   * packet; no draw is sent then. */
  Inline sendInline(D3DPRIMITIVETYPE type, const UserArrays &arrays);
  [[gnu::noinline]] HRESULT drawUser(const D3DDDIARG_DRAWPRIMITIVE &args, uint64_t vertices);
  HRESULT drawTransformed(const VertexSource &source, const TransformedDraw &draw);
  bool placeUserVertices(const VertexSource &source, uint64_t first, uint64_t count, uint32_t &rebased);
  bool bindVertices(const VertexSource &source, uint64_t begin, uint64_t bytes);
  bool bindIndices(const IndexSource &source, uint32_t &first, uint64_t count);
  bool sendPlain(D3DPRIMITIVETYPE type, uint32_t vertices, uint32_t first);
  bool sendDraw(uint32_t vertices, uint32_t first);
  bool sendIndexed(uint32_t indices, uint32_t instances, uint32_t first, int32_t base);
  bool drawInstances(uint32_t indices, const Instances &instances, uint32_t first, int32_t base);

  DeviceObjects &m_objects;
  Pipeline &m_pipeline;
  UploadRing m_ring;
};

/** Returns the number of vertices, or indices, of so many primitives; 0 for unknown types. */
uint64_t verticesOf(D3DPRIMITIVETYPE type, uint32_t primitives);

}  // namespace aero
