// SPDX-License-Identifier: MIT
// runtime.h: the runtime's callbacks of one device, with what they need filled in. They may be called inside a call of
// the runtime's only. Their errors are passed on as they are (page "Returning Error Codes Received from Runtime
// Functions").
#pragma once

#include "ddi.h"

namespace aero {

class Runtime {
public:
  /** `spaces`: handles are this device's own, and the kernel driver has made the texture of what has a token.
   *  `featuresHigh`: AEROGPU_EXT_FEATURE_HI_* that the device has. */
  Runtime(HANDLE adapter, HANDLE device, const D3DDDI_DEVICECALLBACKS &callbacks, bool spaces, uint32_t featuresHigh)
      : m_adapter(adapter), m_device(device), m_callbacks(callbacks), m_spaces(spaces), m_featuresHigh(featuresHigh) {}

  bool spaces() const { return m_spaces; }
  /** Whether the device has an extension, AEROGPU_EXT_FEATURE_HI_* (docs/abi/extensions.md). */
  bool has(uint32_t featureHigh) const { return (m_featuresHigh & featureHigh) != 0; }

  HRESULT allocate(D3DDDICB_ALLOCATE &data) const { return m_callbacks.pfnAllocateCb(m_device, &data); }
  /** All allocations of a resource that was allocated or opened with the runtime's handle. */
  HRESULT deallocateResource(HANDLE resource) const {
    D3DDDICB_DEALLOCATE data = {};
    data.hResource = resource;
    return m_callbacks.pfnDeallocateCb(m_device, &data);
  }
  HRESULT deallocate(const D3DKMT_HANDLE *allocations, UINT count) const {
    D3DDDICB_DEALLOCATE data = {};
    data.NumAllocations = count;
    data.HandleList = allocations;
    return m_callbacks.pfnDeallocateCb(m_device, &data);
  }
  /** All of an allocation. `memory` is set when this succeeds. */
  HRESULT lock(D3DKMT_HANDLE allocation, D3DDDICB_LOCKFLAGS flags, void *&memory) const {
    D3DDDICB_LOCK data = {};
    data.hAllocation = allocation;
    data.Flags = flags;
    data.Flags.LockEntire = 1;
    const HRESULT result = m_callbacks.pfnLockCb(m_device, &data);
    if (!failed(result)) memory = data.pData;
    return result;
  }
  HRESULT unlock(D3DKMT_HANDLE allocation) const {
    D3DDDICB_UNLOCK data = {};
    data.NumAllocations = 1;
    data.phAllocations = &allocation;
    return m_callbacks.pfnUnlockCb(m_device, &data);
  }
  HRESULT render(D3DDDICB_RENDER &data) const { return m_callbacks.pfnRenderCb(m_device, &data); }
  HRESULT present(const D3DDDICB_PRESENT &data) const { return m_callbacks.pfnPresentCb(m_device, &data); }
  HRESULT createContext(D3DDDICB_CREATECONTEXT &data) const { return m_callbacks.pfnCreateContextCb(m_device, &data); }
  HRESULT destroyContext(HANDLE context) const {
    const D3DDDICB_DESTROYCONTEXT data = {context};
    return m_callbacks.pfnDestroyContextCb(m_device, &data);
  }
  HRESULT setDisplayMode(D3DDDICB_SETDISPLAYMODE &data) const {
    return m_callbacks.pfnSetDisplayModeCb(m_device, &data);
  }
  HRESULT setPriority(const D3DDDICB_SETPRIORITY &data) const { return m_callbacks.pfnSetPriorityCb(m_device, &data); }
  HRESULT queryResidency(D3DDDICB_QUERYRESIDENCY &data) const {
    return m_callbacks.pfnQueryResidencyCb(m_device, &data);
  }
  /** Private data to the kernel driver and back. */
  HRESULT escape(void *data, UINT bytes) const {
    D3DDDICB_ESCAPE escape = {};
    escape.hDevice = m_device;
    escape.pPrivateDriverData = data;
    escape.PrivateDriverDataSize = bytes;
    return m_callbacks.pfnEscapeCb(m_adapter, &escape);
  }

private:
  HANDLE m_adapter, m_device;
  D3DDDI_DEVICECALLBACKS m_callbacks;
  bool m_spaces;
  uint32_t m_featuresHigh;
};

}  // namespace aero
