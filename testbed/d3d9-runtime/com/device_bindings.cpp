// SPDX-License-Identifier: MIT
// Bindings: render targets, depth, textures, streams, indices, shaders, declarations.
#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/d3d9-runtime/com/state_block.h"

namespace aerogpu::runtime {
namespace {

template <class Object, class Interface> HRESULT answer(Object *object, Interface **out) {
  if (object) object->AddRef();
  *out = object;
  return D3D_OK;
}

}  // namespace

HRESULT Device::bindTarget(UINT index) {
  D3DDDIARG_SETRENDERTARGET argument{};
  argument.RenderTargetIndex = index;
  if (m_target[index]) {
    argument.hRenderTarget = m_target[index]->handle();
    argument.SubResourceIndex = m_target[index]->subresource();
  }
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetRenderTarget>(&argument);
}

void Device::rebindRenderTargets(const Image &image) {
  for (UINT i = 0; i < kRenderTargets; ++i)
    if (m_target[i] && &m_target[i]->image() == &image) bindTarget(i);
}

HRESULT Device::setTarget(UINT index, Surface *surface) {
  const Ref<Surface> previous = std::move(m_target[index]);
  m_target[index] = Ref<Surface>(surface);
  const HRESULT result = bindTarget(index);
  if (FAILED(result) || index != 0 || !surface) return result;
  // The driver's interface leaves both to the runtime.
  m_pipeline.setViewport({0, 0, surface->width(), surface->height(), 0.0f, 1.0f});
  return m_pipeline.setScissor(surface->bounds());
}

HRESULT Device::setDepth(Surface *surface) {
  const Ref<Surface> previous = std::move(m_depth);
  m_depth = Ref<Surface>(surface);
  D3DDDIARG_SETDEPTHSTENCIL argument{};
  argument.hZBuffer = surface ? surface->handle() : nullptr;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetDepthStencil>(&argument);
}

HRESULT Device::SetRenderTarget(DWORD index, IDirect3DSurface9 *surface) {
  const Lock lock(*this);
  Surface *target = static_cast<Surface *>(surface);
  if (index >= kRenderTargets || index >= m_driver.adapter().caps().NumSimultaneousRTs) return D3DERR_INVALIDCALL;
  if (!target && index == 0) return D3DERR_INVALIDCALL;
  if (target && (!(target->usage() & D3DUSAGE_RENDERTARGET) || &target->device() != this)) return D3DERR_INVALIDCALL;
  return setTarget(index, target);
}

HRESULT Device::GetRenderTarget(DWORD index, IDirect3DSurface9 **surface) {
  const Lock lock(*this);
  if (!surface || index >= kRenderTargets) return D3DERR_INVALIDCALL;
  *surface = nullptr;
  if (!m_target[index]) return D3DERR_NOTFOUND;
  return answer(m_target[index].get(), surface);
}

HRESULT Device::SetDepthStencilSurface(IDirect3DSurface9 *surface) {
  const Lock lock(*this);
  Surface *depth = static_cast<Surface *>(surface);
  if (depth && (!(depth->usage() & D3DUSAGE_DEPTHSTENCIL) || &depth->device() != this)) return D3DERR_INVALIDCALL;
  return setDepth(depth);
}

HRESULT Device::GetDepthStencilSurface(IDirect3DSurface9 **surface) {
  const Lock lock(*this);
  if (!surface) return D3DERR_INVALIDCALL;
  *surface = nullptr;
  if (!m_depth) return D3DERR_NOTFOUND;
  return answer(m_depth.get(), surface);
}

HRESULT Device::SetTexture(DWORD stage, IDirect3DBaseTexture9 *texture) {
  const Lock lock(*this);
  const UINT slot = samplerSlot(stage);
  AnyTexture *object = AnyTexture::of(*this, texture);
  if (slot == kSamplers || (texture && !object)) return D3DERR_INVALIDCALL;
  return sink().setTexture(slot, object);
}

HRESULT Device::GetTexture(DWORD stage, IDirect3DBaseTexture9 **texture) {
  const Lock lock(*this);
  const UINT slot = samplerSlot(stage);
  if (slot == kSamplers || !texture) return D3DERR_INVALIDCALL;
  AnyTexture *object = m_pipeline.values().texture[slot].get();
  return answer(object ? object->api() : nullptr, texture);
}

HRESULT Device::SetStreamSource(UINT stream, IDirect3DVertexBuffer9 *buffer, UINT offset, UINT stride) {
  const Lock lock(*this);
  if (stream >= kStreams || offset % 4) return D3DERR_INVALIDCALL;
  // Without a buffer offset and stride stay; a state block records its arguments.
  const Stream &now = m_pipeline.values().stream[stream];
  if (!buffer && !m_recording) return sink().setStream(stream, nullptr, now.offset, now.stride);
  return sink().setStream(stream, static_cast<VertexBuffer *>(buffer), offset, stride);
}

HRESULT Device::GetStreamSource(UINT stream, IDirect3DVertexBuffer9 **buffer, UINT *offset, UINT *stride) {
  const Lock lock(*this);
  if (stream >= kStreams || !buffer || !stride) return D3DERR_INVALIDCALL;
  const Stream &values = m_pipeline.values().stream[stream];
  if (offset) *offset = values.offset;
  *stride = values.stride;
  return answer(values.buffer.get(), buffer);
}

HRESULT Device::SetStreamSourceFreq(UINT stream, UINT frequency) {
  const Lock lock(*this);
  const bool instances = frequency & D3DSTREAMSOURCE_INSTANCEDATA, indexed = frequency & D3DSTREAMSOURCE_INDEXEDDATA;
  if (stream >= kStreams || (instances && (indexed || stream == 0)) || !frequency) return D3DERR_INVALIDCALL;
  return sink().setFrequency(stream, frequency);
}

HRESULT Device::GetStreamSourceFreq(UINT stream, UINT *frequency) {
  const Lock lock(*this);
  if (stream >= kStreams || !frequency) return D3DERR_INVALIDCALL;
  *frequency = m_pipeline.values().stream[stream].frequency;
  return D3D_OK;
}

HRESULT Device::SetIndices(IDirect3DIndexBuffer9 *buffer) {
  return setIndices(static_cast<IndexBuffer *>(buffer), 0);
}

HRESULT Device::setIndices(IndexBuffer *buffer, UINT baseVertex) {
  const Lock lock(*this);
  return sink().setIndices(buffer, baseVertex);
}

HRESULT Device::GetIndices(IDirect3DIndexBuffer9 **buffer) {
  const Lock lock(*this);
  if (!buffer) return D3DERR_INVALIDCALL;
  return answer(m_pipeline.values().indices.get(), buffer);
}

HRESULT Device::SetVertexDeclaration(IDirect3DVertexDeclaration9 *declaration) {
  const Lock lock(*this);
  Declaration *object = static_cast<Declaration *>(declaration);
  return sink().setDeclaration(object, object ? object->fvf() : 0);
}

HRESULT Device::GetVertexDeclaration(IDirect3DVertexDeclaration9 **declaration) {
  const Lock lock(*this);
  if (!declaration) return D3DERR_INVALIDCALL;
  return answer(m_pipeline.values().declaration.get(), declaration);
}

HRESULT Device::declarationForFvf(DWORD fvf, Declaration *&out) {
  const auto found = m_fvfDeclarations.find(fvf);
  if (found != m_fvfDeclarations.end()) {
    out = found->second.get();
    return D3D_OK;
  }
  std::vector<D3DVERTEXELEMENT9> elements = declarationOfFvf(fvf);
  if (elements.empty()) return D3DERR_INVALIDCALL;
  Ref<Declaration> made(new Declaration(*this, std::move(elements)));
  const HRESULT result = made->create();
  if (FAILED(result)) return result;
  out = made.get();
  m_fvfDeclarations.emplace(fvf, std::move(made));
  return D3D_OK;
}

HRESULT Device::SetFVF(DWORD fvf) {
  const Lock lock(*this);
  if (!fvf) return D3D_OK;  // nothing changes
  Declaration *declaration = nullptr;
  const HRESULT result = declarationForFvf(fvf, declaration);
  return FAILED(result) ? result : sink().setDeclaration(declaration, fvf);
}

HRESULT Device::GetFVF(DWORD *fvf) {
  const Lock lock(*this);
  if (!fvf) return D3DERR_INVALIDCALL;
  *fvf = m_pipeline.values().fvf;
  return D3D_OK;
}

HRESULT Device::SetVertexShader(IDirect3DVertexShader9 *shader) {
  const Lock lock(*this);
  return sink().setVertexShader(static_cast<VertexShader *>(shader));
}

HRESULT Device::GetVertexShader(IDirect3DVertexShader9 **shader) {
  const Lock lock(*this);
  if (!shader) return D3DERR_INVALIDCALL;
  return answer(m_pipeline.values().vertexShader.get(), shader);
}

HRESULT Device::SetPixelShader(IDirect3DPixelShader9 *shader) {
  const Lock lock(*this);
  return sink().setPixelShader(static_cast<PixelShader *>(shader));
}

HRESULT Device::GetPixelShader(IDirect3DPixelShader9 **shader) {
  const Lock lock(*this);
  if (!shader) return D3DERR_INVALIDCALL;
  return answer(m_pipeline.values().pixelShader.get(), shader);
}

}  // namespace aerogpu::runtime
