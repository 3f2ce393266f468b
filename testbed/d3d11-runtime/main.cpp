// SPDX-License-Identifier: MIT
// The exports of d3d11.dll. dxgi.dll and d3d10core.dll forward their own to here, so that all have the same objects.
#include "testbed/d3d11-runtime/d3d10core/device.h"
#include "testbed/d3d11-runtime/d3d11/device.h"
#include "testbed/d3d11-runtime/deferred/deferred_context.h"
#include "testbed/runtime-kernel/log.h"
#include "testbed/runtime-kernel/settings.h"

using namespace aerogpu;
using namespace aerogpu::runtime11;

extern "C" {

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, void *) {
  if (reason == DLL_PROCESS_ATTACH) {
    DisableThreadLibraryCalls(instance);
    runtime::nameRuntime("d3d11");
    runtime::openLog();
  }
  if (reason == DLL_PROCESS_DETACH) runtime::closeLog();
  return TRUE;
}

HRESULT WINAPI CreateDXGIFactory(REFIID id, void **out) {
  return createFactory(id, true, out);
}

HRESULT WINAPI CreateDXGIFactory1(REFIID id, void **out) {
  return createFactory(id, false, out);
}

HRESULT WINAPI D3D11CreateDeviceAndSwapChain(IDXGIAdapter *adapter, D3D_DRIVER_TYPE type, HMODULE software, UINT flags,
                                             const D3D_FEATURE_LEVEL *levels, UINT levelCount, UINT version,
                                             const DXGI_SWAP_CHAIN_DESC *description, IDXGISwapChain **swapChain,
                                             ID3D11Device **deviceOut, D3D_FEATURE_LEVEL *level,
                                             ID3D11DeviceContext **context) {
  if (swapChain) *swapChain = nullptr;
  if (deviceOut) *deviceOut = nullptr;
  if (context) *context = nullptr;
  if (level) *level = static_cast<D3D_FEATURE_LEVEL>(0);
  if (version != D3D11_SDK_VERSION || software || (levels && !levelCount)) return E_INVALIDARG;
  if (adapter ? type != D3D_DRIVER_TYPE_UNKNOWN : type == D3D_DRIVER_TYPE_UNKNOWN) return E_INVALIDARG;
  if (type != D3D_DRIVER_TYPE_UNKNOWN && type != D3D_DRIVER_TYPE_HARDWARE) {
    runtime::notImplemented("D3D11CreateDevice of another type than hardware");
    return DXGI_ERROR_UNSUPPORTED;
  }
  if (swapChain && !description) return E_INVALIDARG;
  Device *device = nullptr;
  HRESULT result = Device::create(adapter, flags, levels, levelCount, &device);
  if (FAILED(result)) return result;
  device->addFacet(nullptr, facetsOf11());
  device->offerDeferred(makeDeferredContext);
  if (swapChain) {
    IDXGIAdapter *used = nullptr;
    IDXGIFactory *factory = nullptr;
    IDXGIDevice *dxgi = nullptr;
    DXGI_SWAP_CHAIN_DESC copy = *description;
    result = device->QueryInterface(__uuidof(IDXGIDevice), reinterpret_cast<void **>(&dxgi));
    if (SUCCEEDED(result)) result = dxgi->GetAdapter(&used);
    if (SUCCEEDED(result)) result = used->GetParent(__uuidof(IDXGIFactory), reinterpret_cast<void **>(&factory));
    if (SUCCEEDED(result)) result = factory->CreateSwapChain(static_cast<ID3D11Device *>(device), &copy, swapChain);
    if (factory) factory->Release();
    if (used) used->Release();
    if (dxgi) dxgi->Release();
  }
  if (SUCCEEDED(result)) {
    if (level) *level = device->GetFeatureLevel();
    if (context) device->GetImmediateContext(context);
    if (deviceOut) {
      *deviceOut = device;
      device->AddRef();
    } else if (!context && !swapChain) {
      result = S_FALSE;
    }
  }
  device->Release();
  return result;
}

HRESULT WINAPI D3D11CreateDevice(IDXGIAdapter *adapter, D3D_DRIVER_TYPE type, HMODULE software, UINT flags,
                                 const D3D_FEATURE_LEVEL *levels, UINT levelCount, UINT version, ID3D11Device **device,
                                 D3D_FEATURE_LEVEL *level, ID3D11DeviceContext **context) {
  return D3D11CreateDeviceAndSwapChain(adapter, type, software, flags, levels, levelCount, version, nullptr, nullptr,
                                       device, level, context);
}

/// What d3d10.dll and d3d10_1.dll call, which check their arguments and find the adapter. It has no page in the API's
/// documentation: the parameters are those of Wine's dlls/d3d10core/d3d10core.spec. The device has all of
/// ID3D10Device1.
HRESULT WINAPI D3D10CoreCreateDevice(IDXGIFactory *, IDXGIAdapter *adapter, UINT flags, D3D_FEATURE_LEVEL level,
                                     void **out) {
  if (!out) return E_INVALIDARG;
  return Device10::create(adapter, flags, level, out);
}

/// Microsoft's dxgi.dll and d3d10core.dll make a device of layers, which they register with each other. A device here
/// is one object, so there is nothing to register.
HRESULT WINAPI D3D10CoreRegisterLayers() {
  runtime::logLine("D3D10CoreRegisterLayers: devices have no layers");
  return E_NOTIMPL;
}

}  // extern "C"
