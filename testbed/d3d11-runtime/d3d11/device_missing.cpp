// SPDX-License-Identifier: MIT
// What the device does not offer yet: E_NOTIMPL, and the name once in the log.
#include "testbed/d3d11-runtime/d3d11/device.h"

namespace aerogpu::runtime11 {

using runtime::notImplemented;

HRESULT Device::CreateUnorderedAccessView(ID3D11Resource *, const D3D11_UNORDERED_ACCESS_VIEW_DESC *,
                                          ID3D11UnorderedAccessView **uAView) {
  if (uAView) *uAView = nullptr;
  notImplemented("ID3D11Device::CreateUnorderedAccessView");
  return E_NOTIMPL;
}

HRESULT Device::CreateHullShader(const void *, SIZE_T, ID3D11ClassLinkage *, ID3D11HullShader **hullShader) {
  if (hullShader) *hullShader = nullptr;
  notImplemented("ID3D11Device::CreateHullShader");
  return E_NOTIMPL;
}

HRESULT Device::CreateDomainShader(const void *, SIZE_T, ID3D11ClassLinkage *, ID3D11DomainShader **domainShader) {
  if (domainShader) *domainShader = nullptr;
  notImplemented("ID3D11Device::CreateDomainShader");
  return E_NOTIMPL;
}

HRESULT Device::CreateComputeShader(const void *, SIZE_T, ID3D11ClassLinkage *, ID3D11ComputeShader **computeShader) {
  if (computeShader) *computeShader = nullptr;
  notImplemented("ID3D11Device::CreateComputeShader");
  return E_NOTIMPL;
}

HRESULT Device::CreateClassLinkage(ID3D11ClassLinkage **linkage) {
  if (linkage) *linkage = nullptr;
  notImplemented("ID3D11Device::CreateClassLinkage");
  return E_NOTIMPL;
}

HRESULT Device::CreateCounter(const D3D11_COUNTER_DESC *, ID3D11Counter **counter) {
  if (counter) *counter = nullptr;
  notImplemented("ID3D11Device::CreateCounter");
  return E_NOTIMPL;
}

HRESULT Device::CheckCounter(const D3D11_COUNTER_DESC *, D3D11_COUNTER_TYPE *, UINT *, LPSTR, UINT *, LPSTR, UINT *,
                             LPSTR, UINT *) {
  notImplemented("ID3D11Device::CheckCounter");
  return E_NOTIMPL;
}

HRESULT Device::SetExceptionMode(UINT) {
  notImplemented("ID3D11Device::SetExceptionMode");
  return E_NOTIMPL;
}

}  // namespace aerogpu::runtime11
