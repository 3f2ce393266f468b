// SPDX-License-Identifier: MIT
// draw.h: the four draws of the DDI and the clear.
#pragma once

#include "guest-drivers/umd-d3d9/state/pipeline.h"

namespace aero {

class Draws {
public:
  Draws(Wire &wire, Pipeline &pipeline) : m_wire(wire), m_pipeline(pipeline) {}
  void destroy() { m_ring.destroy(m_wire); }

  HRESULT draw(const D3DDDIARG_DRAWPRIMITIVE &args);
  HRESULT drawIndexed(const D3DDDIARG_DRAWINDEXEDPRIMITIVE &args);
  /** Vertices that the runtime transformed, by byte offsets into stream 0. */
  HRESULT draw2(const D3DDDIARG_DRAWPRIMITIVE2 &args);
  HRESULT drawIndexed2(const D3DDDIARG_DRAWINDEXEDPRIMITIVE2 &args, uint32_t indexBytes, const void *indices);
  HRESULT clear(const D3DDDIARG_CLEAR &args, uint32_t count, const RECT *rects);

  /** For what the driver draws itself. */
  UploadRing &ring() { return m_ring; }

private:
  struct Vertices {
    uint64_t first, count;
  };

  HRESULT result(bool sent);
  enum class Inline { Sent, Unfit, Failed };
  /** The packet that carries its vertices and indices. `firstIndex`: what is taken from each index. Unfit: it is too
   *  large, or the device has no such packet; nothing is sent then. */
  Inline sendInline(D3DPRIMITIVETYPE type, const uint8_t *vertices, uint64_t vertexCount, uint32_t stride,
                    const void *indices, uint64_t indexCount, uint32_t indexBytes, uint32_t firstIndex);
  bool fill(Surface &surface, const aerogpu_cmd_ext_fill &what, const RECT &bound, uint32_t count, const RECT *rects);
  bool fillBound(const aerogpu_cmd_clear &clear, const RECT &bound, uint32_t count, const RECT *rects);
  bool placeUserVertices(const Vertices &range, uint32_t &rebased);
  bool sendDraw(uint32_t vertices, uint32_t first);
  bool sendIndexed(uint32_t indices, uint32_t instances, uint32_t first, int32_t base);
  bool drawInstances(uint32_t indices, uint32_t instances, uint32_t perInstance, uint32_t first, int32_t base);

  Wire &m_wire;
  Pipeline &m_pipeline;
  UploadRing m_ring;
};

/** Vertices, or indices, of so many primitives; 0 for types that are none. */
uint64_t verticesOf(D3DPRIMITIVETYPE type, uint32_t primitives);

}  // namespace aero
