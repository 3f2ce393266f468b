// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/callbacks.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "testbed/runtime-kernel/kernel_context.h"
#include "testbed/runtime-kernel/kernel_device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

constexpr ULONG kPresentOccluded = 0xC01E0006u;  // STATUS_GRAPHICS_PRESENT_OCCLUDED

}  // namespace

/// Contains the callbacks, which use private members of KernelDevice.
struct Callbacks {
  static HRESULT APIENTRY allocate(HANDLE device, D3DDDICB_ALLOCATE *argument);
  static HRESULT APIENTRY deallocate(HANDLE device, const D3DDDICB_DEALLOCATE *argument);
  static HRESULT APIENTRY setPriority(HANDLE device, const D3DDDICB_SETPRIORITY *argument);
  static HRESULT APIENTRY queryResidency(HANDLE device, D3DDDICB_QUERYRESIDENCY *argument);
  static HRESULT APIENTRY setDisplayMode(HANDLE device, D3DDDICB_SETDISPLAYMODE *argument);
  static HRESULT APIENTRY present(HANDLE device, const D3DDDICB_PRESENT *argument);
  static HRESULT presentAllocation(HANDLE device, HANDLE context, D3DKMT_HANDLE source, D3DKMT_HANDLE destination);
  static HRESULT APIENTRY render(HANDLE device, D3DDDICB_RENDER *argument);
  static HRESULT APIENTRY lock(HANDLE device, D3DDDICB_LOCK *argument);
  static HRESULT APIENTRY unlock(HANDLE device, const D3DDDICB_UNLOCK *argument);
  static HRESULT APIENTRY escape(HANDLE adapter, D3DDDICB_ESCAPE *argument);
  static HRESULT APIENTRY createContext(HANDLE device, D3DDDICB_CREATECONTEXT *argument);
  static HRESULT APIENTRY destroyContext(HANDLE device, const D3DDDICB_DESTROYCONTEXT *argument);
  static HRESULT APIENTRY createSync(HANDLE device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *argument);
  static HRESULT APIENTRY destroySync(HANDLE device, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *argument);
  static HRESULT APIENTRY waitForSync(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *argument);
  static HRESULT APIENTRY signalSync(HANDLE device, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT *argument);
  static HRESULT APIENTRY setAsyncCallbacks(HANDLE device, BOOL enable);

private:
  static const KernelCalls &kernel(const KernelDevice &device) { return device.m_adapter.kernel(); }
};

HRESULT APIENTRY Callbacks::allocate(HANDLE handle, D3DDDICB_ALLOCATE *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnAllocateCb");
  if (!device || !argument) return E_INVALIDARG;
  KernelResource *resource = nullptr;
  if (argument->hResource) {
    resource = device->findResource(argument->hResource);
    if (!resource) {
      brokenRule("pfnAllocateCb for a resource that is not the runtime's handle");
      return device->returned(E_INVALIDARG);
    }
  }
  bool primary = false;
  for (UINT i = 0; i < argument->NumAllocations; ++i) primary |= argument->pAllocationInfo[i].Flags.Primary;
  if (primary && !resource) brokenRule("pfnAllocateCb: a primary without its resource");
  if (primary && resource && !resource->primary) brokenRule("pfnAllocateCb: a primary for a resource that is none");
  if (resource && resource->shared && resource->kernelHandle)
    brokenRule("pfnAllocateCb: a shared resource in more than one call");

  D3DKMT_CREATEALLOCATION call{};
  call.hDevice = device->m_kernelHandle;
  call.hResource = resource ? resource->kernelHandle : 0;
  call.pPrivateDriverData = argument->pPrivateDriverData;
  call.PrivateDriverDataSize = argument->PrivateDriverDataSize;
  call.NumAllocations = argument->NumAllocations;
  call.pAllocationInfo = argument->pAllocationInfo;
  call.Flags.CreateResource = resource && !resource->kernelHandle;
  if (resource && resource->shared) {
    call.Flags.CreateShared = 1;
    call.pPrivateRuntimeData = resource->shared;
    call.PrivateRuntimeDataSize = resource->sharedBytes;
  }
  call.hPrivateRuntimeResourceHandle = resource;
  const HRESULT result = resultOfStatus(kernel(*device).CreateAllocation(&call));
  if (SUCCEEDED(result) && resource) {
    resource->kernelHandle = call.hResource;
    resource->globalHandle = call.hGlobalShare;
    argument->hKMResource = call.hResource;
  }
  for (UINT i = 0; SUCCEEDED(result) && i < argument->NumAllocations; ++i)
    device->m_made[argument->pAllocationInfo[i].hAllocation] = {argument->hResource, resource && resource->shared, 0};
  return device->returned(result);
}

