// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d10core/device.h"

#include <new>

namespace aerogpu::runtime11 {
namespace {

/// Returns the immediate context, which lives as long as its device.
ID3D11DeviceContext &contextOf(Device &device) {
  ID3D11DeviceContext *context = nullptr;
  device.GetImmediateContext(&context);
  context->Release();
  return *context;
}

}  // namespace

Device10::Device10(Device &device) : m_device(device), m_context(contextOf(device)) {
  device.multithread().SetMultithreadProtected(!(device.GetCreationFlags() & D3D10_CREATE_DEVICE_SINGLETHREADED));
}

HRESULT Device10::create(IDXGIAdapter *adapter, UINT flags, D3D_FEATURE_LEVEL level, void **out) {
  *out = nullptr;
  if (level > D3D_FEATURE_LEVEL_10_1) return E_INVALIDARG;
  Device *device = nullptr;
  HRESULT result = Device::create(adapter, flags, &level, 1, &device);
  if (FAILED(result)) return result;
  std::unique_ptr<Device10> ten(new (std::nothrow) Device10(*device));
  if (ten) {
    Device10 &source = *ten;
    device->addFacet(std::move(ten), source);
    result = device->QueryInterface(__uuidof(ID3D10Device), out);
  } else {
    result = E_OUTOFMEMORY;
  }
  device->Release();
  return result;
}

HRESULT Device10::query(REFIID id, void **out) {
  if (IsEqualIID(id, __uuidof(ID3D10Device)) || IsEqualIID(id, __uuidof(ID3D10Device1)))
    *out = static_cast<ID3D10Device1 *>(this);
  else
    return E_NOINTERFACE;
  AddRef();
  return S_OK;
}

HRESULT Device10::GetDeviceRemovedReason() {
  return m_device.GetDeviceRemovedReason();
}
HRESULT Device10::SetExceptionMode(UINT flags) {
  return m_device.SetExceptionMode(flags);
}
UINT Device10::GetExceptionMode() {
  return m_device.GetExceptionMode();
}
HRESULT Device10::GetPrivateData(REFGUID guid, UINT *size, void *data) {
  return m_device.GetPrivateData(guid, size, data);
}
HRESULT Device10::SetPrivateData(REFGUID guid, UINT size, const void *data) {
  return m_device.SetPrivateData(guid, size, data);
}
HRESULT Device10::SetPrivateDataInterface(REFGUID guid, const IUnknown *object) {
  return m_device.SetPrivateDataInterface(guid, object);
}
UINT Device10::GetCreationFlags() {
  return m_device.GetCreationFlags();
}
D3D10_FEATURE_LEVEL1 Device10::GetFeatureLevel() {
  return static_cast<D3D10_FEATURE_LEVEL1>(m_device.GetFeatureLevel());
}

HRESULT Device10::CheckFormatSupport(DXGI_FORMAT format, UINT *out) {
  constexpr UINT kBits = (UINT{D3D10_FORMAT_SUPPORT_BACK_BUFFER_CAST} << 1) - 1;  // Direct3D 11 has more
  const HRESULT result = m_device.CheckFormatSupport(format, out);
  if (SUCCEEDED(result)) *out &= kBits;
  return result;
}
HRESULT Device10::CheckMultisampleQualityLevels(DXGI_FORMAT format, UINT samples, UINT *out) {
  return m_device.CheckMultisampleQualityLevels(format, samples, out);
}
void Device10::CheckCounterInfo(D3D10_COUNTER_INFO *out) {
  D3D11_COUNTER_INFO info{};
  m_device.CheckCounterInfo(&info);
  if (out) *out = same<D3D10_COUNTER_INFO>(info);
}
HRESULT Device10::CheckCounter(const D3D10_COUNTER_DESC *given, D3D10_COUNTER_TYPE *type, UINT *active, char *name,
                               UINT *nameLength, char *units, UINT *unitsLength, char *description,
                               UINT *descriptionLength) {
  if (!given) return E_INVALIDARG;
  const auto desc = same<D3D11_COUNTER_DESC>(*given);
  D3D11_COUNTER_TYPE type11{};
  const HRESULT result = m_device.CheckCounter(&desc, &type11, active, name, nameLength, units, unitsLength,
                                               description, descriptionLength);
  if (SUCCEEDED(result) && type) *type = static_cast<D3D10_COUNTER_TYPE>(type11);
  return result;
}

/// The size of a text filter is for formats of one bit, which no driver here has: it is only kept.
void Device10::SetTextFilterSize(UINT width, UINT height) {
  const Lock lock(m_device.lock());
  m_textFilterWidth = width;
  m_textFilterHeight = height;
}
void Device10::GetTextFilterSize(UINT *width, UINT *height) {
  const Lock lock(m_device.lock());
  if (width) *width = m_textFilterWidth;
  if (height) *height = m_textFilterHeight;
}

}  // namespace aerogpu::runtime11
