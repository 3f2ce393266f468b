// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/driver_device.h"

#include <algorithm>
#include <cstring>

#include "testbed/d3d9-runtime/base/instruction_count.h"
#include "testbed/d3d9-runtime/driver/driver_context.h"

namespace aerogpu::runtime {

DriverDevice::~DriverDevice() {
  if (m_driverHandle) call<&D3DDDI_DEVICEFUNCS::pfnDestroyDevice>();
  if (!m_contexts.empty()) brokenRule("DestroyDevice left %u contexts", static_cast<unsigned>(m_contexts.size()));
  m_contexts.clear();
  if (m_kernelHandle) {
    D3DKMT_DESTROYDEVICE argument{m_kernelHandle};
    m_adapter.kernel().DestroyDevice(&argument);
  }
}

HRESULT DriverDevice::create(bool multithreaded, const D3DDDI_DEVICECALLBACKS &given) {
  D3DKMT_CREATEDEVICE kernelArgument{};
  kernelArgument.hAdapter = m_adapter.kernelHandle();
  const NTSTATUS status = m_adapter.kernel().CreateDevice(&kernelArgument);
  if (status < 0) {
    logLine("D3DKMTCreateDevice gave 0x%08lx", static_cast<unsigned long>(status));
    return resultOfStatus(status);
  }
  m_kernelHandle = kernelArgument.hDevice;

  D3DDDI_DEVICECALLBACKS callbacks = given;
  D3DDDIARG_CREATEDEVICE argument{};
  argument.hDevice = this;
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
    if (!m_contexts.empty()) brokenRule("a CreateDevice that failed left contexts");
    return result;
  }
  m_driverHandle = argument.hDevice;
  if (m_contexts.empty()) brokenRule("CreateDevice made no context");
  return S_OK;
}

FloatControl DriverDevice::beginCall(const char *name) {
  if (m_call) brokenRule("%s while %s runs: the runtime's own mistake", name, m_call);
  m_call = name;
  m_callThread = GetCurrentThreadId();
  m_callbackError = S_OK;
  const FloatControl before = FloatControl::read();
  beginInstructionCount();
  return before;
}

void DriverDevice::endCall(const char *name, const FloatControl &before, HRESULT result, Results allowed) {
  endInstructionCount(name);
  m_call = nullptr;
  const bool removed = result == static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED) && m_removed;
  checkAfterCall(name, before, result, allowed, removed ? result : m_callbackError);
}

DriverDevice *DriverDevice::fromCallback(HANDLE handle, const char *callback) {
  abandonInstructionCount();
  DriverDevice *device = static_cast<DriverDevice *>(handle);
  if (!device) {
    brokenRule("%s without the runtime's device handle", callback);
    return nullptr;
  }
  if (!device->m_async && (!device->m_call || device->m_callThread != GetCurrentThreadId()))
    brokenRule("%s outside of a call of the device", callback);
  return device;
}

HRESULT DriverDevice::returned(HRESULT result) {
  if (FAILED(result)) m_callbackError = result;
  if (result == static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED)) m_removed = true;
  return result;
}

HRESULT DriverDevice::present(const D3DDDIARG_PRESENT &argument, const PresentRequest &request) {
  m_request = &request;
  m_occluded = false;
  const HRESULT result = call<&D3DDDI_DEVICEFUNCS::pfnPresent, Results::Lock>(&argument);
  m_request = nullptr;
  m_presents += SUCCEEDED(result) && !m_occluded;
  return result;
}

bool DriverDevice::presentStatistics(D3DKMT_PRESENT_STATS &out) const {
  D3DKMT_GETDEVICESTATE argument{};
  argument.hDevice = m_kernelHandle;
  argument.StateType = D3DKMT_DEVICESTATE_PRESENT;
  argument.PresentState.VidPnSourceId = m_adapter.vidPnSource();
  if (m_adapter.kernel().GetDeviceState(&argument) < 0) return false;
  out = argument.PresentState.PresentStats;
  return true;
}

void DriverDevice::removeResource(DriverResource *resource) {
  m_resources.erase(std::remove(m_resources.begin(), m_resources.end(), resource), m_resources.end());
}

DriverResource *DriverDevice::findResource(HANDLE handle) const {
  const auto found = std::find(m_resources.begin(), m_resources.end(), handle);
  return found == m_resources.end() ? nullptr : *found;
}

DriverContext *DriverDevice::findContext(HANDLE handle) const {
  for (const auto &context : m_contexts)
    if (context.get() == handle) return context.get();
  return nullptr;
}

}  // namespace aerogpu::runtime
