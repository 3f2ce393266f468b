// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/dxgi_faces.h"

#include "testbed/d3d11-runtime/d3d11/context.h"
#include "testbed/d3d11-runtime/d3d11/resources.h"

namespace aerogpu::runtime11 {

HRESULT ResourceFace::GetSharedHandle(HANDLE *out) {
  if (!out) return E_INVALIDARG;
  const D3DKMT_HANDLE global = m_resource.driver().globalHandle();
  *out = reinterpret_cast<HANDLE>(static_cast<UINT_PTR>(global));
  return global ? S_OK : E_INVALIDARG;
}

HRESULT ResourceFace::GetUsage(DXGI_USAGE *out) {
  if (!out) return E_INVALIDARG;
  const ResourceDescription &d = m_resource.description();
  *out = d.chainUsage;
  if (d.bind & D3D11_BIND_SHADER_RESOURCE) *out |= DXGI_USAGE_SHADER_INPUT;
  if (d.bind & D3D11_BIND_RENDER_TARGET) *out |= DXGI_USAGE_RENDER_TARGET_OUTPUT;
  if (d.bind & D3D11_BIND_UNORDERED_ACCESS) *out |= DXGI_USAGE_UNORDERED_ACCESS;
  if (m_resource.driver().globalHandle()) *out |= DXGI_USAGE_SHARED;
  return S_OK;
}

HRESULT ResourceFace::SetEvictionPriority(UINT priority) {
  const Lock lock(core().lock);
  m_resource.setEvictionPriority(priority);
  return S_OK;
}

HRESULT ResourceFace::GetEvictionPriority(UINT *out) {
  if (!out) return E_INVALIDARG;
  *out = m_resource.evictionPriority();
  return S_OK;
}

/// The device's other threads go on meanwhile. E_FAIL: the page's answer for a device that owns the mutex already.
HRESULT KeyedMutexFace::AcquireSync(UINT64 key, DWORD milliseconds) {
  KeyedMutex &mutex = *m_resource.driver().keyedMutex();
  {
    const Lock lock(core().lock);
    if (core().driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
    if (mutex.isOwnedByDevice()) return E_FAIL;
  }
  UINT64 fence = 0;
  const HRESULT result = mutex.acquire(key, milliseconds, fence);
  if (result != S_OK) return result;
  const Lock lock(core().lock);
  mutex.own(fence);
  return S_OK;
}

HRESULT KeyedMutexFace::ReleaseSync(UINT64 key) {
  const Lock lock(core().lock);
  KeyedMutex &mutex = *m_resource.driver().keyedMutex();
  if (!mutex.isOwned()) return E_FAIL;
  ID3D11DeviceContext *context = nullptr;
  core().device->GetImmediateContext(&context);
  static_cast<Context *>(context)->unbindResource(m_resource);
  context->Release();
  // The next owner's commands come after these.
  if (!core().driver.isLost()) core().driver.flush();
  return mutex.release(key);
}

HRESULT SurfaceFace::GetDesc(DXGI_SURFACE_DESC *out) {
  if (!out) return E_INVALIDARG;
  const ResourceDescription &d = m_texture.description();
  *out = {d.width, d.height, d.format, d.samples};
  return S_OK;
}

HRESULT SurfaceFace::Map(DXGI_MAPPED_RECT *out, UINT flags) {
  if (!out || !flags || (flags & ~UINT{DXGI_MAP_READ | DXGI_MAP_WRITE | DXGI_MAP_DISCARD})) return E_INVALIDARG;
  *out = {};
  ID3D11DeviceContext *context = nullptr;
  core().device->GetImmediateContext(&context);
  const bool read = flags & DXGI_MAP_READ, write = flags & DXGI_MAP_WRITE;
  const D3D11_MAP type = flags & DXGI_MAP_DISCARD ? D3D11_MAP_WRITE_DISCARD
                         : read && write          ? D3D11_MAP_READ_WRITE
                         : read                   ? D3D11_MAP_READ
                                                  : D3D11_MAP_WRITE;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  const HRESULT result = context->Map(&m_texture, 0, type, 0, &mapped);
  context->Release();
  if (FAILED(result)) return result;
  out->Pitch = static_cast<INT>(mapped.RowPitch);
  out->pBits = static_cast<BYTE *>(mapped.pData);
  return S_OK;
}

HRESULT SurfaceFace::Unmap() {
  ID3D11DeviceContext *context = nullptr;
  core().device->GetImmediateContext(&context);
  context->Unmap(&m_texture, 0);
  context->Release();
  return S_OK;
}

}  // namespace aerogpu::runtime11
