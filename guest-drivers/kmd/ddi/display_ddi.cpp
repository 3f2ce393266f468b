// SPDX-License-Identifier: MIT
// display_ddi.cpp: entry points of the display: they unwrap handles, check arguments and forward (display.cpp,
// vidpn.cpp, cursor_plane.cpp).
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/kmd/adapter.h"
#include "guest-drivers/kmd/ddi/entry_points.h"
#include "guest-drivers/kmd/display/vidpn.h"

namespace aero {
namespace {

/** Returns the adapter of the OS' handle if it is started, else null. */
AeroAdapter *startedAdapter(const void *handle) {
  AeroAdapter *adapter = AeroAdapter::from(handle);
  return adapter && adapter->started ? adapter : nullptr;
}

VidPn vidPnOf(const AeroAdapter &adapter) {
  return {adapter.dxgk.DxgkCbQueryVidPnInterface, adapter.display.modes(), adapter.display.refresh(),
          adapter.features.palette()};
}

uint32_t scanoutFormat(D3DDDIFORMAT format) {
  switch (format) {
  case D3DDDIFMT_R5G6B5:
    return AEROGPU_FORMAT_B5G6R5_UNORM;
  case D3DDDIFMT_P8:
    return AEROGPU_EXT_SCANOUT_P8;
  default:
    return AEROGPU_FORMAT_B8G8R8X8_UNORM;
  }
}

}  // namespace

NTSTATUS APIENTRY AeroDdiQueryChildRelations(_In_ const PVOID context, _Inout_ PDXGK_CHILD_DESCRIPTOR children,
                                             _In_ ULONG bytes) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  if (!AeroAdapter::from(context) || !children) return STATUS_INVALID_PARAMETER;
  if (bytes < 2 * sizeof *children) return STATUS_BUFFER_TOO_SMALL;  // our child, then a zeroed descriptor
  children->ChildDeviceType = TypeVideoOutput;
  children->ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_DVI;
  children->ChildCapabilities.Type.VideoOutput.MonitorOrientationAwareness = D3DKMDT_MOA_NONE;
  children->ChildCapabilities.Type.VideoOutput.SupportsSdtvModes = FALSE;
  children->ChildCapabilities.HpdAwareness = HpdAwarenessInterruptible;
  children->AcpiUid = 0;
  children->ChildUid = kChildUid;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiQueryChildStatus(_In_ const PVOID context, _Inout_ PDXGK_CHILD_STATUS status, _In_ BOOLEAN) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  if (!AeroAdapter::from(context) || !status || status->ChildUid != kChildUid) return STATUS_INVALID_PARAMETER;
  switch (status->Type) {
  case StatusConnection:
    status->HotPlug.Connected = TRUE;  // a console is always there
    return STATUS_SUCCESS;
  case StatusRotation:
    status->Rotation.Angle = 0;
    return STATUS_SUCCESS;
  default:
    return STATUS_INVALID_PARAMETER;
  }
}

NTSTATUS APIENTRY AeroDdiQueryDeviceDescriptor(_In_ const PVOID context, _In_ ULONG child,
                                               _Inout_ PDXGK_DEVICE_DESCRIPTOR descriptor) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const AeroAdapter *adapter = startedAdapter(context);
  if (!adapter || !descriptor || !descriptor->DescriptorBuffer) return STATUS_INVALID_PARAMETER;
  if (child != kChildUid) return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
  const ULONG bytes = adapter->display.edidBytes();
  if (descriptor->DescriptorOffset >= bytes || descriptor->DescriptorLength > bytes - descriptor->DescriptorOffset)
    return STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA;
  RtlCopyMemory(descriptor->DescriptorBuffer, adapter->display.edid() + descriptor->DescriptorOffset,
                descriptor->DescriptorLength);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiIsSupportedVidPn(_In_ const HANDLE handle, _Inout_ DXGKARG_ISSUPPORTEDVIDPN *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  return vidPnOf(*adapter).isSupported(args->hDesiredVidPn, args->IsVidPnSupported);
}

NTSTATUS APIENTRY AeroDdiRecommendFunctionalVidPn(_In_ const HANDLE handle,
                                                  _In_ const DXGKARG_RECOMMENDFUNCTIONALVIDPN *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  return vidPnOf(*adapter).recommendFunctional(args->hRecommendedFunctionalVidPn);
}

NTSTATUS APIENTRY AeroDdiEnumVidPnCofuncModality(_In_ const HANDLE handle,
                                                 _In_ const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  return vidPnOf(*adapter).enumCofuncModality(*args);
}

NTSTATUS APIENTRY AeroDdiCommitVidPn(_In_ const HANDLE handle, _In_ const DXGKARG_COMMITVIDPN *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  if (args->AffectedVidPnSourceId != kSourceId && args->AffectedVidPnSourceId != D3DDDI_ID_ALL)
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  PinnedMode pinned;  // the monitor is always connected: D3DKMDT_MCC_ENFORCE asks for nothing more
  const NTSTATUS status = vidPnOf(*adapter).readActive(args->hFunctionalVidPn, pinned);
  if (!NT_SUCCESS(status)) return status;
  const Display::Path path = args->Flags.PathPoweredOff        ? Display::Path::Off
                             : args->Flags.PathPowerTransition ? Display::Path::Restored
                                                               : Display::Path::On;
  return adapter->display.setMode(pinned.mode, scanoutFormat(pinned.format), pinned.pitch, path);
}

