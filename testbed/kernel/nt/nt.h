// SPDX-License-Identifier: MIT
// The kernel structures that the driver and the host exchange, with the layouts of Windows 7 x64 and x86
// (wdm.h, ntddk.h): the host is compiled for the processor of its driver. Base types are the DDI headers'
// (ddi/linux_base.h).
#pragma once

#include <cstddef>
#include <span>

#include "ddi_base.h"
#include "testbed/kernel/core/exports.h"
#include "testbed/kernel/core/width.h"

// NTAPI, FASTCALL and __cdecl: one convention on x64, three on x86.
#define HOST_API APIENTRY
#if defined(__x86_64__)
#define HOST_FASTCALL APIENTRY
#define HOST_CDECL APIENTRY
#else
#define HOST_FASTCALL __attribute__((fastcall))
#define HOST_CDECL __attribute__((cdecl))
#endif

// NTSTATUS values (ntstatus.h). The DDI's own are in d3dkmdt.h's documentation pages.
namespace aerogpu::host {
constexpr NTSTATUS ntStatus(uint32_t value) {
  return static_cast<NTSTATUS>(value);
}
inline constexpr NTSTATUS kSuccess = 0, kTimeout = 0x102, kPending = 0x103,
                          kBufferOverflow = ntStatus(0x80000005), kUnsuccessful = ntStatus(0xC0000001),
                          kNotImplemented = ntStatus(0xC0000002), kInvalidHandle = ntStatus(0xC0000008),
                          kInvalidParameter = ntStatus(0xC000000D), kNoMemory = ntStatus(0xC0000017),
                          kAccessDenied = ntStatus(0xC0000022), kBufferTooSmall = ntStatus(0xC0000023),
                          kObjectTypeMismatch = ntStatus(0xC0000024),
                          kObjectNameNotFound = ntStatus(0xC0000034),
                          kInsufficientResources = ntStatus(0xC000009A), kNotSupported = ntStatus(0xC00000BB),
                          kImageAlreadyLoaded = ntStatus(0xC000010E), kDeviceRemoved = ntStatus(0xC00002B6),
                          kInvalidDeviceState = ntStatus(0xC0000184),
                          kPrivilegeNotHeld = ntStatus(0xC0000061), kDeviceNotReady = ntStatus(0xC00000A3),
                          kDeviceBusy = ntStatus(0x80000011), kDisabledByPolicy = ntStatus(0xC0000364);
inline bool ntSuccess(NTSTATUS status) {
  return status >= 0;
}
}  // namespace aerogpu::host

struct NtListEntry {
  NtListEntry *Flink, *Blink;
};

enum NtObjectType : uint8_t {
  kNtNotificationEvent = 0,
  kNtSynchronizationEvent = 1,
  kNtMutant = 2,
  kNtSemaphore = 5,
  kNtThread = 6,
  kNtNotificationTimer = 8,
  kNtSynchronizationTimer = 9,
};

struct NtDispatcherHeader {
  uint8_t Type, Flags, Size, Other;
  volatile int32_t SignalState;
  NtListEntry WaitListHead;
};
struct NtEvent {
  NtDispatcherHeader Header;
};
struct NtSemaphore {
  NtDispatcherHeader Header;
  int32_t Limit;
};
struct NtMutex {
  NtDispatcherHeader Header;
  NtListEntry MutantListEntry;
  void* OwnerThread;
  uint8_t Abandoned, ApcDisable;
};
struct NtFastMutex {
  volatile int32_t Count;
  void* Owner;
  uint32_t Contention;
  NtEvent Event;
  uint32_t OldIrql;
};
struct NtDpc {
  uint8_t Type, Importance;
  uint16_t Number;
  NtListEntry DpcListEntry;
  void(HOST_API* DeferredRoutine)(NtDpc*, void* context, void* argument1, void* argument2);
  void *DeferredContext, *SystemArgument1, *SystemArgument2;
  void* volatile DpcData;
};
struct NtTimer {
  NtDispatcherHeader Header;
  alignas(8) uint64_t DueTime;
  NtListEntry TimerListEntry;
  NtDpc* Dpc;
#if defined(__x86_64__)
  uint32_t Processor;
#endif
  uint32_t Period;
};
static_assert(sizeof(NtEvent) == aerogpu::host::byWidth(24, 16));
static_assert(sizeof(NtSemaphore) == aerogpu::host::byWidth(32, 20));
static_assert(sizeof(NtMutex) == aerogpu::host::byWidth(56, 32));
static_assert(sizeof(NtFastMutex) == aerogpu::host::byWidth(56, 32));
static_assert(sizeof(NtDpc) == aerogpu::host::byWidth(64, 32));
static_assert(sizeof(NtTimer) == aerogpu::host::byWidth(64, 40) && offsetof(NtTimer, DueTime) % 8 == 0);