HRESULT APIENTRY Callbacks::deallocate(HANDLE handle, const D3DDDICB_DEALLOCATE *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnDeallocateCb");
  if (!device || !argument) return E_INVALIDARG;
  D3DKMT_DESTROYALLOCATION call{};
  call.hDevice = device->m_kernelHandle;
  if (argument->hResource) {
    KernelResource *resource = device->findResource(argument->hResource);
    if (!resource || !resource->kernelHandle) {
      brokenRule("pfnDeallocateCb for a resource without allocations, or for one that is not the runtime's handle");
      return device->returned(E_INVALIDARG);
    }
    if (argument->NumAllocations) brokenRule("pfnDeallocateCb with a resource and a list of allocations");
    call.hResource = resource->kernelHandle;
    resource->kernelHandle = 0;
  } else {
    call.phAllocationList = argument->HandleList;
    call.AllocationCount = argument->NumAllocations;
  }
  std::erase_if(device->m_made, [argument](const auto &row) {
    const D3DKMT_HANDLE *list = argument->HandleList, *end = list + argument->NumAllocations;
    const bool ends =
        argument->hResource ? row.second.resource == argument->hResource : std::find(list, end, row.first) != end;
    if (ends && row.second.locks) brokenRule("pfnDeallocateCb of an allocation that is locked");
    return ends;
  });
  return device->returned(resultOfStatus(kernel(*device).DestroyAllocation(&call)));
}

HRESULT APIENTRY Callbacks::setPriority(HANDLE handle, const D3DDDICB_SETPRIORITY *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnSetPriorityCb");
  if (!device || !argument) return E_INVALIDARG;
  const KernelResource *resource = argument->hResource ? device->findResource(argument->hResource) : nullptr;
  D3DKMT_SETALLOCATIONPRIORITY call{};
  call.hDevice = device->m_kernelHandle;
  call.hResource = resource ? resource->kernelHandle : 0;
  call.phAllocationList = argument->HandleList;
  call.AllocationCount = argument->NumAllocations;
  call.pPriorities = argument->pPriorities;
  return device->returned(resultOfStatus(kernel(*device).SetAllocationPriority(&call)));
}

HRESULT APIENTRY Callbacks::queryResidency(HANDLE handle, D3DDDICB_QUERYRESIDENCY *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnQueryResidencyCb");
  if (!device || !argument) return E_INVALIDARG;
  const KernelResource *resource = argument->hResource ? device->findResource(argument->hResource) : nullptr;
  static_assert(sizeof(D3DDDI_RESIDENCYSTATUS) == sizeof(D3DKMT_ALLOCATIONRESIDENCYSTATUS));
  const UINT count = std::max(1u, argument->NumAllocations);
  std::vector<D3DKMT_ALLOCATIONRESIDENCYSTATUS> status(count);
  D3DKMT_QUERYALLOCATIONRESIDENCY call{};
  call.hDevice = device->m_kernelHandle;
  call.hResource = resource ? resource->kernelHandle : 0;
  call.phAllocationList = argument->HandleList;
  call.AllocationCount = argument->NumAllocations;
  call.pResidencyStatus = status.data();
  const HRESULT result = resultOfStatus(kernel(*device).QueryAllocationResidency(&call));
  if (SUCCEEDED(result))
    for (UINT i = 0; i < count; ++i) argument->pResidencyStatus[i] = static_cast<D3DDDI_RESIDENCYSTATUS>(status[i]);
  return device->returned(result);
}

