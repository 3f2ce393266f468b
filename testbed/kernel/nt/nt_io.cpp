// SPDX-License-Identifier: MIT
// The I/O manager, as far as a miniport uses it: loading dxgkrnl and asking it for its registration function
// (as the DDI's start-up library does), the event log, processes, security, bug-check callbacks. Source: the
// wdm page of each export's name.
#include <cstring>
#include <map>
#include <mutex>

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

constexpr uint32_t kRegisterControl = 0x23003F;  // IOCTL_VIDEO_DDI_FUNC_REGISTER
constexpr uint32_t kErrorLogMaximum = 240;       // ERROR_LOG_MAXIMUM_SIZE, wdm.h

struct PendingControl {
  uint32_t code;
  void* output;
  uint32_t outputBytes;
  NtEvent* event;
  NtIoStatusBlock* status;
};

std::mutex s_ioMutex;
RegisterMiniport s_register;
DEVICE_OBJECT s_dxgkrnlDevice;
uint64_t s_dxgkrnlFile[27];  // a FILE_OBJECT is opaque to the driver
unsigned s_fileReferences;
std::map<NtIrp*, PendingControl> s_irps;
struct PendingEntry {
  size_t bytes;
  std::string source;
};
const DRIVER_OBJECT* s_driverObject;
std::map<uint8_t*, PendingEntry> s_logAllocated;
std::vector<ErrorLogEntry> s_errorLog;
bool s_privileged = true;
std::map<uint64_t, int64_t> s_created;  // creation times of processes, by id
uint64_t s_creations = 0;
constexpr uint64_t kDebugPrivilege = 20;  // SE_DEBUG_PRIVILEGE, wdm.h

bool isName(const UNICODE_STRING& name, const char* expected) {
  const std::string text = narrow(name);
  return strcasecmp(text.c_str(), expected) == 0;
}

HOST_API NTSTATUS zwLoadDriver(const UNICODE_STRING* name) {
  if (!isName(*name, "\\Registry\\Machine\\System\\CurrentControlSet\\Services\\DXGKrnl")) {
    brokenRule("ZwLoadDriver of %s: %s", narrow(*name).c_str(), currentCall().c_str());
    return kObjectNameNotFound;
  }
  return kImageAlreadyLoaded;
}
HOST_API NTSTATUS ioGetDeviceObjectPointer(const UNICODE_STRING* name, uint32_t, void** file,
                                           DEVICE_OBJECT** device) {
  if (!s_register || !isName(*name, "\\Device\\DxgKrnl")) return kObjectNameNotFound;
  std::lock_guard lock(s_ioMutex);
  ++s_fileReferences;
  *file = s_dxgkrnlFile;
  *device = &s_dxgkrnlDevice;
  return kSuccess;
}
HOST_FASTCALL intptr_t obfDereferenceObject(void* object) {
  std::lock_guard lock(s_ioMutex);
  if (object == s_dxgkrnlFile) {
    if (s_fileReferences == 0) brokenRule("an object is dereferenced too often: %s", currentCall().c_str());
    return --s_fileReferences;
  }
  if (systemThreadObject(object)) return 1;
  brokenRule("ObfDereferenceObject of something unknown: %s", currentCall().c_str());
  return 0;
}
HOST_API NTSTATUS obReferenceObjectByHandle(HANDLE handle, uint32_t, void*, int8_t, void** object, void*) {
  *object = systemThreadObject(handle);
  return *object ? kSuccess : kInvalidHandle;
}
HOST_API NtIrp* ioBuildDeviceIoControlRequest(uint32_t code, DEVICE_OBJECT* device, void*, uint32_t,
                                              void* output, uint32_t outputBytes, uint8_t internal,
                                              NtEvent* event, NtIoStatusBlock* status) {
  if (device != &s_dxgkrnlDevice) brokenRule("a request for an unknown device: %s", currentCall().c_str());
  if (!internal) brokenRule("dxgkrnl is asked with IRP_MJ_DEVICE_CONTROL: %s", currentCall().c_str());
  auto* irp = new NtIrp{};
  irp->Type = 6;
  irp->Size = sizeof(NtIrp);
  std::lock_guard lock(s_ioMutex);
  s_irps[irp] = {code, output, outputBytes, event, status};
  return irp;
}
HOST_FASTCALL NTSTATUS iofCallDriver(DEVICE_OBJECT* device, NtIrp* irp) {
  PendingControl control;
  {
    std::lock_guard lock(s_ioMutex);
    const auto found = s_irps.find(irp);
    if (found == s_irps.end() || device != &s_dxgkrnlDevice) {
      brokenRule("IofCallDriver with an unknown request or device: %s", currentCall().c_str());
      return kInvalidParameter;
    }
    control = found->second;
    s_irps.erase(found);
  }
  NTSTATUS status = kSuccess;
  if (control.code != kRegisterControl || control.outputBytes < sizeof(void*) || !control.output) {
    brokenRule("I/O control 0x%x with an output of %u bytes: %s", control.code, control.outputBytes,
               currentCall().c_str());
    status = kInvalidParameter;
  } else {
    std::memcpy(control.output, &s_register, sizeof s_register);
  }
  control.status->Status = status;
  control.status->Information = ntSuccess(status) ? sizeof(void*) : 0;
  if (control.event) signalDispatcherObject(&control.event->Header);
  delete irp;
  return status;
}

