// SPDX-License-Identifier: MIT
// adapter_ddi.cpp: entry points for Plug and Play, power, interrupts, and the adapter's capabilities.
#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_umd_private_extension.h"
#include "guest-drivers/kmd/adapter.h"
#include "guest-drivers/kmd/ddi/entry_points.h"
#include "guest-drivers/kmd/gdi/gdi_engine.h"
#include "guest-drivers/kmd/logic/allocation_rules.h"
#include "guest-drivers/kmd/os/kernel_memory.h"
#include "guest-drivers/kmd/os/trace.h"

namespace aero {
namespace {

constexpr UINT kPagingBytes = 64 * 1024;

NTSTATUS answerUserMode(const AeroAdapter &adapter, const DXGKARG_QUERYADAPTERINFO &args) {
  // With 3D off this failure keeps user-mode drivers from opening the adapter; the desktop works without Direct3D.
  if (!adapter.offers3d()) return STATUS_NOT_SUPPORTED;
  if (args.OutputDataSize < sizeof(aerogpu_umd_private_v1)) return STATUS_BUFFER_TOO_SMALL;
  aerogpu_umd_ext_private_v2 answer = {};
  answer.v1.size_bytes = sizeof answer.v1;
  answer.v1.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1;
  answer.v1.device_mmio_magic = AEROGPU_MMIO_MAGIC;
  answer.v1.device_abi_version_u32 = adapter.features.abiVersion;
  answer.v1.device_features = uint64_t{adapter.features.high} << 32 | adapter.features.low;
  if (adapter.features.low & AEROGPU_FEATURE_VBLANK) answer.v1.flags |= AEROGPU_UMDPRIV_FLAG_HAS_VBLANK;
  if (adapter.features.low & AEROGPU_FEATURE_FENCE_PAGE) answer.v1.flags |= AEROGPU_UMDPRIV_FLAG_HAS_FENCE_PAGE;
  // The size of the caller's buffer tells which version of the structure the caller knows.
  if (args.OutputDataSize < sizeof answer) {
    RtlCopyMemory(args.pOutputData, &answer.v1, sizeof answer.v1);
    return STATUS_SUCCESS;
  }
  answer.ext_flags = (adapter.segments.hasAperture() ? AEROGPU_UMDPRIV_EXT_FLAG_APERTURE : 0) |
                     (adapter.acceleratesGdi() ? AEROGPU_UMDPRIV_EXT_FLAG_GDI : 0) |
                     (adapter.features.spaces() ? AEROGPU_UMDPRIV_EXT_FLAG_SPACES : 0) |
                     (adapter.settings.disableBuffers ? AEROGPU_UMDPRIV_EXT_FLAG_NO_BUFFERS : 0) |
                     adapter.settings.userModeLog * AEROGPU_UMDPRIV_EXT_LOG_UNIT;
  answer.max_texture_edge = kMaxSurfaceEdge;
  answer.driver_version = AEROGPU_DRIVER_VERSION;
  answer.vram_bytes = adapter.segments.vramBytes();
  answer.aperture_bytes = adapter.segments.apertureBytes();
  answer.dma_buffer_bytes = kDmaBytes;
  answer.allocation_list_entries = kAllocationListSize;
  answer.ranged_handles_first = AEROGPU_EXT_RANGED_HANDLES_FIRST;
  answer.ranged_handles_last = AEROGPU_EXT_RANGED_HANDLES_LAST;
  answer.handle_range_unit = AEROGPU_EXT_HANDLE_RANGE_UNIT;
  answer.handles_max = AEROGPU_EXT_HANDLES_MAX;
  answer.block_bytes = adapter.capabilities.bytes();
  answer.block_written = adapter.capabilities.copy(static_cast<uint8_t *>(args.pOutputData) + sizeof answer,
                                                   args.OutputDataSize - sizeof answer);
  answer.v1.size_bytes = sizeof answer + answer.block_written;
  answer.v1.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;
  RtlCopyMemory(args.pOutputData, &answer, sizeof answer);
  return STATUS_SUCCESS;
}

NTSTATUS answerCaps(const AeroAdapter &adapter, const DXGKARG_QUERYADAPTERINFO &args) {
  if (args.OutputDataSize < sizeof(DXGK_DRIVERCAPS)) return STATUS_BUFFER_TOO_SMALL;
  auto &caps = *static_cast<DXGK_DRIVERCAPS *>(args.pOutputData);  // it is too large for the stack
  RtlZeroMemory(&caps, sizeof caps);
  caps.HighestAcceptableAddress.QuadPart = -1;  // the device reads and writes all of memory
  caps.MaxAllocationListSlotId = kAllocationListSize - 1;
  caps.ApertureSegmentCommitLimit = static_cast<SIZE_T>(adapter.segments.apertureBytes());
  if (adapter.features.low & AEROGPU_FEATURE_CURSOR) {
    caps.MaxPointerWidth = CursorPlane::kMaxEdge;
    caps.MaxPointerHeight = CursorPlane::kMaxEdge;
    caps.PointerCaps.Monochrome = 1;
    caps.PointerCaps.Color = 1;
    caps.PointerCaps.MaskedColor = 1;
  }
  caps.GammaRampCaps.Gamma_Rgb256x3x16 = adapter.gammaRamp.isThere();
  if (adapter.offers3d()) caps.PresentationCaps = GdiEngine::presentationCaps(adapter.acceleratesGdi());
  caps.MaxQueuedFlipOnVSync = 1;
  caps.FlipCaps.FlipOnVSyncMmIo = 1;
  caps.FlipCaps.FlipImmediateMmIo = 1;
  caps.SchedulingCaps.MultiEngineAware = 1;
  caps.SchedulingCaps.VSyncPowerSaveAware = 1;
  caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
  // WDDMVersion stays 0: it is reserved at the Windows 7 interface version, and another value would mean an older
  // driver (page "DXGK_DRIVERCAPS").
  return STATUS_SUCCESS;
}

NTSTATUS answerSegments(const AeroAdapter &adapter, const DXGKARG_QUERYADAPTERINFO &args) {
  if (args.OutputDataSize < sizeof(DXGK_QUERYSEGMENTOUT)) return STATUS_BUFFER_TOO_SMALL;
  auto &out = *static_cast<DXGK_QUERYSEGMENTOUT *>(args.pOutputData);
  // Asked twice: first for the number of segments, then with room for them (page "DXGK_QUERYSEGMENTOUT").
  if (!out.pSegmentDescriptor) {
    out.NbSegment = adapter.segments.count();
    return STATUS_SUCCESS;
  }
  if (out.NbSegment < adapter.segments.count()) return STATUS_BUFFER_TOO_SMALL;
  out.NbSegment = adapter.segments.count();
  for (UINT segment = 1; segment <= out.NbSegment; segment++)
    adapter.segments.describe(segment, out.pSegmentDescriptor[segment - 1]);
  // Paging buffers are in no segment but in contiguous, locked system memory, as DMA buffers are (page
  // "DXGK_CONTEXTINFO").
  out.PagingBufferSegmentId = kSegmentSystem;
  out.PagingBufferSize = kPagingBytes;
  out.PagingBufferPrivateDataSize = kPagingRecords * AEROGPU_WIN7_DMA_BUFFER_PRIVATE_DATA_SIZE_BYTES;
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS APIENTRY AeroDdiAddDevice(const PDEVICE_OBJECT physicalDevice, PVOID *context) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  if (!physicalDevice || !context) return STATUS_INVALID_PARAMETER;
  void *memory = poolAllocate(sizeof(AeroAdapter));
  if (!memory) return STATUS_NO_MEMORY;
  *context = new (memory) AeroAdapter;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiStartDevice(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                                     PULONG sources, PULONG children) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(context);
  if (!adapter || !info || !callbacks || !sources || !children) return STATUS_INVALID_PARAMETER;
  const NTSTATUS status = adapter->start(*info, *callbacks);
  if (!NT_SUCCESS(status)) return status;
  *sources = 1;
  *children = 1;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiStopDevice(const PVOID context) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(context);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  adapter->stop();
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiRemoveDevice(const PVOID context) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(context);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  adapter->stop();  // after a surprise removal nobody calls DxgkDdiStopDevice
  adapter->magic = 0;
  poolFree(adapter);
  return STATUS_SUCCESS;
}

VOID APIENTRY AeroDdiUnload(VOID) {
  trace::stop();  // nothing else is held outside of the adapters
}

BOOLEAN APIENTRY AeroDdiInterruptRoutine(const PVOID context, ULONG) {
  AeroAdapter *adapter = AeroAdapter::from(context);
  return adapter && adapter->interrupt();
}

VOID APIENTRY AeroDdiDpcRoutine(const PVOID context) {
  AeroAdapter *adapter = AeroAdapter::from(context);
  if (adapter) adapter->dpc();
}

VOID APIENTRY AeroDdiResetDevice(const PVOID context) {
  // The OS calls this at any IRQL, also during a bug-check: nothing may wait here.
  if (AeroAdapter *adapter = AeroAdapter::from(context)) adapter->display.returnToVga();
}

NTSTATUS APIENTRY AeroDdiSetPowerState(const PVOID context, ULONG uid, DEVICE_POWER_STATE state, POWER_ACTION action) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(context);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  // Only the adapter has state to save; the monitor is blanked by DxgkDdiSetVidPnSourceVisibility.
  if (uid == DISPLAY_ADAPTER_HW_ID) adapter->setPower(state, action == PowerActionHibernate);
  return STATUS_SUCCESS;
}

// A virtual adapter has no ACPI methods, no driver-private requests and no interfaces for other drivers; the next three
// functions say so.
NTSTATUS APIENTRY AeroDdiNotifyAcpiEvent(const PVOID, DXGK_EVENT_TYPE, ULONG, PVOID, PULONG flags) {
  if (flags) *flags = 0;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiDispatchIoRequest(const PVOID, ULONG, PVIDEO_REQUEST_PACKET) {
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS APIENTRY AeroDdiQueryInterface(const PVOID, PQUERY_INTERFACE) {
  return STATUS_NOT_SUPPORTED;
}

VOID APIENTRY AeroDdiControlEtwLogging(BOOLEAN enable, ULONG, UCHAR level) {
  trace::control(enable, level);
}

NTSTATUS APIENTRY AeroDdiQueryAdapterInfo(const HANDLE hAdapter, const DXGKARG_QUERYADAPTERINFO *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args || !args->pOutputData) return STATUS_INVALID_PARAMETER;
  switch (args->Type) {
  case DXGKQAITYPE_UMDRIVERPRIVATE:
    return answerUserMode(*adapter, *args);
  case DXGKQAITYPE_DRIVERCAPS:
    return answerCaps(*adapter, *args);
  case DXGKQAITYPE_QUERYSEGMENT:
    return answerSegments(*adapter, *args);
  default:
    return STATUS_NOT_SUPPORTED;
  }
}

}  // namespace aero
