// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/driver_device.h"

#include <cstring>

#include "testbed/d3d9-runtime/base/instruction_count.h"

namespace aerogpu::runtime {

DriverDevice::~DriverDevice() {
  if (m_driverHandle) call<&D3DDDI_DEVICEFUNCS::pfnDestroyDevice>();
}

HRESULT DriverDevice::create(bool multithreaded, const D3DDDI_DEVICECALLBACKS &given) {
  const HRESULT made = createKernelDevice();
  if (FAILED(made)) return made;
  D3DDDI_DEVICECALLBACKS callbacks = given;
  D3DDDIARG_CREATEDEVICE argument{};
  argument.hDevice = runtimeHandle();
  argument.Interface = m_adapter.version();
  argument.Version = D3D_UMD_INTERFACE_VERSION;
  argument.pCallbacks = &callbacks;
  argument.pDeviceFuncs = &m_functions;
  argument.Flags.AllowMultithreading = multithreaded;
  argument.Flags.AllowFlipBatching = 1;
  openInstructionCount(m_adapter.module());
  const FloatControl before = beginCall("CreateDevice");
  const HRESULT result = m_adapter.createDevice(argument);
  endCall("CreateDevice", before, result, Results::Ordinary);
  std::memset(&callbacks, 0xDB, sizeof callbacks);  // the driver must have copied it
  if (FAILED(result)) {
    logLine("CreateDevice of the driver gave 0x%08lx", static_cast<unsigned long>(result));
    if (hasContexts()) brokenRule("a CreateDevice that failed left contexts");
    return result;
  }
  m_driverHandle = argument.hDevice;
  if (!hasContexts()) brokenRule("CreateDevice made no context");
  return S_OK;
}

FloatControl DriverDevice::beginCall(const char *name) {
  enterCall(name);
  const FloatControl before = FloatControl::read();
  beginInstructionCount();
  return before;
}

void DriverDevice::endCall(const char *name, const FloatControl &before, HRESULT result, Results allowed) {
  endInstructionCount(name);
  leaveCall();
  const bool removed = result == static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED) && isRemoved();
  checkAfterCall(name, before, result, allowed, removed ? result : callbackError());
}

HRESULT DriverDevice::present(const D3DDDIARG_PRESENT &argument, const PresentRequest &request) {
  setPresentRequest(&request);
  const HRESULT result = call<&D3DDDI_DEVICEFUNCS::pfnPresent, Results::Lock>(&argument);
  setPresentRequest(nullptr);
  countPresent(SUCCEEDED(result));
  return result;
}

void DriverDevice::onCallback() {
  abandonInstructionCount();
}

}  // namespace aerogpu::runtime
