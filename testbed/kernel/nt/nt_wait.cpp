// SPDX-License-Identifier: MIT
// Dispatcher objects: events, semaphores, mutexes, timers as objects, and waits for them. Source: the wdm
// page of each export's name. One lock and one condition variable stand for the dispatcher lock.
#include <algorithm>
#include <mutex>

#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

// A wait without a timeout that lasts this long counts as endless.
constexpr int64_t kForeverNs = 60'000'000'000;

std::mutex s_waitMutex;
ClockCondition s_changed;

/// Takes the object if it is signalled. The caller holds the dispatcher lock.
bool tryTake(NtDispatcherHeader* header) {
  switch (header->Type) {
    case kNtNotificationEvent:
    case kNtNotificationTimer:
    case kNtThread:
      return header->SignalState > 0;
    case kNtSynchronizationEvent:
    case kNtSynchronizationTimer:
      if (header->SignalState <= 0) return false;
      header->SignalState = 0;
      return true;
    case kNtSemaphore:
      if (header->SignalState <= 0) return false;
      header->SignalState = header->SignalState - 1;
      return true;
    case kNtMutant: {
      auto* mutex = reinterpret_cast<NtMutex*>(header);
      if (header->SignalState <= 0 && mutex->OwnerThread != currentThread()) return false;
      header->SignalState = header->SignalState - 1;
      mutex->OwnerThread = currentThread();
      return true;
    }
    default:
      return false;
  }
}

bool knownType(uint8_t type) {
  return type <= kNtMutant || type == kNtSemaphore || type == kNtThread || type == kNtNotificationTimer ||
         type == kNtSynchronizationTimer;
}

/// Returns the deadline for a Windows timeout: null = for ever, negative = relative, positive = absolute
/// system time.
int64_t deadlineOf(const LARGE_INTEGER* timeout) {
  return timeout ? clockDeadline(timeout->QuadPart) : kNever;
}

void checkWaitIrql(const LARGE_INTEGER* timeout) {
  const bool mayBlock = !timeout || timeout->QuadPart != 0;
  if (mayBlock && currentThread()->irql() > kApcLevel)
    brokenRule("a wait that may block at %s: %s", irqlName(currentThread()->irql()), currentCall().c_str());
  if (mayBlock && currentThread()->heldSpinLocks)
    brokenRule("a wait inside of a spin lock: %s", currentCall().c_str());
}

/// Adds the duration of a wait to the call that it is in.
struct WaitAccount {
  int64_t begin = clockNow();
  WaitAccount() = default;
  WaitAccount(const WaitAccount&) = delete;
  WaitAccount& operator=(const WaitAccount&) = delete;
  ~WaitAccount() { currentThread()->waitedNs += clockNow() - begin; }
};

void initialize(NtDispatcherHeader* header, uint8_t type, uint8_t size, int32_t state) {
  std::lock_guard lock(s_waitMutex);
  header->Type = type;
  header->Flags = 0;
  header->Size = size;
  header->Other = 0;
  header->SignalState = state;
  header->WaitListHead = {&header->WaitListHead, &header->WaitListHead};
}

