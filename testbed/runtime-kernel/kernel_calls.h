// SPDX-License-Identifier: MIT
// The D3DKMT calls that the runtime makes, as a table: gdi32's on Windows, and here those of the DLL that
// the setting KERNEL names, or, without it, of the D3DKMT client that is linked in (testbed/kmt/client).
#pragma once

#include "testbed/runtime-kernel/windows_headers.h"

namespace aerogpu::runtime {

// X(name): the function D3DKMT##name, of type PFND3DKMT_ in upper case.
#define AEROGPU_KERNEL_CALLS(X)                                   \
  X(OpenAdapterFromGdiDisplayName, OPENADAPTERFROMGDIDISPLAYNAME) \
  X(CloseAdapter, CLOSEADAPTER)                                   \
  X(QueryAdapterInfo, QUERYADAPTERINFO)                           \
  X(GetDisplayModeList, GETDISPLAYMODELIST)                       \
  X(GetMultisampleMethodList, GETMULTISAMPLEMETHODLIST)           \
  X(CreateDevice, CREATEDEVICE)                                   \
  X(DestroyDevice, DESTROYDEVICE)                                 \
  X(GetDeviceState, GETDEVICESTATE)                               \
  X(CreateContext, CREATECONTEXT)                                 \
  X(DestroyContext, DESTROYCONTEXT)                               \
  X(CreateAllocation, CREATEALLOCATION)                           \
  X(DestroyAllocation, DESTROYALLOCATION)                         \
  X(QueryResourceInfo, QUERYRESOURCEINFO)                         \
  X(OpenResource, OPENRESOURCE)                                   \
  X(SetAllocationPriority, SETALLOCATIONPRIORITY)                 \
  X(QueryAllocationResidency, QUERYALLOCATIONRESIDENCY)           \
  X(Lock, LOCK)                                                   \
  X(Unlock, UNLOCK)                                               \
  X(Render, RENDER)                                               \
  X(Present, PRESENT)                                             \
  X(Escape, ESCAPE)                                               \
  X(SetVidPnSourceOwner, SETVIDPNSOURCEOWNER)                     \
  X(SetDisplayMode, SETDISPLAYMODE)                               \
  X(SetGammaRamp, SETGAMMARAMP)                                   \
  X(SetQueuedLimit, SETQUEUEDLIMIT)                               \
  X(WaitForVerticalBlankEvent, WAITFORVERTICALBLANKEVENT)         \
  X(GetScanLine, GETSCANLINE)                                     \
  X(CreateSynchronizationObject, CREATESYNCHRONIZATIONOBJECT)     \
  X(DestroySynchronizationObject, DESTROYSYNCHRONIZATIONOBJECT)   \
  X(WaitForSynchronizationObject, WAITFORSYNCHRONIZATIONOBJECT)   \
  X(SignalSynchronizationObject, SIGNALSYNCHRONIZATIONOBJECT)     \
  X(CreateKeyedMutex, CREATEKEYEDMUTEX)                           \
  X(OpenKeyedMutex, OPENKEYEDMUTEX)                               \
  X(AcquireKeyedMutex, ACQUIREKEYEDMUTEX)                         \
  X(ReleaseKeyedMutex, RELEASEKEYEDMUTEX)                         \
  X(DestroyKeyedMutex, DESTROYKEYEDMUTEX)

struct KernelCalls {
#define AEROGPU_KERNEL_CALL(NAME, TYPE) PFND3DKMT_##TYPE NAME = nullptr;
  AEROGPU_KERNEL_CALLS(AEROGPU_KERNEL_CALL)
#undef AEROGPU_KERNEL_CALL
};

/// Returns the table; null, after one log line, if there is no kernel side. Loaded at the first call. Any thread.
const KernelCalls *kernelCalls();

/// Returns the runtime's result for an NTSTATUS of a D3DKMT call.
HRESULT resultOfStatus(NTSTATUS status);

}  // namespace aerogpu::runtime
