// SPDX-License-Identifier: MIT
// IRQL, spin locks, fast mutexes, critical regions, time. Source: the wdm page of each export's name. Every
// thread is a separate processor, so a spin lock is a real lock between threads.
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstring>

#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

constexpr uint64_t kUnitsPerSecond = 10'000'000;
/// The unit in which KUSER_SHARED_DATA counts, however often the clock interrupts.
constexpr uint64_t kTickUnits = kDefaultClockTick;
// 1601-01-01 to 1970-01-01 in 100 ns.
constexpr uint64_t kUnixEpoch = 116444736000000000;

std::atomic<int64_t> s_tick{kDefaultClockTick};

uint64_t uptimeUnits() {
  return static_cast<uint64_t>(clockNow()) / 100;
}
uint64_t systemTimeUnits() {
  return static_cast<uint64_t>(clockTimeOfDay()) / 100 + kUnixEpoch;
}

// A held lock stores its owner, so that a second acquisition by the same thread is reported and does not
// hang.
uintptr_t self() {
  return reinterpret_cast<uintptr_t>(currentThread());
}

void acquire(std::atomic<uintptr_t>* lock) {
  uintptr_t expected = 0;
  const uint64_t start = uptimeUnits();
  for (unsigned spins = 0; !lock->compare_exchange_weak(expected, self(), std::memory_order_acquire);
       ++spins) {
    if (expected == self())
      bugCheck(0x81, {reinterpret_cast<uintptr_t>(lock), 0, 0, 0},  // SPIN_LOCK_INIT_FAILURE's neighbour
               "#   a spin lock is acquired twice by one thread: " + currentCall() + "\n");
    expected = 0;
    if (spins % 64 == 63) sched_yield();
    if (spins % 4096 == 4095 && uptimeUnits() - start > 20 * kUnitsPerSecond)
      bugCheck(0x101, {reinterpret_cast<uintptr_t>(lock), 0, 0, 0},  // CLOCK_WATCHDOG_TIMEOUT
               "#   a spin lock is not released for 20 s: " + currentCall() + "\n");
  }
  ++currentThread()->heldSpinLocks;
}

void release(std::atomic<uintptr_t>* lock) {
  uintptr_t expected = self();
  if (!lock->compare_exchange_strong(expected, 0, std::memory_order_release)) {
    brokenRule("a spin lock is released by a thread that does not hold it: %s", currentCall().c_str());
    return;
  }
  --currentThread()->heldSpinLocks;
}

void setIrql(uint8_t irql) {
  currentThread()->block.irql = irql;
}

HOST_API void keInitializeSpinLock(std::atomic<uintptr_t>* lock) {
  *lock = 0;
}
HOST_API uint8_t keAcquireSpinLockRaiseToDpc(std::atomic<uintptr_t>* lock) {
  const uint8_t old = currentThread()->irql();
  setIrql(kDispatchLevel);
  acquire(lock);
  return old;
}
HOST_API void keReleaseSpinLock(std::atomic<uintptr_t>* lock, uint8_t irql) {
  release(lock);
  if (irql > kDispatchLevel)
    brokenRule("KeReleaseSpinLock raises the IRQL to %u: %s", irql, currentCall().c_str());
  if (currentThread()->heldSpinLocks && irql < kDispatchLevel)
    brokenRule("the IRQL falls to %s with another spin lock held: %s", irqlName(irql), currentCall().c_str());
  setIrql(irql);
}
HOST_API void keAcquireSpinLockAtDpcLevel(std::atomic<uintptr_t>* lock) {
  acquire(lock);
}
HOST_API void keReleaseSpinLockFromDpcLevel(std::atomic<uintptr_t>* lock) {
  release(lock);
}
struct QueuedLock {
  void* next;
  std::atomic<uintptr_t>* lock;
  uint8_t oldIrql;
};
HOST_FASTCALL void keAcquireInStackQueuedSpinLock(std::atomic<uintptr_t>* lock, QueuedLock* handle) {
  handle->lock = lock;
  handle->oldIrql = currentThread()->irql();
  setIrql(kDispatchLevel);
  acquire(lock);
}
HOST_FASTCALL void keReleaseInStackQueuedSpinLock(QueuedLock* handle) {
  release(handle->lock);
  setIrql(handle->oldIrql);
}
HOST_API uint8_t keGetCurrentIrql() {
  return currentThread()->irql();
}