/// MDL; the page frame numbers follow.
struct _MDL {
  _MDL* Next;
  int16_t Size, MdlFlags;
  void* Process;
  void *MappedSystemVa, *StartVa;
  uint32_t ByteCount, ByteOffset;
};
static_assert(sizeof(MDL) == aerogpu::host::byWidth(48, 28));
inline constexpr int16_t kMdlMapped = 1, kMdlPagesLocked = 2, kMdlNonPagedPool = 4,
                         kMdlAllocatedFixedSize = 8;
/// Returns the page frame numbers (PFN_NUMBER) of an MDL.
inline uintptr_t* mdlPages(MDL* mdl) {
  return reinterpret_cast<uintptr_t*>(mdl + 1);
}

struct NtObjectAttributes {
  uint32_t Length;
  HANDLE RootDirectory;
  UNICODE_STRING* ObjectName;
  uint32_t Attributes;
  void *SecurityDescriptor, *SecurityQualityOfService;
};
static_assert(sizeof(NtObjectAttributes) == aerogpu::host::byWidth(48, 24));

struct NtIoStatusBlock {
  union {
    NTSTATUS Status;
    void* Pointer;
  };
  uintptr_t Information;
};

struct _DRIVER_OBJECT {
  int16_t Type, Size;
  DEVICE_OBJECT* DeviceObject;
  uint32_t Flags;
  void* DriverStart;
  uint32_t DriverSize;
  void *DriverSection, *DriverExtension;
  UNICODE_STRING DriverName;
  UNICODE_STRING* HardwareDatabase;
  void *FastIoDispatch, *DriverInit, *DriverStartIo;
  void(HOST_API* DriverUnload)(_DRIVER_OBJECT*);
  void* MajorFunction[28];
};
static_assert(sizeof(DRIVER_OBJECT) == aerogpu::host::byWidth(336, 168) &&
              offsetof(DRIVER_OBJECT, DriverUnload) == aerogpu::host::byWidth(104, 52));

/// DEVICE_OBJECT, as far as a driver reads it.
struct _DEVICE_OBJECT {
  int16_t Type;
  uint16_t Size;
  int32_t ReferenceCount;
  DRIVER_OBJECT* DriverObject;
  uint8_t rest[aerogpu::host::byWidth(320, 172)];
};
static_assert(sizeof(DEVICE_OBJECT) == aerogpu::host::byWidth(336, 184));

/// IRP, as far as a driver that sends one to dxgkrnl uses it.
struct NtIrp {
  int16_t Type;
  uint16_t Size;
  uint8_t toStatus[aerogpu::host::byWidth(44, 20)];
  NtIoStatusBlock IoStatus;
  uint8_t rest[aerogpu::host::byWidth(144, 80)];
};
static_assert(sizeof(NtIrp) == aerogpu::host::byWidth(208, 112) &&
              offsetof(NtIrp, IoStatus) == aerogpu::host::byWidth(48, 24));

// CM_RESOURCE_LIST (wdm.h): packed to 4 bytes.
#pragma pack(push, 4)
struct NtResource {
  uint8_t Type, ShareDisposition;
  uint16_t Flags;
  union {
    struct {
      uint64_t Start;
      uint32_t Length;
    } Memory;  // and Port
    struct {
      uint32_t Level, Vector;
      uintptr_t Affinity;
    } Interrupt;
  };
};
struct _CM_RESOURCE_LIST {
  uint32_t Count;
  uint32_t InterfaceType, BusNumber;
  uint16_t Version, Revision;
  uint32_t PartialCount;
  NtResource Resources[8];
};
#pragma pack(pop)
static_assert(sizeof(NtResource) == aerogpu::host::byWidth(20, 16) &&
              offsetof(CM_RESOURCE_LIST, Resources) == 20);
inline constexpr uint8_t kResourcePort = 1, kResourceInterrupt = 2, kResourceMemory = 3;

namespace aerogpu::host {

// One table per file; findNtExport() looks through all.
std::span<const Export> poolExports();
std::span<const Export> irqlExports();
std::span<const Export> waitExports();
std::span<const Export> deferredExports();
std::span<const Export> memoryExports();
std::span<const Export> registryExports();
std::span<const Export> runtimeExports();
std::span<const Export> ioExports();
std::span<const Export> etwExports();

/// Returns the row of an ntoskrnl or hal export; null if the host has none of that name.
const Export* findNtExport(const char* name);
/// Looks a name up in the tables, ntoskrnl.exe and hal.dll; a PeImage::Resolver.
void* resolveNtImport(const char* dll, const char* name);

// Dispatcher objects (nt_wait.cpp), for the other files of the ntoskrnl side.
void initializeDispatcherObject(NtDispatcherHeader* header, uint8_t type, uint8_t words, int32_t state);
void signalDispatcherObject(NtDispatcherHeader* header);
/// Makes the object not signalled; returns the previous state.
int32_t clearDispatcherObject(NtDispatcherHeader* header);
/// Returns the object of a handle of PsCreateSystemThread (nt_deferred.cpp); null if it is none.
void* systemThreadObject(void* handle);

/// Returns "Length" bytes of a counted string as UTF-8 (non-ASCII characters as '?').
std::string narrow(const UNICODE_STRING& text);

}  // namespace aerogpu::host
