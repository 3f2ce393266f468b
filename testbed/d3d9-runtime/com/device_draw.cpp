// SPDX-License-Identifier: MIT
// Scenes, clears and draws.
#include <algorithm>
#include <cstring>

#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {
namespace {

constexpr UINT64 kMostUserBytes = 256u << 20;
constexpr BYTE kPoison = 0xDB;

/// Returns the vertices, or indices, of `count` primitives; 0 for an invalid type.
UINT64 elementCount(D3DPRIMITIVETYPE type, UINT count) {
  switch (type) {
  case D3DPT_POINTLIST:
    return count;
  case D3DPT_LINELIST:
    return UINT64{count} * 2;
  case D3DPT_LINESTRIP:
    return UINT64{count} + 1;
  case D3DPT_TRIANGLELIST:
    return UINT64{count} * 3;
  case D3DPT_TRIANGLESTRIP:
  case D3DPT_TRIANGLEFAN:
    return UINT64{count} + 2;
  default:
    return 0;
  }
}

}  // namespace

HRESULT Device::BeginScene() {
  const Lock lock(*this);
  if (m_inScene) return D3DERR_INVALIDCALL;
  m_inScene = true;
  return m_pipeline.sendRender(D3DDDIRS_SCENECAPTURE, TRUE);
}

HRESULT Device::EndScene() {
  const Lock lock(*this);
  if (!m_inScene) return D3DERR_INVALIDCALL;
  m_inScene = false;
  return m_pipeline.sendRender(D3DDDIRS_SCENECAPTURE, FALSE);
}

HRESULT Device::Clear(DWORD count, const D3DRECT *rects, DWORD flags, D3DCOLOR color, float z, DWORD stencil) {
  const Lock lock(*this);
  constexpr DWORD kAll = D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL;
  if (flags & ~kAll) return D3DERR_INVALIDCALL;
  // A count of 0 clears nothing; without rectangles the count is ignored.
  if (!flags || (!count && rects)) return D3D_OK;
  if (!rects) count = 0;
  if ((flags & (D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL)) && !m_depth) return D3DERR_INVALIDCALL;
  D3DDDIARG_CLEAR argument{};
  argument.Flags = flags;
  argument.FillColor = color;
  argument.FillDepth = z;
  argument.FillStencil = stencil;
  std::vector<RECT> list;
  for (DWORD i = 0; i < count; ++i) list.push_back({rects[i].x1, rects[i].y1, rects[i].x2, rects[i].y2});
  if (m_creation.BehaviorFlags & D3DCREATE_PUREDEVICE) {
    // The driver clips them to the viewport and the scissor rectangle.
    argument.Flags |= D3DCLEAR_COMPUTERECTS;
    return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnClear>(&argument, static_cast<UINT>(list.size()),
                                                        static_cast<const RECT *>(list.data()));
  }
  const StateValues &values = m_pipeline.values();
  const D3DVIEWPORT9 &v = values.viewport;
  RECT bounds{static_cast<LONG>(v.X), static_cast<LONG>(v.Y), static_cast<LONG>(v.X + v.Width),
              static_cast<LONG>(v.Y + v.Height)};
  if (values.render[D3DRS_SCISSORTESTENABLE]) IntersectRect(&bounds, &bounds, &values.scissor);
  if (list.empty()) list.push_back(bounds);
  for (RECT &rect : list) IntersectRect(&rect, &rect, &bounds);
  std::erase_if(list, [](const RECT &rect) { return IsRectEmpty(&rect); });
  if (list.empty()) return D3D_OK;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnClear>(&argument, static_cast<UINT>(list.size()),
                                                      static_cast<const RECT *>(list.data()));
}

HRESULT Device::prepareDraw(bool indexed) {
  const StateValues &values = m_pipeline.values();
  if (!m_inScene || !values.declaration) return D3DERR_INVALIDCALL;
  return m_pipeline.flush(indexed);
}

HRESULT Device::DrawPrimitive(D3DPRIMITIVETYPE type, UINT startVertex, UINT primitiveCount) {
  const Lock lock(*this);
  if (!elementCount(type, primitiveCount)) return D3DERR_INVALIDCALL;
  if (m_inScene && primitiveCount && drawsBySoftware())
    return drawBySoftware(
        {type, primitiveCount, elementCount(type, primitiveCount), startVertex, 0, 0, nullptr, nullptr, 0, 0});
  const HRESULT result = prepareDraw(false);
  if (FAILED(result) || !primitiveCount) return result;
  D3DDDIARG_DRAWPRIMITIVE argument{};
  argument.PrimitiveType = type;
  argument.VStart = startVertex;
  argument.PrimitiveCount = primitiveCount;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnDrawPrimitive>(&argument, static_cast<const UINT *>(nullptr));
}

