// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/submit/scheduler.h"

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/os/trace.h"
#include "guest-drivers/kmd/os/waiting.h"

namespace aero {
namespace {

constexpr uint32_t kIdlePollMs = 1;
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
  m_spaces = spaces;
  m_holds = holds;
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
  m_lastSubmitted = m_newest = m_lastNotified = m_base;
  m_preemption = {};
  m_stalled = false;
  for (InternalSlot &slot : m_slots) slot = {};
  m_ring.start(m_registers, m_base, m_spaces);
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
  dropOwed();
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
  markLostSlots();
  m_ring.reset(m_registers);
  m_base = m_newest = completed();
  m_ring.stop(m_registers);
  m_completedAtSuspend = m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

bool Scheduler::deviceForgot() const {
  return m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) < m_completedAtSuspend;
}

void Scheduler::resume(bool deviceForgot) {
  ExAcquireFastMutex(&m_internalLock);
  m_stalled = false;
  if (deviceForgot) dropOwed();
  m_ring.start(m_registers, completed(), m_spaces);
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
  m_running = true;
  KeReleaseSpinLock(&m_lock, irql);
  // In the order in which they were submitted, before anything else.
  for (;;) {
    int next = -1;
    for (uint32_t i = 0; i < kInternalSlots; i++)
      if (m_slots[i].again && (next < 0 || static_cast<int32_t>(m_slots[i].index - m_slots[next].index) < 0))
        next = static_cast<int>(i);
    if (next < 0) break;
    m_slots[next].again = m_slots[next].used = false;
    // The ring is empty and larger than all of them. Any may have run already, all of it or a part (RING-7).
    if (!deviceForgot) (void)pushSlot(static_cast<uint32_t>(next), AEROGPU_SUBMIT_FLAG_EXT_AGAIN);
  }
  sendOwedLocked();
  ExReleaseFastMutex(&m_internalLock);
}

void Scheduler::markLostSlots() {
  ExAcquireFastMutex(&m_internalLock);
  for (InternalSlot &slot : m_slots) {
    // Once dropped it stays so: a second reset is of another ring, whose indexes mean nothing to it.
    slot.again |= slot.used && static_cast<int32_t>(m_ringEnd.head - slot.index) <= 0;
    slot.used = slot.again;
  }
  ExReleaseFastMutex(&m_internalLock);
}

bool Scheduler::pushLocked(const Submission &submission) {
  if (!m_running || !m_ring.push(m_registers, submission)) {
    m_counters.ringFull++;
    return false;
  }
  m_counters.submissions++;
  trace::write<trace::Submit>([&] {
    return trace::Submit{submission.fence, submission.commandGpa, submission.commandBytes, submission.context.number,
                         submission.flags};
  });
  return true;
}

/** Whether everything with this fence is in the ring. */
inline void Scheduler::submittedLocked(bool pushed, uint64_t fence) {
  if (pushed && fence > m_lastSubmitted) m_lastSubmitted = m_newest = fence;
  // An error from here stops the system (page "DxgkDdiSubmitCommand": bug-check 0x119). The ring is larger than the
  // queue that the OS announced, so this is a device that stands still or is gone: what is lost must never look done,
  // so nothing follows it, and the scheduler's timeout takes over.
  if (!pushed) m_running = false;
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
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
  submission.fence = extendFence(args.SubmissionFenceId, m_lastSubmitted);
  const bool pushed = pushLocked(submission);
  submittedLocked(pushed, submission.fence);
  KeReleaseSpinLock(&m_lock, irql);
  if (runs) *runs = pushed && submission.commandBytes;
  return STATUS_SUCCESS;
}

/** The operations of a paging buffer, which may begin and end inside of it, one after the other. */
void Scheduler::submitPaging(const DXGKARG_SUBMITCOMMAND &args) {
  PrivateData privates(args);
  uint64_t gpa = gpaOf(args);
  uint32_t left = args.DmaBufferSubmissionEndOffset - args.DmaBufferSubmissionStartOffset;
  bool pushed = true;
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
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
    submission.fence = last ? fence : m_base;
    if (!last) submission.flags |= AEROGPU_SUBMIT_FLAG_NO_IRQ;
    // Windows has no word for paging that failed, but one for a GPU that does not go on.
    if (m_holds && submission.commandBytes) submission.flags |= AEROGPU_SUBMIT_FLAG_EXT_HOLD;
    pushed = pushLocked(submission);
  }
  submittedLocked(pushed, fence);
  KeReleaseSpinLock(&m_lock, irql);
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
  const uint32_t tail = m_ring.tail();
  for (uint32_t i = 1; i <= m_ring.entries(); i++) {
    const aerogpu_submit_desc &slot = m_ring.slot(tail - i);
    const DeviceContext context = {m_ring.spaceOf(tail - i), slot.context_id};
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
  if (m_ringEnd.head == m_ringEnd.tail) return 0;
  const uint32_t bit = failureBit({m_ring.spaceOf(m_ringEnd.head), m_ring.slot(m_ringEnd.head).context_id});
  return bit ? m_processes[bit] : 0;
}

NTSTATUS Scheduler::resetFromTimeout() {
  halt();
  m_timedOut = processAtHead();
  markLostSlots();
  // Nothing is pushed now, so the wait needs no lock. A device that does not let go is cut off from memory, which is
  // what the page asks for. That does not reach a GPU which goes on with copies into memory of the guest's (BUSY-2):
  // the memory must not be given to anybody, and an answer but success stops the system (bug-check 0x116).
  const Ring::Left left = m_ring.reset(m_registers);
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

int Scheduler::freeSlot() {
  for (uint32_t i = 0; i < kInternalSlots; i++)
    if (!m_slots[i].used || (!m_slots[i].again && m_ring.passed(m_slots[i].index))) return static_cast<int>(i);
  return -1;
}

uint8_t *Scheduler::packetsOf(uint32_t slot, uint32_t entries) const {
  return m_internal.as<uint8_t>() + size_t{slot} * kInternalBytes + DmaLayout::forEntries(entries).packetOffset();
}

NTSTATUS Scheduler::submitInternal(const void *packets, uint32_t bytes, DeviceContext context, uint32_t roomMs,
                                   const aerogpu_alloc_entry *entry) {
  if (bytes > kInternalBytes - DmaLayout::forEntries(entry ? 1 : 0).packetOffset()) return STATUS_BUFFER_OVERFLOW;
  if (!m_running) return STATUS_DEVICE_NOT_READY;
  const Deadline deadline(roomMs);
  const uint32_t headBefore = m_ring.head();
  for (;;) {
    // Waited for outside of the mutex: of many callers each waits for as long as one.
    ExAcquireFastMutex(&m_internalLock);
    const NTSTATUS status = sendOwedLocked() ? tryInternal(packets, bytes, context, entry) : STATUS_IO_TIMEOUT;
    ExReleaseFastMutex(&m_internalLock);
    if (status != STATUS_IO_TIMEOUT || !roomMs) return status;
    if (!waitForRoom(deadline, headBefore)) return m_running ? status : STATUS_DEVICE_NOT_READY;
  }
}

bool Scheduler::waitForRoom(const Deadline &deadline, uint32_t headBefore) {
  if (!m_running) return false;
  const uint32_t head = m_ring.head();
  if (m_stalled && head == m_stalledHead) return false;
  if (deadline.passed()) {
    m_stalledHead = head;
    m_stalled = head == headBefore;
    return false;
  }
  sleepMs(kIdlePollMs);
  return true;
}

NTSTATUS Scheduler::tryInternal(const void *packets, uint32_t bytes, DeviceContext context,
                                const aerogpu_alloc_entry *entry) {
  if (!m_running) return STATUS_DEVICE_NOT_READY;
  const int slot = freeSlot();
  if (slot < 0) return STATUS_IO_TIMEOUT;
  const uint32_t entries = entry ? 1 : 0;
  m_slots[slot] = {false, false, 0, context, bytes, entries};
  if (entry)
    RtlCopyMemory(
        m_internal.as<uint8_t>() + size_t{static_cast<uint32_t>(slot)} * kInternalBytes + DmaLayout::entryOffset(0),
        entry, sizeof *entry);
  RtlCopyMemory(packetsOf(static_cast<uint32_t>(slot), entries), packets, bytes);
  return pushSlot(static_cast<uint32_t>(slot));
}

NTSTATUS Scheduler::pushSlot(uint32_t slot, uint32_t flags) {
  InternalSlot &internal = m_slots[slot];
  const DmaLayout layout = DmaLayout::forEntries(internal.entries);
  const size_t offset = size_t{slot} * kInternalBytes;
  finishDma(m_internal.as<uint8_t>() + offset, layout, internal.bytes);
  Submission submission = {};
  submission.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ | flags;
  submission.context = internal.context;
  submission.commandGpa = m_internal.gpa() + offset + layout.commandOffset;
  submission.commandBytes = layout.packetOffset() - layout.commandOffset + internal.bytes;
  submission.tableBytes = layout.tableBytes();
  submission.tableGpa = submission.tableBytes ? m_internal.gpa() + offset : 0;
  // Completed becomes max(old, this), so this says nothing new; and no submission of the OS in this ring has it.
  submission.fence = m_base;
  KIRQL irql;
  KeAcquireSpinLock(&m_lock, &irql);
  internal.index = m_ring.nextIndex();
  const bool pushed = pushLocked(submission);
  KeReleaseSpinLock(&m_lock, irql);
  internal.used = pushed;
  if (!pushed) return STATUS_IO_TIMEOUT;
  m_counters.internalSubmissions++;
  return STATUS_SUCCESS;
}

void *Scheduler::reserveEnd(uint32_t bytes) {
  return poolAllocate(sizeof(Owed) + bytes);
}

bool Scheduler::submitEnd(const void *packets, uint32_t bytes, DeviceContext context, void *reserve) {
  if (bytes > kInternalBytes - DmaLayout::forEntries(0).packetOffset()) return false;
  ExAcquireFastMutex(&m_internalLock);
  bool done = sendOwedLocked() && NT_SUCCESS(tryInternal(packets, bytes, context, nullptr));
  if (!done && m_ring.allocated())
    if (auto *owed = static_cast<Owed *>(reserve ? reserve : poolAllocate(sizeof(Owed) + bytes))) {
      reserve = nullptr;
      owed->next = nullptr;
      owed->context = context;
      owed->bytes = bytes;
      RtlCopyMemory(owed + 1, packets, bytes);
      if (m_owed)
        m_owedLast->next = owed;
      else
        m_owed = owed;
      m_owedLast = owed;
      done = true;
    }
  ExReleaseFastMutex(&m_internalLock);
  poolFree(reserve);
  return done;
}

void Scheduler::sendOwed() {
  ExAcquireFastMutex(&m_internalLock);
  sendOwedLocked();
  ExReleaseFastMutex(&m_internalLock);
}

void Scheduler::drainOwed() {
  if (!m_running) return;
  const Deadline deadline(kRoomTimeoutMs);
  const uint32_t headBefore = m_ring.head();
  do {
    sendOwed();
  } while (m_owed && waitForRoom(deadline, headBefore));
}

bool Scheduler::sendOwedLocked() {
  while (m_owed) {
    const int slot = m_running ? freeSlot() : -1;
    if (slot < 0) return false;
    // As many as fit into one submission of their context.
    const DeviceContext context = m_owed->context;
    uint32_t bytes = 0;
    Owed *end = m_owed;
    for (; end && end->context == context &&
           end->bytes <= kInternalBytes - DmaLayout::forEntries(0).packetOffset() - bytes;
         end = end->next) {
      RtlCopyMemory(packetsOf(static_cast<uint32_t>(slot), 0) + bytes, end + 1, end->bytes);
      bytes += end->bytes;
    }
    m_slots[slot] = {false, false, 0, context, bytes, 0};
    if (!NT_SUCCESS(pushSlot(static_cast<uint32_t>(slot)))) return false;
    while (m_owed != end) {
      Owed *sent = m_owed;
      m_owed = sent->next;
      poolFree(sent);
    }
  }
  return true;
}

void Scheduler::dropOwed() {
  while (m_owed) {
    Owed *dropped = m_owed;
    m_owed = dropped->next;
    poolFree(dropped);
  }
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