HRESULT APIENTRY Callbacks::setDisplayMode(HANDLE handle, D3DDDICB_SETDISPLAYMODE *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnSetDisplayModeCb");
  if (!device || !argument) return E_INVALIDARG;
  ++device->m_modeCalls;
  if (device->isNoPrimary(argument->hPrimaryAllocation))
    brokenRule("pfnSetDisplayModeCb: the allocation is no primary");
  D3DKMT_SETDISPLAYMODE call{};
  call.hDevice = device->m_kernelHandle;
  call.hPrimaryAllocation = argument->hPrimaryAllocation;
  call.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  call.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
  call.PrivateDriverFormatAttribute = argument->PrivateDriverFormatAttribute;
  return device->returned(resultOfStatus(kernel(*device).SetDisplayMode(&call)));
}

HRESULT APIENTRY Callbacks::present(HANDLE handle, const D3DDDICB_PRESENT *argument) {
  if (!argument) return E_INVALIDARG;
  return presentAllocation(handle, argument->hContext, argument->hSrcAllocation, argument->hDstAllocation);
}

HRESULT Callbacks::presentAllocation(HANDLE handle, HANDLE contextHandle, D3DKMT_HANDLE source,
                                     D3DKMT_HANDLE destination) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnPresentCb");
  if (!device) return E_INVALIDARG;
  ++device->m_presentCalls;
  const PresentRequest *request = device->m_request;
  const KernelContext *context = device->findContext(contextHandle);
  if (!request || !context) {
    brokenRule("pfnPresentCb %s", request ? "without a context" : "outside of Present");
    return device->returned(E_INVALIDARG);
  }
  D3DKMT_PRESENT call{};
  call.hContext = context->kernelHandle;
  call.hWindow = request->window;
  call.VidPnSourceId = device->m_adapter.vidPnSource();
  call.hSource = source;
  call.hDestination = destination;
  call.PresentCount = device->m_presents + 1;
  call.Flags.PresentCountValid = 1;
  if (request->flip) {
    if (device->isNoPrimary(source)) brokenRule("pfnPresentCb: a flip to an allocation that is no primary");
    call.Flags.Flip = 1;
    call.Flags.FlipDoNotWait = request->doNotWait;
    call.FlipInterval = request->interval;
  } else if (request->fill) {
    call.Flags.ColorFill = call.Flags.DstRectValid = 1;
    call.Color = request->color;
    call.DstRect = request->destination;
  } else {
    call.Flags.Blt = 1;
    call.Flags.SrcRectValid = call.Flags.DstRectValid = 1;
    call.SrcRect = request->source;
    call.DstRect = request->destination;
    call.SubRectCnt = static_cast<UINT>(request->dirty.size());
    call.pSrcSubRects = request->dirty.empty() ? nullptr : request->dirty.data();
    call.FlipInterval = request->interval;
  }
  const NTSTATUS status = kernel(*device).Present(&call);
  device->m_occluded = static_cast<ULONG>(status) == kPresentOccluded;
  return device->m_occluded ? S_OK : device->returned(resultOfStatus(status));
}