#if defined(__i386__)
// Functions that are inline on x64 (CR8, KUSER_SHARED_DATA), and those that wdm.h's macros call on x86.
HOST_FASTCALL uint8_t kfAcquireSpinLock(std::atomic<uintptr_t>* lock) {
  return keAcquireSpinLockRaiseToDpc(lock);
}
HOST_FASTCALL void kfReleaseSpinLock(std::atomic<uintptr_t>* lock, uint8_t irql) {
  keReleaseSpinLock(lock, irql);
}
HOST_FASTCALL void kefAcquireSpinLockAtDpcLevel(std::atomic<uintptr_t>* lock) {
  acquire(lock);
}
HOST_FASTCALL void kefReleaseSpinLockFromDpcLevel(std::atomic<uintptr_t>* lock) {
  release(lock);
}
HOST_FASTCALL uint8_t kfRaiseIrql(uint8_t irql) {
  const uint8_t old = currentThread()->irql();
  if (irql < old)
    brokenRule("KfRaiseIrql from %s to %s: %s", irqlName(old), irqlName(irql), currentCall().c_str());
  setIrql(irql);
  return old;
}
HOST_FASTCALL void kfLowerIrql(uint8_t irql) {
  if (irql > currentThread()->irql())
    brokenRule("KfLowerIrql from %s to %s: %s", irqlName(currentThread()->irql()), irqlName(irql),
               currentCall().c_str());
  writeIrqlRegister(irql);
}
HOST_API uint64_t keQueryInterruptTime() {
  return interruptTime();
}
HOST_API void keQuerySystemTime(LARGE_INTEGER* out) {
  out->QuadPart = static_cast<LONGLONG>(systemTimeUnits());
}
HOST_API void keQueryTickCount(LARGE_INTEGER* out) {
  out->QuadPart = static_cast<LONGLONG>(uptimeUnits() / kTickUnits);
}
#endif

