// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/kernel_device.h"

#include <algorithm>

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

KernelDevice::~KernelDevice() {
  if (!m_contexts.empty()) brokenRule("DestroyDevice left %u contexts", static_cast<unsigned>(m_contexts.size()));
  m_contexts.clear();
  if (m_kernelHandle) {
    D3DKMT_DESTROYDEVICE argument{m_kernelHandle};
    m_adapter.kernel().DestroyDevice(&argument);
  }
}

HRESULT KernelDevice::createKernelDevice() {
  D3DKMT_CREATEDEVICE argument{};
  argument.hAdapter = m_adapter.kernelHandle();
  const NTSTATUS status = m_adapter.kernel().CreateDevice(&argument);
  if (status < 0) {
    logLine("D3DKMTCreateDevice gave 0x%08lx", static_cast<unsigned long>(status));
    return resultOfStatus(status);
  }
  m_kernelHandle = argument.hDevice;
  return S_OK;
}

void KernelDevice::enterCall(const char *name) {
  if (m_call) brokenRule("%s while %s runs: the runtime's own mistake", name, m_call);
  m_call = name;
  m_callThread = GetCurrentThreadId();
  m_callbackError = S_OK;
}

void KernelDevice::setPresentRequest(const PresentRequest *request) {
  m_request = request;
  if (request) m_occluded = false;
}

KernelDevice *KernelDevice::fromCallback(HANDLE handle, const char *callback) {
  KernelDevice *device = static_cast<KernelDevice *>(handle);
  if (!device) {
    brokenRule("%s without the runtime's device handle", callback);
    return nullptr;
  }
  device->onCallback();
  if (!device->m_async && (!device->m_call || device->m_callThread != GetCurrentThreadId()))
    brokenRule("%s outside of a call of the device", callback);
  return device;
}

HRESULT KernelDevice::returned(HRESULT result) {
  if (FAILED(result)) m_callbackError = result;
  if (result == static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED)) m_removed = true;
  return result;
}

bool KernelDevice::presentStatistics(D3DKMT_PRESENT_STATS &out) const {
  D3DKMT_GETDEVICESTATE argument{};
  argument.hDevice = m_kernelHandle;
  argument.StateType = D3DKMT_DEVICESTATE_PRESENT;
  argument.PresentState.VidPnSourceId = m_adapter.vidPnSource();
  if (m_adapter.kernel().GetDeviceState(&argument) < 0) return false;
  out = argument.PresentState.PresentStats;
  return true;
}

void KernelDevice::removeResource(KernelResource *resource) {
  m_resources.erase(std::remove(m_resources.begin(), m_resources.end(), resource), m_resources.end());
}

bool KernelDevice::hasAllocations(const KernelResource *resource) const {
  return std::any_of(m_made.begin(), m_made.end(), [=](const auto &row) { return row.second.resource == resource; });
}

bool KernelDevice::isNoPrimary(D3DKMT_HANDLE allocation) const {
  const auto made = m_made.find(allocation);
  if (made == m_made.end()) return false;  // not the driver's own
  const KernelResource *resource = findResource(made->second.resource);
  return !resource || !resource->primary;
}

KernelResource *KernelDevice::findResource(HANDLE handle) const {
  const auto found = std::find(m_resources.begin(), m_resources.end(), handle);
  return found == m_resources.end() ? nullptr : *found;
}

KernelContext *KernelDevice::findContext(HANDLE handle) const {
  for (const auto &context : m_contexts)
    if (context.get() == handle) return context.get();
  return nullptr;
}

}  // namespace aerogpu::runtime
