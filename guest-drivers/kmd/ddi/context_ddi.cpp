// SPDX-License-Identifier: MIT
// context_ddi.cpp: entry points that create and destroy WDDM devices and contexts. PASSIVE_LEVEL.
#include "aerogpu/aerogpu_cmd_extension.h"
#include "guest-drivers/kmd/adapter.h"
#include "guest-drivers/kmd/ddi/entry_points.h"
#include "guest-drivers/kmd/os/kernel_memory.h"
#include "guest-drivers/kmd/os/process_name.h"

namespace aero {
namespace {

constexpr UINT kGdiAllocationListSize = 256;  // the size that page "DXGK_CONTEXTINFO" demands for GDI contexts

constexpr DXGK_CONTEXTINFO contextInfo(bool gdi) {
  // Segment set 0: contiguous, locked system memory, which is what the device reads commands from.
  const UINT allocations = gdi ? kGdiAllocationListSize : kAllocationListSize;
  return {kDmaBytes, 0, AEROGPU_WIN7_DMA_BUFFER_PRIVATE_DATA_SIZE_BYTES, allocations, allocations, 0};
}

/** Resets a device context. Sent before a WDDM context gets its number, which another one may have had before; and when
 *  it ends, because objects that are bound in it would stay on the device (OBJ-2). */
constexpr aerogpu_cmd_ext_reset_context kResetContext = {{AEROGPU_CMD_EXT_RESET_CONTEXT, sizeof kResetContext}, 0, 0};

bool canReset(const AeroAdapter &adapter) {
  return adapter.features.high & AEROGPU_EXT_FEATURE_HI_RESET_CONTEXT;
}

NTSTATUS beginDeviceContext(AeroAdapter &adapter, DeviceContext context, uint64_t process) {
  if (!context.space) adapter.scheduler.begins(context, process);
  return canReset(adapter) ? adapter.internal.submit(&kResetContext, sizeof kResetContext, context) : STATUS_SUCCESS;
}

void endDeviceContext(AeroAdapter &adapter, DeviceContext context) {
  if (canReset(adapter)) adapter.internal.submitEnd(&kResetContext, sizeof kResetContext, context);
}

/** Counts `device` as one of process `number` and, with handle spaces, takes a number for its space. Returns false if
 * the process or the adapter has too many devices, or memory is short. */
bool takePlaces(AeroDevice &device, uint64_t number) {
  AeroAdapter &adapter = *device.adapter;
  TableLock lock(adapter.allocations);
  AllocationTable &table = adapter.allocations;
  device.account = table.processes.enter(number);
  if (!device.account) return false;
  if (!adapter.features.spaces()) return true;
  device.space = table.spaces.take(device.system                  ? SpaceNumbers::Taker::System
                                   : device.account->devices == 1 ? SpaceNumbers::Taker::NewProcess
                                                                  : SpaceNumbers::Taker::SameProcess);
  if (!device.space) table.processes.leave(*device.account);
  return device.space != 0;
}

aerogpu_cmd_ext_space_process processOf(const AeroDevice &device) {
  return {
      {AEROGPU_CMD_EXT_SPACE_PROCESS, sizeof(aerogpu_cmd_ext_space_process)}, device.space, 0, device.account->number};
}

/** Prepares the handle space of a new WDDM device. */
void beginSpace(AeroDevice &device) {
  AeroAdapter &adapter = *device.adapter;
  device.contexts.start();
  adapter.scheduler.begins({device.space, 0}, device.account->number);
  struct {
    aerogpu_cmd_ext_space_process process;
    aerogpu_cmd_ext_name_space name;
  } packets = {processOf(device), {{AEROGPU_CMD_EXT_NAME_SPACE, sizeof packets.name}, device.space, 0, {}}};
  packets.name.process_id = Processes::idOf(device.account->number);
  copyProcessName(reinterpret_cast<char *>(packets.name.image_name), sizeof packets.name.image_name);
  // This does not wait for room in the ring: the name is only for people at the host, and sayProcess() sends the
  // process again before it matters.
  const bool processes = adapter.features.processes();
  const void *first = processes ? static_cast<const void *>(&packets) : &packets.name;
  const uint32_t bytes = (processes ? sizeof packets.process : 0) + (device.system ? 0 : sizeof packets.name);
  if (bytes && NT_SUCCESS(adapter.internal.submit(first, bytes, {}, 0))) device.processSaid = 1;
}

/** Destroys the device's handle space, with a packet that follows all work of the device in the ring. If the ring has
 *  no room, the packet is kept and sent later. */
void endSpace(AeroDevice &device) {
  AeroAdapter &adapter = *device.adapter;
  const aerogpu_cmd_ext_destroy_space end = {{AEROGPU_CMD_EXT_DESTROY_SPACE, sizeof end}, device.space, 0};
  adapter.internal.submitEnd(&end, sizeof end, {}, device.spaceEnd);
  if (adapter.internal.owes()) adapter.internal.drainOwed();
}

/** Gives back what takePlaces() took. */
void givePlaces(AeroDevice &device) {
  AllocationTable &table = device.adapter->allocations;
  TableLock lock(table);
  table.spaces.give(device.space);
  device.account->rangeUnits -= device.rangeUnits;
  device.account->contexts -= device.contextsMade;
  table.processes.leave(*device.account);
}

/** Destroys the objects that a WDDM device made and did not destroy, so that a process leaves none on the device,
 *  however it ends. Returns false if some of the packets are not in the ring yet. */
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
    if (packets.used()) submitted &= adapter.internal.submitEnd(buffer, static_cast<uint32_t>(packets.used()));
  }
  // Sends the packets that were kept: the next submission of the driver would, but may be a long time off.
  if (adapter.internal.owes()) adapter.internal.drainOwed();
  return submitted && !adapter.internal.owes();
}