HRESULT APIENTRY Callbacks::render(HANDLE handle, D3DDDICB_RENDER *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnRenderCb");
  if (!device || !argument) return E_INVALIDARG;
  KernelContext *context = device->findContext(argument->hContext);
  if (!context) {
    brokenRule("pfnRenderCb without a context");
    return device->returned(E_INVALIDARG);
  }
  ++device->m_submissions;
  HRESULT result = S_OK;
  if (UINT64{argument->CommandOffset} + argument->CommandLength > context->commandBytes ||
      argument->NumAllocations > context->allocationCount || argument->NumPatchLocations > context->patchCount) {
    brokenRule("pfnRenderCb: %u + %u bytes, %u allocations, %u patches; there is room for %u, %u, %u",
               argument->CommandOffset, argument->CommandLength, argument->NumAllocations, argument->NumPatchLocations,
               context->commandBytes, context->allocationCount, context->patchCount);
    result = E_INVALIDARG;
  } else {
    context->copyToKernel(argument->CommandOffset, argument->CommandLength, argument->NumAllocations,
                          argument->NumPatchLocations);
    D3DKMT_RENDER call{};
    call.hContext = context->kernelHandle;
    call.CommandOffset = argument->CommandOffset;
    call.CommandLength = argument->CommandLength;
    call.AllocationCount = argument->NumAllocations;
    call.PatchLocationCount = argument->NumPatchLocations;
    call.Flags.ResizeCommandBuffer = argument->Flags.ResizeCommandBuffer;
    call.Flags.ResizeAllocationList = argument->Flags.ResizeAllocationList;
    call.Flags.ResizePatchLocationList = argument->Flags.ResizePatchLocationList;
    call.Flags.NullRendering = argument->Flags.NullRendering;
    call.NewCommandBufferSize = argument->NewCommandBufferSize;
    call.NewAllocationListSize = argument->NewAllocationListSize;
    call.NewPatchLocationListSize = argument->NewPatchLocationListSize;
    call.pPrivateDriverData = argument->pPrivateDriverData;
    call.PrivateDriverDataSize = argument->PrivateDriverDataSize;
    result = resultOfStatus(kernel(*device).Render(&call));
    if (call.pNewCommandBuffer && call.pNewAllocationList && call.pNewPatchLocationList) {
      context->kernelCommands = call.pNewCommandBuffer;
      context->kernelCommandBytes = call.NewCommandBufferSize;
      context->kernelAllocations = call.pNewAllocationList;
      context->kernelAllocationCount = call.NewAllocationListSize;
      context->kernelPatches = call.pNewPatchLocationList;
      context->kernelPatchCount = call.NewPatchLocationListSize;
    }
    argument->QueuedBufferCount = call.QueuedBufferCount;
  }
  if (!context->renew() && SUCCEEDED(result)) result = E_OUTOFMEMORY;
  argument->pNewCommandBuffer = context->commands;
  argument->NewCommandBufferSize = context->commandBytes;
  argument->pNewAllocationList = context->allocations;
  argument->NewAllocationListSize = context->allocationCount;
  argument->pNewPatchLocationList = context->patches;
  argument->NewPatchLocationListSize = context->patchCount;
  return device->returned(result);
}