constexpr int16_t kObjectDevice = 3, kObjectDriver = 4;  // Type of DEVICE_OBJECT and DRIVER_OBJECT

/// Returns the driver that an entry belongs to. Page "IoAllocateErrorLogEntry": the entry is for a device or
/// a driver; the log's source is the driver's name, for a device that of the driver which made its object.
/// The physical device of DxgkDdiAddDevice is the bus driver's.
const DRIVER_OBJECT* driverOf(const void* object) {
  int16_t type;
  std::memcpy(&type, object, sizeof type);
  if (type == kObjectDriver) return static_cast<const DRIVER_OBJECT*>(object);
  return type == kObjectDevice ? static_cast<const DEVICE_OBJECT*>(object)->DriverObject : nullptr;
}
std::string sourceName(const DRIVER_OBJECT* driver) {
  const std::string name = driver ? narrow(driver->DriverName) : std::string();
  return name.substr(name.rfind('\\') + 1);
}

// IO_ERROR_LOG_PACKET: the dump data follow at 40; ErrorCode at 12, UniqueErrorValue at 16, FinalStatus
// at 20.
HOST_API void* ioAllocateErrorLogEntry(void* object, uint8_t bytes) {
  const DRIVER_OBJECT* driver = object ? driverOf(object) : nullptr;
  if (!driver || driver != s_driverObject)
    brokenRule("an event-log entry of the source '%s', which has not the driver's texts: %s",
               sourceName(driver).c_str(), currentCall().c_str());
  if (bytes < 48 || bytes > kErrorLogMaximum) {
    brokenRule("an event-log entry of %u bytes: %s", bytes, currentCall().c_str());
    return nullptr;
  }
  auto* entry = static_cast<uint8_t*>(std::calloc(1, bytes));
  std::lock_guard lock(s_ioMutex);
  s_logAllocated[entry] = {bytes, sourceName(driver)};
  return entry;
}
HOST_API void ioWriteErrorLogEntry(uint8_t* entry) {
  std::lock_guard lock(s_ioMutex);
  const auto found = s_logAllocated.find(entry);
  if (found == s_logAllocated.end()) {
    brokenRule("IoWriteErrorLogEntry of something that was not allocated: %s", currentCall().c_str());
    return;
  }
  const size_t bytes = found->second.bytes;
  ErrorLogEntry record{};
  record.source = found->second.source;
  s_logAllocated.erase(found);
  std::memcpy(&record.errorCode, entry + 12, 4);
  std::memcpy(&record.uniqueErrorValue, entry + 16, 4);
  std::memcpy(&record.finalStatus, entry + 20, 4);
  // NumberOfStrings at 4, StringOffset at 6, DumpDataSize at 2; zero-terminated UTF-16, one after the other.
  uint16_t dumpBytes, stringCount, at;
  std::memcpy(&dumpBytes, entry + 2, 2);
  std::memcpy(&stringCount, entry + 4, 2);
  std::memcpy(&at, entry + 6, 2);
  if (dumpBytes % 4 || 40u + dumpBytes > bytes) {
    brokenRule("an event-log entry of %zu bytes with %u of data: %s", bytes, dumpBytes,
               currentCall().c_str());
    dumpBytes = 0;
  }
  record.data.resize(dumpBytes / 4);
  std::memcpy(record.data.data(), entry + 40, dumpBytes);
  for (unsigned i = 0; i < stringCount; ++i) {
    std::string text;
    char16_t c = 1;
    for (; at + 2u <= bytes; at += 2) {
      std::memcpy(&c, entry + at, 2);
      if (!c) break;
      text += c < 128 ? static_cast<char>(c) : '?';
    }
    if (c || at % 2 || (i == 0 && at < 40u + dumpBytes))
      brokenRule("an event-log entry whose string %u does not end or lies elsewhere: %s", i,
                 currentCall().c_str());
    at += 2;
    record.strings.push_back(text);
  }
  s_errorLog.push_back(std::move(record));
  std::free(entry);
}
HOST_API void ioFreeErrorLogEntry(uint8_t* entry) {
  std::lock_guard lock(s_ioMutex);
  if (s_logAllocated.erase(entry)) std::free(entry);
}

