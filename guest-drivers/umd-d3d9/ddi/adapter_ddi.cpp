// SPDX-License-Identifier: MIT
// adapter_ddi.cpp: opens, describes and closes adapters, and creates and destroys devices.
#include "guest-drivers/umd-common/base/module.h"
#include "guest-drivers/umd-d3d9/adapter/caps.h"
#include "guest-drivers/umd-d3d9/adapter/level9_lacks.h"
#include "guest-drivers/umd-d3d9/ddi/device_functions.h"
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/ddi/first_seen.h"
#include "guest-drivers/umd-d3d9/device/device.h"
#include "guest-drivers/umd-d3d9/log/call_arguments.h"

namespace aero {
namespace {

constexpr uint32_t kAdapter = 0;  // stands in for a device's number

/** Writes a line with the result into the log if the level wants it, and returns whether it did. */
bool logged(CallLog &log, uint32_t number, CallText &text, HRESULT result) {
  if (!log.wants(result)) return false;
  describeEnd(text, result);
  log.write(number, text);
  return true;
}

void logOpen(Adapter &adapter, const D3DDDIARG_OPENADAPTER &args) {
  CallText text;
  text.text("OpenAdapter(interface ").number(args.Interface).text(", version ").hex(args.Version).text("), ABI ");
  text.hex(adapter.info().device_abi_version_u32).text(", features ").hex(adapter.info().device_features);
  text.text(", kernel driver ").hex(adapter.details().driver_version).text(", flags ");
  text.hex(adapter.details().ext_flags).text(", 64 bits ").number(sizeof(void *) == 8);
  adapter.log().write(kAdapter, text);
  noteFirst(adapter.log(), args);
  constexpr uint64_t kLevel9 = ~uint64_t{0};  // no other line has this key
  CallText level9;
  describeLevel9(level9, adapter);
  adapter.log().writeFirst(kAdapter, kLevel9, level9);
}

}  // namespace

namespace ddi {

HRESULT APIENTRY GetCaps(HANDLE handle, D3DDDIARG_GETCAPS *args) {
  Adapter &adapter = *Adapter::from(handle);
  bool isKnown;
  const HRESULT result = getCaps(adapter, *args, isKnown);
  if (!adapter.log().isOn()) return result;
  if (!isKnown) noteFirst(adapter.log(), *args);
  CallText text;
  const UINT type = capsType(*args);
  const char *name = capsName(type);
  text.text("GetCaps(").number(type).text(name ? " " : "").text(name ? name : "");
  text.text(", ").number(args->DataSize).text(" bytes)");
  if (logged(adapter.log(), kAdapter, text, result) && !failed(result) && args->pData)
    adapter.log().dump(kAdapter, args->pData, args->DataSize);
  return result;
}

HRESULT APIENTRY CreateDevice(HANDLE handle, D3DDDIARG_CREATEDEVICE *args) {
  Adapter &adapter = *Adapter::from(handle);
  auto *device = heapCreate<Device>(adapter, args->hDevice, *args->pCallbacks);
  const HRESULT result = device ? device->open() : kOutOfMemory;
  if (adapter.log().isOn()) {
    noteFirst(adapter.log(), *args);
    CallText text;
    text.text("CreateDevice(interface ").number(args->Interface).text(", version ").hex(args->Version);
    text.text(", flags ").hex(args->Flags.Value).text(")");
    logged(adapter.log(), device ? device->number : kAdapter, text, result);
  }
  if (failed(result)) {
    heapDestroy(device);
    return result;
  }
  args->hDevice = device;
  // A runtime of Windows Vista's level has room for fewer functions: its table ends before those of DXVA-HD.
  const D3DDDI_DEVICEFUNCS functions = adapter.log().isOn() ? loggedDeviceFunctions() : deviceFunctions();
  const bool whole = adapter.version() >= D3D_UMD_INTERFACE_VERSION_WIN7;
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

HRESULT APIENTRY CloseAdapter(HANDLE handle) {
  Adapter *adapter = Adapter::from(handle);
  CallText text;
  logged(adapter->log(), kAdapter, text.text("CloseAdapter()"), kOk);
  heapDestroy(adapter);
  return kOk;
}

}  // namespace ddi
}  // namespace aero

extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER *args) {
  using namespace aero;
  aero::stayLoaded();
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
  if (adapter->log().isOn()) logOpen(*adapter, *args);
  return kOk;
}