HRESULT APIENTRY Callbacks::lock(HANDLE handle, D3DDDICB_LOCK *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnLockCb");
  if (!device || !argument) return E_INVALIDARG;
  // Pages "D3DDDICB_LOCKFLAGS" and "PFND3DDDI_LOCKCB".
  const D3DDDICB_LOCKFLAGS flags = argument->Flags;
  if (flags.ReadOnly && flags.WriteOnly) brokenRule("pfnLockCb: ReadOnly and WriteOnly");
  if (flags.IgnoreSync && !flags.DonotWait) brokenRule("pfnLockCb: IgnoreSync has no effect without DonotWait");
  if (flags.IgnoreSync && flags.AcquireAperture) brokenRule("pfnLockCb: IgnoreSync and AcquireAperture");
  if (flags.UseAlternateVA && !flags.AcquireAperture) brokenRule("pfnLockCb: UseAlternateVA without AcquireAperture");
  if (flags.Discard && (flags.IgnoreSync || flags.DonotWait))
    brokenRule("pfnLockCb: IgnoreSync and DonotWait have no effect with Discard");
  if (flags.Reserved) brokenRule("pfnLockCb: reserved flags");
  if (flags.LockEntire ? argument->NumPages || argument->pPages : !argument->pPages)
    brokenRule("pfnLockCb: either all or a list of pages");
  if (std::find(device->m_opened.begin(), device->m_opened.end(), argument->hAllocation) != device->m_opened.end()) {
    brokenRule("pfnLockCb of a shared allocation that somebody else created");
    return device->returned(E_INVALIDARG);
  }
  D3DKMT_LOCK call{};
  call.hDevice = device->m_kernelHandle;
  call.hAllocation = argument->hAllocation;
  call.PrivateDriverData = argument->PrivateDriverData;
  call.NumPages = argument->NumPages;
  call.pPages = argument->pPages;
  call.Flags = argument->Flags;
  const HRESULT result = resultOfStatus(kernel(*device).Lock(&call));
  const auto made = device->m_made.find(argument->hAllocation);
  if (made != device->m_made.end()) {
    if (flags.Discard && made->second.shared) brokenRule("pfnLockCb: Discard has no effect on a shared allocation");
    if (SUCCEEDED(result)) ++made->second.locks;
  }
  if (SUCCEEDED(result)) {
    argument->hAllocation = call.hAllocation;
    argument->pData = call.pData;
    argument->GpuVirtualAddress = call.GpuVirtualAddress;
  }
  return device->returned(result);
}

HRESULT APIENTRY Callbacks::unlock(HANDLE handle, const D3DDDICB_UNLOCK *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnUnlockCb");
  if (!device || !argument) return E_INVALIDARG;
  D3DKMT_UNLOCK call{};
  call.hDevice = device->m_kernelHandle;
  call.NumAllocations = argument->NumAllocations;
  call.phAllocations = argument->phAllocations;
  for (UINT i = 0; i < argument->NumAllocations; ++i) {
    const auto made = device->m_made.find(argument->phAllocations[i]);
    if (made == device->m_made.end() || !made->second.locks)
      brokenRule("pfnUnlockCb of an allocation that is not locked");
    else
      --made->second.locks;
  }
  return device->returned(resultOfStatus(kernel(*device).Unlock(&call)));
}

HRESULT APIENTRY Callbacks::escape(HANDLE handle, D3DDDICB_ESCAPE *argument) {
  const KernelAdapter *adapter = static_cast<const KernelAdapter *>(handle);
  if (!adapter || !argument) {
    brokenRule("pfnEscapeCb without the runtime's adapter handle");
    return E_INVALIDARG;
  }
  KernelDevice *device = argument->hDevice ? KernelDevice::fromCallback(argument->hDevice, "pfnEscapeCb") : nullptr;
  const KernelContext *context = device && argument->hContext ? device->findContext(argument->hContext) : nullptr;
  if (argument->hContext && !context) brokenRule("pfnEscapeCb with a context but without its device");
  D3DKMT_ESCAPE call{};
  call.hAdapter = adapter->kernelHandle();
  call.hDevice = device ? device->m_kernelHandle : 0;
  call.hContext = context ? context->kernelHandle : 0;
  call.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  call.Flags = argument->Flags;
  call.pPrivateDriverData = argument->pPrivateDriverData;
  call.PrivateDriverDataSize = argument->PrivateDriverDataSize;
  const HRESULT result = resultOfStatus(adapter->kernel().Escape(&call));
  return device ? device->returned(result) : result;
}

