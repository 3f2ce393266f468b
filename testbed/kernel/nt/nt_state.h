// SPDX-License-Identifier: MIT
// What the rest of the host asks the ntoskrnl side: pools, deferred calls, time, memory, the registry.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "testbed/kernel/nt/nt.h"

namespace aerogpu::host {

// Pools (nt_pool.cpp).
/// Blocks end at a page that faults, and freed ones fault as a whole; off for benchmarks, and where there are
/// too many blocks for a page each.
void setGuardedPool(bool guarded);
/// What the kernel allocates and the driver frees; null when the n-th allocation fails.
void* allocatePool(size_t bytes, uint32_t tag);
/// How many bytes the driver holds now.
uint64_t poolBytes();
/// A broken rule for each block that is still allocated (at most `shown` are named); returns their number.
unsigned reportPoolLeaks(unsigned shown = 8);
/// Lets the n-th allocation from now on fail (1 = the next), once; 0 = none.
void failPoolAllocation(unsigned n);
/// Allocations since the program began.
uint64_t poolAllocations();

// IRQL (nt_irql.cpp).
uint8_t readIrqlRegister();
void writeIrqlRegister(uint64_t value);
uint64_t readSharedUserData(uint32_t offset, unsigned bytes);
/// How long a tick of the system clock is, in 100 ns: times are those of the last tick, and what waits goes
/// on at one. Windows' own is 15.625 ms; programs can ask for 1 ms (timeBeginPeriod).
void setClockTick(int64_t units);
inline constexpr int64_t kDefaultClockTick = 156'250;
/// The interrupt time: 100 ns units of the machine's clock, at the last tick.
uint64_t interruptTime();
/// The moment of the machine's clock that a timeout of Windows means: in 100 ns, negative = relative,
/// positive = absolute system time. It is a tick of the system clock, the first one not before.
int64_t clockDeadline(int64_t units);
/// A rule per thread that returned from a DDI with locks held or another IRQL than it came with.
void checkThreadBalanced(const char* what, uint8_t irqlBefore);

// Waits (nt_wait.cpp).
/// Waits for a dispatcher object as the host's own thread; false after `timeoutMs`.
bool waitForObject(void* object, int timeoutMs);

// Deferred work (nt_deferred.cpp).
/// Starts the threads for DPCs, timers and work items. Once.
void startDeferredThreads();
/// Queues a call that runs at DISPATCH_LEVEL on the DPC thread; the same pending call is queued once.
bool queueHostDpc(void (*function)(void*), void* context);
/// Waits until the DPC queue is empty and the running DPC is done.
void drainDpcs();
/// A broken rule for each timer, DPC or work item of the driver that is still queued; returns their number.
unsigned reportPendingWork();

// Memory (nt_memory.cpp).
struct PhysicalRange {
  uint64_t address, bytes;
  /// Makes a mapping of its own; null if there is none to be had. Both are multiples of the page size.
  std::function<void*(uint64_t offset, uint64_t bytes)> map;
  /// Takes one back: its addresses are not accessible any more and stay taken.
  std::function<void(void* address, uint64_t bytes)> unmap;
};
/// Device memory that may be mapped by physical address.
void addPhysicalRange(const PhysicalRange& range);
void removePhysicalRanges();
/// Where contiguous memory comes from; the object outlives its use.
}  // namespace aerogpu::host
namespace aerogpu::guest {
class Memory;
}
namespace aerogpu::host {
void setContiguousMemory(guest::Memory* memory);
guest::Memory* contiguousMemory();
/// `bytes` of the driver's addresses from `view` on stand for physical memory from `gpa` on.
void addMemoryAlias(const void* view, uint64_t gpa, uint64_t bytes);
void removeMemoryAlias(const void* view);
/// Physical address of a mapped byte; false if there is none.
bool physicalAddress(const void* address, uint64_t& out);
/// Maps device memory; each mapping is its own, so that use after unmapping faults. Null if the range is no
/// device's. `owner` names who maps, for leak reports.
void* mapPhysical(uint64_t address, uint64_t bytes, const char* owner);
bool unmapPhysical(void* address);
/// Removes what is still mapped, with a broken rule for each; returns the number.
unsigned reportMappings();
/// The device left the bus: what is mapped of it reads as all ones from now on, as a PC's bus answers.
/// (QEMU's answer to an address that nobody decodes is zero.)
void detachMappings();
/// Contiguous blocks of exactly so many bytes that the driver holds.
std::vector<const uint8_t*> contiguousBlocks(uint64_t bytes);
/// Contiguous blocks that the driver still holds: reported and freed.
unsigned reportContiguousLeaks();
/// Keeps the host's own memory out of the addresses of user mode. Before any other use of memory; false when
/// something is there already. On x64 that is so by itself.
bool reserveUserMemory();
/// Memory of a simulated process, below kUserProbeAddress.
void* allocateUserMemory(uint64_t bytes);
void freeUserMemory(void* address, uint64_t bytes);
/// A file, mapped shared, as a part of a simulated process; freeUserMemory() ends it. Null after a failure.
void* mapUserMemory(int file, uint64_t bytes);
/// An MDL over pages with these frame numbers (host owned).
MDL* makeMdl(const std::vector<uint64_t>& frames, uint64_t bytes);
void destroyMdl(MDL* mdl);
unsigned reportMdlLeaks();

// Registry (nt_registry.cpp).
void setRegistryDword(const std::string& key, const std::string& name, uint32_t value);
void setRegistryString(const std::string& key, const std::string& name, const std::string& value);
/// False when there is no such value.
bool getRegistryDword(const std::string& key, const std::string& name, uint32_t& value);
/// A REG_SZ; false when there is no such value.
bool getRegistryString(const std::string& key, const std::string& name, std::string& value);
unsigned reportOpenKeys();

// Event tracing (nt_etw.cpp).
struct EtwEvent {
  uint16_t id;
  uint8_t level;
  uint64_t keyword;
  int64_t ns;  // clockNow() when it was written
  std::vector<uint8_t> payload;
};
/// The provider's id; zeroes when there is none.
std::array<uint8_t, 16> etwProvider();
/// The provider's function that learns of sessions, page "PENABLECALLBACK".
using EtwEnableCallback = void(HOST_API*)(const void* source, uint32_t control, uint8_t level, uint64_t any,
                                          uint64_t all, void* filter, void* context);
struct EtwProvider {
  std::array<uint8_t, 16> id;
  EtwEnableCallback callback;
  void* context;
};
/// Adds to what is listened to, for as long as the provider learns of it: an event that it has under way is
/// no broken rule. False when there is no provider; otherwise it is in `out`.
bool widenEtw(uint8_t level, uint64_t keywords, EtwProvider& out);
/// What is listened to once the provider knows.
void setEtw(uint8_t level, uint64_t keywords);
/// What was written since the last call.
std::vector<EtwEvent> takeEtwEvents();
unsigned reportEtwLeaks();
/// The same of dxgkrnl's own logger (DxgkCbLogEtwEvent); id and payload only.
void addDxgkEvent(EtwEvent event);
std::vector<EtwEvent> takeDxgkEvents();

// I/O (nt_io.cpp).
/// What the driver registers with dxgkrnl through; null = no such device.
using RegisterMiniport = NTSTATUS(HOST_API*)(DRIVER_OBJECT*, UNICODE_STRING*, void* initializationData);
void setRegisterMiniport(RegisterMiniport function);
/// What DriverEntry is given; it outlives the driver.
void setDriverObject(const DRIVER_OBJECT* driver);
/// Event-log entries that the driver has written: their unique error values and status codes.
struct ErrorLogEntry {
  std::string source;  // as the event log shows it: the name of the driver whose object was given
  uint32_t errorCode, uniqueErrorValue;
  NTSTATUS finalStatus;
  std::vector<uint32_t> data;        // DumpData
  std::vector<std::string> strings;  // what %2 and those after it stand for
};
std::vector<ErrorLogEntry> errorLogEntries();
unsigned reportIoLeaks();
/// The process has ended: the next one of this id is another, created later.
void processEnded(uint64_t id);
/// Whether the simulated caller has SeDebugPrivilege (SeSinglePrivilegeCheck); it has no other.
void setCallerPrivileged(bool privileged);
/// Lines that the driver printed with DbgPrint.
uint64_t debugLines();
void setPrintDebugLines(bool print);
/// Calls a bug-check callback that the driver has registered.
bool runBugCheckCallbacks();

}  // namespace aerogpu::host