// The mutex's own words hold the state; Count 1 is free (ExInitializeFastMutex is inline in wdm.h).
HOST_FASTCALL void exAcquireFastMutex(NtFastMutex* mutex) {
  Thread* thread = currentThread();
  if (mutex->Owner == thread)
    bugCheck(0xC4, {reinterpret_cast<uintptr_t>(mutex), 0, 0, 0},
             "#   a fast mutex is acquired twice by one thread: " + currentCall() + "\n");
  if (thread->heldSpinLocks) brokenRule("a fast mutex inside of a spin lock: %s", currentCall().c_str());
  int32_t one = 1;
  for (unsigned spins = 0;
       !__atomic_compare_exchange_n(&mutex->Count, &one, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
       ++spins) {
    one = 1;
    timespec pause{0, spins < 100 ? 1000 : 100000};
    nanosleep(&pause, nullptr);
  }
  mutex->Owner = thread;
  mutex->OldIrql = thread->irql();
  ++thread->heldFastMutexes;
  setIrql(kApcLevel);
}
HOST_FASTCALL void exReleaseFastMutex(NtFastMutex* mutex) {
  Thread* thread = currentThread();
  if (mutex->Owner != thread) {
    brokenRule("a fast mutex is released by a thread that does not hold it: %s", currentCall().c_str());
    return;
  }
  mutex->Owner = nullptr;
  const auto old = static_cast<uint8_t>(mutex->OldIrql);
  --thread->heldFastMutexes;
  __atomic_store_n(&mutex->Count, 1, __ATOMIC_RELEASE);
  setIrql(old);
}
HOST_API void keEnterCriticalRegion() {
  ++currentThread()->criticalRegions;
}
HOST_API void keLeaveCriticalRegion() {
  if (currentThread()->criticalRegions-- == 0)
    brokenRule("a critical region is left twice: %s", currentCall().c_str());
}

// LARGE_INTEGER is returned in registers, like a number.
HOST_API uint64_t keQueryPerformanceCounter(LARGE_INTEGER* frequency) {
  if (frequency) frequency->QuadPart = static_cast<LONGLONG>(kUnitsPerSecond);
  return uptimeUnits();
}
HOST_API uint32_t keQueryTimeIncrement() {
  return kTickUnits;
}
HOST_API void keStallExecutionProcessor(uint32_t microseconds) {
  if (microseconds > 50)  // the page: "should be kept to the absolute minimum, at most 50 microseconds"
    brokenRule("a stall of %u us: %s", microseconds, currentCall().c_str());
  currentThread()->waitedNs += microseconds * 1000ll;
  const uint64_t end = uptimeUnits() + microseconds * 10ull;
  while (uptimeUnits() < end) __builtin_ia32_pause();
}
HOST_API uintptr_t keQueryActiveProcessors() {
  return 3;
}

// Pageable code is not simulated: it stays resident.
const Export kIrqlExports[] = {
    exportRow("KeInitializeSpinLock", keInitializeSpinLock, kHighLevel, kExportAnyTime),
#if defined(__x86_64__)
    exportRow("KeAcquireSpinLockRaiseToDpc", keAcquireSpinLockRaiseToDpc, kDispatchLevel, kExportAnyTime),
#else
    exportRow("KfAcquireSpinLock", kfAcquireSpinLock, kDispatchLevel, kExportAnyTime),
    exportRow("KfReleaseSpinLock", kfReleaseSpinLock, kDispatchLevel, kExportAnyTime, kDispatchLevel),
    exportRow("KefAcquireSpinLockAtDpcLevel", kefAcquireSpinLockAtDpcLevel, kHighLevel, kExportAnyTime,
              kDispatchLevel),
    exportRow("KefReleaseSpinLockFromDpcLevel", kefReleaseSpinLockFromDpcLevel, kHighLevel, kExportAnyTime,
              kDispatchLevel),
    exportRow("KfRaiseIrql", kfRaiseIrql, kHighLevel, kExportAnyTime),
    exportRow("KfLowerIrql", kfLowerIrql, kHighLevel, kExportAnyTime),
    exportRow("KeQueryInterruptTime", keQueryInterruptTime, kHighLevel, kExportAnyTime),
    exportRow("KeQuerySystemTime", keQuerySystemTime, kHighLevel, kExportAnyTime),
    exportRow("KeQueryTickCount", keQueryTickCount, kHighLevel, kExportAnyTime),
#endif
    exportRow("KeReleaseSpinLock", keReleaseSpinLock, kDispatchLevel, kExportAnyTime, kDispatchLevel),
    exportRow("KeAcquireSpinLockAtDpcLevel", keAcquireSpinLockAtDpcLevel, kHighLevel, kExportAnyTime,
              kDispatchLevel),
    exportRow("KeReleaseSpinLockFromDpcLevel", keReleaseSpinLockFromDpcLevel, kHighLevel, kExportAnyTime,
              kDispatchLevel),
    exportRow("KeAcquireInStackQueuedSpinLock", keAcquireInStackQueuedSpinLock, kDispatchLevel,
              kExportAnyTime),
    exportRow("KeReleaseInStackQueuedSpinLock", keReleaseInStackQueuedSpinLock, kDispatchLevel,
              kExportAnyTime, kDispatchLevel),
    exportRow("KeGetCurrentIrql", keGetCurrentIrql, kHighLevel, kExportAnyTime),
    exportRow("ExAcquireFastMutex", exAcquireFastMutex, kApcLevel, kExportAnyTime),
    exportRow("ExReleaseFastMutex", exReleaseFastMutex, kApcLevel, kExportAnyTime, kApcLevel),
    exportRow("KeEnterCriticalRegion", keEnterCriticalRegion, kApcLevel, kExportAnyTime),
    exportRow("KeLeaveCriticalRegion", keLeaveCriticalRegion, kApcLevel, kExportAnyTime),
    exportRow("KeQueryPerformanceCounter", keQueryPerformanceCounter, kHighLevel, kExportAnyTime),
    exportRow("KeQueryTimeIncrement", keQueryTimeIncrement, kHighLevel, kExportAnyTime),
    exportRow("KeStallExecutionProcessor", keStallExecutionProcessor, kHighLevel, kExportAnyTime),
    exportRow("KeQueryActiveProcessors", keQueryActiveProcessors, kHighLevel, kExportAnyTime),
};

}  // namespace