HOST_API void keInitializeEvent(NtEvent* event, uint32_t type, uint8_t state) {
  if (type > 1) brokenRule("an event of type %u: %s", type, currentCall().c_str());
  initialize(&event->Header, static_cast<uint8_t>(type), sizeof(NtEvent) / 4, state != 0);
}
HOST_API int32_t keSetEvent(NtEvent* event, int32_t, uint8_t wait) {
  if (wait) brokenRule("KeSetEvent with Wait = TRUE: %s", currentCall().c_str());
  std::lock_guard lock(s_waitMutex);
  if (event->Header.Type > kNtSynchronizationEvent)
    brokenRule("KeSetEvent on something that is no event: %s", currentCall().c_str());
  const int32_t old = event->Header.SignalState;
  event->Header.SignalState = 1;
  s_changed.notifyAll();
  return old;
}
HOST_API int32_t keResetEvent(NtEvent* event) {
  std::lock_guard lock(s_waitMutex);
  const int32_t old = event->Header.SignalState;
  event->Header.SignalState = 0;
  return old;
}
HOST_API void keClearEvent(NtEvent* event) {
  keResetEvent(event);
}
HOST_API int32_t keReadStateEvent(NtEvent* event) {
  return event->Header.SignalState;
}
HOST_API void keInitializeSemaphore(NtSemaphore* semaphore, int32_t count, int32_t limit) {
  initialize(&semaphore->Header, kNtSemaphore, sizeof(NtSemaphore) / 4, count);
  semaphore->Limit = limit;
}
HOST_API int32_t keReleaseSemaphore(NtSemaphore* semaphore, int32_t, int32_t adjustment, uint8_t) {
  std::lock_guard lock(s_waitMutex);
  const int32_t old = semaphore->Header.SignalState;
  if (adjustment <= 0 || old > semaphore->Limit - adjustment)
    brokenRule("a semaphore over its limit: %s", currentCall().c_str());
  semaphore->Header.SignalState = old + adjustment;
  s_changed.notifyAll();
  return old;
}
HOST_API void keInitializeMutex(NtMutex* mutex, uint32_t) {
  initialize(&mutex->Header, kNtMutant, sizeof(NtMutex) / 4, 1);
  mutex->OwnerThread = nullptr;
  mutex->Abandoned = 0;
}
HOST_API int32_t keReleaseMutex(NtMutex* mutex, uint8_t) {
  std::lock_guard lock(s_waitMutex);
  const int32_t old = mutex->Header.SignalState;
  if (mutex->OwnerThread != currentThread()) {
    brokenRule("a mutex is released by a thread that does not own it: %s", currentCall().c_str());
    return old;
  }
  mutex->Header.SignalState = old + 1;
  if (mutex->Header.SignalState == 1) mutex->OwnerThread = nullptr;
  s_changed.notifyAll();
  return old;
}
HOST_API NTSTATUS keWaitForSingleObject(NtDispatcherHeader* header, uint32_t, int8_t, uint8_t,
                                        const LARGE_INTEGER* timeout) {
  checkWaitIrql(timeout);
  if (!knownType(header->Type))
    bugCheck(0x1E, {header->Type, 0, 0, 0},
             "#   a wait for something that is no object: " + currentCall() + "\n");
  const WaitAccount account;
  const int64_t deadline = timeout ? deadlineOf(timeout) : clockNow() + kForeverNs;
  std::unique_lock lock(s_waitMutex);
  while (!tryTake(header)) {
    if (s_changed.wait(lock, deadline)) continue;
    if (tryTake(header)) break;
    if (timeout) return kTimeout;
    bugCheck(0x9F, {reinterpret_cast<uintptr_t>(header), 0, 0, 0},
             "#   a wait that nobody ends (60 s): " + currentCall() + "\n");
  }
  return kSuccess;
}
HOST_API NTSTATUS keWaitForMultipleObjects(uint32_t count, NtDispatcherHeader** objects, uint32_t type,
                                           uint32_t, int8_t, uint8_t, const LARGE_INTEGER* timeout,
                                           void* blocks) {
  checkWaitIrql(timeout);
  if (count > 3 && !blocks)
    brokenRule("more than THREAD_WAIT_OBJECTS without wait blocks: %s", currentCall().c_str());
  if (type == 0) {  // WaitAll, one after the other: no object taken here could be missed by another waiter
    for (uint32_t i = 0; i < count; ++i) {
      const NTSTATUS status = keWaitForSingleObject(objects[i], 0, 0, 0, timeout);
      if (status != kSuccess) return status;
    }
    return kSuccess;
  }
  const WaitAccount account;
  const int64_t deadline = deadlineOf(timeout);
  std::unique_lock lock(s_waitMutex);
  for (bool late = false;; late = !s_changed.wait(lock, deadline)) {
    for (uint32_t i = 0; i < count; ++i)
      if (tryTake(objects[i])) return static_cast<NTSTATUS>(i);
    if (late) return kTimeout;
  }
}
HOST_API NTSTATUS keDelayExecutionThread(int8_t, uint8_t, const LARGE_INTEGER* interval) {
  if (currentThread()->heldSpinLocks) brokenRule("a delay inside of a spin lock: %s", currentCall().c_str());
  if (currentThread()->heldFastMutexes)
    brokenRule("a delay with a fast mutex held, which others need: %s", currentCall().c_str());
  if (!interval) return kSuccess;
  const int64_t deadline = deadlineOf(interval);
  currentThread()->waitedNs += std::max<int64_t>(deadline - clockNow(), 0);
  clockSleepUntil(deadline);
  return kSuccess;
}

const Export kWaitExports[] = {
    exportRow("KeInitializeEvent", keInitializeEvent, kHighLevel, kExportAnyTime),
    exportRow("KeSetEvent", keSetEvent, kDispatchLevel, kExportAnyTime),
    exportRow("KeResetEvent", keResetEvent, kDispatchLevel, kExportAnyTime),
    exportRow("KeClearEvent", keClearEvent, kDispatchLevel, kExportAnyTime),
    exportRow("KeReadStateEvent", keReadStateEvent, kHighLevel, kExportAnyTime),
    exportRow("KeInitializeSemaphore", keInitializeSemaphore, kHighLevel, kExportAnyTime),
    exportRow("KeReleaseSemaphore", keReleaseSemaphore, kDispatchLevel, kExportAnyTime),
    exportRow("KeInitializeMutex", keInitializeMutex, kHighLevel, kExportAnyTime),
    exportRow("KeReleaseMutex", keReleaseMutex, kDispatchLevel, kExportAnyTime),
    exportRow("KeWaitForSingleObject", keWaitForSingleObject, kDispatchLevel, kExportAnyTime),
    exportRow("KeWaitForMultipleObjects", keWaitForMultipleObjects, kDispatchLevel, kExportAnyTime),
    exportRow("KeDelayExecutionThread", keDelayExecutionThread, kApcLevel, kExportAnyTime),
};

}  // namespace

std::span<const Export> waitExports() {
  return kWaitExports;
}

bool waitForObject(void* object, int timeoutMs) {
  LARGE_INTEGER timeout{};
  timeout.QuadPart = -10'000ll * timeoutMs;
  return keWaitForSingleObject(static_cast<NtDispatcherHeader*>(object), 0, 0, 0, &timeout) == kSuccess;
}

void initializeDispatcherObject(NtDispatcherHeader* header, uint8_t type, uint8_t words, int32_t state) {
  initialize(header, type, words, state);
}

void signalDispatcherObject(NtDispatcherHeader* header) {
  std::lock_guard lock(s_waitMutex);
  header->SignalState = 1;
  s_changed.notifyAll();
}

int32_t clearDispatcherObject(NtDispatcherHeader* header) {
  std::lock_guard lock(s_waitMutex);
  const int32_t old = header->SignalState;
  header->SignalState = 0;
  return old;
}

}  // namespace aerogpu::host
