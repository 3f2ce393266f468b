// SPDX-License-Identifier: MIT
#include "scheduler.h"

#include "counters.h"
#include "trace.h"

namespace aero {
namespace {

constexpr uint32_t kIdlePollMs = 1;
constexpr uint32_t kSpareEntries = 64;

/** Bounds a wait. A delay of 1 ms lasts until the next tick of Windows' clock, 15.6 ms as a rule (page
 *  "KeDelayExecutionThread"): counting delays would make seconds half a minute. */
class Deadline {
public:
  explicit Deadline(uint32_t milliseconds) : m_end(KeQueryInterruptTime() + uint64_t{milliseconds} * 10000) {}
  bool passed() const { return KeQueryInterruptTime() >= m_end; }

private:
  uint64_t m_end;  // in 100 ns
};

/** What one call of DxgkDdiSubmitCommand submits, of a buffer that it may begin and end inside of: one command stream,
 *  or the paging operations of a paging buffer, one after the other. */
class DmaParts {
public:
  explicit DmaParts(const DXGKARG_SUBMITCOMMAND &args)
      : m_gpa(static_cast<uint64_t>(args.DmaBufferPhysicalAddress.QuadPart) + args.DmaBufferSubmissionStartOffset),
        m_bytes(args.DmaBufferSubmissionEndOffset - args.DmaBufferSubmissionStartOffset),
        m_private(static_cast<const uint8_t *>(args.pDmaBufferPrivateData) +
                  args.DmaBufferPrivateDataSubmissionStartOffset),
        m_privateBytes(args.DmaBufferPrivateDataSubmissionEndOffset - args.DmaBufferPrivateDataSubmissionStartOffset),
        m_any(!args.Flags.NullRendering) {}

  /** Fills in what the next part says; true: it is the last. Without any, the submission only signals. */
  bool next(Submission &submission, Counters &counters) {
    AEROGPU_DMA_PRIV priv;
    if (!m_any || !m_bytes || !take(priv)) return true;
    const DmaLayout layout = DmaLayout::fromPrivate(priv);
    uint32_t bytes = DmaLayout::pagingBytes(priv);
    if (!bytes || bytes > m_bytes) bytes = m_bytes;
    if (priv.Type && layout.commandOffset + sizeof(aerogpu_cmd_stream_header) <= bytes) {
      submission.commandGpa = m_gpa + layout.commandOffset;
      submission.commandBytes = bytes - layout.commandOffset;
      submission.tableGpa = m_gpa;
      submission.tableBytes = layout.tableBytes();
      if (priv.Reserved0 & kDmaPresent) submission.flags |= AEROGPU_SUBMIT_FLAG_PRESENT;
      if (priv.Reserved0 & kDmaAlternate) submission.contextId = kAlternateContext;
      counters.count(priv.Type);
    }
    m_gpa += bytes;
    m_bytes -= bytes;
    return !m_bytes || !peek(priv) || !DmaLayout::pagingBytes(priv);
  }

private:
  bool peek(AEROGPU_DMA_PRIV &priv) const {
    if (m_privateBytes < sizeof priv) return false;
    RtlCopyMemory(&priv, m_private, sizeof priv);
    return true;
  }
  bool take(AEROGPU_DMA_PRIV &priv) {
    if (!peek(priv)) return false;
    m_private += sizeof priv;
    m_privateBytes -= sizeof priv;
    return true;
  }

