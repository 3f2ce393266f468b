// SPDX-License-Identifier: MIT
// runtime.h: the runtime's callbacks of one device, with their structures filled in. They may be called only inside a
// call by the runtime. Their errors are passed on as they are (page "Returning Error Codes Received from Runtime
// Functions").
#pragma once

#include "guest-drivers/umd-common/log/call_log.h"

namespace aero {

class Runtime {
public:
  /** `callbacks` must outlive this object. `spaces`: handles are this device's own, and the kernel driver has made the
   * texture of each allocation that has a token. `aperture`: the device uses system memory. `featuresHigh`: the
   * device's AEROGPU_EXT_FEATURE_HI_*. `number`: the device's number in `log`. */
  Runtime(HANDLE adapter, HANDLE device, const D3DDDI_DEVICECALLBACKS &callbacks, bool spaces, bool aperture,
          uint32_t featuresHigh, CallLog &log, uint32_t number)
      : m_adapter(adapter),
        m_device(device),
        m_callbacks(callbacks),
        m_spaces(spaces),
        m_aperture(aperture),
        m_featuresHigh(featuresHigh),
        m_log(log.isOn() ? &log : nullptr),
        m_number(number) {}

  bool spaces() const { return m_spaces; }
  /** True if allocations that the CPU may lock can be in an aperture. Without one, locks always ask whether the GPU
   * uses the memory, and no batch may list what is locked (pages "D3DDDICB_LOCKFLAGS" and "PFND3DDDI_RENDERCB"). */
  bool hasAperture() const { return m_aperture; }
  /** True if the device has an extension, AEROGPU_EXT_FEATURE_HI_* (docs/abi/extensions.md). */
  bool has(uint32_t featureHigh) const { return (m_featuresHigh & featureHigh) != 0; }

  HRESULT allocate(D3DDDICB_ALLOCATE &data) const {
    return told("AllocateCb", data.NumAllocations, m_callbacks.pfnAllocateCb(m_device, &data));
  }
  /** Frees all allocations of a resource that was allocated or opened with the runtime's handle. */
  HRESULT deallocateResource(HANDLE resource) const {
    D3DDDICB_DEALLOCATE data = {};
    data.hResource = resource;
    return told("DeallocateCb", 0, m_callbacks.pfnDeallocateCb(m_device, &data));
  }
  HRESULT deallocate(const D3DKMT_HANDLE *allocations, UINT count) const {
    D3DDDICB_DEALLOCATE data = {};
    data.NumAllocations = count;
    data.HandleList = allocations;
    return told("DeallocateCb", count, m_callbacks.pfnDeallocateCb(m_device, &data));
  }
  /** Locks all of an allocation. Sets `memory` on success. */
  HRESULT lock(D3DKMT_HANDLE allocation, D3DDDICB_LOCKFLAGS flags, void *&memory) const {
    D3DDDICB_LOCK data = {};
    data.hAllocation = allocation;
    data.Flags = flags;
    data.Flags.LockEntire = 1;
    const HRESULT result = told("LockCb", allocation, m_callbacks.pfnLockCb(m_device, &data));
    if (!failed(result)) memory = data.pData;
    return result;
  }
  HRESULT unlock(D3DKMT_HANDLE allocation) const {
    D3DDDICB_UNLOCK data = {};
    data.NumAllocations = 1;
    data.phAllocations = &allocation;
    return told("UnlockCb", allocation, m_callbacks.pfnUnlockCb(m_device, &data));
  }
  HRESULT render(D3DDDICB_RENDER &data) const {
    const UINT bytes = data.CommandLength;
    return told("RenderCb", bytes, m_callbacks.pfnRenderCb(m_device, &data));
  }
  HRESULT present(const D3DDDICB_PRESENT &data) const {
    return told("PresentCb", data.hSrcAllocation, m_callbacks.pfnPresentCb(m_device, &data));
  }
  HRESULT createContext(D3DDDICB_CREATECONTEXT &data) const {
    return told("CreateContextCb", 0, m_callbacks.pfnCreateContextCb(m_device, &data));
  }
  HRESULT destroyContext(HANDLE context) const {
    const D3DDDICB_DESTROYCONTEXT data = {context};
    return told("DestroyContextCb", 0, m_callbacks.pfnDestroyContextCb(m_device, &data));
  }
  HRESULT setDisplayMode(D3DDDICB_SETDISPLAYMODE &data) const {
    return told("SetDisplayModeCb", data.hPrimaryAllocation, m_callbacks.pfnSetDisplayModeCb(m_device, &data));
  }
  HRESULT setPriority(const D3DDDICB_SETPRIORITY &data) const {
    return told("SetPriorityCb", 0, m_callbacks.pfnSetPriorityCb(m_device, &data));
  }
  HRESULT queryResidency(D3DDDICB_QUERYRESIDENCY &data) const {
    return told("QueryResidencyCb", 0, m_callbacks.pfnQueryResidencyCb(m_device, &data));
  }
  /** Sends private data to the kernel driver and receives the answer. */
  HRESULT escape(void *data, UINT bytes) const {
    D3DDDICB_ESCAPE escape = {};
    escape.hDevice = m_device;
    escape.pPrivateDriverData = data;
    escape.PrivateDriverDataSize = bytes;
    return told("EscapeCb", bytes, m_callbacks.pfnEscapeCb(m_adapter, &escape));
  }

private:
  /** Logs the result of a callback if the level wants it, and returns it. `what`: the kernel's handle, the bytes or the
   * count that the callback is about. */
  HRESULT told(const char *callback, uint32_t what, HRESULT result) const {
    if (m_log && m_log->wants(result)) m_log->writeCallback(m_number, callback, what, result);
    return result;
  }

  HANDLE m_adapter, m_device;
  // Not a copy: a Direct3D 10 runtime may change entries ("Supporting the DXGI DDI").
  const D3DDDI_DEVICECALLBACKS &m_callbacks;
  bool m_spaces, m_aperture;
  uint32_t m_featuresHigh;
  CallLog *m_log;  // null while it is off
  uint32_t m_number;
};

}  // namespace aero
