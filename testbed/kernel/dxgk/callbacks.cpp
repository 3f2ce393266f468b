// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/callbacks.h"

#include <unistd.h>

#include <cstring>

#include "guest-drivers/linux/device/memory.h"
#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/dxgk/isr_state.h"
#include "testbed/kernel/dxgk/kmt_handles.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidpn.h"
#include "testbed/kernel/nt/dpc_hold.h"

namespace aerogpu::host {

namespace {

AdapterCore* adapterOf(HANDLE handle) {
  AdapterCore* adapter = AdapterCore::current();
  if (!adapter || handle != adapter) {
    brokenRule("a wrong device handle: %s", currentCall().c_str());
    return nullptr;
  }
  return adapter;
}

/// Checks rules that hold for every callback; each row has this as `refuse`.
bool refuseCallback(const Export& row) {
  const bool inIsr = isrState().inside;
  if (inIsr && std::strcmp(row.name, "DxgkCbQueueDpc") != 0 &&
      std::strcmp(row.name, "DxgkCbNotifyInterrupt") != 0) {
    brokenRule("the interrupt routine may not call this: %s", currentCall().c_str());
    return true;
  }
  return false;
}

HOST_API NTSTATUS cbEvalAcpiMethod(HANDLE handle, ULONG, void*, ULONG, void*, ULONG) {
  adapterOf(handle);
  return kNotSupported;  // the device has no ACPI methods
}

HOST_API NTSTATUS cbGetDeviceInformation(HANDLE handle, DXGK_DEVICE_INFO* info) {
  AdapterCore* adapter = adapterOf(handle);
  if (!adapter || !info) return kInvalidParameter;
  std::memset(info, 0, sizeof *info);
  info->MiniportDeviceContext = adapter->context();
  info->DeviceRegistryPath.Buffer = const_cast<char16_t*>(adapter->registryPath().c_str());
  info->DeviceRegistryPath.Length = static_cast<USHORT>(adapter->registryPath().size() * 2);
  info->DeviceRegistryPath.MaximumLength = static_cast<USHORT>(info->DeviceRegistryPath.Length + 2);
  info->TranslatedResourceList = &adapter->resources();
  info->SystemMemorySize.QuadPart = static_cast<LONGLONG>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  info->HighestPhysicalAddress.QuadPart = INT64_MAX;
  info->DockingState = DockStateUnsupported;
  return kSuccess;
}

HOST_API NTSTATUS cbIndicateChildStatus(HANDLE handle, DXGK_CHILD_STATUS* status) {
  AdapterCore* adapter = adapterOf(handle);
  if (!adapter || !status) return kInvalidParameter;
  bool known = false;
  for (const auto& child : adapter->childDescriptors) known |= child.ChildUid == status->ChildUid;
  if (!known) brokenRule("the status of an unknown child %u: %s", status->ChildUid, currentCall().c_str());
  return kSuccess;
}

HOST_API NTSTATUS cbMapMemory(HANDLE handle, uint64_t address, ULONG length, BOOLEAN inIoSpace,
                              BOOLEAN toUserMode, uint32_t cache, void** out) {
  AdapterCore* adapter = adapterOf(handle);
  if (!adapter) return kInvalidParameter;
  *out = nullptr;
  if (inIoSpace || cache > MmWriteCombined) {
    brokenRule("I/O space %u, caching %u: %s", inIoSpace, cache, currentCall().c_str());
    return kInvalidParameter;
  }
  if (toUserMode) {
    brokenRule("device memory is mapped to user mode: %s", currentCall().c_str());
    return kInvalidParameter;
  }
  *out = mapPhysical(address, length, currentCall().c_str());
  if (!*out)
    brokenRule("0x%x bytes at 0x%llx are not the device's: %s", length,
               static_cast<unsigned long long>(address), currentCall().c_str());
  return *out ? kSuccess : kInvalidParameter;
}
HOST_API NTSTATUS cbUnmapMemory(HANDLE handle, void* address) {
  adapterOf(handle);
  if (dpcPending()) brokenRule("memory is unmapped while a DPC is queued, which may be reading it");
  if (unmapPhysical(address)) return kSuccess;
  brokenRule("what is unmapped was not mapped: %s", currentCall().c_str());
  return kInvalidParameter;
}

HOST_API BOOLEAN cbQueueDpc(HANDLE handle) {
  AdapterCore* adapter = adapterOf(handle);
  if (!adapter) return FALSE;
  isrState().dpcRequested = true;
  isrState().owesDpc = false;
  adapter->requestDpc();
  return TRUE;
}

HOST_API NTSTATUS cbQueryServices(HANDLE handle, uint32_t type, INTERFACE*) {
  adapterOf(handle);
  (void)type;
  return kNotSupported;  // no AGP bus, no debug-report or timed-operation consumers: optional services
}

NTSTATUS deviceSpace(HANDLE handle, ULONG type, void* buffer, ULONG offset, ULONG length, ULONG* done,
                     bool write) {
  AdapterCore* adapter = adapterOf(handle);
  *done = 0;
  if (!adapter || type != DXGK_WHICHSPACE_CONFIG) return kInvalidParameter;
  const guest::Status status = write ? adapter->machine().writeConfig(offset, buffer, length)
                                     : adapter->machine().readConfig(offset, buffer, length);
  if (!status.ok()) return kUnsuccessful;
  *done = length;
  return kSuccess;
}
HOST_API NTSTATUS cbReadDeviceSpace(HANDLE handle, ULONG type, void* buffer, ULONG offset, ULONG length,
                                    ULONG* done) {
  return deviceSpace(handle, type, buffer, offset, length, done, false);
}
HOST_API NTSTATUS cbWriteDeviceSpace(HANDLE handle, ULONG type, void* buffer, ULONG offset, ULONG length,
                                     ULONG* done) {
  return deviceSpace(handle, type, buffer, offset, length, done, true);
}

HOST_API NTSTATUS cbSynchronizeExecution(HANDLE handle, PKSYNCHRONIZE_ROUTINE routine, void* context,
                                         ULONG message, BOOLEAN* result) {
  AdapterCore* adapter = adapterOf(handle);
  if (!adapter || !routine || message != 0) return kInvalidParameter;
  std::lock_guard lock(adapter->interruptLock());
  // Acts as if there had been an interrupt just before, perhaps the last one that the driver takes.
  if (dpcsHeld()) adapter->requestDpc();
  const IsrState outer = isrState();
  isrState() = {false, true, false, false, false};
  {
    IrqlScope scope(kDeviceLevel);
    *result = routine(context);
  }
  const bool owes = isrState().notified && !isrState().dpcRequested;
  isrState() = outer;
  isrState().owesDpc |= owes;
  return kSuccess;
}

HOST_API NTSTATUS cbIsDevicePresent(HANDLE handle, void*, BOOLEAN* present) {
  adapterOf(handle);
  *present = FALSE;
  return kSuccess;
}

HOST_API void* cbGetHandleData(const DXGKARGCB_GETHANDLEDATA* data) {
  return kmtHandleData(*data);
}
HOST_API D3DKMT_HANDLE cbGetHandleParent(D3DKMT_HANDLE handle) {
  return kmtHandleParent(handle);
}
HOST_API D3DKMT_HANDLE cbEnumHandleChildren(const DXGKARGCB_ENUMHANDLECHILDREN* data) {
  return kmtHandleChild(*data);
}

HOST_API void cbNotifyInterrupt(HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  AdapterCore* adapter = adapterOf(handle);
  if (!adapter) return;
  if (!isrState().inside && !isrState().synchronized)
    brokenRule("outside of the interrupt's synchronization: %s", currentCall().c_str());
  isrState().notified = true;
  adapter->scheduler().notifyInterrupt(*data);
}
HOST_API void cbNotifyDpc(HANDLE handle) {
  AdapterCore* adapter = adapterOf(handle);
  if (adapter) adapter->scheduler().notifyDpc();
}

HOST_API NTSTATUS cbQueryVidPnInterface(D3DKMDT_HVIDPN vidPn, uint32_t version,
                                        const DXGK_VIDPN_INTERFACE** out) {
  return queryVidPnInterface(vidPn, version, out);
}
HOST_API NTSTATUS cbQueryMonitorInterface(HANDLE handle, uint32_t version,
                                          const DXGK_MONITOR_INTERFACE** out) {
  if (!adapterOf(handle)) return kInvalidParameter;
  return queryMonitorInterface(version, out);
}
HOST_API NTSTATUS cbGetCaptureAddress(DXGKARGCB_GETCAPTUREADDRESS*) {
  brokenRule("no allocation is a capture buffer: %s", currentCall().c_str());
  return kInvalidParameter;
}
HOST_API void cbLogEtwEvent(const GUID*, UCHAR type, USHORT bytes, void* buffer) {
  const auto* from = static_cast<const uint8_t*>(buffer);
  addDxgkEvent({type, 0, 0, clockNow(), {from, from + bytes}});
}
HOST_API NTSTATUS cbExcludeAdapterAccess(HANDLE handle, ULONG attributes,
                                         void(HOST_API* callback)(void*, void*, NTSTATUS), void* context) {
  AdapterCore* adapter = adapterOf(handle);
  if (!adapter || (attributes & DXGK_EXCLUDE_BRIDGE_ACCESS)) return kNotSupported;
  callback(adapter->context(), context, kSuccess);
  return kSuccess;
}

constexpr uint8_t kBelowDispatch = kApcLevel;
Export row(const char* name, const void* function, uint8_t maximum, uint8_t minimum = kPassiveLevel) {
  return {name, function, minimum, maximum, kExportPlain, refuseCallback};
}
#define CALLBACK(name, function, ...) row(name, reinterpret_cast<const void*>(&function), __VA_ARGS__)

// In the order of DXGKRNL_INTERFACE from DxgkCbEvalAcpiMethod on.
const Export kRows[] = {
    CALLBACK("DxgkCbEvalAcpiMethod", cbEvalAcpiMethod, kPassiveLevel),
    CALLBACK("DxgkCbGetDeviceInformation", cbGetDeviceInformation, kPassiveLevel),
    CALLBACK("DxgkCbIndicateChildStatus", cbIndicateChildStatus, kDispatchLevel),
    CALLBACK("DxgkCbMapMemory", cbMapMemory, kPassiveLevel),
    CALLBACK("DxgkCbQueueDpc", cbQueueDpc, kHighLevel),
    CALLBACK("DxgkCbQueryServices", cbQueryServices, kPassiveLevel),
    CALLBACK("DxgkCbReadDeviceSpace", cbReadDeviceSpace, kPassiveLevel),
    CALLBACK("DxgkCbSynchronizeExecution", cbSynchronizeExecution, kDispatchLevel),
    CALLBACK("DxgkCbUnmapMemory", cbUnmapMemory, kPassiveLevel),
    CALLBACK("DxgkCbWriteDeviceSpace", cbWriteDeviceSpace, kPassiveLevel),
    CALLBACK("DxgkCbIsDevicePresent", cbIsDevicePresent, kPassiveLevel),
    CALLBACK("DxgkCbGetHandleData", cbGetHandleData, kBelowDispatch),
    CALLBACK("DxgkCbGetHandleParent", cbGetHandleParent, kBelowDispatch),
    CALLBACK("DxgkCbEnumHandleChildren", cbEnumHandleChildren, kBelowDispatch),
    CALLBACK("DxgkCbNotifyInterrupt", cbNotifyInterrupt, kDeviceLevel, kDeviceLevel),
    CALLBACK("DxgkCbNotifyDpc", cbNotifyDpc, kDispatchLevel, kDispatchLevel),
    CALLBACK("DxgkCbQueryVidPnInterface", cbQueryVidPnInterface, kApcLevel),
    CALLBACK("DxgkCbQueryMonitorInterface", cbQueryMonitorInterface, kApcLevel),
    CALLBACK("DxgkCbGetCaptureAddress", cbGetCaptureAddress, kBelowDispatch),
    CALLBACK("DxgkCbLogEtwEvent", cbLogEtwEvent, kHighLevel),
    CALLBACK("DxgkCbExcludeAdapterAccess", cbExcludeAdapterAccess, kPassiveLevel),
};
#undef CALLBACK

}  // namespace

void fillDxgkrnlInterface(AdapterCore& adapter, DXGKRNL_INTERFACE& out) {
  constexpr size_t first = offsetof(DXGKRNL_INTERFACE, DxgkCbEvalAcpiMethod);
  static_assert(first + sizeof kRows / sizeof *kRows * sizeof(void*) == sizeof(DXGKRNL_INTERFACE));
  std::memset(&out, 0, sizeof out);
  out.Size = sizeof out;
  out.Version = DXGKDDI_INTERFACE_VERSION;
  out.DeviceHandle = &adapter;
  for (size_t i = 0; i < sizeof kRows / sizeof *kRows; ++i) {
    void* thunk = exportThunk(kRows[i]);
    std::memcpy(reinterpret_cast<uint8_t*>(&out) + first + i * sizeof thunk, &thunk, sizeof thunk);
  }
}

}  // namespace aerogpu::host
