// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/calls/allocation_calls.h"

#include "aerogpu/aerogpu_cmd_extension.h"
#include "guest-drivers/kmd/logic/allocation_rules.h"
#include "guest-drivers/kmd/memory/standard_allocations.h"
#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {
namespace {

void writePrivate(const AeroAllocation &allocation, void *data) {
  auto *priv = static_cast<aerogpu_wddm_alloc_priv *>(data);
  priv->alloc_id = allocation.id;
  priv->flags = allocation.flags;
  priv->share_token = allocation.token.value;
  priv->size_bytes = allocation.bytes;
}

/** Returns the described surface in the device's terms; all zero if there is none. */
Surface surfaceOf(const DescribedSurface &described, bool bytePixels) {
  if (bytePixels) return {(described.width + 3) / 4, described.height, AEROGPU_FORMAT_B8G8R8A8_UNORM, described.pitch};
  return {described.width, described.height, deviceFormat(described.format), described.pitch};
}

/** True if DxgkDdiGetStandardAllocationDriverData made these data (PRIV-18). */
bool isSealed(const AeroAdapter &adapter, const DXGK_ALLOCATIONINFO &info) {
  aerogpu_wddm_alloc_ext_priv_sealed data;
  if (info.PrivateDriverDataSize < sizeof data) return false;
  RtlCopyMemory(&data, info.pPrivateDriverData, sizeof data);
  return data.base.reserved1 && data.seal == adapter.seal.of(&data.base, sizeof data.base);
}

/** Clears the seal: every process that opens the allocation can read its data, and none may create a standard
 *  allocation with a copy. */
void breakSeal(void *data, UINT bytes) {
  if (bytes < sizeof(aerogpu_wddm_alloc_ext_priv_sealed)) return;
  memset(static_cast<uint8_t *>(data) + offsetof(aerogpu_wddm_alloc_ext_priv_sealed, seal), 0, sizeof(uint64_t));
}

/** Tells the OS where an allocation may live. */
void describePlacement(const AeroAllocation &allocation, const AllocationPrivate &priv, const Placement &place,
                       DXGK_ALLOCATIONINFO &info) {
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
  info.Flags.ExistingSysMem = saysExisting(priv);
  info.Flags.ExistingKernelSysMem = allocation.use == AllocationUse::GdiExisting;
  info.HintedBank.Value = 0;
  info.MaximumRenamingListLength = 0;
  info.AllocationPriority =
      allocation.use == AllocationUse::Primary ? D3DDDI_ALLOCATIONPRIORITY_HIGH : D3DDDI_ALLOCATIONPRIORITY_NORMAL;
}

/** Drops one reference; with the last one, ends the allocation's token and driver texture on the device. */
void release(AeroAdapter &adapter, AeroAllocation *allocation) {
  AllocationTable::Farewell farewell;
  {
    TableLock lock(adapter.allocations);
    farewell = adapter.allocations.release(*allocation);
  }
  if (!farewell.last) return;
  uint8_t buffer[sizeof(aerogpu_cmd_release_shared_surface) + sizeof(aerogpu_cmd_destroy_resource)];
  PacketWriter packets(buffer, sizeof buffer);
  // The texture need not be destroyed if the device has been reset since it was made.
  if (farewell.token) packets.append<aerogpu_cmd_release_shared_surface>()->share_token = farewell.token;
  if (farewell.kernelTexture && adapter.epochs.mayLinger(farewell.kernelEpoch))
    packets.append<aerogpu_cmd_destroy_resource>()->resource_handle = farewell.kernelTexture;
  if (packets.used()) adapter.internal.submitEnd(buffer, static_cast<uint32_t>(packets.used()));
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
  const bool standard = isSealed(adapter, info);
  if (!mayBeAllocated(priv, standard, largest)) return STATUS_INVALID_PARAMETER;
  const bool indexed = describedSurface(priv).format == kIndexedFormat && (standard || saysPrimary(priv));
  if (indexed && !adapter.features.palette()) return STATUS_INVALID_PARAMETER;
  // The device reaches memory that a program has already only through the aperture.
  if (saysExisting(priv) && !adapter.segments.hasAperture()) return STATUS_INVALID_PARAMETER;

  void *memory = poolAllocate(sizeof(AeroAllocation));
  if (!memory) return STATUS_NO_MEMORY;
  auto *allocation = new (memory) AeroAllocation;
  allocation->flags = priv.flags;
  allocation->use = static_cast<AllocationUse>(priv.reserved1);
  allocation->described = describedSurface(priv);
  // The device has no format of one byte a pixel. Only GDI uses one, and the driver's own shaders draw GDI's surfaces.
  allocation->bytePixels = standard && allocation->described.format == D3DDDIFMT_A8;
  allocation->surface = surfaceOf(allocation->described, allocation->bytePixels);
  if (indexed) allocation->surface.format = kIndexTexture;
  allocation->gpuOnly = livesOnGpuOnly(allocation->use) || saysGpuOnly(priv);
  if (adapter.features.spaces() && isImported(priv)) {
    if (!canBeImported(priv, adapter.features.formats)) {
      poolFree(memory);
      return STATUS_INVALID_PARAMETER;
    }
    allocation->imported = true;
    allocation->isBuffer = !allocation->described.width;
    allocation->surface.format = importedFormat(allocation->described.format, adapter.features.formats);
    allocation->surface.pitch = importedPitch(allocation->described);
  }
  // Allocation tables have this size, so no stream reaches memory beyond it.
  allocation->bytes = allocation->gpuOnly ? kPageBytes : priv.size_bytes;
  {
    TableLock lock(adapter.allocations);
    // With handle spaces the driver chooses the ids, so that no program can occupy ids that others ask for.
    if (!adapter.allocations.enter(*allocation, adapter.features.spaces() ? 0 : priv.alloc_id)) {
      poolFree(memory);
      return STATUS_INVALID_PARAMETER;  // EX-47: another allocation has the id
    }
    if (allocation->lasts() || allocation->isShared()) adapter.allocations.tokens.create(allocation->token);
  }
  writePrivate(*allocation, info.pPrivateDriverData);
  if (standard) breakSeal(info.pPrivateDriverData, info.PrivateDriverDataSize);
  info.Alignment = kPageBytes;
  info.Size = static_cast<SIZE_T>((allocation->bytes + kPageBytes - 1) & ~uint64_t{kPageBytes - 1});
  info.PitchAlignedSize = 0;
  info.pAllocationUsageHint = nullptr;
  const uint32_t flagsIn = info.Flags.Value;
  const Surface &surface = allocation->surface;
  describePlacement(*allocation, priv,
                    placementOf(priv, allocation->use == AllocationUse::Primary, adapter.segments.hasAperture(),
                                adapter.display.modes().contains({surface.width, surface.height})),
                    info);
  adapter.creationLog.add({0u, 0u, index, args.NumAllocations, args.Flags.Value, allocation->id, allocation->flags,
                           allocation->surface.pitch, allocation->token.value, allocation->bytes, flagsIn,
                           info.Flags.Value});
  info.hAllocation = allocation;
  return STATUS_SUCCESS;
}

/** True if one of the allocations is to be shared. */
bool asksForShared(const DXGKARG_CREATEALLOCATION &args) {
  for (UINT i = 0; i < args.NumAllocations; i++) {
    const DXGK_ALLOCATIONINFO &info = args.pAllocationInfo[i];
    AllocationPrivate priv;
    if (readAllocationPrivate(info.pPrivateDriverData, info.PrivateDriverDataSize, priv) &&
        priv.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED)
      return true;
  }
  return false;
}

/** Lets the WDDM device import those of the opened allocations that have a token (SPACE-13); its next submission can
 *  already do so. */
NTSTATUS grantAll(AeroDevice &device, const DXGKARG_OPENALLOCATION &args) {
  if (!device.space || device.system) return STATUS_SUCCESS;
  if (!NT_SUCCESS(sayProcess(device))) return STATUS_NO_MEMORY;
  uint8_t buffer[16 * sizeof(aerogpu_cmd_ext_grant)];
  for (UINT i = 0; i < args.NumAllocations;) {
    PacketWriter packets(buffer, sizeof buffer);
    for (; i < args.NumAllocations && packets.room() >= sizeof(aerogpu_cmd_ext_grant); i++) {
      const auto *open = AeroOpenAllocation::from(args.pOpenAllocation[i].hDeviceSpecificAllocation);
      AeroAllocation &allocation = *open->allocation;
      if (!allocation.token.value) continue;
      // The texture of Windows' shared primary is made only when something draws to it or, as here, may import it.
      if (!allocation.lasts() && !NT_SUCCESS(device.adapter->textures.ensure(allocation))) return STATUS_NO_MEMORY;
      auto *grant = packets.append<aerogpu_cmd_ext_grant>();
      grant->share_token = allocation.token.value;
      grant->space = device.space;
    }
    if (!packets.used()) continue;
    const NTSTATUS status = device.adapter->internal.submit(buffer, static_cast<uint32_t>(packets.used()));
    if (!NT_SUCCESS(status)) return STATUS_NO_MEMORY;  // the page has no code for a ring without room
  }
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS createAllocations(AeroAdapter &adapter, DXGKARG_CREATEALLOCATION &args) {
  AeroResource *resource = AeroResource::from(args.hResource);
  if (args.hResource && !resource) return STATUS_INVALID_PARAMETER;
  const bool shares = asksForShared(args);
  if (shares && (args.NumAllocations > 1 || resource)) return STATUS_INVALID_PARAMETER;
  if (resource && resource->shared) return STATUS_INVALID_PARAMETER;
  void *memory = nullptr;
  if (args.Flags.Resource && !resource) {
    memory = poolAllocate(sizeof(AeroResource));
    if (!memory) return STATUS_NO_MEMORY;
  }
  for (UINT i = 0; i < args.NumAllocations; i++) {
    const NTSTATUS status = createOne(adapter, args, i);
    if (NT_SUCCESS(status)) continue;
    while (i--) {
      release(adapter, AeroAllocation::from(args.pAllocationInfo[i].hAllocation));
      args.pAllocationInfo[i].hAllocation = nullptr;
    }
    poolFree(memory);
    return status;
  }
  if (!memory) return STATUS_SUCCESS;
  resource = new (memory) AeroResource;
  resource->shared = shares;
  args.hResource = resource;
  return STATUS_SUCCESS;
}

void destroyAllocations(AeroAdapter &adapter, const DXGKARG_DESTROYALLOCATION &args) {
  for (UINT i = 0; i < args.NumAllocations; i++)
    if (AeroAllocation *allocation = AeroAllocation::from(args.pAllocationList[i])) release(adapter, allocation);
  AeroResource *resource = args.Flags.DestroyResource ? AeroResource::from(args.hResource) : nullptr;
  if (!resource) return;
  resource->magic = 0;
  poolFree(resource);
}

NTSTATUS describeAllocation(const AeroAdapter &adapter, const AeroAllocation &allocation,
                            DXGKARG_DESCRIBEALLOCATION &args) {
  DescribedSurface described = allocation.described;
  if (!described.width) {
    // The private data describe no surface, but a stream made a texture over the allocation.
    const Surface &surface = allocation.surface;
    described = {surface.width, surface.height, d3dFormatOf(surface.format), surface.pitch};
  }
  if (!described.width) return STATUS_INVALID_PARAMETER;
  args.Width = described.width;
  args.Height = described.height;
  args.Format = static_cast<D3DDDIFORMAT>(described.format);
  args.MultisampleMethod = {1, 0};
  const Rational refresh = adapter.display.refresh();
  args.RefreshRate = {refresh.numerator, refresh.denominator};
  args.PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

NTSTATUS tellStandardAllocation(const AeroAdapter &adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args) {
  aerogpu_wddm_alloc_ext_priv_sealed data = {};
  if (!describeStandardAllocation(args, adapter.features.palette(), data.base)) return STATUS_INVALID_PARAMETER;
  if (!args.pAllocationPrivateDriverData) {
    args.AllocationPrivateDriverDataSize = sizeof data;
    args.ResourcePrivateDriverDataSize = 0;
    return STATUS_SUCCESS;
  }
  if (args.AllocationPrivateDriverDataSize < sizeof data) return STATUS_BUFFER_TOO_SMALL;
  data.seal = adapter.seal.of(&data.base, sizeof data.base);
  RtlCopyMemory(args.pAllocationPrivateDriverData, &data, sizeof data);
  return STATUS_SUCCESS;
}

NTSTATUS openAllocations(AeroDevice &device, const DXGKARG_OPENALLOCATION &args) {
  AeroAdapter &adapter = *device.adapter;
  NTSTATUS status = STATUS_SUCCESS;
  UINT opened = 0;
  for (; opened < args.NumAllocations && NT_SUCCESS(status); opened++) {
    DXGK_OPENALLOCATIONINFO &info = args.pOpenAllocation[opened];
    DXGKARGCB_GETHANDLEDATA query = {};
    query.hObject = info.hAllocation;
    query.Type = DXGK_HANDLE_ALLOCATION;
    AeroAllocation *allocation = AeroAllocation::from(adapter.dxgk.DxgkCbGetHandleData(&query));
    if (allocation && allocation->isShared() && args.NumAllocations > 1) allocation = nullptr;  // EX-45
    void *memory = allocation ? poolAllocate(sizeof(AeroOpenAllocation)) : nullptr;
    if (!memory) {
      status = allocation ? STATUS_NO_MEMORY : STATUS_INVALID_PARAMETER;
      break;
    }
    auto *open = new (memory) AeroOpenAllocation;
    open->allocation = allocation;
    open->device = &device;
    {
      TableLock lock(adapter.allocations);
      adapter.allocations.open(*open);
    }
    // The page lets the driver write the private data only while the allocation is being created.
    if (args.Flags.Create && info.pPrivateDriverData && info.PrivateDriverDataSize >= sizeof(aerogpu_wddm_alloc_priv)) {
      writePrivate(*allocation, info.pPrivateDriverData);
      if (allocation->use != AllocationUse::UserMode) breakSeal(info.pPrivateDriverData, info.PrivateDriverDataSize);
    }
    info.hDeviceSpecificAllocation = open;
    // The device that creates an allocation is the first that opens it (page "DxgkDdiOpenAllocation").
    if (allocation->lasts() && !allocation->kernelTexture && !NT_SUCCESS(adapter.textures.create(*allocation)))
      status = STATUS_NO_MEMORY;  // the page has no code for a ring without room
  }
  if (NT_SUCCESS(status)) status = grantAll(device, args);
  if (NT_SUCCESS(status)) return status;
  while (opened--) {
    auto *open = AeroOpenAllocation::from(args.pOpenAllocation[opened].hDeviceSpecificAllocation);
    args.pOpenAllocation[opened].hDeviceSpecificAllocation = nullptr;
    close(adapter, open);
  }
  return status;
}

void closeAllocations(AeroAdapter &adapter, const DXGKARG_CLOSEALLOCATION &args) {
  for (UINT i = 0; i < args.NumAllocations; i++)
    if (AeroOpenAllocation *open = AeroOpenAllocation::from(args.pOpenHandleList[i])) close(adapter, open);
}

}  // namespace aero
