// SPDX-License-Identifier: MIT
// driver_entry.cpp: gives the OS the table of entry points, in the order of DRIVER_INITIALIZATION_DATA. Entries for
// linked adapters, and those that WDDM 1.1 does not use, stay null.
#include "guest-drivers/kmd/ddi/entry_points.h"
#include "guest-drivers/kmd/os/event_log.h"
#include "guest-drivers/kmd/os/trace.h"

extern "C" NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registryPath)
    __attribute__((section("INIT")));

extern "C" NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registryPath) {
  using namespace aero;
  openEventLog(driver);
  DRIVER_INITIALIZATION_DATA data = {};
  data.Version = DXGKDDI_INTERFACE_VERSION;
  data.DxgkDdiAddDevice = AeroDdiAddDevice;
  data.DxgkDdiStartDevice = AeroDdiStartDevice;
  data.DxgkDdiStopDevice = AeroDdiStopDevice;
  data.DxgkDdiRemoveDevice = AeroDdiRemoveDevice;
  data.DxgkDdiDispatchIoRequest = AeroDdiDispatchIoRequest;
  data.DxgkDdiInterruptRoutine = AeroDdiInterruptRoutine;
  data.DxgkDdiDpcRoutine = AeroDdiDpcRoutine;
  data.DxgkDdiQueryChildRelations = AeroDdiQueryChildRelations;
  data.DxgkDdiQueryChildStatus = AeroDdiQueryChildStatus;
  data.DxgkDdiQueryDeviceDescriptor = AeroDdiQueryDeviceDescriptor;
  data.DxgkDdiSetPowerState = AeroDdiSetPowerState;
  data.DxgkDdiNotifyAcpiEvent = AeroDdiNotifyAcpiEvent;
  data.DxgkDdiResetDevice = AeroDdiResetDevice;
  data.DxgkDdiUnload = AeroDdiUnload;
  data.DxgkDdiQueryInterface = AeroDdiQueryInterface;
  data.DxgkDdiControlEtwLogging = AeroDdiControlEtwLogging;
  data.DxgkDdiQueryAdapterInfo = AeroDdiQueryAdapterInfo;
  data.DxgkDdiCreateDevice = AeroDdiCreateDevice;
  data.DxgkDdiCreateAllocation = AeroDdiCreateAllocation;
  data.DxgkDdiDestroyAllocation = AeroDdiDestroyAllocation;
  data.DxgkDdiDescribeAllocation = AeroDdiDescribeAllocation;
  data.DxgkDdiGetStandardAllocationDriverData = AeroDdiGetStandardAllocationDriverData;
  data.DxgkDdiAcquireSwizzlingRange = AeroDdiAcquireSwizzlingRange;
  data.DxgkDdiReleaseSwizzlingRange = AeroDdiReleaseSwizzlingRange;
  data.DxgkDdiPatch = AeroDdiPatch;
  data.DxgkDdiSubmitCommand = AeroDdiSubmitCommand;
  data.DxgkDdiPreemptCommand = AeroDdiPreemptCommand;
  data.DxgkDdiBuildPagingBuffer = AeroDdiBuildPagingBuffer;
  data.DxgkDdiSetPalette = AeroDdiSetPalette;
  data.DxgkDdiSetPointerPosition = AeroDdiSetPointerPosition;
  data.DxgkDdiSetPointerShape = AeroDdiSetPointerShape;
  data.DxgkDdiResetFromTimeout = AeroDdiResetFromTimeout;
  data.DxgkDdiRestartFromTimeout = AeroDdiRestartFromTimeout;
  data.DxgkDdiEscape = AeroDdiEscape;
  data.DxgkDdiCollectDbgInfo = AeroDdiCollectDbgInfo;
  data.DxgkDdiQueryCurrentFence = AeroDdiQueryCurrentFence;
  data.DxgkDdiIsSupportedVidPn = AeroDdiIsSupportedVidPn;
  data.DxgkDdiRecommendFunctionalVidPn = AeroDdiRecommendFunctionalVidPn;
  data.DxgkDdiEnumVidPnCofuncModality = AeroDdiEnumVidPnCofuncModality;
  data.DxgkDdiSetVidPnSourceAddress = AeroDdiSetVidPnSourceAddress;
  data.DxgkDdiSetVidPnSourceVisibility = AeroDdiSetVidPnSourceVisibility;
  data.DxgkDdiCommitVidPn = AeroDdiCommitVidPn;
  data.DxgkDdiUpdateActiveVidPnPresentPath = AeroDdiUpdateActiveVidPnPresentPath;
  data.DxgkDdiRecommendMonitorModes = AeroDdiRecommendMonitorModes;
  data.DxgkDdiRecommendVidPnTopology = AeroDdiRecommendVidPnTopology;
  data.DxgkDdiGetScanLine = AeroDdiGetScanLine;
  data.DxgkDdiStopCapture = AeroDdiStopCapture;
  data.DxgkDdiControlInterrupt = AeroDdiControlInterrupt;
  data.DxgkDdiCreateOverlay = AeroDdiCreateOverlay;
  data.DxgkDdiUpdateOverlay = AeroDdiUpdateOverlay;
  data.DxgkDdiFlipOverlay = AeroDdiFlipOverlay;
  data.DxgkDdiDestroyOverlay = AeroDdiDestroyOverlay;
  data.DxgkDdiDestroyDevice = AeroDdiDestroyDevice;
  data.DxgkDdiOpenAllocation = AeroDdiOpenAllocation;
  data.DxgkDdiCloseAllocation = AeroDdiCloseAllocation;
  data.DxgkDdiRender = AeroDdiRender;
  data.DxgkDdiPresent = AeroDdiPresent;
  data.DxgkDdiCreateContext = AeroDdiCreateContext;
  data.DxgkDdiDestroyContext = AeroDdiDestroyContext;
  data.DxgkDdiSetDisplayPrivateDriverFormat = AeroDdiSetDisplayPrivateDriverFormat;
  data.DxgkDdiRenderKm = AeroDdiRenderKm;
  data.DxgkDdiQueryVidPnHWCapability = AeroDdiQueryVidPnHWCapability;
  const NTSTATUS status = DxgkInitialize(driver, registryPath, &data);
  if (NT_SUCCESS(status)) trace::start();  // only then is DxgkDdiUnload called, which ends the trace
  return status;
}
