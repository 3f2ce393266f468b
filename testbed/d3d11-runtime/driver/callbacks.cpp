// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/callbacks.h"

#include "testbed/runtime-kernel/callbacks.h"

namespace aerogpu::runtime11 {
namespace {

// X(member, argument): the kernel's callbacks whose first argument is the device.
#define AEROGPU_KERNEL_CALLBACKS(X)                                                   \
  X(pfnAllocateCb, D3DDDICB_ALLOCATE *)                                               \
  X(pfnDeallocateCb, const D3DDDICB_DEALLOCATE *)                                     \
  X(pfnSetPriorityCb, const D3DDDICB_SETPRIORITY *)                                   \
  X(pfnQueryResidencyCb, D3DDDICB_QUERYRESIDENCY *)                                   \
  X(pfnSetDisplayModeCb, D3DDDICB_SETDISPLAYMODE *)                                   \
  X(pfnRenderCb, D3DDDICB_RENDER *)                                                   \
  X(pfnLockCb, D3DDDICB_LOCK *)                                                       \
  X(pfnUnlockCb, const D3DDDICB_UNLOCK *)                                             \
  X(pfnCreateContextCb, D3DDDICB_CREATECONTEXT *)                                     \
  X(pfnDestroyContextCb, const D3DDDICB_DESTROYCONTEXT *)                             \
  X(pfnCreateSynchronizationObjectCb, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *)         \
  X(pfnDestroySynchronizationObjectCb, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *) \
  X(pfnWaitForSynchronizationObjectCb, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *) \
  X(pfnSignalSynchronizationObjectCb, const D3DDDICB_SIGNALSYNCHRONIZATIONOBJECT *)   \
  X(pfnSetAsyncCallbacksCb, BOOL)

// The state callbacks make the runtime call a setter again. X(member): without arguments; Y(member): with a range.
#define AEROGPU_STATE_CALLBACKS(X, Y) \
  Y(pfnStateVsConstBufCb)             \
  Y(pfnStatePsSrvCb)                  \
  X(pfnStatePsShaderCb)               \
  Y(pfnStatePsSamplerCb)              \
  X(pfnStateVsShaderCb)               \
  Y(pfnStatePsConstBufCb)             \
  X(pfnStateIaInputLayoutCb)          \
  Y(pfnStateIaVertexBufCb)            \
  X(pfnStateIaIndexBufCb)             \
  Y(pfnStateGsConstBufCb)             \
  X(pfnStateGsShaderCb)               \
  X(pfnStateIaPrimitiveTopologyCb)    \
  Y(pfnStateVsSrvCb)                  \
  Y(pfnStateVsSamplerCb)              \
  Y(pfnStateGsSrvCb)                  \
  Y(pfnStateGsSamplerCb)              \
  X(pfnStateOmRenderTargetsCb)        \
  X(pfnStateOmBlendStateCb)           \
  X(pfnStateOmDepthStateCb)           \
  X(pfnStateRsRastStateCb)            \
  X(pfnStateSoTargetsCb)              \
  X(pfnStateRsViewportsCb)            \
  X(pfnStateRsScissorCb)              \
  X(pfnStateTextFilterSizeCb)         \
  Y(pfnStateHsSrvCb)                  \
  X(pfnStateHsShaderCb)               \
  Y(pfnStateHsSamplerCb)              \
  Y(pfnStateHsConstBufCb)             \
  Y(pfnStateDsSrvCb)                  \
  X(pfnStateDsShaderCb)               \
  Y(pfnStateDsSamplerCb)              \
  Y(pfnStateDsConstBufCb)             \
  Y(pfnStateCsSrvCb)                  \
  Y(pfnStateCsUavCb)                  \
  X(pfnStateCsShaderCb)               \
  Y(pfnStateCsSamplerCb)              \
  Y(pfnStateCsConstBufCb)

const D3DDDI_DEVICECALLBACKS &kernel() {
  static const D3DDDI_DEVICECALLBACKS table = runtime::deviceCallbacks();
  return table;
}

/// The runtime does not call setters again yet.
void stateCallback(const char *name) {
  runtime::logOnce(name, "the driver called %s", name);
  runtime::notImplemented("pfnState*Cb");
}

/// The entries of one set.
template <int kSet> struct Entries {
#define AEROGPU_ENTRY(NAME, ARGUMENT)                              \
  static HRESULT APIENTRY NAME(HANDLE device, ARGUMENT argument) { \
    DriverDevice::checkSet(device, #NAME, kSet);                   \
    return kernel().NAME(device, argument);                        \
  }
  AEROGPU_KERNEL_CALLBACKS(AEROGPU_ENTRY)
#undef AEROGPU_ENTRY

#define AEROGPU_ENTRY(NAME)                                               \
  static void APIENTRY NAME(D3D10DDI_HRTCORELAYER layer) {                \
    if (DriverDevice::fromCore(layer, #NAME, kSet)) stateCallback(#NAME); \
  }
#define AEROGPU_RANGE_ENTRY(NAME)                                         \
  static void APIENTRY NAME(D3D10DDI_HRTCORELAYER layer, UINT, UINT) {    \
    if (DriverDevice::fromCore(layer, #NAME, kSet)) stateCallback(#NAME); \
  }
  AEROGPU_STATE_CALLBACKS(AEROGPU_ENTRY, AEROGPU_RANGE_ENTRY)
#undef AEROGPU_ENTRY
#undef AEROGPU_RANGE_ENTRY

  static void APIENTRY setError(D3D10DDI_HRTCORELAYER layer, HRESULT code) {
    if (DriverDevice *device = DriverDevice::fromCore(layer, "pfnSetErrorCb", kSet)) device->setError(code);
  }
  static void APIENTRY disableDeferredStaging(D3D10DDI_HRTCORELAYER layer) {
    if (DriverDevice *device = DriverDevice::fromCore(layer, "pfnDisableDeferredStagingResourceDestruction", kSet))
      device->disableDeferredStaging();
  }
  static void APIENTRY performAmortized(D3D10DDI_HRTCORELAYER layer) {
    if (DriverDevice *device = DriverDevice::fromCore(layer, "pfnPerformAmortizedProcessingCb", kSet))
      device->performAmortized();
  }
  static HRESULT APIENTRY present(HANDLE device, const DXGIDDICB_PRESENT *argument) {
    DriverDevice::checkSet(device, "pfnPresentCb", kSet);
    if (!argument) return E_INVALIDARG;
    DriverDevice::checkContext(device, argument->pDXGIContext);
    return runtime::presentAllocation(device, argument->hContext, argument->hSrcAllocation, argument->hDstAllocation);
  }
  /// DXGI's drivers present by DXGI's callback.
  static HRESULT APIENTRY presentOfDirect3D9(HANDLE, const D3DDDICB_PRESENT *) {
    runtime::brokenRule("pfnPresentCb of the kernel's table in place of DXGI's");
    return E_INVALIDARG;
  }

  static CallbackSet make() {
    CallbackSet set{};
    set.kernel = kernel();
#define AEROGPU_ENTRY(NAME, ARGUMENT) set.kernel.NAME = NAME;
    AEROGPU_KERNEL_CALLBACKS(AEROGPU_ENTRY)
#undef AEROGPU_ENTRY
    set.kernel.pfnPresentCb = presentOfDirect3D9;
#define AEROGPU_ENTRY(NAME) set.core.NAME = NAME;
    AEROGPU_STATE_CALLBACKS(AEROGPU_ENTRY, AEROGPU_ENTRY)
#undef AEROGPU_ENTRY
    set.core.pfnSetErrorCb = setError;
    set.core.pfnDisableDeferredStagingResourceDestruction = disableDeferredStaging;
    set.core.pfnPerformAmortizedProcessingCb = performAmortized;
    set.dxgi.pfnPresentCb = present;
    return set;
  }
};

}  // namespace

const CallbackSets &callbackSets() {
  static const CallbackSets sets = {Entries<0>::make(), Entries<1>::make()};
  return sets;
}

}  // namespace aerogpu::runtime11
