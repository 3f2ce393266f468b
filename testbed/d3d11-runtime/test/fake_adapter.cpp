// SPDX-License-Identifier: MIT
// The adapter of fake11.dll: both exports, versions and caps.
#include <algorithm>
#include <iterator>

#include "testbed/d3d11-runtime/test/fake_device.h"

using namespace aerogpu::fake;

namespace {

constexpr UINT64 kAll[] = {D3D10_0_DDI_SUPPORTED, D3D10_0_x_DDI_SUPPORTED, D3D10_1_DDI_SUPPORTED,
                           D3D10_1_x_DDI_SUPPORTED, D3D11_0_DDI_SUPPORTED};
constexpr UINT64 kPlain[] = {D3D10_0_DDI_SUPPORTED, D3D10_1_DDI_SUPPORTED};

HRESULT APIENTRY closeAdapter(D3D10DDI_HADAPTER) {
  record("CloseAdapter");
  --aliveCount();
  return S_OK;
}

HRESULT APIENTRY getSupportedVersions(D3D10DDI_HADAPTER, UINT32 *entries, UINT64 *versions) {
  const bool plain = misbehaves("plain versions");
  const UINT32 count = plain ? std::size(kPlain) : std::size(kAll);
  if (versions && *entries < count && !misbehaves("list of any length"))
    return misbehaves("memory for versions") ? E_OUTOFMEMORY : HRESULT_FROM_WIN32(ERROR_INSUFFICIENT_BUFFER);
  if (versions) std::copy_n(plain ? kPlain : kAll, count, versions);
  record("GetSupportedVersions %s", versions ? "list" : "count");
  *entries = count;
  return S_OK;
}

HRESULT APIENTRY getCaps(D3D10DDI_HADAPTER, const D3D10_2DDIARG_GETCAPS *data) {
  record("GetCaps %u size %u", data->Type, data->DataSize);
  UINT *answer = static_cast<UINT *>(data->pData);
  if (data->Type == D3D11DDICAPS_3DPIPELINESUPPORT) answer[0] = misbehaves("levels with gaps") ? 5 : 7;
  if (misbehaves("long answer")) answer[1] = 0;
  return S_OK;
}

}  // namespace

extern "C" {

HRESULT APIENTRY OpenAdapter10(D3D10DDIARG_OPENADAPTER *data) {
  record("OpenAdapter10 interface 0x%x", data->Interface);
  if (misbehaves("wrong member")) {
    *data->pAdapterFuncs_2 = {calcPrivateDeviceSize, createDevice11, closeAdapter, getSupportedVersions, getCaps};
    return S_OK;
  }
  *data->pAdapterFuncs = {calcPrivateDeviceSize, createDevice11, closeAdapter};
  ++aliveCount();
  return S_OK;
}

HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER *data) {
  if (misbehaves("old driver") || misbehaves("wrong member")) return E_NOTIMPL;
  record("OpenAdapter10_2");
  if (misbehaves("other member")) {
    *data->pAdapterFuncs = {calcPrivateDeviceSize, createDevice11, closeAdapter};
    return S_OK;
  }
  *data->pAdapterFuncs_2 = {calcPrivateDeviceSize, createDevice11, closeAdapter, getSupportedVersions, getCaps};
  ++aliveCount();
  return S_OK;
}

}  // extern "C"