NTSTATUS APIENTRY AeroDdiUpdateActiveVidPnPresentPath(_In_ const HANDLE handle,
                                                      _In_ const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  const D3DKMDT_VIDPN_PRESENT_PATH &path = args->VidPnPresentPathInfo;
  switch (VidPn::checkUpdate(path, adapter->gammaRamp.isThere())) {
  case STATUS_SUCCESS:
    if (!adapter->display.hasMode()) return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    adapter->gammaRamp.set(path.GammaRamp);  // all else that checkUpdate() takes is as it is
    return STATUS_SUCCESS;
  case STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY:
    return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
  default:
    return STATUS_GRAPHICS_PATH_CONTENT_GEOMETRY_TRANSFORMATION_NOT_SUPPORTED;
  }
}

NTSTATUS APIENTRY AeroDdiRecommendMonitorModes(_In_ const HANDLE handle,
                                               _In_ const DXGKARG_RECOMMENDMONITORMODES *args) {
  AERO_ASSERT_IRQL_MAX(APC_LEVEL);
  const AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args || !args->pMonitorSourceModeSetInterface) return STATUS_INVALID_PARAMETER;
  return vidPnOf(*adapter).recommendMonitorModes(*args);
}

NTSTATUS APIENTRY AeroDdiRecommendVidPnTopology(_In_ const HANDLE handle,
                                                _In_ const DXGKARG_RECOMMENDVIDPNTOPOLOGY *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  return vidPnOf(*adapter).recommendTopology(args->hVidPn, args->VidPnSourceId);
}

NTSTATUS APIENTRY AeroDdiQueryVidPnHWCapability(_In_ const HANDLE handle,
                                                _Inout_ DXGKARG_QUERYVIDPNHWCAPABILITY *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  if (!startedAdapter(handle) || !args || args->SourceId != kSourceId || args->TargetId != kTargetId)
    return STATUS_INVALID_PARAMETER;
  args->VidPnHWCaps = {};  // the driver transforms nothing itself
  return STATUS_SUCCESS;
}

// DIRQL for flips (DXGK_FLIPCAPS.FlipOnVSyncMmIo, FlipImmediateMmIo), PASSIVE_LEVEL for mode changes.
NTSTATUS APIENTRY AeroDdiSetVidPnSourceAddress(_In_ const HANDLE handle,
                                               _In_ const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  if (args->VidPnSourceId != kSourceId) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  const AeroAllocation *allocation = AeroAllocation::from(args->hAllocation);
  return adapter->display.setAddress(*args, allocation ? &allocation->surface : nullptr,
                                     allocation ? allocation->id : 0);
}

NTSTATUS APIENTRY AeroDdiSetVidPnSourceVisibility(_In_ const HANDLE handle,
                                                  _In_ const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  if (args->VidPnSourceId != kSourceId && args->VidPnSourceId != D3DDDI_ID_ALL)
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  adapter->display.setVisible(args->Visible != FALSE);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiGetScanLine(_In_ const HANDLE handle, _Inout_ DXGKARG_GETSCANLINE *args) {
  AERO_ASSERT_IRQL_MAX(DISPATCH_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  if (args->VidPnTargetId != kTargetId) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  adapter->display.scanLine(*args);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiControlInterrupt(_In_ const HANDLE handle, _In_ const DXGK_INTERRUPT_TYPE type,
                                          _In_ BOOLEAN enable) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  if (type != DXGK_INTERRUPT_CRTC_VSYNC) return STATUS_NOT_IMPLEMENTED;
  adapter->display.enableVsync(enable != FALSE);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiSetPalette(_In_ const HANDLE handle, _In_ const DXGKARG_SETPALETTE *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  if (!adapter->features.palette()) return STATUS_NOT_SUPPORTED;  // no mode with a palette is offered
  if (args->VidPnSourceId != kSourceId) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  return adapter->display.setPalette(args->FirstEntry, args->NumEntries, args->pLookupTable);
}

NTSTATUS APIENTRY AeroDdiSetPointerPosition(_In_ const HANDLE handle, _In_ const DXGKARG_SETPOINTERPOSITION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args || args->VidPnSourceId != kSourceId) return STATUS_INVALID_PARAMETER;
  // Without an active path the call must succeed and change nothing (its page).
  return adapter->display.hasMode() ? adapter->cursor.setPosition(*args) : STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiSetPointerShape(_In_ const HANDLE handle, _In_ const DXGKARG_SETPOINTERSHAPE *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = startedAdapter(handle);
  if (!adapter || !args || args->VidPnSourceId != kSourceId) return STATUS_INVALID_PARAMETER;
  return adapter->cursor.setShape(*args);
}

NTSTATUS APIENTRY AeroDdiSetDisplayPrivateDriverFormat(_In_ const HANDLE handle,
                                                       _In_ const DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  if (!startedAdapter(handle) || !args) return STATUS_INVALID_PARAMETER;
  // The scanout shows only linear surfaces, whose attribute is 0.
  return args->PrivateDriverFormatAttribute == 0 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

NTSTATUS APIENTRY AeroDdiStopCapture(_In_ const HANDLE handle, _In_ const DXGKARG_STOPCAPTURE *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  // There is no capture hardware that could use the allocation; the page wants such a call ignored.
  return startedAdapter(handle) && args ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

}  // namespace aero
