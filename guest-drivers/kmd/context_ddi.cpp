// SPDX-License-Identifier: MIT
// context_ddi.cpp: devices and contexts. PASSIVE_LEVEL.
#include "adapter.h"
#include "entry_points.h"
#include "kernel_memory.h"

namespace aero {
namespace {

constexpr UINT kGdiAllocationListSize = 256;  // page "DXGK_CONTEXTINFO": of GDI contexts, no other number

constexpr DXGK_CONTEXTINFO contextInfo(bool gdi) {
  // Segment set 0: contiguous, locked system memory, which is what the device reads commands from.
  const UINT allocations = gdi ? kGdiAllocationListSize : kAllocationListSize;
  return {kDmaBytes, 0, AEROGPU_WIN7_DMA_BUFFER_PRIVATE_DATA_SIZE_BYTES, allocations, allocations, 0};
}

/** The device context begins anew. Before somebody has its number, since it may have been another's; and when it ends,
 *  for what is bound in it stays on the device (OBJ-2). */
constexpr aerogpu_cmd_ext_reset_context kResetContext = {{AEROGPU_CMD_EXT_RESET_CONTEXT, sizeof kResetContext}, 0, 0};

bool canReset(const AeroAdapter &adapter) {
  return adapter.features.high & AEROGPU_EXT_FEATURE_HI_RESET_CONTEXT;
}

NTSTATUS beginDeviceContext(AeroAdapter &adapter, uint32_t id) {
  adapter.scheduler.contextBegins(id);
  return canReset(adapter) ? adapter.scheduler.submitInternal(&kResetContext, sizeof kResetContext, id)
                           : STATUS_SUCCESS;
}

void endDeviceContext(AeroAdapter &adapter, uint32_t id) {
  if (canReset(adapter)) adapter.scheduler.submitEnd(&kResetContext, sizeof kResetContext, id);
}

/** Destroys what a device made and did not give up: a process that ends, however it ends, leaves nothing behind. False
 *  when something is not in the ring yet. */
bool destroyLeftovers(AeroDevice &device) {
  AeroAdapter &adapter = *device.adapter;
  uint8_t buffer[16 * sizeof(aerogpu_cmd_destroy_resource)];  // on the stack: this must not fail
  uint32_t cursor = 0;
  bool submitted = true;
  for (bool more = true; more;) {
    PacketWriter packets(buffer, sizeof buffer);
    while (packets.room() >= sizeof(aerogpu_cmd_destroy_resource)) {
      HandleOwner owner;
      {
        TableLock lock(adapter.allocations);
        more = adapter.allocations.takeHandleOf(&device, cursor, owner);
      }
      if (!more) break;
      static constexpr uint32_t kOpcodes[] = {AEROGPU_CMD_DESTROY_RESOURCE, AEROGPU_CMD_DESTROY_TEXTURE_VIEW,
                                              AEROGPU_CMD_DESTROY_SHADER, AEROGPU_CMD_DESTROY_INPUT_LAYOUT,
                                              AEROGPU_CMD_DESTROY_SAMPLER};
      // The five packets have one layout: header, handle, reserved.
      packets.packet(kOpcodes[static_cast<uint32_t>(owner.object)], aerogpu_cmd_destroy_resource{{}, owner.handle, 0});
    }
    if (packets.used()) submitted &= adapter.scheduler.submitEnd(buffer, static_cast<uint32_t>(packets.used()));
  }
  // Others may send nothing for a long time: whoever ends much takes it along as far as the ring goes on.
  if (adapter.scheduler.owes()) adapter.scheduler.drainOwed();
  return submitted && !adapter.scheduler.owes();
}

}  // namespace

NTSTATUS giveNumber(AeroContext &context) {
  if (context.id) return STATUS_SUCCESS;
  AeroAdapter &adapter = *context.adapter;
  const uint32_t id = adapter.contextIds.take();
  if (!id) return STATUS_NO_MEMORY;
  if (NT_SUCCESS(beginDeviceContext(adapter, id)) &&
      !InterlockedCompareExchange(reinterpret_cast<LONG *>(&context.id), static_cast<LONG>(id), 0))
    return STATUS_SUCCESS;
  adapter.contextIds.give(id);
  return context.id ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS APIENTRY AeroDdiCreateDevice(const HANDLE hAdapter, DXGKARG_CREATEDEVICE *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  adapter->retryGpu();
  void *memory = poolAllocate(sizeof(AeroDevice));
  if (!memory) return STATUS_NO_MEMORY;
  auto *device = new (memory) AeroDevice;
  device->adapter = adapter;
  device->system = args->Flags.SystemDevice || args->Flags.GdiDevice;
  device->losses = adapter->epochs.deviceLosses();
  const DXGK_CONTEXTINFO info = contextInfo(args->Flags.GdiDevice);
  device->info.DmaBufferSize = info.DmaBufferSize;
  device->info.DmaBufferSegmentSet = info.DmaBufferSegmentSet;
  device->info.DmaBufferPrivateDataSize = info.DmaBufferPrivateDataSize;
  device->info.AllocationListSize = info.AllocationListSize;
  device->info.PatchLocationListSize = info.PatchLocationListSize;
  args->pInfo = &device->info;
  args->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiDestroyDevice(const HANDLE hDevice) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroDevice *device = AeroDevice::from(hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *device->adapter;
  const bool allDestroyed = destroyLeftovers(*device) && !device->unsubmittedEnds;
  {
    TableLock lock(adapter.allocations);
    adapter.allocations.ranges.give(device, allDestroyed, adapter.scheduler.ring().nextIndex());
  }
  device->magic = 0;
  poolFree(device);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiCreateContext(const HANDLE hDevice, DXGKARG_CREATECONTEXT *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroDevice *device = AeroDevice::from(hDevice);
  if (!device || !args || args->NodeOrdinal) return STATUS_INVALID_PARAMETER;
  void *memory = poolAllocate(sizeof(AeroContext));
  if (!memory) return STATUS_NO_MEMORY;
  auto *context = new (memory) AeroContext;
  context->adapter = device->adapter;
  context->device = device;
  args->ContextInfo = contextInfo(args->Flags.GdiContext);
  args->hContext = context;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiDestroyContext(const HANDLE hContext) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context) return STATUS_INVALID_PARAMETER;
  if (context->id) {
    endDeviceContext(*context->adapter, context->id);
    context->adapter->contextIds.give(context->id);
  }
  context->magic = 0;
  context->~AeroContext();
  poolFree(context);
  return STATUS_SUCCESS;
}

}  // namespace aero
