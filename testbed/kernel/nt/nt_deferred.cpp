// SPDX-License-Identifier: MIT
// Work that runs later: DPCs, timers, work items, system threads. Source: the wdm page of each export's name.
// DPCs run one after the other on a separate thread at DISPATCH_LEVEL; timers expire there too, as in
// Windows; work items run at PASSIVE_LEVEL on a third thread.
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/nt/dpc_hold.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

namespace {

struct HostCall {
  void (*function)(void*);
  void* context;
  bool operator==(const HostCall&) const = default;
};
struct DpcItem {
  NtDpc* dpc;  // or null: `call`
  HostCall call;
};
struct ArmedTimer {
  int64_t due;
  uint32_t period;
};
struct WorkItem {
  void* deviceObject;
  void(HOST_API* routine)(void* deviceObject, void* context);
  void(HOST_API* routineEx)(void* ioObject, void* context, WorkItem* item);
  void* context;
  bool queued;
};
struct SystemThread {
  NtDispatcherHeader header;
  unsigned handles = 1;
};

std::mutex s_deferredMutex;
ClockCondition s_dpcWork, s_dpcIdle, s_workWork;
std::deque<DpcItem> s_dpcs;
bool s_dpcRunning, s_started;
unsigned s_dpcHolds, s_dpcWaiters;
std::map<NtTimer*, ArmedTimer> s_timers;
std::deque<WorkItem*> s_work;
std::vector<WorkItem*> s_workItems;

/// Signals expired timers and queues their DPCs. The caller holds the lock.
void expireTimers() {
  const int64_t now = clockNow();
  for (auto it = s_timers.begin(); it != s_timers.end();) {
    if (it->second.due > now) {
      ++it;
      continue;
    }
    NtTimer* timer = it->first;
    if (it->second.period) {
      it->second.due += it->second.period * 1'000'000ll;
      ++it;
    } else {
      it = s_timers.erase(it);
    }
    signalDispatcherObject(&timer->Header);
    if (timer->Dpc && !timer->Dpc->DpcData) {
      timer->Dpc->DpcData = timer;
      s_dpcs.push_back({timer->Dpc, {}});
    }
  }
}

void dpcLoop() {
  Thread* thread = currentThread();
  std::unique_lock lock(s_deferredMutex);
  for (;;) {
    expireTimers();
    if (s_dpcs.empty() || (s_dpcHolds && !s_dpcWaiters)) {
      s_dpcRunning = false;
      s_dpcIdle.notifyAll();
      int64_t next = kNever;
      for (const auto& [timer, armed] : s_timers) next = std::min(next, armed.due);
      s_dpcWork.wait(lock, next);
      continue;
    }
    const DpcItem item = s_dpcs.front();
    s_dpcs.pop_front();
    s_dpcRunning = true;
    void *argument1 = nullptr, *argument2 = nullptr;
    if (item.dpc) {
      argument1 = item.dpc->SystemArgument1;
      argument2 = item.dpc->SystemArgument2;
      item.dpc->DpcData = nullptr;
    }
    lock.unlock();
    thread->block.irql = kDispatchLevel;
    if (item.dpc) {
      thread->driverEntryRsp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
      item.dpc->DeferredRoutine(item.dpc, item.dpc->DeferredContext, argument1, argument2);
    } else {
      item.call.function(item.call.context);
    }
    checkThreadBalanced("a DPC", kDispatchLevel);
    thread->block.irql = kPassiveLevel;
    lock.lock();
  }
}

void workLoop() {
  Thread* thread = currentThread();
  std::unique_lock lock(s_deferredMutex);
  for (;;) {
    if (s_work.empty()) {
      s_workWork.wait(lock);
      continue;
    }
    WorkItem* item = s_work.front();
    s_work.pop_front();
    item->queued = false;  // the routine may free the item
    const WorkItem copy = *item;
    lock.unlock();
    thread->driverEntryRsp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (copy.routineEx)
      copy.routineEx(copy.deviceObject, copy.context, item);
    else
      copy.routine(copy.deviceObject, copy.context);
    checkThreadBalanced("a work item", kPassiveLevel);
    lock.lock();
  }
}

HOST_API void keInitializeDpc(NtDpc* dpc, decltype(NtDpc::DeferredRoutine) routine, void* context) {
  *dpc = {};
  dpc->Type = 0x13;  // DpcObject
  dpc->Importance = 1;
  dpc->DeferredRoutine = routine;
  dpc->DeferredContext = context;
}
HOST_API uint8_t keInsertQueueDpc(NtDpc* dpc, void* argument1, void* argument2) {
  std::lock_guard lock(s_deferredMutex);
  if (dpc->Type != 0x13) brokenRule("a DPC that was not initialised: %s", currentCall().c_str());
  if (dpc->DpcData) return 0;
  dpc->DpcData = dpc;
  dpc->SystemArgument1 = argument1;
  dpc->SystemArgument2 = argument2;
  s_dpcs.push_back({dpc, {}});
  s_dpcWork.notifyAll();
  return 1;
}
HOST_API uint8_t keRemoveQueueDpc(NtDpc* dpc) {
  std::lock_guard lock(s_deferredMutex);
  const auto found =
      std::find_if(s_dpcs.begin(), s_dpcs.end(), [&](const DpcItem& i) { return i.dpc == dpc; });
  if (found == s_dpcs.end()) return 0;
  s_dpcs.erase(found);
  dpc->DpcData = nullptr;
  return 1;
}
HOST_API void keFlushQueuedDpcs() {
  drainDpcs();
}
HOST_API void keSetImportanceDpc(NtDpc* dpc, uint32_t importance) {
  dpc->Importance = static_cast<uint8_t>(importance);
}
HOST_API void keSetTargetProcessorDpc(NtDpc* dpc, int8_t number) {
  dpc->Number = static_cast<uint16_t>(number + 0x500);
}

HOST_API void keInitializeTimerEx(NtTimer* timer, uint32_t type) {
  *timer = {};
  initializeDispatcherObject(&timer->Header, type ? kNtSynchronizationTimer : kNtNotificationTimer,
                             sizeof(NtTimer) / 4, 0);
}
HOST_API void keInitializeTimer(NtTimer* timer) {
  keInitializeTimerEx(timer, 0);
}
HOST_API uint8_t keSetTimerEx(NtTimer* timer, int64_t due, int32_t periodMs, NtDpc* dpc) {
  std::lock_guard lock(s_deferredMutex);
  if (timer->Header.Type != kNtNotificationTimer && timer->Header.Type != kNtSynchronizationTimer)
    brokenRule("a timer that was not initialised: %s", currentCall().c_str());
  const bool armed = s_timers.count(timer) != 0;
  timer->Dpc = dpc;
  timer->Period = static_cast<uint32_t>(periodMs);
  clearDispatcherObject(&timer->Header);
  s_timers[timer] = {clockDeadline(due), static_cast<uint32_t>(periodMs)};
  s_dpcWork.notifyAll();
  return armed;
}
HOST_API uint8_t keSetTimer(NtTimer* timer, int64_t due, NtDpc* dpc) {
  return keSetTimerEx(timer, due, 0, dpc);
}
HOST_API uint8_t keCancelTimer(NtTimer* timer) {
  std::lock_guard lock(s_deferredMutex);
  return s_timers.erase(timer) != 0;
}

HOST_API WorkItem* ioAllocateWorkItem(void* deviceObject) {
  if (!deviceObject) brokenRule("a work item without a device object: %s", currentCall().c_str());
  auto* item = new WorkItem{deviceObject, nullptr, nullptr, nullptr, false};
  std::lock_guard lock(s_deferredMutex);
  s_workItems.push_back(item);
  return item;
}
HOST_API void ioFreeWorkItem(WorkItem* item) {
  std::lock_guard lock(s_deferredMutex);
  if (item->queued) brokenRule("a queued work item is freed: %s", currentCall().c_str());
  std::erase(s_workItems, item);
  delete item;
}
void queueWork(WorkItem* item, void* context) {
  std::lock_guard lock(s_deferredMutex);
  if (item->queued) {
    brokenRule("a work item is queued twice: %s", currentCall().c_str());
    return;
  }
  item->context = context;
  item->queued = true;
  s_work.push_back(item);
  s_workWork.notifyAll();
}
HOST_API void ioQueueWorkItem(WorkItem* item, decltype(WorkItem::routine) routine, uint32_t, void* context) {
  item->routine = routine;
  item->routineEx = nullptr;
  queueWork(item, context);
}
HOST_API void ioQueueWorkItemEx(WorkItem* item, decltype(WorkItem::routineEx) routine, uint32_t,
                                void* context) {
  item->routineEx = routine;
  queueWork(item, context);
}

std::map<void*, SystemThread*> s_threads;  // by handle and by object: both are the SystemThread's address
thread_local SystemThread* t_system = nullptr;

HOST_API NTSTATUS psCreateSystemThread(void** handle, uint32_t, void*, void*, void*,
                                       void(HOST_API* routine)(void*), void* context) {
  auto* system = new SystemThread{};
  initializeDispatcherObject(&system->header, kNtThread, 0, 0);
  startThread("system thread", [=] {
    Thread* thread = currentThread();
    thread->driverEntryRsp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    t_system = system;
    routine(context);
    checkThreadBalanced("a system thread", kPassiveLevel);
    signalDispatcherObject(&system->header);
  });
  *handle = system;
  std::lock_guard lock(s_deferredMutex);
  s_threads[system] = system;
  return kSuccess;
}
HOST_API NTSTATUS psTerminateSystemThread(NTSTATUS) {
  if (t_system) signalDispatcherObject(&t_system->header);
  pthread_exit(nullptr);
}
HOST_API void* psGetCurrentThread() {
  return currentThread();
}
HOST_API int32_t keSetPriorityThread(void*, int32_t) {
  return 8;
}

const Export kDeferredExports[] = {
    exportRow("KeInitializeDpc", keInitializeDpc, kHighLevel, kExportAnyTime),
    exportRow("KeInsertQueueDpc", keInsertQueueDpc, kHighLevel, kExportAnyTime),
    exportRow("KeRemoveQueueDpc", keRemoveQueueDpc, kHighLevel, kExportAnyTime),
    exportRow("KeFlushQueuedDpcs", keFlushQueuedDpcs, kPassiveLevel, kExportAnyTime),
    exportRow("KeSetImportanceDpc", keSetImportanceDpc, kHighLevel, kExportAnyTime),
    exportRow("KeSetTargetProcessorDpc", keSetTargetProcessorDpc, kHighLevel, kExportAnyTime),
    exportRow("KeInitializeTimer", keInitializeTimer, kDispatchLevel, kExportAnyTime),
    exportRow("KeInitializeTimerEx", keInitializeTimerEx, kDispatchLevel, kExportAnyTime),
    exportRow("KeSetTimer", keSetTimer, kDispatchLevel, kExportAnyTime),
    exportRow("KeSetTimerEx", keSetTimerEx, kDispatchLevel, kExportAnyTime),
    exportRow("KeCancelTimer", keCancelTimer, kDispatchLevel, kExportAnyTime),
    exportRow("IoAllocateWorkItem", ioAllocateWorkItem, kDispatchLevel, kExportAnyTime),
    exportRow("IoFreeWorkItem", ioFreeWorkItem, kDispatchLevel, kExportAnyTime),
    exportRow("IoQueueWorkItem", ioQueueWorkItem, kDispatchLevel, kExportAnyTime),
    exportRow("IoQueueWorkItemEx", ioQueueWorkItemEx, kDispatchLevel, kExportAnyTime),
    exportRow("PsCreateSystemThread", psCreateSystemThread, kPassiveLevel, kExportAnyTime),
    exportRow("PsTerminateSystemThread", psTerminateSystemThread, kPassiveLevel, kExportAnyTime),
    exportRow("PsGetCurrentThread", psGetCurrentThread, kHighLevel, kExportAnyTime),
    exportRow("KeGetCurrentThread", psGetCurrentThread, kHighLevel, kExportAnyTime),
    exportRow("KeSetPriorityThread", keSetPriorityThread, kPassiveLevel, kExportAnyTime),
};

}  // namespace

