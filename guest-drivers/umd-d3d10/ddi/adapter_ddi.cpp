// SPDX-License-Identifier: MIT
// adapter_ddi.cpp: opens, describes and closes adapters, and creates devices.
#include "guest-drivers/umd-common/base/module.h"
#include "guest-drivers/umd-common/log/describe.h"
#include "guest-drivers/umd-d3d10/adapter/caps.h"
#include "guest-drivers/umd-d3d10/ddi/device_tables.h"
#include "guest-drivers/umd-d3d10/ddi/dxgi_functions.h"
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"

namespace aero {
namespace {

constexpr uint32_t kAdapter = 0;  // stands in for a device's number

/** Writes a line with the result into the log if the level wants it. */
void logCall(CallLog &log, uint32_t number, CallText &text, HRESULT result) {
  if (!log.wants(result)) return;
  describeEnd(text, result);
  log.write(number, text);
}

SIZE_T APIENTRY CalcPrivateDeviceSize(D3D10DDI_HADAPTER, const D3D10DDIARG_CALCPRIVATEDEVICESIZE *) {
  return sizeof(Device);
}

HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER handle, D3D10DDIARG_CREATEDEVICE *args) {
  Adapter &adapter = *Adapter::from(handle);
  const TableKind kind = tableKind(args->Interface);
  HRESULT result = kInvalidArgument;
  uint32_t number = kAdapter;
  if (kind != TableKind::None) {
    auto *device = new (args->hDrvDevice.pDrvPrivate) Device(adapter, *args);
    number = device->number;
    result = device->open();
    if (failed(result)) device->~Device();
  }
  CallText text;
  text.text("CreateDevice(interface ").hex(args->Interface).text(", version ").hex(args->Version);
  logCall(adapter.log(), number, text.text(", flags ").hex(args->Flags).text(")"), result);
  if (failed(result)) return result;
  const bool isLogged = adapter.log().isOn();
  if (kind == TableKind::D3D11)
    fillTable(*args->p11DeviceFuncs, isLogged);
  else if (kind == TableKind::D3D10_1)
    fillTable(*args->p10_1DeviceFuncs, isLogged);
  else
    fillTable(*args->pDeviceFuncs, isLogged);
  fillDxgiTable(args->DXGIBaseDDI, IS_DXGI1_1_BASE_FUNCTIONS(args->Interface, args->Version));
  return kOk;
}

HRESULT APIENTRY CloseAdapter(D3D10DDI_HADAPTER handle) {
  Adapter *adapter = Adapter::from(handle);
  CallText text;
  logCall(adapter->log(), kAdapter, text.text("CloseAdapter()"), kOk);
  heapDestroy(adapter);
  return kOk;
}

HRESULT APIENTRY GetSupportedVersions(D3D10DDI_HADAPTER handle, UINT32 *entries, UINT64 *versions) {
  CallText text;
  text.text("GetSupportedVersions(").number(*entries).text(versions ? ")" : ", no array)");
  const HRESULT result = getSupportedVersions(*entries, versions);
  logCall(Adapter::from(handle)->log(), kAdapter, text, result);
  return result;
}

HRESULT APIENTRY GetCaps(D3D10DDI_HADAPTER handle, const D3D10_2DDIARG_GETCAPS *args) {
  const HRESULT result = getCaps(*args);
  CallText text;
  text.text("GetCaps(").number(capsType(*args)).text(", ").number(args->DataSize).text(" bytes)");
  logCall(Adapter::from(handle)->log(), kAdapter, text, result);
  return result;
}

/** Opens an adapter; `fill` writes the table that the export means, and no other, for the two are one pointer. */
template <class Fill> HRESULT openAdapter(const char *name, D3D10DDIARG_OPENADAPTER &args, Fill fill) {
  stayLoaded();
  auto *adapter = heapCreate<Adapter>(args);
  if (!adapter) return kOutOfMemory;
  const HRESULT result = adapter->open(name);
  if (failed(result)) {
    heapDestroy(adapter);
    return result;
  }
  args.hAdapter.pDrvPrivate = adapter;
  fill();
  CallText text;
  text.text(name).text("(interface ").hex(args.Interface).text(", version ").hex(args.Version).text("), ABI ");
  text.hex(adapter->info().device_abi_version_u32).text(", features ").hex(adapter->info().device_features);
  text.text(", kernel driver ").hex(adapter->details().driver_version).text(", flags ");
  text.hex(adapter->details().ext_flags).text(", 64 bits ").number(sizeof(void *) == 8);
  adapter->log().write(kAdapter, text);
  return kOk;
}

template <class Table> void fillAdapterTable(Table &table) {
  table.pfnCalcPrivateDeviceSize = CalcPrivateDeviceSize;
  table.pfnCreateDevice = CreateDevice;
  table.pfnCloseAdapter = CloseAdapter;
}

}  // namespace
}  // namespace aero

extern "C" HRESULT APIENTRY OpenAdapter10(D3D10DDIARG_OPENADAPTER *args) {
  using namespace aero;
  if (tableKind(args->Interface) == TableKind::None) return kInvalidArgument;
  return openAdapter("OpenAdapter10", *args, [&] { fillAdapterTable(*args->pAdapterFuncs); });
}

extern "C" HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER *args) {
  using namespace aero;
  return openAdapter("OpenAdapter10_2", *args, [&] {
    fillAdapterTable(*args->pAdapterFuncs_2);
    args->pAdapterFuncs_2->pfnGetSupportedVersions = GetSupportedVersions;
    args->pAdapterFuncs_2->pfnGetCaps = GetCaps;
  });
}
