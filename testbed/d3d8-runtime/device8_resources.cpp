// SPDX-License-Identifier: MIT
// Creating resources, copies, targets.
#include "testbed/d3d8-runtime/device8.h"
#include "testbed/d3d8-runtime/resources.h"

namespace aerogpu::runtime {
namespace {

/// Returns D3DERR_NOTAVAILABLE for samples that targets of the format do not have.
HRESULT checkSamples(const Device &device, D3DFORMAT format, D3DMULTISAMPLE_TYPE samples) {
  if (samples == D3DMULTISAMPLE_NONE) return D3D_OK;
  if (samples == D3DMULTISAMPLE_NONMASKABLE) return D3DERR_INVALIDCALL;  // came with Direct3D 9
  return checkMultisample(device.driver().adapter(), format, true, samples, nullptr);
}

/// Hands out the front of an object that was made, null after a failure.
template <class Made, class Object, class Made9, class Interface>
HRESULT answer(HRESULT result, Made9 *made, Interface **out) {
  *out = SUCCEEDED(result) ? frontOf<Made>(static_cast<Object *>(made)) : nullptr;
  return result;
}

}  // namespace

// Without a format the answer stays as it is (test_format_unknown in Wine's dlls/d3d8/tests/device.c).
HRESULT Device8::CreateTexture(UINT width, UINT height, UINT levels, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                               IDirect3DTexture8 **out) {
  if (!out || format == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  IDirect3DTexture9 *made = nullptr;
  const HRESULT result = usage & ~kUsages8
                             ? D3DERR_INVALIDCALL
                             : m_object.CreateTexture(width, height, levels, usage, format, pool, &made, nullptr);
  return answer<Texture8, Texture>(result, made, out);
}

HRESULT Device8::CreateVolumeTexture(UINT width, UINT height, UINT depth, UINT levels, DWORD usage, D3DFORMAT format,
                                     D3DPOOL pool, IDirect3DVolumeTexture8 **out) {
  if (!out || format == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  IDirect3DVolumeTexture9 *made = nullptr;
  const HRESULT result = usage & ~kUsages8 ? D3DERR_INVALIDCALL
                                           : m_object.CreateVolumeTexture(width, height, depth, levels, usage, format,
                                                                          pool, &made, nullptr);
  return answer<VolumeTexture8, VolumeTexture>(result, made, out);
}

HRESULT Device8::CreateCubeTexture(UINT edge, UINT levels, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                   IDirect3DCubeTexture8 **out) {
  if (!out || format == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  IDirect3DCubeTexture9 *made = nullptr;
  const HRESULT result = usage & ~kUsages8
                             ? D3DERR_INVALIDCALL
                             : m_object.CreateCubeTexture(edge, levels, usage, format, pool, &made, nullptr);
  return answer<CubeTexture8, CubeTexture>(result, made, out);
}

HRESULT Device8::CreateVertexBuffer(UINT size, DWORD usage, DWORD fvf, D3DPOOL pool, IDirect3DVertexBuffer8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  IDirect3DVertexBuffer9 *made = nullptr;
  const HRESULT result = m_object.CreateVertexBuffer(size, usage, fvf, pool, &made, nullptr);
  return answer<VertexBuffer8, VertexBuffer>(result, made, out);
}

HRESULT Device8::CreateIndexBuffer(UINT size, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                   IDirect3DIndexBuffer8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  IDirect3DIndexBuffer9 *made = nullptr;
  const HRESULT result = m_object.CreateIndexBuffer(size, usage, format, pool, &made, nullptr);
  return answer<IndexBuffer8, IndexBuffer>(result, made, out);
}

HRESULT Device8::CreateRenderTarget(UINT width, UINT height, D3DFORMAT format, D3DMULTISAMPLE_TYPE samples,
                                    BOOL lockable, IDirect3DSurface8 **out) {
  if (!out || format == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  IDirect3DSurface9 *made = nullptr;
  HRESULT result = checkSamples(m_object, format, samples);
  if (SUCCEEDED(result))
    result = m_object.CreateRenderTarget(width, height, format, samples, 0, lockable, &made, nullptr);
  return answer<Surface8, Surface>(result, made, out);
}

HRESULT Device8::CreateDepthStencilSurface(UINT width, UINT height, D3DFORMAT format, D3DMULTISAMPLE_TYPE samples,
                                           IDirect3DSurface8 **out) {
  if (!out || format == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  IDirect3DSurface9 *made = nullptr;
  HRESULT result = checkSamples(m_object, format, samples);
  if (SUCCEEDED(result))
    result = m_object.CreateDepthStencilSurface(width, height, format, samples, 0, FALSE, &made, nullptr);
  return answer<Surface8, Surface>(result, made, out);
}

// Images are in system memory. If the driver has no plain surfaces of the format, the runtime keeps them to itself.
HRESULT Device8::CreateImageSurface(UINT width, UINT height, D3DFORMAT format, IDirect3DSurface8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  IDirect3DSurface9 *made = nullptr;
  HRESULT result = D3DERR_INVALIDCALL;
  if (format != D3DFMT_UNKNOWN)
    result = m_object.CreateOffscreenPlainSurface(width, height, format, D3DPOOL_SYSTEMMEM, &made, nullptr);
  if (FAILED(result) && format != D3DFMT_UNKNOWN)
    result = m_object.CreateOffscreenPlainSurface(width, height, format, D3DPOOL_SCRATCH, &made, nullptr);
  return answer<Surface8, Surface>(result, made, out);
}

HRESULT Device8::CopyRects(IDirect3DSurface8 *source, const RECT *rects, UINT count, IDirect3DSurface8 *destination,
                           const POINT *points) {
  const Lock lock(m_object);
  if (!source || !destination) return D3DERR_INVALIDCALL;
  return copyRects(m_object, *objectOf<Surface8>(source), rects, count, *objectOf<Surface8>(destination), points);
}

HRESULT Device8::UpdateTexture(IDirect3DBaseTexture8 *source, IDirect3DBaseTexture8 *destination) {
  const Lock lock(m_object);
  const AnyTexture *from = AnyTexture::of(m_object, static_cast<const void *>(source));
  const AnyTexture *to = AnyTexture::of(m_object, static_cast<const void *>(destination));
  return from && to ? m_object.UpdateTexture(from->api(), to->api()) : D3DERR_INVALIDCALL;
}

HRESULT Device8::GetFrontBuffer(IDirect3DSurface8 *destination) {
  return m_object.GetFrontBufferData(0, objectOf<Surface8>(destination));
}

const Surface *Device8::currentTarget() const {
  IDirect3DSurface9 *current = nullptr;
  if (FAILED(m_object.GetRenderTarget(0, &current))) return nullptr;
  current->Release();  // the device keeps it
  return static_cast<Surface *>(current);
}

// Sets both; without a target the current one stays. The depth must be large enough.
HRESULT Device8::SetRenderTarget(IDirect3DSurface8 *target, IDirect3DSurface8 *depth) {
  const Lock lock(m_object);
  Surface *color = objectOf<Surface8>(target), *stencil = objectOf<Surface8>(depth);
  const Surface *drawn = color ? color : currentTarget();
  if (!drawn) return D3DERR_INVALIDCALL;
  if (stencil && (stencil->width() < drawn->width() || stencil->height() < drawn->height() ||
                  !(stencil->usage() & D3DUSAGE_DEPTHSTENCIL) || &stencil->device() != &m_object))
    return D3DERR_INVALIDCALL;
  const HRESULT result = color ? m_object.SetRenderTarget(0, color) : D3D_OK;
  return FAILED(result) ? result : m_object.SetDepthStencilSurface(stencil);
}

HRESULT Device8::GetRenderTarget(IDirect3DSurface8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  IDirect3DSurface9 *surface = nullptr;
  const HRESULT result = m_object.GetRenderTarget(0, &surface);
  return answer<Surface8, Surface>(result, surface, out);
}

HRESULT Device8::GetDepthStencilSurface(IDirect3DSurface8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  IDirect3DSurface9 *surface = nullptr;
  const HRESULT result = m_object.GetDepthStencilSurface(&surface);
  return answer<Surface8, Surface>(result, surface, out);
}

HRESULT Device8::GetTexture(DWORD stage, IDirect3DBaseTexture8 **out) {
  const Lock lock(m_object);
  if (!out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  if (stage >= m_object.pipeline().states().samplers()) return D3DERR_INVALIDCALL;
  const AnyTexture *texture = m_object.pipeline().values().texture[stage].get();
  if (!texture) return D3D_OK;
  *out = static_cast<IDirect3DBaseTexture8 *>(static_cast<Front8 *>(texture->child().front())->api());
  (*out)->AddRef();
  return D3D_OK;
}

HRESULT Device8::SetTexture(DWORD stage, IDirect3DBaseTexture8 *texture) {
  const Lock lock(m_object);
  if (stage >= m_object.pipeline().states().samplers()) return D3D_OK;  // accepted and dropped
  const AnyTexture *object = AnyTexture::of(m_object, static_cast<const void *>(texture));
  if (texture && !object) return D3DERR_INVALIDCALL;
  return m_object.SetTexture(stage, object ? object->api() : nullptr);
}

HRESULT Device8::SetStreamSource(UINT stream, IDirect3DVertexBuffer8 *buffer, UINT stride) {
  return m_object.SetStreamSource(stream, objectOf<VertexBuffer8>(buffer), 0, stride);
}

HRESULT Device8::GetStreamSource(UINT stream, IDirect3DVertexBuffer8 **out, UINT *stride) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  UINT offset = 0, found = 0;
  IDirect3DVertexBuffer9 *buffer = nullptr;
  const HRESULT result = m_object.GetStreamSource(stream, &buffer, &offset, &found);
  if (SUCCEEDED(result) && stride) *stride = found;
  return answer<VertexBuffer8, VertexBuffer>(result, buffer, out);
}

HRESULT Device8::SetIndices(IDirect3DIndexBuffer8 *buffer, UINT baseVertex) {
  return m_object.setIndices(objectOf<IndexBuffer8>(buffer), baseVertex);
}

HRESULT Device8::GetIndices(IDirect3DIndexBuffer8 **out, UINT *baseVertex) {
  if (!out) return D3DERR_INVALIDCALL;
  const Lock lock(m_object);
  IDirect3DIndexBuffer9 *buffer = nullptr;
  const HRESULT result = m_object.GetIndices(&buffer);
  if (baseVertex) *baseVertex = m_object.pipeline().values().baseVertex;
  return answer<IndexBuffer8, IndexBuffer>(result, buffer, out);
}

}  // namespace aerogpu::runtime