  uint64_t m_gpa;
  uint32_t m_bytes;
  const uint8_t *m_private;
  uint32_t m_privateBytes;
  bool m_any;  // NullRendering has nothing
};

void sleepMs(uint32_t milliseconds) {
  LARGE_INTEGER time;
  time.QuadPart = -10000ll * milliseconds;
  KeDelayExecutionThread(KernelMode, FALSE, &time);
}

}  // namespace

NTSTATUS Scheduler::start(ULONG queueEntries) {
  KeInitializeSpinLock(&m_lock);
  ExInitializeFastMutex(&m_internalLock);
  // Each entry of the OS' queue may be a paging buffer that is full of operations; and what the driver adds.
  if (!m_ring.allocate(queueEntries * kPagingRecords + kSpareEntries) ||
      !m_internal.allocate(size_t{kInternalSlots} * kInternalBytes)) {
    m_ring.free();
    m_internal.free();
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  // A new start begins above everything that the device has completed, so that fences go up only.
  const uint64_t completed = m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
  m_base = ((completed >> 32) + 1) << 32;
  m_lastSubmitted = m_lastNotified = m_base;
  m_preemption = {};
  RtlZeroMemory(m_slots, sizeof m_slots);
  m_ring.start(m_registers, m_base);
  m_running = true;
  return STATUS_SUCCESS;
}

void Scheduler::stop() {
  if (!m_ring.allocated()) return;
  halt();
  m_ring.reset(m_registers);
  m_ring.stop(m_registers);
  m_ring.free();
  m_internal.free();
}

void Scheduler::halt() {
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
  m_running = false;
  m_ringEnd = {m_ring.head(), m_ring.tail()};
  KeReleaseSpinLock(&m_lock, irql);
}

void Scheduler::suspend() {
  halt();
  m_base = completed();
  m_ring.reset(m_registers);
  m_ring.stop(m_registers);
  m_completedAtSuspend = m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

bool Scheduler::deviceForgot() const {
  return m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) < m_completedAtSuspend;
}

void Scheduler::resume() {
  RtlZeroMemory(m_slots, sizeof m_slots);
  m_ring.start(m_registers, m_lastSubmitted);
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
  m_running = true;
  KeReleaseSpinLock(&m_lock, irql);
}

bool Scheduler::pushLocked(const Submission &submission) {
  if (!m_running || !m_ring.push(m_registers, submission)) {
    m_counters.ringFull++;
    return false;
  }
  m_counters.submissions++;
  trace::write<trace::Submit>([&] {
    return trace::Submit{submission.fence, submission.commandGpa, submission.commandBytes, submission.contextId,
                         submission.flags};
  });
  return true;
}

NTSTATUS Scheduler::submit(const DXGKARG_SUBMITCOMMAND &args, uint32_t contextId, bool *runs) {
  DmaParts parts(args);
  bool commands = false, pushed = true;
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
  const uint64_t fence = extendFence(args.SubmissionFenceId, m_lastSubmitted);
  // The fence is the last part's; the others say nothing new (FENCE-1: completed is the larger of the two).
  for (bool last = false; pushed && !last;) {
    Submission submission = {};
    submission.contextId = contextId;
    last = parts.next(submission, m_counters);
    submission.fence = last ? fence : m_lastSubmitted;
    if (!last) submission.flags |= AEROGPU_SUBMIT_FLAG_NO_IRQ;
    commands |= submission.commandBytes != 0;
    pushed = pushLocked(submission);
  }
  if (pushed && fence > m_lastSubmitted) m_lastSubmitted = fence;
  // An error from here stops the system (page "DxgkDdiSubmitCommand": bug-check 0x119). The ring is larger than the
  // queue that the OS announced, so this is a device that stands still or is gone: what is lost must never look done,
  // so nothing follows it, and the scheduler's timeout takes over.
  if (!pushed) m_running = false;
  KeReleaseSpinLock(&m_lock, irql);
  if (runs) *runs = pushed && commands;
  return STATUS_SUCCESS;
}

uint32_t Scheduler::currentFence() {
  ReportRequest request = {this, completed()};
  BOOLEAN returned;
  m_dxgk.DxgkCbSynchronizeExecution(m_dxgk.DeviceHandle, reportAtDirql, &request, 0, &returned);
  return static_cast<uint32_t>(request.fence);
}

BOOLEAN NTAPI Scheduler::reportAtDirql(PVOID context) {
  auto *request = static_cast<ReportRequest *>(context);
  Scheduler &self = *request->scheduler;
  request->fence = self.completed();
  self.notifyAtDirql(request->fence);
  return TRUE;
}

NTSTATUS Scheduler::preempt(const DXGKARG_PREEMPTCOMMAND &args) {
  PreemptRequest request = {this, args};
  BOOLEAN returned;
  m_dxgk.DxgkCbSynchronizeExecution(m_dxgk.DeviceHandle, preemptAtDirql, &request, 0, &returned);
  return STATUS_SUCCESS;  // any other answer is a bug-check (page "DxgkDdiPreemptCommand")
}

// The ring runs in order and cannot take back what is in it: the preemption is true as soon as everything submitted
// before it is done.
BOOLEAN NTAPI Scheduler::preemptAtDirql(PVOID context) {
  auto *request = static_cast<PreemptRequest *>(context);
  Scheduler &self = *request->scheduler;
  self.m_preemption = {true, request->args.PreemptionFenceId, self.m_lastSubmitted};
  self.notifyAtDirql(self.completed());
  return TRUE;
}

bool Scheduler::interrupt(uint32_t status) {
  bool needsDpc = false;
  const uint64_t fence = completed();
  if (status & AEROGPU_IRQ_ERROR) {
    m_counters.errorInterrupts++;
    m_counters.lastErrorFence = m_registers.read64(AEROGPU_MMIO_REG_ERROR_FENCE_LO);
    trace::write<trace::DeviceError>([&] {
      return trace::DeviceError{m_counters.lastErrorFence, m_registers.read(AEROGPU_MMIO_REG_ERROR_CODE)};
    });
    // A packet that failed had no effect and the rest ran (CMD-7): the process goes on. Only a device that cannot run
    // anything is a fault.
    if (m_registers.read(AEROGPU_MMIO_REG_ERROR_CODE) == AEROGPU_ERROR_INTERNAL)
      needsDpc |= notifyFaulted(m_counters.lastErrorFence);
  }
  needsDpc |= notifyCompleted(fence);
  needsDpc |= notifyPreempted(fence);
  return needsDpc;
}

/** Outside of an interrupt: every notification is followed by a DPC, asked for before anybody else gets the processor.
 */
void Scheduler::notifyAtDirql(uint64_t fence) {
  bool reported = notifyCompleted(fence);
  reported |= notifyPreempted(fence);
  if (reported) m_dxgk.DxgkCbQueueDpc(m_dxgk.DeviceHandle);
}

bool Scheduler::notifyCompleted(uint64_t fence) {
  if (fence <= m_lastNotified) return false;
  m_lastNotified = fence;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = static_cast<UINT>(fence);
  m_dxgk.DxgkCbNotifyInterrupt(m_dxgk.DeviceHandle, &data);
  trace::write<trace::Complete>([&] { return trace::Complete{fence}; });
  m_counters.fenceInterrupts++;
  return true;
}

bool Scheduler::notifyPreempted(uint64_t fence) {
  if (!m_preemption.pending || fence < m_preemption.after) return false;
  m_preemption.pending = false;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = m_preemption.id;
  data.DmaPreempted.LastCompletedFenceId = static_cast<UINT>(fence);
  m_dxgk.DxgkCbNotifyInterrupt(m_dxgk.DeviceHandle, &data);
  trace::write<trace::Preempted>([&] { return trace::Preempted{fence, m_preemption.id}; });
  return true;
}

bool Scheduler::notifyFaulted(uint64_t fence) {
  if (fence <= m_lastNotified) return false;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
  data.DmaFaulted.FaultedFenceId = static_cast<UINT>(fence);
  data.DmaFaulted.Status = STATUS_IO_DEVICE_ERROR;
  m_dxgk.DxgkCbNotifyInterrupt(m_dxgk.DeviceHandle, &data);
  return true;
}

NTSTATUS Scheduler::resetFromTimeout() {
  halt();
  // Nothing is pushed now, so the wait needs no lock: it can take seconds.
  const bool done = m_ring.reset(m_registers);
  BOOLEAN returned;
  m_dxgk.DxgkCbSynchronizeExecution(m_dxgk.DeviceHandle, forgetAtDirql, this, 0, &returned);
  trace::write<trace::Reset>([&] { return trace::Reset{completed(), m_lastSubmitted}; });
  m_counters.timeoutResets++;
  return done ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

// What was lost is never reported, neither as done nor as preempted.
BOOLEAN NTAPI Scheduler::forgetAtDirql(PVOID context) {
  auto *self = static_cast<Scheduler *>(context);
  self->m_preemption.pending = false;
  self->m_lastNotified = self->m_lastSubmitted;
  return TRUE;
}

NTSTATUS Scheduler::restartFromTimeout() {
  resume();
  return STATUS_SUCCESS;
}

int Scheduler::freeSlot() {
  for (uint32_t i = 0; i < kInternalSlots; i++)
    if (!m_slots[i].used || m_ring.passed(m_slots[i].index)) return static_cast<int>(i);
  return -1;
}

NTSTATUS Scheduler::submitInternal(const void *packets, uint32_t bytes, uint32_t contextId, uint32_t roomMs,
                                   const aerogpu_alloc_entry *entry) {
  if (bytes > kInternalBytes - DmaLayout::forEntries(entry ? 1 : 0).packetOffset()) return STATUS_BUFFER_OVERFLOW;
  const Deadline deadline(roomMs);
  for (;;) {
    // Waited for outside of the mutex: of many callers each waits for as long as one.
    ExAcquireFastMutex(&m_internalLock);
    const NTSTATUS status = tryInternal(packets, bytes, contextId, entry);
    ExReleaseFastMutex(&m_internalLock);
    if (status != STATUS_IO_TIMEOUT || deadline.passed()) return status;
    sleepMs(kIdlePollMs);
  }
}

NTSTATUS Scheduler::tryInternal(const void *packets, uint32_t bytes, uint32_t contextId,
                                const aerogpu_alloc_entry *entry) {
  if (!m_running) return STATUS_DEVICE_NOT_READY;
  const int slot = freeSlot();
  if (slot < 0) return STATUS_IO_TIMEOUT;
  const DmaLayout layout = DmaLayout::forEntries(entry ? 1 : 0);
  const size_t offset = static_cast<size_t>(slot) * kInternalBytes;
  uint8_t *buffer = m_internal.as<uint8_t>() + offset;
  if (entry) RtlCopyMemory(buffer + DmaLayout::entryOffset(0), entry, sizeof *entry);
  RtlCopyMemory(buffer + layout.packetOffset(), packets, bytes);
  finishDma(buffer, layout, bytes);
  Submission submission = {};
  submission.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ;
  submission.contextId = contextId;
  submission.commandGpa = m_internal.gpa() + offset + layout.commandOffset;
  submission.commandBytes = layout.packetOffset() - layout.commandOffset + bytes;
  submission.tableGpa = m_internal.gpa() + offset;
  submission.tableBytes = layout.tableBytes();
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
  submission.fence = m_lastSubmitted;  // completed is max(old, this): it says nothing new
  const uint32_t index = m_ring.nextIndex();
  const bool pushed = pushLocked(submission);
  KeReleaseSpinLock(&m_lock, irql);
  if (!pushed) return STATUS_IO_TIMEOUT;
  m_slots[slot] = {true, index};
  m_counters.internalSubmissions++;
  return STATUS_SUCCESS;
}

NTSTATUS Scheduler::waitIdle(uint32_t milliseconds) {
  const uint32_t tail = m_ring.tail();
  const Deadline deadline(milliseconds);
  while (m_running && !m_ring.passed(tail - 1) && m_ring.head() != tail) {
    if (deadline.passed()) return STATUS_IO_TIMEOUT;
    sleepMs(kIdlePollMs);
  }
  return m_running ? STATUS_SUCCESS : STATUS_DEVICE_NOT_READY;
}

}  // namespace aero
