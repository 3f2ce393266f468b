// SPDX-License-Identifier: MIT
// adapter_ddi.cpp: opening and closing of adapters and devices.
#include "caps.h"
#include "device.h"
#include "entry_points.h"

namespace aero::ddi {

HRESULT APIENTRY GetCaps(HANDLE adapter, D3DDDIARG_GETCAPS *args) {
  return getCaps(*Adapter::from(adapter), *args);
}

HRESULT APIENTRY CreateDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE *args) {
  auto *device = heapCreate<Device>(*Adapter::from(adapter), args->hDevice, *args->pCallbacks);
  if (!device) return kOutOfMemory;
  const HRESULT result = device->open();
  if (failed(result)) {
    heapDestroy(device);
    return result;
  }
  args->hDevice = device;
  // A runtime of Windows Vista's level has room for fewer functions: its table ends before those of DXVA-HD.
  const D3DDDI_DEVICEFUNCS functions = deviceFunctions();
  const bool whole = device->adapter().version() >= D3D_UMD_INTERFACE_VERSION_WIN7;
  memcpy(args->pDeviceFuncs, &functions,
         whole ? sizeof functions : offsetof(D3DDDI_DEVICEFUNCS, pfnCreateVideoProcessor));
  return kOk;
}

HRESULT APIENTRY DestroyDevice(HANDLE handle) {
  Device *device = Device::from(handle);
  device->close();
  heapDestroy(device);
  return kOk;
}

HRESULT APIENTRY CloseAdapter(HANDLE adapter) {
  heapDestroy(Adapter::from(adapter));
  return kOk;
}

}  // namespace aero::ddi

extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER *args) {
  using namespace aero;
  auto *adapter = heapCreate<Adapter>(*args);
  if (!adapter) return kOutOfMemory;
  const HRESULT result = adapter->open();
  if (failed(result)) {
    heapDestroy(adapter);
    return result;
  }
  args->hAdapter = adapter;
  args->pAdapterFuncs->pfnGetCaps = ddi::GetCaps;
  args->pAdapterFuncs->pfnCreateDevice = ddi::CreateDevice;
  args->pAdapterFuncs->pfnCloseAdapter = ddi::CloseAdapter;
  args->DriverVersion = adapter->version();
  return kOk;
}
