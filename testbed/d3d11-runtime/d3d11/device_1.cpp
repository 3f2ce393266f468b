// SPDX-License-Identifier: MIT
// Direct3D 11.1's part of the device, as Windows 7 has it with its Platform Update.
#include "testbed/d3d11-runtime/d3d11/device.h"

namespace aerogpu::runtime11 {

void Device::GetImmediateContext1(ID3D11DeviceContext1 **out) {
  if (!out) return;
  *out = m_context.get();
  (*out)->AddRef();
}

HRESULT Device::CreateDeviceContextState(UINT flags, const D3D_FEATURE_LEVEL *levels, UINT count, UINT version,
                                         REFIID emulated, D3D_FEATURE_LEVEL *level, ID3DDeviceContextState **out) {
  return createContextState(m_core, flags, levels, count, version, emulated, level, out);
}

HRESULT Device::CreateDeferredContext1(UINT flags, ID3D11DeviceContext1 **out) {
  if (out) *out = nullptr;
  if (flags) return E_INVALIDARG;
  if (!m_makeDeferred || (m_flags & D3D11_CREATE_DEVICE_SINGLETHREADED)) return DXGI_ERROR_INVALID_CALL;
  if (m_core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  return out ? m_makeDeferred(m_core, out) : S_FALSE;
}

HRESULT Device::CreateBlendState1(const D3D11_BLEND_DESC1 *desc, ID3D11BlendState1 **out) {
  return createState(m_core, m_states, desc, out);
}

HRESULT Device::CreateRasterizerState1(const D3D11_RASTERIZER_DESC1 *desc, ID3D11RasterizerState1 **out) {
  return createState(m_core, m_states, desc, out);
}

// Windows 7 has no such handles (page ID3D11Device1::OpenSharedResource1, "Platform Update for Windows 7").
HRESULT Device::OpenSharedResource1(HANDLE, REFIID, void **out) {
  if (out) *out = nullptr;
  return E_NOTIMPL;
}

HRESULT Device::OpenSharedResourceByName(LPCWSTR, DWORD, REFIID, void **out) {
  if (out) *out = nullptr;
  return E_NOTIMPL;
}

}  // namespace aerogpu::runtime11