HRESULT APIENTRY Callbacks::createContext(HANDLE handle, D3DDDICB_CREATECONTEXT *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnCreateContextCb");
  if (!device || !argument) return E_INVALIDARG;
  auto context = std::make_unique<KernelContext>();
  D3DKMT_CREATECONTEXT call{};
  call.hDevice = device->m_kernelHandle;
  call.NodeOrdinal = argument->NodeOrdinal;
  call.EngineAffinity = argument->EngineAffinity;
  call.Flags = argument->Flags;
  call.pPrivateDriverData = argument->pPrivateDriverData;
  call.PrivateDriverDataSize = argument->PrivateDriverDataSize;
  call.ClientHint = device->m_clientHint;
  const HRESULT result = resultOfStatus(kernel(*device).CreateContext(&call));
  if (FAILED(result)) return device->returned(result);
  context->kernelHandle = call.hContext;
  context->kernelCommands = call.pCommandBuffer;
  context->kernelCommandBytes = call.CommandBufferSize;
  context->kernelAllocations = call.pAllocationList;
  context->kernelAllocationCount = call.AllocationListSize;
  context->kernelPatches = call.pPatchLocationList;
  context->kernelPatchCount = call.PatchLocationListSize;
  if (!context->renew()) {
    D3DKMT_DESTROYCONTEXT undo{call.hContext};
    kernel(*device).DestroyContext(&undo);
    return device->returned(E_OUTOFMEMORY);
  }
  argument->hContext = context.get();
  argument->pCommandBuffer = context->commands;
  argument->CommandBufferSize = context->commandBytes;
  argument->pAllocationList = context->allocations;
  argument->AllocationListSize = context->allocationCount;
  argument->pPatchLocationList = context->patches;
  argument->PatchLocationListSize = context->patchCount;
  argument->CommandBuffer = call.CommandBuffer;
  device->m_contexts.push_back(std::move(context));
  return S_OK;
}

HRESULT APIENTRY Callbacks::destroyContext(HANDLE handle, const D3DDDICB_DESTROYCONTEXT *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnDestroyContextCb");
  if (!device || !argument) return E_INVALIDARG;
  const auto found = std::find_if(device->m_contexts.begin(), device->m_contexts.end(),
                                  [&](const auto &context) { return context.get() == argument->hContext; });
  if (found == device->m_contexts.end()) {
    brokenRule("pfnDestroyContextCb without a context");
    return device->returned(E_INVALIDARG);
  }
  D3DKMT_DESTROYCONTEXT call{(*found)->kernelHandle};
  const HRESULT result = resultOfStatus(kernel(*device).DestroyContext(&call));
  device->m_contexts.erase(found);
  return device->returned(result);
}

HRESULT APIENTRY Callbacks::createSync(HANDLE handle, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnCreateSynchronizationObjectCb");
  if (!device || !argument) return E_INVALIDARG;
  D3DKMT_CREATESYNCHRONIZATIONOBJECT call{};
  call.hDevice = device->m_kernelHandle;
  call.Info = argument->Info;
  const HRESULT result = resultOfStatus(kernel(*device).CreateSynchronizationObject(&call));
  argument->hSyncObject = call.hSyncObject;
  return device->returned(result);
}

HRESULT APIENTRY Callbacks::destroySync(HANDLE handle, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnDestroySynchronizationObjectCb");
  if (!device || !argument) return E_INVALIDARG;
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT call{argument->hSyncObject};
  return device->returned(resultOfStatus(kernel(*device).DestroySynchronizationObject(&call)));
}

HRESULT APIENTRY Callbacks::waitForSync(HANDLE handle, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnWaitForSynchronizationObjectCb");
  if (!device || !argument) return E_INVALIDARG;
  const KernelContext *context = device->findContext(argument->hContext);
  if (!context || argument->ObjectCount > D3DDDI_MAX_OBJECT_WAITED_ON) return device->returned(E_INVALIDARG);
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECT call{};
  call.hContext = context->kernelHandle;
  call.ObjectCount = argument->ObjectCount;
  std::memcpy(call.ObjectHandleArray, argument->ObjectHandleArray, sizeof call.ObjectHandleArray);
  return device->returned(resultOfStatus(kernel(*device).WaitForSynchronizationObject(&call)));
}