// Process objects are mere addresses.
constexpr uintptr_t kProcessObjects = byWidth(0x7A00000000000000, 0x7A000000);

HOST_API void* psGetCurrentProcessId() {
  return pointerTo(currentThread()->processId);
}
HOST_API void* psGetCurrentProcess() {
  return pointerTo(kProcessObjects + currentThread()->processId * 0x1000);
}
HOST_API void* psGetCurrentThreadId() {
  return pointerTo(reinterpret_cast<uintptr_t>(currentThread()) >> 12);
}
HOST_API void* psGetProcessId(void* process) {
  return pointerTo((reinterpret_cast<uintptr_t>(process) - kProcessObjects) / 0x1000);
}
/// Page "PsGetProcessCreateTimeQuadPart": returns 100 ns since 1601. A process exists from the first query
/// for it on.
HOST_API int64_t psGetProcessCreateTimeQuadPart(void* process) {
  std::lock_guard lock(s_ioMutex);
  constexpr int64_t kFirst = 0x01CB'0000'0000'0000,
                    kTick = 156'250;  // in 2010; two within one tick have the same time
  const auto [known, isNew] =
      s_created.try_emplace((reinterpret_cast<uintptr_t>(process) - kProcessObjects) / 0x1000, 0);
  if (isNew) known->second = kFirst + static_cast<int64_t>(s_creations++ / 2) * kTick;
  return known->second;
}
/// Page "SeLocateProcessImageName": allocates the name, which the caller frees.
HOST_API NTSTATUS seLocateProcessImageName(void* process, UNICODE_STRING** out) {
  char name[64];
  std::snprintf(
      name, sizeof name, "\\Device\\HarddiskVolume1\\Programs\\program-%llu.exe",
      static_cast<unsigned long long>((reinterpret_cast<uintptr_t>(process) - kProcessObjects) / 0x1000));
  const size_t length = std::strlen(name);
  auto* string = static_cast<UNICODE_STRING*>(
      allocatePool(sizeof(UNICODE_STRING) + length * sizeof(WCHAR), 0x6D4E6553));  // "SeNm"
  if (!string) return kInsufficientResources;
  auto* text = reinterpret_cast<WCHAR*>(string + 1);
  for (size_t i = 0; i < length; ++i) text[i] = static_cast<uint8_t>(name[i]);
  string->Buffer = text;
  string->Length = string->MaximumLength = static_cast<uint16_t>(length * sizeof(WCHAR));
  *out = string;
  return 0;
}
HOST_API uint8_t seSinglePrivilegeCheck(uint64_t luid, int8_t mode) {
  return mode == 0 || (s_privileged && luid == kDebugPrivilege);
}
HOST_API int8_t exGetPreviousMode() {
  return currentThread()->processId == 4 ? 0 : 1;
}

struct BugCheckCallback {
  void(HOST_API* routine)(void* buffer, uint32_t bytes);
  void* buffer;
  uint32_t bytes;
};
std::map<void*, BugCheckCallback> s_callbacks;

// KBUGCHECK_CALLBACK_RECORD: State at 40 is BufferInserted (1) after success.
HOST_API uint8_t keRegisterBugCheckCallback(uint8_t* record, decltype(BugCheckCallback::routine) routine,
                                            void* buffer, uint32_t bytes, const char*) {
  std::lock_guard lock(s_ioMutex);
  s_callbacks[record] = {routine, buffer, bytes};
  return 1;
}
HOST_API uint8_t keDeregisterBugCheckCallback(void* record) {
  std::lock_guard lock(s_ioMutex);
  return s_callbacks.erase(record) != 0;
}
HOST_API void* mmGetSystemRoutineAddress(const UNICODE_STRING* name) {
  const Export* found = findNtExport(narrow(*name).c_str());
  return found ? exportThunk(*found) : nullptr;
}
uint32_t s_buildNumber = 0xF0001DB1;  // 7601, free build

