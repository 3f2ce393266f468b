// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/ddi/stream_rights.h"

#include "guest-drivers/kmd/adapter.h"

namespace aero {
namespace {

/** Returns the allocation with this id in the submission's list, or null. */
AeroAllocation *listedAllocation(const DXGKARG_RENDER &args, uint32_t id) {
  for (UINT i = 0; i < args.AllocationListSize; i++)
    if (const auto *open = AeroOpenAllocation::from(args.pAllocationList[i].hDeviceSpecificAllocation))
      if (open->allocation->id == id) return open->allocation;
  return nullptr;
}

/** True if `device` may do this. Only the WDDM device that made a handle, or has reserved its range, may use the
 * handle; only those that have an allocation open may use its token. Handles that nobody made or reserved are allowed;
 * if the object is missing, the virtual GPU reports an error. */
bool mayDo(const AeroAdapter &adapter, const AeroDevice *device, const DXGKARG_RENDER &args, const StreamEvent &event) {
  if (event.kind == StreamEvent::Exported || event.kind == StreamEvent::Imported) {
    const ShareToken *token = adapter.allocations.tokens.find(event.token);
    if (!token || !CONTAINING_RECORD(token, AeroAllocation, token)->isOpenOn(device)) return false;
  }
  // EX-45: a texture over a shared allocation has one level and one layer.
  if (event.kind == StreamEvent::Created && event.allocId && !event.single) {
    const AeroAllocation *allocation = listedAllocation(args, event.allocId);
    if (allocation && allocation->isShared()) return false;
  }
  return adapter.allocations.mayName(device, event.handle);
}

/** True for events that make or end a handle, which the driver remembers. */
bool isRemembered(const StreamEvent &event) {
  return event.kind != StreamEvent::Used && event.kind != StreamEvent::Exported;
}

bool remember(AeroAdapter &adapter, AeroDevice *device, const DXGKARG_RENDER &args, const StreamEvent &event) {
  if (!isRemembered(event)) return true;
  if (event.kind == StreamEvent::Destroyed) {
    adapter.allocations.removeHandle(event.handle);
    return true;
  }
  AeroAllocation *texture = event.allocId ? listedAllocation(args, event.allocId) : nullptr;
  if (!adapter.allocations.addHandle(event.handle, event.object, device, texture)) return false;
  if (texture) texture->surface = {event.width, event.height, event.format, event.rowPitch};
  return true;
}

}  // namespace

NTSTATUS statusOf(StreamFault fault) {
  switch (fault) {
  case StreamFault::None:
    return STATUS_SUCCESS;
  case StreamFault::Header:
    return STATUS_ILLEGAL_INSTRUCTION;  // not STATUS_GRAPHICS_DRIVER_MISMATCH, which NT_SUCCESS takes for success
  case StreamFault::Framing:
    return STATUS_INVALID_USER_BUFFER;
  case StreamFault::Unknown:
    return STATUS_ILLEGAL_INSTRUCTION;  // page "DxgkDdiRender": instructions that the hardware does not support
  case StreamFault::Privileged:
    return STATUS_PRIVILEGED_INSTRUCTION;
  }
  return STATUS_ILLEGAL_INSTRUCTION;
}

NTSTATUS checkStream(AeroAdapter &adapter, AeroDevice *device, const DXGKARG_RENDER &args, const uint8_t *packets,
                     uint32_t bytes, bool more, CheckedStream &out) {
  StreamCheck check;
  {
    TableLock lock(adapter.allocations);
    bool remembers = false;
    check = checkPackets(packets, bytes, more, adapter.features.high, [&](const StreamEvent &event) {
      remembers |= isRemembered(event);
      out.ends |= event.kind == StreamEvent::Destroyed;
      return mayDo(adapter, device, args, event);
    });
    if (check.fault == StreamFault::None && remembers) {
      // The stream is accepted: a second walk remembers its handles. Most streams only draw and do not need it.
      bool room = true;
      checkPackets(packets, check.acceptedBytes, false, adapter.features.high, [&](const StreamEvent &event) {
        room &= remember(adapter, device, args, event);
        return true;
      });
      if (!room) return STATUS_NO_MEMORY;
    }
  }
  if (check.fault != StreamFault::None) {
    adapter.counters.refusedStreams++;
    return statusOf(check.fault);
  }
  out.bytes = check.acceptedBytes;
  out.present = check.present;
  return STATUS_SUCCESS;
}

}  // namespace aero
