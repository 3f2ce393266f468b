// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/submit/scheduler.h"

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/os/trace.h"

namespace aero {
namespace {

constexpr uint32_t kSpareEntries = 64;

// PCI Local Bus Specification 3.0, 6.2.2.
constexpr ULONG kPciCommand = 4;
constexpr USHORT kPciBusMaster = 4;

/** Where the buffer begins for the device. */
uint64_t gpaOf(const DXGKARG_SUBMITCOMMAND &args) {
  return static_cast<uint64_t>(args.DmaBufferPhysicalAddress.QuadPart) + args.DmaBufferSubmissionStartOffset;
}

/** The private data of what is submitted, of which a paging buffer has several. */
struct PrivateData {
  const uint8_t *data;
  uint32_t bytes;

  explicit PrivateData(const DXGKARG_SUBMITCOMMAND &args)
      : data(static_cast<const uint8_t *>(args.pDmaBufferPrivateData) + args.DmaBufferPrivateDataSubmissionStartOffset),
        bytes(args.DmaBufferPrivateDataSubmissionEndOffset - args.DmaBufferPrivateDataSubmissionStartOffset) {}
  bool peek(AEROGPU_DMA_PRIV &priv) const {
    if (bytes < sizeof priv) return false;
    RtlCopyMemory(&priv, data, sizeof priv);
    return true;
  }
  bool take(AEROGPU_DMA_PRIV &priv) {
    if (!peek(priv)) return false;
    data += sizeof priv;
    bytes -= sizeof priv;
    return true;
  }
};

/** The `bytes` bytes at `gpa`, as their private data describe them. Without a stream in them nothing runs. */
[[gnu::always_inline]] inline void describe(Submission &submission, const AEROGPU_DMA_PRIV &priv, uint64_t gpa,
                                            uint32_t bytes, Counters &counters) {
  const uint32_t commandOffset = DmaLayout::commandOffsetOf(priv), tableBytes = DmaLayout::tableBytesOf(priv);
  if (!priv.Type || uint64_t{commandOffset} + sizeof(aerogpu_cmd_stream_header) > bytes) return;
  submission.commandGpa = gpa + commandOffset;
  submission.commandBytes = bytes - commandOffset;
  submission.tableGpa = tableBytes ? gpa : 0;
  submission.tableBytes = tableBytes;
  static_assert(kDmaPresent == uint32_t{AEROGPU_SUBMIT_FLAG_PRESENT});
  submission.flags |= priv.Reserved0 & kDmaPresent;
  if (priv.Reserved0 & kDmaAlternate) [[unlikely]]
    submission.context = {0, kAlternateContext};
  counters.count(priv.Type);
}

}  // namespace

NTSTATUS Scheduler::start(ULONG queueEntries, bool spaces, bool holds) {
  m_holds = holds;
  // Each entry of the OS' queue may be a paging buffer that is full of operations; and what the driver adds.
  if (!m_ring.allocate(queueEntries * kPagingRecords + kSpareEntries, spaces) || !m_internal.start()) {
    m_ring.free();
    m_internal.stop();
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  m_ring.start();
  m_lastSubmitted = m_newest = m_lastNotified = m_ring.base();
  m_preemption = {};
  return STATUS_SUCCESS;
}

void Scheduler::stop() {
  if (!ring().allocated()) return;
  m_ring.halt();
  m_ring.reset();
  m_ring.stop();
  m_ring.free();
  m_internal.stop();
}

void Scheduler::suspend() {
  m_ring.halt();
  m_internal.keepLost();
  m_ring.reset();
  m_ring.keepCompleted();
  m_newest = m_ring.base();
  m_ring.stop();
  m_completedAtSuspend = m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

bool Scheduler::deviceForgot() const {
  return m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) < m_completedAtSuspend;
}

/** Whether everything with this fence is in the ring. */
inline void Scheduler::submittedLocked(bool pushed, uint64_t fence) {
  if (pushed && fence > m_lastSubmitted) m_lastSubmitted = m_newest = fence;
  // An error from here stops the system (page "DxgkDdiSubmitCommand": bug-check 0x119). The ring is larger than the
  // queue that the OS announced, so this is a device that stands still or is gone: what is lost must never look done,
  // so nothing follows it, and the scheduler's timeout takes over.
  if (!pushed) m_ring.shut();
}

NTSTATUS Scheduler::submit(const DXGKARG_SUBMITCOMMAND &args, DeviceContext context, bool *runs) {
  // A buffer that the OS does not want executed has nothing: it only signals.
  const uint32_t bytes =
      args.Flags.NullRendering ? 0 : args.DmaBufferSubmissionEndOffset - args.DmaBufferSubmissionStartOffset;
  AEROGPU_DMA_PRIV priv;
  const bool described = bytes && PrivateData(args).peek(priv);
  if (described && DmaLayout::pagingBytes(priv)) {
    submitPaging(args);
    return STATUS_SUCCESS;
  }
  Submission submission = {};
  submission.context = context;
  if (described) describe(submission, priv, gpaOf(args), bytes, m_counters);
  bool pushed;
  {
    const SharedRing::Lock lock(m_ring);
    submission.fence = extendFence(args.SubmissionFenceId, m_lastSubmitted);
    pushed = m_ring.push(submission);
    submittedLocked(pushed, submission.fence);
  }
  if (runs) *runs = pushed && submission.commandBytes;
  return STATUS_SUCCESS;
}

/** The operations of a paging buffer, which may begin and end inside of it, one after the other. */
void Scheduler::submitPaging(const DXGKARG_SUBMITCOMMAND &args) {
  PrivateData privates(args);
  uint64_t gpa = gpaOf(args);
  uint32_t left = args.DmaBufferSubmissionEndOffset - args.DmaBufferSubmissionStartOffset;
  bool pushed = true;
  const SharedRing::Lock lock(m_ring);
  const uint64_t fence = extendFence(args.SubmissionFenceId, m_lastSubmitted);
  // The fence is the last part's; the others say nothing new (FENCE-1: completed is the larger of the two).
  for (bool last = false; pushed && !last;) {
    Submission submission = {};
    AEROGPU_DMA_PRIV priv;
    last = !left || !privates.take(priv);
    if (!last) {
      uint32_t bytes = DmaLayout::pagingBytes(priv);
      if (!bytes || bytes > left) bytes = left;
      describe(submission, priv, gpa, bytes, m_counters);
      gpa += bytes;
      left -= bytes;
      last = !left || !privates.peek(priv) || !DmaLayout::pagingBytes(priv);
    }
    submission.fence = last ? fence : m_ring.base();
    if (!last) submission.flags |= AEROGPU_SUBMIT_FLAG_NO_IRQ;
    // Windows has no word for paging that failed, but one for a GPU that does not go on.
    if (m_holds && submission.commandBytes) submission.flags |= AEROGPU_SUBMIT_FLAG_EXT_HOLD;
    pushed = m_ring.push(submission);
  }
  submittedLocked(pushed, fence);
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
  self.m_preemption = {true, request->args.PreemptionFenceId, self.m_newest};
  self.notifyAtDirql(self.completed());
  return TRUE;
}

bool Scheduler::interrupt(uint32_t status) {
  bool needsDpc = false;
  const uint64_t fence = completed();
  if (status & AEROGPU_IRQ_ERROR) {
    m_counters.errorInterrupts++;
    if (m_errorRecords.there())
      readErrors();
    else
      readNewestError();
  }
  needsDpc |= notifyCompleted(fence);
  needsDpc |= notifyPreempted(fence);
  return needsDpc;
}

// A packet that failed had no effect and the rest ran (CMD-7): the process goes on. Where a submission as a whole did
// not run, it does not. DXGK_INTERRUPT_DMA_FAULTED is not for drivers (page "DXGK_INTERRUPT_TYPE").
void Scheduler::readErrors() {
  ErrorRecord record = {};
  record.more = true;
  for (uint32_t i = 0; record.more && i < ErrorRecords::kMost; i++) {
    record = m_errorRecords.take();
    if (record.lost) blameAll();
    if (!record.code) continue;
    m_counters.lastErrorFence = record.fence;
    trace::write<trace::DeviceError>([&] { return trace::DeviceError{record.fence, record.code}; });
    if (record.code == AEROGPU_ERROR_INTERNAL) blame(record.whose);
  }
}

/** Of a device without records: of several errors at once the newest is all there is, and it may change meanwhile. */
void Scheduler::readNewestError() {
  m_counters.lastErrorFence = m_registers.read64(AEROGPU_MMIO_REG_ERROR_FENCE_LO);
  const uint32_t code = m_registers.read(AEROGPU_MMIO_REG_ERROR_CODE);
  trace::write<trace::DeviceError>([&] { return trace::DeviceError{m_counters.lastErrorFence, code}; });
  if (code == AEROGPU_ERROR_INTERNAL) blameFence(m_counters.lastErrorFence);
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

/** Remembers whose submission did not run. Paging buffers and the driver's own are nobody's. */
void Scheduler::blame(DeviceContext context) {
  const uint32_t bit = failureBit(context);
  if (!bit) return;
  InterlockedOr(&m_failures[bit / 32], static_cast<LONG>(1u << bit % 32));
  InterlockedIncrement(&m_failureCount);
}

/** Somebody's did not run, and it is not known whose: better all lose their device than one goes on with what is not
 *  there. */
void Scheduler::blameAll() {
  for (volatile LONG &word : m_failures) InterlockedOr(&word, -1);
  InterlockedIncrement(&m_failureCount);
}

void Scheduler::blameFence(uint64_t fence) {
  const uint32_t tail = ring().tail();
  for (uint32_t i = 1; i <= ring().entries(); i++) {
    const aerogpu_submit_desc &slot = ring().slot(tail - i);
    const DeviceContext context = {ring().spaceOf(tail - i), slot.context_id};
    if (slot.signal_fence != fence || !failureBit(context)) continue;
    blame(context);
    return;
  }
}

void Scheduler::begins(DeviceContext context, uint64_t process) {
  const uint32_t bit = failureBit(context);
  m_processes[bit] = process;
  InterlockedAnd(&m_failures[bit / 32], static_cast<LONG>(~(1u << bit % 32)));
}

/** The device goes through the ring in order: what hangs is what the head is at, and the rest waits for it. */
uint64_t Scheduler::processAtHead() const {
  const RingEnd end = m_ring.end();
  if (end.head == end.tail) return 0;
  const uint32_t bit = failureBit({ring().spaceOf(end.head), ring().slot(end.head).context_id});
  return bit ? m_processes[bit] : 0;
}

NTSTATUS Scheduler::resetFromTimeout() {
  m_ring.halt();
  m_timedOut = processAtHead();
  m_internal.keepLost();
  // Nothing is pushed now, so the wait needs no lock. A device that does not let go is cut off from memory, which is
  // what the page asks for. That does not reach a GPU which goes on with copies into memory of the guest's (BUSY-2):
  // the memory must not be given to anybody, and an answer but success stops the system (bug-check 0x116).
  const Ring::Left left = m_ring.reset();
  if (left != Ring::Left::Nothing) setBusMaster(false);
  BOOLEAN returned;
  m_dxgk.DxgkCbSynchronizeExecution(m_dxgk.DeviceHandle, forgetAtDirql, this, 0, &returned);
  trace::write<trace::Reset>([&] { return trace::Reset{completed(), m_lastSubmitted}; });
  m_counters.timeoutResets++;
  return left == Ring::Left::Written ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}

void Scheduler::setBusMaster(bool on) {
  USHORT command = 0;
  ULONG done = 0;
  const NTSTATUS status = m_dxgk.DxgkCbReadDeviceSpace(m_dxgk.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &command,
                                                       kPciCommand, sizeof command, &done);
  if (!NT_SUCCESS(status) || done != sizeof command) return;  // not on the bus
  command = static_cast<USHORT>(on ? command | kPciBusMaster : command & ~kPciBusMaster);
  m_dxgk.DxgkCbWriteDeviceSpace(m_dxgk.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &command, kPciCommand, sizeof command,
                                &done);
  m_cutOff = !on;
}

// What was lost is never reported, neither as done nor as preempted; nor is what was done just before and not yet told,
// because the OS has dropped it with the rest.
BOOLEAN NTAPI Scheduler::forgetAtDirql(PVOID context) {
  auto *self = static_cast<Scheduler *>(context);
  self->m_preemption.pending = false;
  self->m_newest = self->completed();
  if (self->m_newest > self->m_lastNotified) self->m_lastNotified = self->m_newest;
  return TRUE;
}

NTSTATUS Scheduler::restartFromTimeout(bool deviceForgot) {
  if (m_cutOff) setBusMaster(true);
  resume(deviceForgot);
  return STATUS_SUCCESS;
}

}  // namespace aero
