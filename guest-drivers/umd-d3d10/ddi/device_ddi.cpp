// SPDX-License-Identifier: MIT
// device_ddi.cpp: the device itself: its table, its end, submissions.
#include "guest-drivers/umd-d3d10/ddi/device_tables.h"
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"

namespace aero::ddi {
namespace {

template <class Table> HRESULT relocate(Device &device, Table *table) {
  fillTable(*table, device.adapter().log().isOn());
  return kOk;
}

}  // namespace

HRESULT RelocateDeviceFuncs(Device &device, D3D10DDI_DEVICEFUNCS *functions) {
  return relocate(device, functions);
}

HRESULT RelocateDeviceFuncs(Device &device, D3D10_1DDI_DEVICEFUNCS *functions) {
  return relocate(device, functions);
}

HRESULT RelocateDeviceFuncs(Device &device, D3D11DDI_DEVICEFUNCS *functions) {
  return relocate(device, functions);
}

HRESULT DestroyDevice(Device &device) {
  device.close();
  device.~Device();
  return kOk;
}

HRESULT Flush(Device &device) {
  return device.flush();
}

}  // namespace aero::ddi
