// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/test/fake_kernel.h"

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace aero::test {
namespace {

FakeKernel *s_kernel;
int deviceObject;  // what DXGKRNL_INTERFACE.DeviceHandle points to

constexpr ULONG kReady = 0x79646552, kHeld = 0x646C6548;

template <class... Args> std::string format(const char *pattern, Args... args) {
  char text[80];
  snprintf(text, sizeof text, pattern, args...);
  return text;
}

void atMost(KIRQL level, const char *function) {
  EXPECT_LE(s_kernel->irql(), level) << function << " is called at too high an IRQL";
}

}  // namespace

/** Implements the functions of wdk/ntddk.h and dxgkrnl's callbacks on the members of FakeKernel. */
struct Wdm {
  static KIRQL raise(KIRQL to) {
    const KIRQL before = s_kernel->m_irql;
    EXPECT_GE(to, before);
    s_kernel->m_irql = to;
    return before;
  }
  static void lower(KIRQL to) { s_kernel->m_irql = to; }

  static NTSTATUS APIENTRY synchronize(HANDLE handle, PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG message,
                                       PBOOLEAN answer) {
    EXPECT_EQ(handle, &deviceObject);
    EXPECT_EQ(message, 0u);
    EXPECT_TRUE(routine && answer);
    if (!s_kernel->interruptConnected) return STATUS_UNSUCCESSFUL;
    s_kernel->atDirql([&] { *answer = routine(context); });
    return STATUS_SUCCESS;
  }

  // Pages "DXGKCB_NOTIFY_INTERRUPT" and "DXGKARGCB_NOTIFY_INTERRUPT_DATA".
  static VOID APIENTRY notify(HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    EXPECT_EQ(handle, &deviceObject);
    EXPECT_TRUE(s_kernel->m_interruptLock || !s_kernel->interruptConnected)
        << "a notification out of step with the interrupt";
    s_kernel->m_owesDpc = true;
    switch (data->InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      EXPECT_EQ(data->DmaCompleted.NodeOrdinal | data->DmaCompleted.EngineOrdinal, 0u);
      s_kernel->told.push_back(format("completed %X", data->DmaCompleted.SubmissionFenceId));
      break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      EXPECT_EQ(data->DmaPreempted.NodeOrdinal | data->DmaPreempted.EngineOrdinal, 0u);
      s_kernel->told.push_back(format("preempted %X last %X", data->DmaPreempted.PreemptionFenceId,
                                      data->DmaPreempted.LastCompletedFenceId));
      break;
    case DXGK_INTERRUPT_DMA_FAULTED:
      EXPECT_FALSE(NT_SUCCESS(data->DmaFaulted.Status));
      s_kernel->told.push_back(format("faulted %X", data->DmaFaulted.FaultedFenceId));
      break;
    case DXGK_INTERRUPT_CRTC_VSYNC:
      EXPECT_EQ(data->CrtcVsync.VidPnTargetId, 0u);
      s_kernel->told.push_back(
          format("vsync %" PRIX64, static_cast<uint64_t>(data->CrtcVsync.PhysicalAddress.QuadPart)));
      break;
    default:
      ADD_FAILURE() << "interrupt type " << data->InterruptType;
    }
  }

  static NTSTATUS deviceSpace(ULONG type, ULONG offset, ULONG length, PULONG done) {
    atMost(PASSIVE_LEVEL, "DxgkCbReadDeviceSpace, DxgkCbWriteDeviceSpace");
    EXPECT_EQ(type, static_cast<ULONG>(DXGK_WHICHSPACE_CONFIG));
    EXPECT_EQ(offset, 4u) << "nothing but the command register is of the driver's concern";
    EXPECT_EQ(length, sizeof s_kernel->pciCommand);
    *done = length;
    return STATUS_SUCCESS;
  }
  static NTSTATUS APIENTRY readSpace(HANDLE, ULONG type, PVOID out, ULONG offset, ULONG length, PULONG done) {
    memcpy(out, &s_kernel->pciCommand, sizeof s_kernel->pciCommand);
    return deviceSpace(type, offset, length, done);
  }
  static NTSTATUS APIENTRY writeSpace(HANDLE, ULONG type, PVOID in, ULONG offset, ULONG length, PULONG done) {
    memcpy(&s_kernel->pciCommand, in, sizeof s_kernel->pciCommand);
    return deviceSpace(type, offset, length, done);
  }

  static BOOLEAN APIENTRY queueDpc(HANDLE handle) {
    EXPECT_EQ(handle, &deviceObject);
    s_kernel->toldDpc();
    return TRUE;
  }

  static void acquire(PKSPIN_LOCK lock, PKIRQL before) {
    atMost(DISPATCH_LEVEL, "KeAcquireSpinLock");
    EXPECT_NE(*lock, kHeld) << "a spin lock is taken twice";
    EXPECT_EQ(*lock, kReady) << "a spin lock was not initialised";
    *lock = kHeld;
    s_kernel->m_locks++;
    *before = raise(DISPATCH_LEVEL);
  }
  static void release(PKSPIN_LOCK lock, KIRQL before) {
    EXPECT_EQ(*lock, kHeld) << "a spin lock is given back that nobody holds";
    EXPECT_EQ(s_kernel->m_irql, DISPATCH_LEVEL);
    *lock = kReady;
    s_kernel->m_locks--;
    lower(before);
  }

  static void acquireMutex(PFAST_MUTEX mutex) {
    atMost(APC_LEVEL, "ExAcquireFastMutex");
    EXPECT_NE(mutex->state, kHeld) << "a fast mutex is taken twice";
    EXPECT_EQ(mutex->state, kReady) << "a fast mutex was not initialised";
    mutex->state = kHeld;
    mutex->before = raise(APC_LEVEL);
    s_kernel->m_locks++;
  }
  static void releaseMutex(PFAST_MUTEX mutex) {
    EXPECT_EQ(mutex->state, kHeld) << "a fast mutex is given back that nobody holds";
    EXPECT_EQ(s_kernel->m_irql, APC_LEVEL);
    mutex->state = kReady;
    s_kernel->m_locks--;
    lower(mutex->before);
  }

  static void setTimer(PKTIMER timer, LARGE_INTEGER due, PKDPC dpc) {
    atMost(DISPATCH_LEVEL, "KeSetTimer");
    EXPECT_EQ(timer->state, kReady) << "a timer was not initialised";
    EXPECT_LT(due.QuadPart, 0) << "due times are relative here";
    EXPECT_TRUE(!s_kernel->m_timer || s_kernel->m_timer == timer) << "the kernel of the tests has one timer";
    // A timer ends at the first tick that is not before.
    timer->due = s_kernel->m_now + static_cast<uint64_t>(-due.QuadPart) * 100;
    timer->due = (timer->due + s_kernel->clockTick - 1) / s_kernel->clockTick * s_kernel->clockTick;
    timer->dpc = dpc;
    s_kernel->m_timer = timer;
  }
  static bool cancelTimer(PKTIMER timer) {
    atMost(DISPATCH_LEVEL, "KeCancelTimer");
    const bool was = s_kernel->m_timer == timer;
    if (was) s_kernel->m_timer = nullptr;
    return was;
  }

  static void *contiguous(SIZE_T bytes) {
    atMost(DISPATCH_LEVEL, "MmAllocateContiguousMemorySpecifyCache");
    if (s_kernel->allocationFails()) return nullptr;
    const size_t pages = (bytes + 4095) & ~size_t{4095};
    void *memory = aligned_alloc(4096, pages);
    memset(memory, 0xCD, pages);  // not zeroed by the kernel
    s_kernel->m_contiguous[memory] = {s_kernel->m_nextGpa, bytes};
    s_kernel->m_nextGpa += pages + 0x10000;
    return memory;
  }
  static void freeContiguous(void *memory, SIZE_T bytes) {
    const auto at = s_kernel->m_contiguous.find(memory);
    ASSERT_TRUE(at != s_kernel->m_contiguous.end());
    EXPECT_EQ(at->second.bytes, bytes);
    s_kernel->m_contiguous.erase(at);
    ::free(memory);
  }
  static uint64_t physical(void *memory) {
    const auto at = s_kernel->m_contiguous.find(memory);
    EXPECT_TRUE(at != s_kernel->m_contiguous.end()) << "only the start of contiguous memory is asked for";
    return at == s_kernel->m_contiguous.end() ? 0 : at->second.gpa;
  }

  static void *pool(SIZE_T bytes, ULONG tag) {
    atMost(DISPATCH_LEVEL, "ExAllocatePoolWithTag");
    EXPECT_EQ(tag, kTag);
    if (s_kernel->allocationFails()) return nullptr;
    void *memory = malloc(bytes);
    s_kernel->m_pool[memory] = format("%zu bytes", static_cast<size_t>(bytes));
    return memory;
  }
  static void freePool(void *memory) {
    EXPECT_EQ(s_kernel->m_pool.erase(memory), 1u);
    ::free(memory);
  }
};

FakeKernel::FakeKernel() {
  s_kernel = this;
  dxgk.Size = sizeof dxgk;
  dxgk.DeviceHandle = &deviceObject;
  dxgk.DxgkCbSynchronizeExecution = Wdm::synchronize;
  dxgk.DxgkCbNotifyInterrupt = Wdm::notify;
  dxgk.DxgkCbQueueDpc = Wdm::queueDpc;
  dxgk.DxgkCbReadDeviceSpace = Wdm::readSpace;
  dxgk.DxgkCbWriteDeviceSpace = Wdm::writeSpace;
}

FakeKernel::~FakeKernel() {
  EXPECT_EQ(m_irql, PASSIVE_LEVEL);
  EXPECT_EQ(m_locks, 0) << "a lock was kept";
  EXPECT_FALSE(m_owesDpc);
  EXPECT_FALSE(m_timer) << "a timer is still set";
  EXPECT_EQ(allocations(), 0u) << "memory was not given back";
  for (const auto &entry : m_contiguous) free(entry.first);
  for (const auto &entry : m_pool) free(entry.first);
  s_kernel = nullptr;
}

std::vector<std::string> FakeKernel::take() {
  std::vector<std::string> out;
  out.swap(told);
  return out;
}

void FakeKernel::toldDpc() {
  told.emplace_back("dpc");
  m_owesDpc = false;
}

void FakeKernel::atDispatch(const std::function<void()> &action) {
  const KIRQL before = Wdm::raise(DISPATCH_LEVEL);
  action();
  EXPECT_EQ(m_irql, DISPATCH_LEVEL);
  Wdm::lower(before);
}

void FakeKernel::atDirql(const std::function<void()> &action) {
  EXPECT_FALSE(m_interruptLock) << "the interrupt's lock is taken twice: a real system stands still here";
  const KIRQL before = Wdm::raise(kDirql);
  m_interruptLock = true;
  action();
  EXPECT_EQ(m_irql, kDirql);
  EXPECT_FALSE(m_owesDpc) << "no DPC follows a notification (page \"DXGKCB_NOTIFY_INTERRUPT\")";
  m_interruptLock = false;
  Wdm::lower(before);
}

bool FakeKernel::interrupt(const std::function<bool()> &routine) {
  bool needsDpc = false;
  atDirql([&] {
    needsDpc = routine();
    EXPECT_EQ(needsDpc, m_owesDpc) << "a DPC is needed exactly when something was told";
    if (needsDpc) toldDpc();
  });
  return needsDpc;
}

void FakeKernel::pass(uint64_t nanoseconds) {
  const uint64_t end = m_now + nanoseconds;
  while (m_timer && m_timer->due <= end) {
    KTIMER *timer = m_timer;
    m_timer = nullptr;
    m_now = timer->due > m_now ? timer->due : m_now;
    const KIRQL before = Wdm::raise(DISPATCH_LEVEL);
    timer->dpc->routine(timer->dpc, timer->dpc->context, nullptr, nullptr);
    EXPECT_EQ(m_irql, DISPATCH_LEVEL);
    Wdm::lower(before);
  }
  m_now = end;
}

void *FakeKernel::memoryAt(uint64_t gpa, size_t bytes) const {
  for (const auto &[memory, piece] : m_contiguous)
    if (gpa >= piece.gpa && gpa - piece.gpa <= piece.bytes && bytes <= piece.bytes - (gpa - piece.gpa))
      return static_cast<uint8_t *>(memory) + (gpa - piece.gpa);
  return nullptr;
}

bool FakeKernel::allocationFails() {
  return failAllocation && --failAllocation == 0;
}

}  // namespace aero::test