std::span<const Export> deferredExports() {
  return kDeferredExports;
}

void startDeferredThreads() {
  std::lock_guard lock(s_deferredMutex);
  if (s_started) return;
  s_started = true;
  startThread("dpc", dpcLoop);
  startThread("worker", workLoop);
}

bool queueHostDpc(void (*function)(void*), void* context) {
  std::lock_guard lock(s_deferredMutex);
  const HostCall call{function, context};
  for (const DpcItem& item : s_dpcs)
    if (!item.dpc && item.call == call) return false;
  s_dpcs.push_back({nullptr, call});
  s_dpcWork.notifyAll();
  return true;
}

void drainDpcs() {
  std::unique_lock lock(s_deferredMutex);
  ++s_dpcWaiters;
  s_dpcWork.notifyAll();
  while (s_started && (!s_dpcs.empty() || s_dpcRunning)) s_dpcIdle.wait(lock);
  --s_dpcWaiters;
}

bool dpcsHeld() {
  std::lock_guard lock(s_deferredMutex);
  return s_dpcHolds != 0;
}

bool dpcPending() {
  std::lock_guard lock(s_deferredMutex);
  return !s_dpcs.empty() || s_dpcRunning;
}

DpcHold::DpcHold() {
  std::lock_guard lock(s_deferredMutex);
  ++s_dpcHolds;
}

DpcHold::~DpcHold() {
  std::lock_guard lock(s_deferredMutex);
  --s_dpcHolds;
  s_dpcWork.notifyAll();
}

unsigned reportPendingWork() {
  std::lock_guard lock(s_deferredMutex);
  unsigned count = 0;
  for (const auto& [timer, armed] : s_timers) {
    (void)armed;
    const PeImage* image = driverImage();
    brokenRule("a timer is still armed (DPC routine %s)",
               timer->Dpc && image
                   ? image->describe(reinterpret_cast<uintptr_t>(timer->Dpc->DeferredRoutine)).c_str()
                   : "none");
    ++count;
  }
  for (const DpcItem& item : s_dpcs)
    if (item.dpc) {
      brokenRule("a DPC is still queued");
      ++count;
    }
  for (const WorkItem* item : s_workItems) {
    brokenRule("a work item is still %s", item->queued ? "queued" : "allocated");
    ++count;
  }
  s_timers.clear();
  return count;
}

void* systemThreadObject(void* handle) {
  std::lock_guard lock(s_deferredMutex);
  const auto found = s_threads.find(handle);
  return found == s_threads.end() ? nullptr : found->second;
}

}  // namespace aerogpu::host