HRESULT Device::DrawIndexedPrimitive(D3DPRIMITIVETYPE type, INT baseVertex, UINT minVertex, UINT vertexCount,
                                     UINT startIndex, UINT primitiveCount) {
  const Lock lock(*this);
  if (!elementCount(type, primitiveCount) || type == D3DPT_POINTLIST || !m_pipeline.values().indices)
    return D3DERR_INVALIDCALL;
  if (m_inScene && primitiveCount && drawsBySoftware())
    return drawBySoftware({type, primitiveCount, elementCount(type, primitiveCount), startIndex, baseVertex,
                           m_pipeline.values().indices->stride(), nullptr, nullptr, 0, 0});
  const HRESULT result = prepareDraw(true);
  if (FAILED(result) || !primitiveCount || !vertexCount) return result;
  D3DDDIARG_DRAWINDEXEDPRIMITIVE argument{};
  argument.PrimitiveType = type;
  argument.BaseVertexIndex = baseVertex;
  argument.MinIndex = minVertex;
  argument.NumVertices = vertexCount;
  argument.StartIndex = startIndex;
  argument.PrimitiveCount = primitiveCount;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnDrawIndexedPrimitive>(&argument);
}

// Draws from the program's memory. The driver gets a copy, which is overwritten after the draw: it may not read it
// later.
HRESULT Device::DrawPrimitiveUP(D3DPRIMITIVETYPE type, UINT primitiveCount, const void *data, UINT stride) {
  const Lock lock(*this);
  const UINT64 vertices = elementCount(type, primitiveCount);
  if (!vertices || !data || !stride || vertices * stride > kMostUserBytes) return D3DERR_INVALIDCALL;
  if (m_inScene && primitiveCount && drawsBySoftware())
    return drawBySoftware(
        {type, primitiveCount, vertices, 0, 0, 0, nullptr, data, static_cast<size_t>(vertices * stride), stride});
  HRESULT result = prepareDraw(false);
  if (FAILED(result) || !primitiveCount) return result;
  const BYTE *bytes = static_cast<const BYTE *>(data);
  m_userVertices.assign(bytes, bytes + vertices * stride);
  D3DDDIARG_SETSTREAMSOURCEUM stream{};
  stream.Stride = stride;
  m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetStreamSourceUm>(&stream, static_cast<const VOID *>(m_userVertices.data()));
  D3DDDIARG_DRAWPRIMITIVE argument{};
  argument.PrimitiveType = type;
  argument.PrimitiveCount = primitiveCount;
  result = m_driver.call<&D3DDDI_DEVICEFUNCS::pfnDrawPrimitive>(&argument, static_cast<const UINT *>(nullptr));
  std::fill(m_userVertices.begin(), m_userVertices.end(), kPoison);
  m_pipeline.restoreStreams(false);
  return result;
}

HRESULT Device::DrawIndexedPrimitiveUP(D3DPRIMITIVETYPE type, UINT minVertex, UINT vertexCount, UINT primitiveCount,
                                       const void *indexData, D3DFORMAT indexFormat, const void *data, UINT stride) {
  const Lock lock(*this);
  const UINT64 indices = elementCount(type, primitiveCount);
  const UINT indexSize = indexFormat == D3DFMT_INDEX32 ? 4 : 2;
  const UINT64 vertexBytes = (UINT64{minVertex} + vertexCount) * stride;
  if (!indices || !indexData || !data || !stride || type == D3DPT_POINTLIST || vertexBytes > kMostUserBytes ||
      indices * indexSize > kMostUserBytes || (indexFormat != D3DFMT_INDEX16 && indexFormat != D3DFMT_INDEX32))
    return D3DERR_INVALIDCALL;
  if (m_inScene && primitiveCount && drawsBySoftware())
    return drawBySoftware(
        {type, primitiveCount, indices, 0, 0, indexSize, indexData, data, static_cast<size_t>(vertexBytes), stride});
  HRESULT result = prepareDraw(false);
  if (FAILED(result) || !primitiveCount || !vertexCount) return result;
  // Data is readable from minVertex on only.
  const size_t skipped = size_t{minVertex} * stride;
  m_userVertices.assign(static_cast<size_t>(vertexBytes), kPoison);
  std::memcpy(m_userVertices.data() + skipped, static_cast<const BYTE *>(data) + skipped, size_t{vertexCount} * stride);
  const BYTE *bytes = static_cast<const BYTE *>(indexData);
  m_userIndices.assign(bytes, bytes + indices * indexSize);
  D3DDDIARG_SETSTREAMSOURCEUM stream{};
  stream.Stride = stride;
  m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetStreamSourceUm>(&stream, static_cast<const VOID *>(m_userVertices.data()));
  m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetIndicesUm>(indexSize, static_cast<const VOID *>(m_userIndices.data()));
  D3DDDIARG_DRAWINDEXEDPRIMITIVE argument{};
  argument.PrimitiveType = type;
  argument.MinIndex = minVertex;
  argument.NumVertices = vertexCount;
  argument.PrimitiveCount = primitiveCount;
  result = m_driver.call<&D3DDDI_DEVICEFUNCS::pfnDrawIndexedPrimitive>(&argument);
  std::fill(m_userVertices.begin(), m_userVertices.end(), kPoison);
  std::fill(m_userIndices.begin(), m_userIndices.end(), kPoison);
  m_pipeline.restoreStreams(true);
  return result;
}

}  // namespace aerogpu::runtime