using aero::test::s_kernel;
using aero::test::Wdm;

VOID NTAPI RtlAssert(PVOID assertion, PVOID file, ULONG line, PCHAR) {
  ADD_FAILURE() << static_cast<const char *>(file) << ':' << line << ": " << static_cast<const char *>(assertion);
}
KIRQL NTAPI KeGetCurrentIrql(VOID) {
  return s_kernel->irql();
}

VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK lock) {
  *lock = aero::test::kReady;
}
VOID NTAPI KeAcquireSpinLock(PKSPIN_LOCK lock, PKIRQL before) {
  Wdm::acquire(lock, before);
}
VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL before) {
  Wdm::release(lock, before);
}
VOID NTAPI ExInitializeFastMutex(PFAST_MUTEX mutex) {
  mutex->state = aero::test::kReady;
}
VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX mutex) {
  Wdm::acquireMutex(mutex);
}
VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX mutex) {
  Wdm::releaseMutex(mutex);
}

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER frequency) {
  if (frequency) frequency->QuadPart = static_cast<LONGLONG>(s_kernel->counterFrequency);
  LARGE_INTEGER ticks;
  const auto passed = static_cast<unsigned __int128>(s_kernel->now()) * s_kernel->counterFrequency / 1000000000u;
  ticks.QuadPart = static_cast<LONGLONG>(s_kernel->counterStart + static_cast<uint64_t>(passed));
  return ticks;
}
ULONGLONG NTAPI KeQueryInterruptTime(VOID) {
  return s_kernel->now() / s_kernel->clockTick * s_kernel->clockTick / 100;
}
NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE mode, BOOLEAN alertable, PLARGE_INTEGER interval) {
  aero::test::atMost(APC_LEVEL, "KeDelayExecutionThread");
  EXPECT_EQ(mode, KernelMode);
  EXPECT_FALSE(alertable);
  EXPECT_LT(interval->QuadPart, 0) << "a wait until a date";
  const uint64_t end = s_kernel->now() + static_cast<uint64_t>(-interval->QuadPart) * 100;
  s_kernel->pass((end + s_kernel->clockTick - 1) / s_kernel->clockTick * s_kernel->clockTick - s_kernel->now());
  if (s_kernel->whenWaited) s_kernel->whenWaited();
  return STATUS_SUCCESS;
}
VOID NTAPI KeStallExecutionProcessor(ULONG microseconds) {
  EXPECT_LE(microseconds, 50u) << "the page: no more than 50 microseconds";
  s_kernel->pass(uint64_t{microseconds} * 1000);
  if (s_kernel->whenWaited) s_kernel->whenWaited();
}
VOID NTAPI KeInitializeTimer(PKTIMER timer) {
  *timer = {aero::test::kReady, 0, nullptr};
}
VOID NTAPI KeInitializeDpc(PKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context) {
  *dpc = {routine, context};
}
BOOLEAN NTAPI KeSetTimer(PKTIMER timer, LARGE_INTEGER due, PKDPC dpc) {
  const BOOLEAN was = s_kernel->timerIsSet();
  Wdm::setTimer(timer, due, dpc);
  return was;
}
BOOLEAN NTAPI KeCancelTimer(PKTIMER timer) {
  return Wdm::cancelTimer(timer);
}
VOID NTAPI KeFlushQueuedDpcs(VOID) {
  aero::test::atMost(PASSIVE_LEVEL, "KeFlushQueuedDpcs");
}

PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(SIZE_T bytes, PHYSICAL_ADDRESS, PHYSICAL_ADDRESS, PHYSICAL_ADDRESS,
                                                   MEMORY_CACHING_TYPE) {
  return Wdm::contiguous(bytes);
}
VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID memory, SIZE_T bytes, MEMORY_CACHING_TYPE) {
  Wdm::freeContiguous(memory, bytes);
}
PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID memory) {
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(Wdm::physical(memory));
  return address;
}
PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE, SIZE_T bytes, ULONG tag) {
  return Wdm::pool(bytes, tag);
}
VOID NTAPI ExFreePoolWithTag(PVOID memory, ULONG) {
  Wdm::freePool(memory);
}