/** Takes the lowest free number of a device context; returns 0 if none is free, or the process has too many. */
uint32_t takeNumber(AeroDevice &device) {
  AllocationTable &table = device.adapter->allocations;
  if (device.space) {
    const uint32_t id = device.contexts.take();
    bool room = true;
    if (id) {
      TableLock lock(table);
      const uint32_t more = id > device.contextsMade ? id - device.contextsMade : 0;
      room = device.system || device.account->contexts + more <= kMaxContextsOfProcess;
      if (room) {
        device.account->contexts += more;
        device.contextsMade += more;
      }
    }
    if (room) return id;
    device.contexts.give(id);
    return 0;
  }
  {
    TableLock lock(table);
    // A process may have as many contexts as a handle space has.
    if (!device.system && device.account->contexts >= kLastContextOfSpace) return 0;
    device.account->contexts++;
  }
  const uint32_t id = device.adapter->contextIds.take();
  if (id) return id;
  TableLock lock(table);
  device.account->contexts--;
  return 0;
}

void giveBack(AeroDevice &device, uint32_t id) {
  if (device.space) {
    device.contexts.give(id);
    return;
  }
  device.adapter->contextIds.give(id);
  TableLock lock(device.adapter->allocations);
  device.account->contexts--;
}

}  // namespace

NTSTATUS sayProcess(AeroDevice &device) {
  AeroAdapter &adapter = *device.adapter;
  if (!device.space || device.processSaid || !adapter.features.processes()) return STATUS_SUCCESS;
  const aerogpu_cmd_ext_space_process process = processOf(device);
  if (!NT_SUCCESS(adapter.internal.submit(&process, sizeof process))) return STATUS_NO_MEMORY;
  InterlockedExchange(&device.processSaid, 1);
  return STATUS_SUCCESS;
}

NTSTATUS giveNumber(AeroContext &context) {
  AeroAdapter &adapter = *context.adapter;
  AeroDevice &device = *context.device;
  if (!NT_SUCCESS(sayProcess(device))) return STATUS_NO_MEMORY;
  const uint32_t id = takeNumber(device);
  if (!id) return STATUS_NO_MEMORY;
  if (NT_SUCCESS(beginDeviceContext(adapter, {device.space, id}, device.account->number)) &&
      !InterlockedCompareExchange(reinterpret_cast<LONG *>(&context.id), static_cast<LONG>(id), 0))
    return STATUS_SUCCESS;
  giveBack(device, id);
  return context.id ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS APIENTRY AeroDdiCreateDevice(const HANDLE hAdapter, DXGKARG_CREATEDEVICE *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  const bool system = args->Flags.SystemDevice || args->Flags.GdiDevice;
  const uint64_t process = system ? 0 : Processes::current();
  if (process && adapter->refuses(process)) return STATUS_NO_MEMORY;
  adapter->retryGpu();
  void *memory = poolAllocate(sizeof(AeroDevice));
  if (!memory) return STATUS_NO_MEMORY;
  auto *device = new (memory) AeroDevice;
  device->adapter = adapter;
  device->system = system;
  device->losses = adapter->epochs.deviceLosses();
  const bool spaces = adapter->features.spaces();
  device->spaceEnd = spaces ? InternalQueue::reserveEnd(sizeof(aerogpu_cmd_ext_destroy_space)) : nullptr;
  if ((spaces && !device->spaceEnd) || !takePlaces(*device, process)) {
    if (device->spaceEnd) poolFree(device->spaceEnd);
    poolFree(device);
    return STATUS_NO_MEMORY;
  }
  if (spaces) beginSpace(*device);
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
  if (device->space) {
    endSpace(*device);
  } else {
    const bool allDestroyed = destroyLeftovers(*device) && !device->unsubmittedEnds;
    TableLock lock(adapter.allocations);
    adapter.allocations.ranges.give(device, allDestroyed, adapter.scheduler.ring().nextIndex());
  }
  givePlaces(*device);
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
    endDeviceContext(*context->adapter, context->place());
    giveBack(*context->device, context->id);
  }
  context->magic = 0;
  context->~AeroContext();
  poolFree(context);
  return STATUS_SUCCESS;
}

}  // namespace aero