std::span<const Export> irqlExports() {
  return kIrqlExports;
}

void setClockTick(int64_t units) {
  s_tick = units;
}

uint64_t interruptTime() {
  const uint64_t now = uptimeUnits();
  return now - now % static_cast<uint64_t>(s_tick);
}

int64_t clockDeadline(int64_t units) {
  int64_t left;
  if (units <= 0) {
    if (__builtin_mul_overflow(units, -100, &left)) return kNever;
  } else {
    const auto now = static_cast<int64_t>(systemTimeUnits());
    if (units <= now) return clockNow();
    if (__builtin_mul_overflow(units - now, 100, &left)) return kNever;
  }
  int64_t deadline;
  const int64_t tick = s_tick * 100;
  if (__builtin_add_overflow(clockNow(), left, &deadline) || deadline > kNever - tick) return kNever;
  return (deadline + tick - 1) / tick * tick;
}

uint8_t readIrqlRegister() {
  return currentThread()->irql();
}

// wdm.h's inline functions write CR8 both to raise and to lower; this code cannot see which is meant.
void writeIrqlRegister(uint64_t value) {
  Thread* thread = currentThread();
  if (value > kHighLevel) brokenRule("an IRQL of %llu", static_cast<unsigned long long>(value));
  if (value < kDispatchLevel && thread->heldSpinLocks)
    brokenRule("the IRQL falls to %s with a spin lock held in %s", irqlName(static_cast<uint8_t>(value)),
               thread->ddi);
  setIrql(static_cast<uint8_t>(value & 15));
}

// KUSER_SHARED_DATA (ntddk.h): KSYSTEM_TIME is low, high, high again.
uint64_t readSharedUserData(uint32_t offset, unsigned bytes) {
  alignas(8) static thread_local uint8_t page[0x340];
  const auto put = [](uint32_t at, uint64_t value, unsigned size) { std::memcpy(page + at, &value, size); };
  const uint64_t uptime = interruptTime(), system = systemTimeUnits();
  put(0x000, static_cast<uint32_t>(uptime / kTickUnits), 4);  // TickCountLowDeprecated
  put(0x004, 0xFA00000, 4);                                   // TickCountMultiplier of 15.625 ms
  put(0x008, uptime, 8);
  put(0x010, uptime >> 32, 4);
  put(0x014, system, 8);
  put(0x01C, system >> 32, 4);
  put(0x260, 1, 4);  // NtProductType: workstation
  put(0x26C, 6, 4);  // NtMajorVersion
  put(0x270, 1, 4);  // NtMinorVersion
  put(0x320, uptime / kTickUnits, 8);
  if (offset + bytes > sizeof page) return 0;
  uint64_t value = 0;
  std::memcpy(&value, page + offset, bytes);
  return value;
}

void checkThreadBalanced(const char* what, uint8_t irqlBefore) {
  Thread* thread = currentThread();
  if (thread->irql() != irqlBefore)
    brokenRule("%s returned at %s, called at %s", what, irqlName(thread->irql()), irqlName(irqlBefore));
  if (thread->heldSpinLocks) brokenRule("%s returned with %u spin locks held", what, thread->heldSpinLocks);
  if (thread->heldFastMutexes)
    brokenRule("%s returned with %u fast mutexes held", what, thread->heldFastMutexes);
#if defined(__i386__)
  // A record below the host's frame belongs to a function that has returned.
  if (reinterpret_cast<uintptr_t>(thread->block.exceptionList) < thread->driverEntryRsp) {
    brokenRule("%s returned with an exception handler registered", what);
    thread->block.exceptionList = kSehChainEnd;
  }
#endif
  if (thread->criticalRegions) brokenRule("%s returned inside of a critical region", what);
  thread->heldSpinLocks = thread->heldFastMutexes = thread->criticalRegions = 0;
  thread->block.irql = irqlBefore;
}

}  // namespace aerogpu::host
