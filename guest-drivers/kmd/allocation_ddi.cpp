// SPDX-License-Identifier: MIT
// allocation_ddi.cpp: allocations as the video memory manager asks for them: create, open, close, destroy, describe,
// and Windows' own standard allocations. PASSIVE_LEVEL throughout.
#include "adapter.h"
#include "allocation_private.h"
#include "device_format.h"
#include "entry_points.h"
#include "kernel_memory.h"
#include "modes.h"
#include "placement.h"

namespace aero {
namespace {

void writePrivate(const AeroAllocation &allocation, void *data) {
  auto *priv = static_cast<aerogpu_wddm_alloc_priv *>(data);
  priv->alloc_id = allocation.id;
  priv->flags = allocation.flags;
  priv->share_token = allocation.token.value;
  priv->size_bytes = allocation.bytes;
}

bool isBytePixels(const AllocationPrivate &priv) {
  return priv.kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && priv.format == D3DDDIFMT_A8;
}

/** The surface that the data describes, or all zero. */
Surface surfaceOf(const AllocationPrivate &priv) {
  // The device has no format of one byte a pixel; only GDI's tables have it, which the driver's own shaders read.
  if (isBytePixels(priv))
    return {(priv.width + 3) / 4, priv.height, AEROGPU_FORMAT_B8G8R8A8_UNORM, priv.row_pitch_bytes};
  const DescribedSurface surface = describedSurface(priv);
  return {surface.width, surface.height, deviceFormat(surface.format), surface.pitch};
}

/** Tells the OS where an allocation may live. */
void describePlacement(const AeroAllocation &allocation, const Placement &place, DXGK_ALLOCATIONINFO &info) {
  const UINT set = (place.vram ? segmentBit(kSegmentVram) : 0) | (place.aperture ? segmentBit(kSegmentAperture) : 0);
  const bool vramFirst = place.vram && (place.vramFirst || !place.aperture);
  info.PreferredSegment.Value = 0;
  info.PreferredSegment.SegmentId0 = vramFirst ? kSegmentVram : kSegmentAperture;
  if (place.vram && place.aperture) info.PreferredSegment.SegmentId1 = vramFirst ? kSegmentAperture : kSegmentVram;
  info.SupportedReadSegmentSet = set;
  info.SupportedWriteSegmentSet = set;
  info.EvictionSegmentSet = 0;  // evicted to system memory
  info.Flags.Value = 0;
  info.Flags.CpuVisible = place.cpuVisible;
  info.Flags.Cached = place.cpuVisible && !place.vram;
  info.Flags.ExistingKernelSysMem = allocation.use == AllocationUse::GdiExisting;
  info.HintedBank.Value = 0;
  info.MaximumRenamingListLength = 0;
  info.AllocationPriority =
      allocation.use == AllocationUse::Primary ? D3DDDI_ALLOCATIONPRIORITY_HIGH : D3DDDI_ALLOCATIONPRIORITY_NORMAL;
}

/** Lets everybody who opens the allocation find the texture that the driver made for it. */
NTSTATUS createKernelTexture(AeroAdapter &adapter, AeroAllocation &allocation) {
  uint8_t buffer[sizeof(aerogpu_cmd_create_texture2d) + sizeof(aerogpu_cmd_export_shared_surface)];
  PacketWriter packets(buffer, sizeof buffer);
  {
    TableLock lock(adapter.allocations);
    allocation.kernelTexture = adapter.allocations.newKernelHandles(1);
    allocation.kernelEpoch = adapter.epochs.now();
  }
  auto *create = packets.append<aerogpu_cmd_create_texture2d>();
  create->texture_handle = allocation.kernelTexture;
  create->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  create->format = allocation.surface.format;
  create->width = allocation.surface.width;
  create->height = allocation.surface.height;
  create->mip_levels = 1;
  create->array_layers = 1;
  auto *share = packets.append<aerogpu_cmd_export_shared_surface>();
  share->resource_handle = allocation.kernelTexture;
  share->share_token = allocation.token.value;
  return adapter.scheduler.submitInternal(buffer, static_cast<uint32_t>(packets.used()));
}

/** Drops one reference; the last one tells the device. */
void release(AeroAdapter &adapter, AeroAllocation *allocation) {
  AllocationTable::Farewell farewell;
  {
    TableLock lock(adapter.allocations);
    farewell = adapter.allocations.release(*allocation);
  }
  if (!farewell.last) return;
  uint8_t buffer[sizeof(aerogpu_cmd_release_shared_surface) + sizeof(aerogpu_cmd_destroy_resource)];
  PacketWriter packets(buffer, sizeof buffer);
  if (farewell.token) packets.append<aerogpu_cmd_release_shared_surface>()->share_token = farewell.token;
  if (farewell.kernelTexture) packets.append<aerogpu_cmd_destroy_resource>()->resource_handle = farewell.kernelTexture;
  // A device that is gone has forgotten both by itself.
  if (packets.used()) adapter.scheduler.submitInternal(buffer, static_cast<uint32_t>(packets.used()));
  allocation->magic = 0;
  poolFree(allocation);
}

void close(AeroAdapter &adapter, AeroOpenAllocation *open) {
  {
    TableLock lock(adapter.allocations);
    adapter.allocations.close(*open);
  }
  release(adapter, open->allocation);
  open->magic = 0;
  poolFree(open);
}

bool livesOnGpuOnly(AllocationUse use) {
  return use == AllocationUse::GdiTexture || use == AllocationUse::GdiStaging || use == AllocationUse::GdiLookup;
}

NTSTATUS createOne(AeroAdapter &adapter, const DXGKARG_CREATEALLOCATION &args, UINT index) {
  DXGK_ALLOCATIONINFO &info = args.pAllocationInfo[index];
  AllocationPrivate priv;
  // The page offers STATUS_GRAPHICS_DRIVER_MISMATCH here, but its severity is informational: NT_SUCCESS takes it for
  // success, and an allocation without a handle would be used.
  if (!readAllocationPrivate(info.pPrivateDriverData, info.PrivateDriverDataSize, priv))
    return STATUS_INVALID_PARAMETER;
  const uint64_t largest = adapter.segments.vramBytes() > adapter.segments.apertureBytes()
                               ? adapter.segments.vramBytes()
                               : adapter.segments.apertureBytes();
  if (!priv.size_bytes || priv.size_bytes > largest || priv.alloc_id > AEROGPU_WDDM_ALLOC_ID_UMD_MAX ||
      priv.reserved1 > static_cast<uint32_t>(AllocationUse::GdiExisting) || (saysPrimary(priv) && !isShowable(priv)))
    return STATUS_INVALID_PARAMETER;

  void *memory = poolAllocate(sizeof(AeroAllocation));
  if (!memory) return STATUS_NO_MEMORY;
  auto *allocation = new (memory) AeroAllocation;
  allocation->bytes = priv.size_bytes;
  allocation->flags = priv.flags;
  allocation->use = static_cast<AllocationUse>(priv.reserved1);
  allocation->surface = surfaceOf(priv);
  allocation->bytePixels = isBytePixels(priv);
  {
    TableLock lock(adapter.allocations);
    if (!adapter.allocations.enter(*allocation, priv.alloc_id)) {
      poolFree(memory);
      return STATUS_INVALID_PARAMETER;  // EX-47: the id lives already
    }
    if (allocation->flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED)
      adapter.allocations.tokens.create(allocation->token);
  }
  if (livesOnGpuOnly(allocation->use)) {
    const NTSTATUS status = createKernelTexture(adapter, *allocation);
    if (!NT_SUCCESS(status)) {
      release(adapter, allocation);
      return status;
    }
  }
  writePrivate(*allocation, info.pPrivateDriverData);
  info.Alignment = kPageBytes;
  info.Size = static_cast<SIZE_T>((allocation->bytes + kPageBytes - 1) & ~uint64_t{kPageBytes - 1});
  info.PitchAlignedSize = 0;
  info.pAllocationUsageHint = nullptr;
  const uint32_t flagsIn = info.Flags.Value;
  const Surface &surface = allocation->surface;
  describePlacement(*allocation,
                    placementOf(priv, allocation->use == AllocationUse::Primary, adapter.segments.hasAperture(),
                                adapter.display.modes().contains({surface.width, surface.height})),
                    info);
  adapter.creationLog.add({0u, 0u, index, args.NumAllocations, args.Flags.Value, allocation->id, allocation->flags,
                           allocation->surface.pitch, allocation->token.value, allocation->bytes, flagsIn,
                           info.Flags.Value});
  info.hAllocation = allocation;
  return STATUS_SUCCESS;
}

/** What a standard allocation looks like; false when the driver cannot make it. */
struct StandardSurface {
  uint32_t width, height, d3dFormat, pitch;
  AllocationUse use;
  uint32_t flags;
};

bool describeStandard(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args, StandardSurface &out) {
  const uint32_t cpu = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  switch (args.StandardAllocationType) {
  case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE: {
    const D3DKMDT_SHAREDPRIMARYSURFACEDATA &data = *args.pCreateSharedPrimarySurfaceData;
    out = {data.Width,
           data.Height,
           static_cast<uint32_t>(data.Format),
           framePitch(data.Width, bytesPerPixel(data.Format)),
           AllocationUse::Primary,
           AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED};
    return deviceFormat(data.Format) != AEROGPU_FORMAT_INVALID;
  }
  case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: {
    const D3DKMDT_SHADOWSURFACEDATA &data = *args.pCreateShadowSurfaceData;
    out = {data.Width,
           data.Height,
           static_cast<uint32_t>(data.Format),
           framePitch(data.Width, bytesPerPixel(data.Format)),
           AllocationUse::Shadow,
           cpu};
    return true;
  }
  case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: {
    const D3DKMDT_STAGINGSURFACEDATA &data = *args.pCreateStagingSurfaceData;
    out = {data.Width,
           data.Height,
           D3DDDIFMT_X8R8G8B8,
           framePitch(data.Width),
           AllocationUse::Staging,
           cpu | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING};
    return true;
  }
  case D3DKMDT_STANDARDALLOCATION_GDISURFACE: {
    const D3DKMDT_GDISURFACEDATA &data = *args.pCreateGdiSurfaceData;
    const bool colors = deviceFormat(data.Format) != AEROGPU_FORMAT_INVALID;
    const bool colorsOrBytes = colors || data.Format == D3DDDIFMT_A8;
    out = {data.Width,
           data.Height,
           static_cast<uint32_t>(data.Format),
           framePitch(data.Width, bytesPerPixel(data.Format)),
           AllocationUse::GdiTexture,
           0};
    switch (data.Type) {
    case D3DKMDT_GDISURFACE_TEXTURE:
      // The compositor opens these and draws them: they are shared from the start.
      out.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
      return colors;
    case D3DKMDT_GDISURFACE_STAGING:
      out.use = AllocationUse::GdiStaging;
      out.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
      return colorsOrBytes;
    case D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE:
      out.use = AllocationUse::GdiStagingCpuVisible;
      out.flags = cpu;
      return colorsOrBytes;
    case D3DKMDT_GDISURFACE_LOOKUPTABLE:
      out.use = AllocationUse::GdiLookup;
      out.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
      return data.Format == D3DDDIFMT_A8;
    case D3DKMDT_GDISURFACE_EXISTINGSYSMEM:
      out.use = AllocationUse::GdiExisting;
      out.flags = cpu;
      return colorsOrBytes;
    default:
      return false;
    }
  }
  default:
    return false;
  }
}

/** Tells the OS the pitch that the CPU will use. */
void returnPitch(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args, uint32_t pitch) {
  if (args.StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE)
    args.pCreateShadowSurfaceData->Pitch = pitch;
  else if (args.StandardAllocationType == D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE)
    args.pCreateStagingSurfaceData->Pitch = pitch;
  else if (args.StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE)
    args.pCreateGdiSurfaceData->Pitch = pitch;
}

constexpr uint32_t kMaxSurfaceEdge = 16384;

}  // namespace

NTSTATUS APIENTRY AeroDdiCreateAllocation(const HANDLE hAdapter, DXGKARG_CREATEALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args || !args->NumAllocations) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args->NumAllocations; i++) {
    DXGK_ALLOCATIONINFO &info = args->pAllocationInfo[i];
    AllocationPrivate priv;
    NTSTATUS status = STATUS_SUCCESS;
    // EX-45: what is shared is one allocation.
    if (args->NumAllocations > 1 && readAllocationPrivate(info.pPrivateDriverData, info.PrivateDriverDataSize, priv) &&
        priv.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED)
      status = STATUS_INVALID_PARAMETER;
    if (NT_SUCCESS(status)) status = createOne(*adapter, *args, i);
    if (!NT_SUCCESS(status)) {
      while (i--) {
        release(*adapter, AeroAllocation::from(args->pAllocationInfo[i].hAllocation));
        args->pAllocationInfo[i].hAllocation = nullptr;
      }
      return status;
    }
  }
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiDestroyAllocation(const HANDLE hAdapter, const DXGKARG_DESTROYALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args->NumAllocations; i++)
    if (AeroAllocation *allocation = AeroAllocation::from(args->pAllocationList[i])) release(*adapter, allocation);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiDescribeAllocation(const HANDLE hAdapter, DXGKARG_DESCRIBEALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  const AeroAllocation *allocation = args ? AeroAllocation::from(args->hAllocation) : nullptr;
  if (!adapter || !allocation) return STATUS_INVALID_PARAMETER;
  args->Width = allocation->surface.width;
  args->Height = allocation->surface.height;
  args->Format = static_cast<D3DDDIFORMAT>(d3dFormatOf(allocation->surface.format));
  args->MultisampleMethod = {1, 0};
  const Rational refresh = adapter->display.refresh();
  args->RefreshRate = {refresh.numerator, refresh.denominator};
  args->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiGetStandardAllocationDriverData(const HANDLE hAdapter,
                                                         DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  StandardSurface surface;
  if (!adapter || !args || !describeStandard(*args, surface)) return STATUS_INVALID_PARAMETER;
  if (!surface.width || !surface.height || surface.width > kMaxSurfaceEdge || surface.height > kMaxSurfaceEdge)
    return STATUS_INVALID_PARAMETER;
  if (!args->pAllocationPrivateDriverData) {
    args->AllocationPrivateDriverDataSize = sizeof(AllocationPrivate);
    args->ResourcePrivateDriverDataSize = 0;
    return STATUS_SUCCESS;
  }
  if (args->AllocationPrivateDriverDataSize < sizeof(AllocationPrivate)) return STATUS_BUFFER_TOO_SMALL;
  AllocationPrivate priv = {};
  priv.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  priv.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  priv.flags = surface.flags;
  priv.size_bytes = uint64_t{surface.pitch} * surface.height;
  priv.reserved0 = packSurface(surface.width, surface.height, surface.d3dFormat);
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  priv.width = surface.width;
  priv.height = surface.height;
  priv.format = surface.d3dFormat;
  priv.row_pitch_bytes = surface.pitch;
  priv.reserved1 = static_cast<uint32_t>(surface.use);
  RtlCopyMemory(args->pAllocationPrivateDriverData, &priv, sizeof priv);
  returnPitch(*args, surface.pitch);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiOpenAllocation(const HANDLE hDevice, const DXGKARG_OPENALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroDevice *device = AeroDevice::from(hDevice);
  if (!device || !args) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *device->adapter;
  NTSTATUS status = STATUS_SUCCESS;
  UINT opened = 0;
  for (; opened < args->NumAllocations && NT_SUCCESS(status); opened++) {
    DXGK_OPENALLOCATIONINFO &info = args->pOpenAllocation[opened];
    DXGKARGCB_GETHANDLEDATA query = {};
    query.hObject = info.hAllocation;
    query.Type = DXGK_HANDLE_ALLOCATION;
    AeroAllocation *allocation = AeroAllocation::from(adapter.dxgk.DxgkCbGetHandleData(&query));
    void *memory = allocation ? poolAllocate(sizeof(AeroOpenAllocation)) : nullptr;
    if (!memory) {
      status = allocation ? STATUS_NO_MEMORY : STATUS_INVALID_PARAMETER;
      break;
    }
    auto *open = new (memory) AeroOpenAllocation;
    open->allocation = allocation;
    open->device = device;
    {
      TableLock lock(adapter.allocations);
      adapter.allocations.open(*open);
    }
    // The page lets the driver write the private data only while the allocation is being created.
    if (args->Flags.Create && info.pPrivateDriverData && info.PrivateDriverDataSize >= sizeof(aerogpu_wddm_alloc_priv))
      writePrivate(*allocation, info.pPrivateDriverData);
    info.hDeviceSpecificAllocation = open;
  }
  if (NT_SUCCESS(status)) return status;
  while (opened--) {
    auto *open = AeroOpenAllocation::from(args->pOpenAllocation[opened].hDeviceSpecificAllocation);
    args->pOpenAllocation[opened].hDeviceSpecificAllocation = nullptr;
    close(adapter, open);
  }
  return status;
}

NTSTATUS APIENTRY AeroDdiCloseAllocation(const HANDLE hDevice, const DXGKARG_CLOSEALLOCATION *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroDevice *device = AeroDevice::from(hDevice);
  if (!device || !args) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args->NumAllocations; i++) {
    AeroOpenAllocation *open = AeroOpenAllocation::from(args->pOpenHandleList[i]);
    if (open) close(*device->adapter, open);
  }
  return STATUS_SUCCESS;
}

}  // namespace aero