HRESULT APIENTRY Callbacks::signalSync(HANDLE handle, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT *argument) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnSignalSynchronizationObjectCb");
  if (!device || !argument) return E_INVALIDARG;
  const KernelContext *context = device->findContext(argument->hContext);
  if (!context || argument->ObjectCount > D3DDDI_MAX_OBJECT_SIGNALED) return device->returned(E_INVALIDARG);
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECT call{};
  call.hContext = context->kernelHandle;
  call.ObjectCount = argument->ObjectCount;
  std::memcpy(call.ObjectHandleArray, argument->ObjectHandleArray, sizeof call.ObjectHandleArray);
  call.Flags = argument->Flags;
  return device->returned(resultOfStatus(kernel(*device).SignalSynchronizationObject(&call)));
}

HRESULT APIENTRY Callbacks::setAsyncCallbacks(HANDLE handle, BOOL enable) {
  KernelDevice *device = KernelDevice::fromCallback(handle, "pfnSetAsyncCallbacksCb");
  if (!device) return E_INVALIDARG;
  device->m_async = enable;
  return S_OK;
}

namespace {

// Features that this adapter does not have: overlays, and display formats defined by a driver.
HRESULT APIENTRY noCreateOverlay(HANDLE, D3DDDICB_CREATEOVERLAY *) {
  return D3DDDIERR_UNSUPPORTEDOVERLAY;
}
HRESULT APIENTRY noUpdateOverlay(HANDLE, const D3DDDICB_UPDATEOVERLAY *) {
  return D3DDDIERR_UNSUPPORTEDOVERLAY;
}
HRESULT APIENTRY noFlipOverlay(HANDLE, const D3DDDICB_FLIPOVERLAY *) {
  return D3DDDIERR_UNSUPPORTEDOVERLAY;
}
HRESULT APIENTRY noDestroyOverlay(HANDLE, const D3DDDICB_DESTROYOVERLAY *) {
  return D3DDDIERR_UNSUPPORTEDOVERLAY;
}
HRESULT APIENTRY noPrivateFormat(HANDLE, const D3DDDICB_SETDISPLAYPRIVATEDRIVERFORMAT *) {
  return E_NOTIMPL;
}

}  // namespace

HRESULT presentAllocation(HANDLE device, HANDLE context, D3DKMT_HANDLE source, D3DKMT_HANDLE destination) {
  return Callbacks::presentAllocation(device, context, source, destination);
}

D3DDDI_DEVICECALLBACKS deviceCallbacks() {
  D3DDDI_DEVICECALLBACKS table{};
  table.pfnAllocateCb = Callbacks::allocate;
  table.pfnDeallocateCb = Callbacks::deallocate;
  table.pfnSetPriorityCb = Callbacks::setPriority;
  table.pfnQueryResidencyCb = Callbacks::queryResidency;
  table.pfnSetDisplayModeCb = Callbacks::setDisplayMode;
  table.pfnPresentCb = Callbacks::present;
  table.pfnRenderCb = Callbacks::render;
  table.pfnLockCb = Callbacks::lock;
  table.pfnUnlockCb = Callbacks::unlock;
  table.pfnEscapeCb = Callbacks::escape;
  table.pfnCreateOverlayCb = noCreateOverlay;
  table.pfnUpdateOverlayCb = noUpdateOverlay;
  table.pfnFlipOverlayCb = noFlipOverlay;
  table.pfnDestroyOverlayCb = noDestroyOverlay;
  table.pfnCreateContextCb = Callbacks::createContext;
  table.pfnDestroyContextCb = Callbacks::destroyContext;
  table.pfnCreateSynchronizationObjectCb = Callbacks::createSync;
  table.pfnDestroySynchronizationObjectCb = Callbacks::destroySync;
  table.pfnWaitForSynchronizationObjectCb = Callbacks::waitForSync;
  table.pfnSignalSynchronizationObjectCb = Callbacks::signalSync;
  table.pfnSetAsyncCallbacksCb = Callbacks::setAsyncCallbacks;
  table.pfnSetDisplayPrivateDriverFormatCb = noPrivateFormat;
  return table;
}

}  // namespace aerogpu::runtime
