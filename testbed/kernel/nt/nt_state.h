// SPDX-License-Identifier: MIT
// The ntoskrnl side's services for the rest of the host: pools, deferred calls, time, memory, the registry.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "testbed/kernel/nt/nt.h"

namespace aerogpu::host {

// Pools (nt_pool.cpp).
/// Sets whether each block ends at a page that faults, and a freed block faults as a whole. Off for
/// benchmarks, and if there are too many blocks for a page each.
void setGuardedPool(bool guarded);
/// Allocates a block that the driver frees; returns null if failPoolAllocation() wants this allocation to
/// fail.
void* allocatePool(size_t bytes, uint32_t tag);
/// Returns how many bytes the driver holds now.
uint64_t poolBytes();
/// Reports a broken rule for each block that is still allocated (names at most `shown`); returns their
/// number.
unsigned reportPoolLeaks(unsigned shown = 8);
/// Makes the n-th allocation from now on fail (1 = the next), once; 0 = none.
void failPoolAllocation(unsigned n);
/// Counts allocations since the program began.
uint64_t poolAllocations();

// IRQL (nt_irql.cpp).
uint8_t readIrqlRegister();
void writeIrqlRegister(uint64_t value);
uint64_t readSharedUserData(uint32_t offset, unsigned bytes);
/// Sets the length of a tick of the system clock, in 100 ns: times are those of the last tick, and waits end
/// with one. Windows' own is 15.625 ms; programs can request 1 ms (timeBeginPeriod).
void setClockTick(int64_t units);
inline constexpr int64_t kDefaultClockTick = 156'250;
/// Returns the interrupt time: the machine's clock in units of 100 ns, at the last tick.
uint64_t interruptTime();
/// Converts a timeout of Windows (100 ns units, negative = relative, positive = absolute system time) to the
/// machine's clock. The result is the first tick of the system clock that is not before it.
int64_t clockDeadline(int64_t units);
/// Reports a broken rule for each thread that returned from a DDI with locks held or with a changed IRQL.
void checkThreadBalanced(const char* what, uint8_t irqlBefore);

// Waits (nt_wait.cpp).
/// Waits for a dispatcher object as the host's own thread; returns false after `timeoutMs`.
bool waitForObject(void* object, int timeoutMs);

// Deferred work (nt_deferred.cpp).
/// Starts the threads for DPCs, timers and work items. Called once.
void startDeferredThreads();
/// Queues a call that runs at DISPATCH_LEVEL on the DPC thread; an identical pending call is queued only
/// once.
bool queueHostDpc(void (*function)(void*), void* context);
/// Waits until the DPC queue is empty and the running DPC is done.
void drainDpcs();
/// Reports a broken rule for each timer, DPC or work item of the driver that is still queued; returns their
/// number.
unsigned reportPendingWork();

// Memory (nt_memory.cpp).
struct PhysicalRange {
  uint64_t address, bytes;
  /// Makes a separate mapping; null if none is available. Both arguments are multiples of the page size.
  std::function<void*(uint64_t offset, uint64_t bytes)> map;
  /// Removes a mapping: its addresses become inaccessible and stay reserved.
  std::function<void(void* address, uint64_t bytes)> unmap;
};
/// Adds device memory that may be mapped by physical address.
void addPhysicalRange(const PhysicalRange& range);
void removePhysicalRanges();
/// The source of contiguous memory; the object outlives its use.
}  // namespace aerogpu::host
namespace aerogpu::guest {
class Memory;
}
namespace aerogpu::host {
void setContiguousMemory(guest::Memory* memory);
guest::Memory* contiguousMemory();
/// Declares that `bytes` bytes from `view` on, an address that the driver has, stand for physical memory from
/// `gpa` on.
void addMemoryAlias(const void* view, uint64_t gpa, uint64_t bytes);
void removeMemoryAlias(const void* view);
/// Finds the physical address of a mapped byte; returns false if there is none.
bool physicalAddress(const void* address, uint64_t& out);
/// Maps device memory; each mapping is separate, so that use after unmapping faults. Returns null if the
/// range belongs to no device. `owner` names the mapper, for leak reports.
void* mapPhysical(uint64_t address, uint64_t bytes, const char* owner);
bool unmapPhysical(void* address);
/// Removes the remaining mappings, and reports a broken rule for each; returns their number.
unsigned reportMappings();
/// Called when the device has left the bus: its mappings read as all ones from now on, as a PC's bus answers.
/// (QEMU's answer to an undecoded address is zero.)
void detachMappings();
/// Returns the contiguous blocks of exactly this size that the driver holds.
std::vector<const uint8_t*> contiguousBlocks(uint64_t bytes);
/// Reports and frees the contiguous blocks that the driver still holds.
unsigned reportContiguousLeaks();
/// Keeps the host's own memory out of the addresses of user mode. Called before any other use of memory;
/// returns false if something is there already. On x64 nothing has to be done.
bool reserveUserMemory();
/// Allocates memory of a simulated process, below kUserProbeAddress.
void* allocateUserMemory(uint64_t bytes);
void freeUserMemory(void* address, uint64_t bytes);
/// Maps a file, shared, into a simulated process; freeUserMemory() unmaps it. Returns null after a failure.
void* mapUserMemory(int file, uint64_t bytes);
/// Makes an MDL over pages with these frame numbers (host owned).
MDL* makeMdl(const std::vector<uint64_t>& frames, uint64_t bytes);
void destroyMdl(MDL* mdl);
unsigned reportMdlLeaks();

// Registry (nt_registry.cpp).
void setRegistryDword(const std::string& key, const std::string& name, uint32_t value);
void setRegistryString(const std::string& key, const std::string& name, const std::string& value);
/// Returns false if there is no such value.
bool getRegistryDword(const std::string& key, const std::string& name, uint32_t& value);
/// Reads a REG_SZ; returns false if there is no such value.
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
/// Returns the provider's id; zeroes if there is none.
std::array<uint8_t, 16> etwProvider();
/// The provider's function that learns of sessions, page "PENABLECALLBACK".
using EtwEnableCallback = void(HOST_API*)(const void* source, uint32_t control, uint8_t level, uint64_t any,
                                          uint64_t all, void* filter, void* context);
struct EtwProvider {
  std::array<uint8_t, 16> id;
  EtwEnableCallback callback;
  void* context;
};
/// Adds to the accepted events while the provider learns of a session: an event that is under way is no
/// broken rule. Returns false if there is no provider; otherwise it is in `out`.
bool widenEtw(uint8_t level, uint64_t keywords, EtwProvider& out);
/// Sets the accepted events once the provider knows.
void setEtw(uint8_t level, uint64_t keywords);
/// Returns the events written since the last call.
std::vector<EtwEvent> takeEtwEvents();
unsigned reportEtwLeaks();
/// Adds an event that dxgkrnl's own logger has (DxgkCbLogEtwEvent); id and payload only.
void addDxgkEvent(EtwEvent event);
std::vector<EtwEvent> takeDxgkEvents();

// I/O (nt_io.cpp).
/// The function through which the driver registers with dxgkrnl; null = no such device.
using RegisterMiniport = NTSTATUS(HOST_API*)(DRIVER_OBJECT*, UNICODE_STRING*, void* initializationData);
void setRegisterMiniport(RegisterMiniport function);
/// Sets the argument of DriverEntry; it outlives the driver.
void setDriverObject(const DRIVER_OBJECT* driver);
/// Event-log entries that the driver has written: their unique error values and status codes.
struct ErrorLogEntry {
  std::string source;  // as in the event log: the name of the driver whose object was given
  uint32_t errorCode, uniqueErrorValue;
  NTSTATUS finalStatus;
  std::vector<uint32_t> data;        // DumpData
  std::vector<std::string> strings;  // the strings for %2 and those after it
};
std::vector<ErrorLogEntry> errorLogEntries();
unsigned reportIoLeaks();
/// Called when the process has ended: the next one with this id is another, created later.
void processEnded(uint64_t id);
/// Sets whether the simulated caller has SeDebugPrivilege (SeSinglePrivilegeCheck); it has no other.
void setCallerPrivileged(bool privileged);
/// Counts lines that the driver printed with DbgPrint.
uint64_t debugLines();
void setPrintDebugLines(bool print);
/// Calls a bug-check callback that the driver has registered.
bool runBugCheckCallbacks();

}  // namespace aerogpu::host