const Export kIoExports[] = {
    exportRow("ZwLoadDriver", zwLoadDriver, kPassiveLevel, kExportAnyTime),
    exportRow("IoGetDeviceObjectPointer", ioGetDeviceObjectPointer, kPassiveLevel, kExportAnyTime),
    exportRow("ObfDereferenceObject", obfDereferenceObject, kDispatchLevel, kExportAnyTime),
    exportRow("ObReferenceObjectByHandle", obReferenceObjectByHandle, kPassiveLevel, kExportAnyTime),
    exportRow("IoBuildDeviceIoControlRequest", ioBuildDeviceIoControlRequest, kApcLevel, kExportAnyTime),
    exportRow("IofCallDriver", iofCallDriver, kDispatchLevel, kExportAnyTime),
    exportRow("IoAllocateErrorLogEntry", ioAllocateErrorLogEntry, kDispatchLevel, kExportAnyTime),
    exportRow("IoWriteErrorLogEntry", ioWriteErrorLogEntry, kDispatchLevel, kExportAnyTime),
    exportRow("IoFreeErrorLogEntry", ioFreeErrorLogEntry, kDispatchLevel, kExportAnyTime),
    exportRow("PsGetCurrentProcessId", psGetCurrentProcessId, kHighLevel, kExportAnyTime),
    exportRow("PsGetCurrentProcess", psGetCurrentProcess, kHighLevel, kExportAnyTime),
    exportRow("IoGetCurrentProcess", psGetCurrentProcess, kHighLevel, kExportAnyTime),
    exportRow("PsGetCurrentThreadId", psGetCurrentThreadId, kHighLevel, kExportAnyTime),
    exportRow("PsGetProcessId", psGetProcessId, kHighLevel, kExportAnyTime),
    exportRow("PsGetProcessCreateTimeQuadPart", psGetProcessCreateTimeQuadPart, kHighLevel, kExportAnyTime),
    exportRow("SeLocateProcessImageName", seLocateProcessImageName, kPassiveLevel, kExportAnyTime),
    exportRow("SeSinglePrivilegeCheck", seSinglePrivilegeCheck, kPassiveLevel, kExportAnyTime),
    exportRow("ExGetPreviousMode", exGetPreviousMode, kDispatchLevel, kExportAnyTime),
    exportRow("KeRegisterBugCheckCallback", keRegisterBugCheckCallback, kHighLevel, kExportAnyTime),
    exportRow("KeDeregisterBugCheckCallback", keDeregisterBugCheckCallback, kHighLevel, kExportAnyTime),
    exportRow("MmGetSystemRoutineAddress", mmGetSystemRoutineAddress, kPassiveLevel, kExportAnyTime),
    {"NtBuildNumber", &s_buildNumber, 0, kHighLevel, kExportData, nullptr},
};

}  // namespace

std::span<const Export> ioExports() {
  return kIoExports;
}

const Export* findNtExport(const char* name) {
  for (const auto table : {poolExports(), irqlExports(), waitExports(), deferredExports(), memoryExports(),
                           registryExports(), runtimeExports(), ioExports(), etwExports()})
    for (const Export& row : table)
      if (std::strcmp(row.name, name) == 0) return &row;
  return nullptr;
}

void* resolveNtImport(const char* dll, const char* name) {
  if (strcasecmp(dll, "ntoskrnl.exe") != 0 && strcasecmp(dll, "hal.dll") != 0) return nullptr;
  const Export* found = findNtExport(name);
  return found ? exportThunk(*found) : nullptr;
}

void setRegisterMiniport(RegisterMiniport function) {
  s_register = function;
}

void setDriverObject(const DRIVER_OBJECT* driver) {
  s_driverObject = driver;
}

std::vector<ErrorLogEntry> errorLogEntries() {
  std::lock_guard lock(s_ioMutex);
  return s_errorLog;
}

unsigned reportIoLeaks() {
  std::lock_guard lock(s_ioMutex);
  if (s_fileReferences) brokenRule("leak: %u references to dxgkrnl's file object", s_fileReferences);
  if (!s_irps.empty()) brokenRule("leak: %zu requests", s_irps.size());
  if (!s_logAllocated.empty()) brokenRule("leak: %zu event-log entries", s_logAllocated.size());
  if (!s_callbacks.empty()) brokenRule("%zu bug-check callbacks are still registered", s_callbacks.size());
  return s_fileReferences + static_cast<unsigned>(s_irps.size() + s_logAllocated.size() + s_callbacks.size());
}

void processEnded(uint64_t id) {
  std::lock_guard lock(s_ioMutex);
  s_created.erase(id);
}

void setCallerPrivileged(bool privileged) {
  s_privileged = privileged;
}

bool runBugCheckCallbacks() {
  for (const auto& [record, callback] : s_callbacks) {
    (void)record;
    IrqlScope scope(kHighLevel);
    callback.routine(callback.buffer, callback.bytes);
  }
  return !s_callbacks.empty();
}

}  // namespace aerogpu::host
