// SPDX-License-Identifier: MIT
// Textures of other devices and processes. What one of them draws the others see once it has been submitted: programs
// flush (API page "ID3D11Device::OpenSharedResource").
#include <new>

#include "testbed/d3d11-runtime/d3d11/device.h"

namespace aerogpu::runtime11 {

HRESULT Device::OpenSharedResource(HANDLE handle, REFIID id, void **out) {
  if (!out) return E_INVALIDARG;
  *out = nullptr;
  if (!handle) return E_INVALIDARG;
  const Lock lock(m_core.lock);
  if (m_core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  const Ref<Texture2D> texture(new (std::nothrow) Texture2D(m_core));
  if (!texture) return E_OUTOFMEMORY;
  const HRESULT result = texture->driver().open(static_cast<D3DKMT_HANDLE>(reinterpret_cast<UINT_PTR>(handle)));
  return FAILED(result) ? result : texture->QueryInterface(id, out);
}

}  // namespace aerogpu::runtime11
