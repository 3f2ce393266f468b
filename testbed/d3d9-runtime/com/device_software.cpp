// SPDX-License-Identifier: MIT
// Vertices on the processor: ProcessVertices, and draws with shaders that only software vertex processing supports. The
// results of such draws go through the hardware's pipeline with a vertex shader that passes them on.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "aerogpu/d3d9/declaration.h"
#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/d3d9-runtime/com/software_vertices.h"

namespace aerogpu::runtime {
namespace {

constexpr UINT64 kMostSoftwareVertices = 1u << 20;

/// The parts of a drawn vertex: ShadedVertex, all of four floats, in this order.
constexpr UINT kHandedOn = 11;
constexpr UINT kHandedOnBytes = kHandedOn * sizeof(Float4);

/// Returns a shader of vs_2_0 that moves v0 to oPos, v1 and v2 to oD0 and oD1, and v3 to v10 to oT0 to oT7.
std::vector<DWORD> handOnShader() {
  constexpr DWORD kDcl = 0x0200001F, kMov = 0x02000001, kAll = 0x800F0000, kSource = 0x80E40000;
  constexpr DWORD kInput = 1u << 28, kRasterOut = 4u << 28, kAttributeOut = 5u << 28, kTexCoordOut = 6u << 28;
  std::vector<DWORD> code{D3DVS_VERSION(2, 0)};
  for (DWORD i = 0; i < kHandedOn; ++i) {
    const DWORD usage = i == 0  ? DWORD{D3DDECLUSAGE_POSITION}
                        : i < 3 ? DWORD{D3DDECLUSAGE_COLOR} | (i - 1) << 16
                                : DWORD{D3DDECLUSAGE_TEXCOORD} | (i - 3) << 16;
    code.insert(code.end(), {kDcl, 0x80000000 | usage, kAll | kInput | i});
  }
  for (DWORD i = 0; i < kHandedOn; ++i) {
    const DWORD target = i == 0 ? kRasterOut : i < 3 ? kAttributeOut | (i - 1) : kTexCoordOut | (i - 3);
    code.insert(code.end(), {kMov, kAll | target, kSource | kInput | i});
  }
  code.push_back(0x0000FFFF);
  return code;
}

std::vector<D3DVERTEXELEMENT9> handOnElements() {
  std::vector<D3DVERTEXELEMENT9> elements;
  for (UINT i = 0; i < kHandedOn; ++i) {
    const BYTE usage = i == 0 ? D3DDECLUSAGE_POSITION : i < 3 ? D3DDECLUSAGE_COLOR : D3DDECLUSAGE_TEXCOORD;
    const BYTE index = static_cast<BYTE>(i == 0 ? 0 : i < 3 ? i - 1 : i - 3);
    elements.push_back(
        {0, static_cast<WORD>(i * sizeof(Float4)), D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, usage, index});
  }
  return elements;
}

DWORD packedColor(const Float4 &color) {
  const auto channel = [&](int i) {
    return static_cast<DWORD>(std::lround(std::clamp(color.c[i], 0.0f, 1.0f) * 255.0f));
  };
  return channel(3) << 24 | channel(0) << 16 | channel(1) << 8 | channel(2);
}

/// Converts from clip space to the screen, as in transformed vertices.
Float4 onScreen(const Float4 &clip, const D3DVIEWPORT9 &v) {
  const float rhw = clip.c[3] != 0 ? 1.0f / clip.c[3] : 0.0f;
  return {{static_cast<float>(v.X) + (1 + clip.c[0] * rhw) * static_cast<float>(v.Width) / 2,
           static_cast<float>(v.Y) + (1 - clip.c[1] * rhw) * static_cast<float>(v.Height) / 2,
           v.MinZ + clip.c[2] * rhw * (v.MaxZ - v.MinZ), rhw}};
}

/// Writes an element of a processed vertex. Returns false for elements that processing does not make.
bool writeElement(const D3DVERTEXELEMENT9 &e, const ShadedVertex &vertex, const D3DVIEWPORT9 &viewport, BYTE *to) {
  Float4 value;
  if (e.Usage == D3DDECLUSAGE_POSITIONT && e.UsageIndex == 0)
    value = onScreen(vertex.position, viewport);
  else if (e.Usage == D3DDECLUSAGE_COLOR && e.UsageIndex < 2)
    value = vertex.color[e.UsageIndex];
  else if (e.Usage == D3DDECLUSAGE_TEXCOORD && e.UsageIndex < 8)
    value = vertex.coordinates[e.UsageIndex];
  else if (e.Usage == D3DDECLUSAGE_PSIZE && e.UsageIndex == 0)
    value.c[0] = vertex.pointSize;
  else
    return false;
  const d3d9::DeclTypeInfo *type = d3d9::findDeclType(e.Type);
  if (e.Type == D3DDECLTYPE_D3DCOLOR) {
    const DWORD packed = packedColor(value);
    std::memcpy(to, &packed, sizeof packed);
  } else if (type && e.Type <= D3DDECLTYPE_FLOAT4) {
    std::memcpy(to, value.c, type->bytes);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool Device::drawsBySoftware() const {
  const StateValues &values = m_pipeline.values();
  const bool software = softwareVertices();
  return software && values.vertexShader && values.vertexShader->isSoftwareOnly() && values.declaration &&
         !values.declaration->isTransformed();
}

HRESULT Device::drawBySoftware(const SoftwareDraw &draw) {
  if (draw.vertices > kMostSoftwareVertices) return D3DERR_INVALIDCALL;
  VertexProcessor processor;
  HRESULT result = processor.prepare(m_pipeline);
  if (FAILED(result)) return result;
  m_userVertices.resize(static_cast<size_t>(draw.vertices) * kHandedOnBytes);
  {
    VertexReader reader;
    result = reader.open(m_pipeline.values(), draw.user, draw.userBytes, draw.userStride);
    if (FAILED(result)) return result;
    BufferMemory *locked = nullptr;
    const BYTE *indices = static_cast<const BYTE *>(draw.indices);
    if (draw.indexSize && !indices) {
      BufferMemory &memory = m_pipeline.values().indices->memory();
      const UINT64 offset = UINT64{draw.first} * draw.indexSize;
      void *bytes = nullptr;
      if (offset + draw.vertices * draw.indexSize > memory.bytes()) return D3DERR_INVALIDCALL;
      result = memory.lock(static_cast<UINT>(offset), 0, &bytes, D3DLOCK_READONLY);
      if (FAILED(result)) return result;
      indices = static_cast<const BYTE *>(bytes);
      locked = &memory;
    }
    for (UINT64 i = 0; i < draw.vertices && SUCCEEDED(result); ++i) {
      UINT index = 0;
      if (draw.indexSize) std::memcpy(&index, indices + i * draw.indexSize, draw.indexSize);
      const UINT vertex = draw.indexSize ? static_cast<UINT>(draw.base) + index : draw.first + static_cast<UINT>(i);
      ShadedVertex shaded;
      if (!processor.process(reader, vertex, shaded)) result = D3DERR_INVALIDCALL;
      static_assert(offsetof(ShadedVertex, fog) == kHandedOnBytes);
      std::memcpy(m_userVertices.data() + i * kHandedOnBytes, &shaded, kHandedOnBytes);
    }
    if (locked) locked->unlock();
  }
  if (FAILED(result)) return result;
  if (!m_handOnShader) {
    const std::vector<DWORD> code = handOnShader();
    Ref<VertexShader> shader(new VertexShader(*this, code.data(), code.size(), false));
    Ref<Declaration> declaration(new Declaration(*this, handOnElements()));
    result = shader->create();
    if (SUCCEEDED(result)) result = declaration->create();
    if (FAILED(result)) return result;
    m_handOnShader = std::move(shader);
    m_handOnDeclaration = std::move(declaration);
  }
  // The program's own ones are restored before it can look.
  const Ref<Declaration> declaration(m_pipeline.values().declaration.get());
  const Ref<VertexShader> shader(m_pipeline.values().vertexShader.get());
  const DWORD fvf = m_pipeline.values().fvf;
  m_pipeline.setDeclaration(m_handOnDeclaration.get(), 0);
  m_pipeline.setVertexShader(m_handOnShader.get());
  result = m_pipeline.flush(false);
  if (SUCCEEDED(result)) {
    D3DDDIARG_SETSTREAMSOURCEUM stream{};
    stream.Stride = kHandedOnBytes;
    m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetStreamSourceUm>(&stream, static_cast<const VOID *>(m_userVertices.data()));
    D3DDDIARG_DRAWPRIMITIVE argument{};
    argument.PrimitiveType = draw.type;
    argument.PrimitiveCount = draw.primitives;
    result = m_driver.call<&D3DDDI_DEVICEFUNCS::pfnDrawPrimitive>(&argument, static_cast<const UINT *>(nullptr));
  }
  m_pipeline.setDeclaration(declaration.get(), fvf);
  m_pipeline.setVertexShader(shader.get());
  // Leaves the bindings as the replaced draws do.
  if (draw.user)
    return FAILED(m_pipeline.restoreStreams(draw.indices != nullptr)) ? D3DERR_DRIVERINTERNALERROR : result;
  m_pipeline.resendStream(0);
  return result;
}

HRESULT Device::ProcessVertices(UINT source, UINT destination, UINT count, IDirect3DVertexBuffer9 *buffer,
                                IDirect3DVertexDeclaration9 *declaration, DWORD flags) {
  const Lock lock(*this);
  if (!buffer || (flags & ~D3DPV_DONOTCOPYDATA)) return D3DERR_INVALIDCALL;
  VertexBuffer &target = *static_cast<VertexBuffer *>(buffer);
  const StateValues &values = m_pipeline.values();
  // vs_3_0 has no outputs that transformed vertices could take.
  if (values.vertexShader && HIBYTE(LOWORD(values.vertexShader->version())) >= 3) return D3DERR_INVALIDCALL;
  const std::vector<D3DVERTEXELEMENT9> elements =
      declaration ? static_cast<Declaration *>(declaration)->elements() : declarationOfFvf(target.fvf());
  UINT stride = 0;
  for (const D3DVERTEXELEMENT9 &e : elements) {
    const d3d9::DeclTypeInfo *type = d3d9::findDeclType(e.Type);
    if (e.Stream || !type) return D3DERR_INVALIDCALL;
    stride = std::max<UINT>(stride, e.Offset + type->bytes);
  }
  const UINT64 begin = UINT64{destination} * stride, bytes = UINT64{count} * stride;
  if (!stride || begin + bytes > target.memory().bytes()) return D3DERR_INVALIDCALL;
  if (!count) return D3D_OK;
  VertexProcessor processor;
  HRESULT result = processor.prepare(m_pipeline);
  if (FAILED(result)) return result;
  VertexReader reader;
  result = reader.open(values, nullptr, 0, 0);
  if (FAILED(result)) return result;
  void *out = nullptr;
  result = target.memory().lock(static_cast<UINT>(begin), static_cast<UINT>(bytes), &out, 0);
  if (FAILED(result)) return result;
  for (UINT i = 0; i < count && SUCCEEDED(result); ++i) {
    ShadedVertex vertex;
    if (!processor.process(reader, source + i, vertex)) result = D3DERR_INVALIDCALL;
    for (const D3DVERTEXELEMENT9 &e : elements) {
      BYTE *to = static_cast<BYTE *>(out) + size_t{i} * stride + e.Offset;
      if (writeElement(e, vertex, values.viewport, to) || (flags & D3DPV_DONOTCOPYDATA)) continue;
      // Elements that processing does not make are copied, if both have them as floats.
      Float4 value;
      const d3d9::DeclTypeInfo *type = d3d9::findDeclType(e.Type);
      if (e.Type <= D3DDECLTYPE_FLOAT4 &&
          reader.read(source + i, static_cast<d3d9::Usage>(e.Usage), e.UsageIndex, value))
        std::memcpy(to, value.c, type->bytes);
    }
  }
  target.memory().unlock();
  return result;
}

}  // namespace aerogpu::runtime
