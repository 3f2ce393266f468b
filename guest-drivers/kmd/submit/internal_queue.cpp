// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/submit/internal_queue.h"

#include "aerogpu/aerogpu_ring_extension.h"
#include "guest-drivers/kmd/os/waiting.h"

namespace aero {
namespace {

constexpr uint32_t kIdlePollMs = 1;

}  // namespace

bool InternalQueue::start() {
  ExInitializeFastMutex(&m_mutex);
  m_stalled = false;
  for (Slot &slot : m_slots) slot = {};
  return m_memory.allocate(size_t{kSlots} * kBytes);
}

void InternalQueue::stop() {
  m_memory.free();
  dropOwed();
}

void InternalQueue::keepLost() {
  ExAcquireFastMutex(&m_mutex);
  for (Slot &slot : m_slots) {
    // A slot that an earlier reset dropped stays dropped: its index is not of the present ring.
    slot.again |= slot.used && static_cast<int32_t>(m_ring.end().head - slot.index) <= 0;
    slot.used = slot.again;
  }
  ExReleaseFastMutex(&m_mutex);
}

void InternalQueue::resume(bool deviceForgot) {
  ExAcquireFastMutex(&m_mutex);
  m_stalled = false;
  if (deviceForgot) dropOwed();
  m_ring.run();
  // Submits the dropped packets again, in their old order, before anything else.
  for (;;) {
    int next = -1;
    for (uint32_t i = 0; i < kSlots; i++)
      if (m_slots[i].again && (next < 0 || static_cast<int32_t>(m_slots[i].index - m_slots[next].index) < 0))
        next = static_cast<int>(i);
    if (next < 0) break;
    m_slots[next].again = m_slots[next].used = false;
    // The ring is empty and has room for all slots. Each may have run already, in whole or in part (RING-7).
    if (!deviceForgot) (void)pushSlot(static_cast<uint32_t>(next), AEROGPU_SUBMIT_FLAG_EXT_AGAIN);
  }
  sendOwedLocked();
  ExReleaseFastMutex(&m_mutex);
}

int InternalQueue::freeSlot() {
  for (uint32_t i = 0; i < kSlots; i++)
    if (!m_slots[i].used || (!m_slots[i].again && m_ring.ring().passed(m_slots[i].index))) return static_cast<int>(i);
  return -1;
}

NTSTATUS InternalQueue::submit(const void *packets, uint32_t bytes, DeviceContext context, uint32_t roomMs,
                               const aerogpu_alloc_entry *entry) {
  if (bytes > kBytes - DmaLayout::forEntries(entry ? 1 : 0).packetOffset()) return STATUS_BUFFER_OVERFLOW;
  if (!m_ring.running()) return STATUS_DEVICE_NOT_READY;
  const Deadline deadline(roomMs);
  const uint32_t headBefore = m_ring.ring().head();
  for (;;) {
    // The wait is outside of the mutex, so that callers wait at the same time and not one after the other.
    ExAcquireFastMutex(&m_mutex);
    const NTSTATUS status = sendOwedLocked() ? trySubmit(packets, bytes, context, entry) : STATUS_IO_TIMEOUT;
    ExReleaseFastMutex(&m_mutex);
    if (status != STATUS_IO_TIMEOUT || !roomMs) return status;
    if (!waitForRoom(deadline, headBefore)) return m_ring.running() ? status : STATUS_DEVICE_NOT_READY;
  }
}

bool InternalQueue::waitForRoom(const Deadline &deadline, uint32_t headBefore) {
  if (!m_ring.running()) return false;
  const uint32_t head = m_ring.ring().head();
  if (m_stalled && head == m_stalledHead) return false;
  if (deadline.passed()) {
    m_stalledHead = head;
    m_stalled = head == headBefore;
    return false;
  }
  sleepMs(kIdlePollMs);
  return true;
}

NTSTATUS InternalQueue::trySubmit(const void *packets, uint32_t bytes, DeviceContext context,
                                  const aerogpu_alloc_entry *entry) {
  if (!m_ring.running()) return STATUS_DEVICE_NOT_READY;
  const int slot = freeSlot();
  if (slot < 0) return STATUS_IO_TIMEOUT;
  const uint32_t entries = entry ? 1 : 0;
  m_slots[slot] = {false, false, 0, context, bytes, entries};
  if (entry) RtlCopyMemory(slotBytes(static_cast<uint32_t>(slot)) + DmaLayout::entryOffset(0), entry, sizeof *entry);
  RtlCopyMemory(packetsOf(static_cast<uint32_t>(slot), entries), packets, bytes);
  return pushSlot(static_cast<uint32_t>(slot));
}

NTSTATUS InternalQueue::pushSlot(uint32_t number, uint32_t flags) {
  Slot &slot = m_slots[number];
  const DmaLayout layout = DmaLayout::forEntries(slot.entries);
  const uint64_t gpa = m_memory.gpa() + size_t{number} * kBytes;
  finishDma(slotBytes(number), layout, slot.bytes);
  Submission submission = {};
  submission.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ | flags;
  submission.context = slot.context;
  submission.commandGpa = gpa + layout.commandOffset;
  submission.commandBytes = layout.packetOffset() - layout.commandOffset + slot.bytes;
  submission.tableBytes = layout.tableBytes();
  submission.tableGpa = submission.tableBytes ? gpa : 0;
  // Completed becomes max(old, this), so this fence changes nothing; and no submission of the OS in this ring has it.
  submission.fence = m_ring.base();
  bool pushed;
  {
    const SharedRing::Lock lock(m_ring);
    slot.index = m_ring.ring().nextIndex();
    pushed = m_ring.push(submission);
  }
  slot.used = pushed;
  if (!pushed) return STATUS_IO_TIMEOUT;
  m_counters.internalSubmissions++;
  return STATUS_SUCCESS;
}

void *InternalQueue::reserveEnd(uint32_t bytes) {
  return poolAllocate(sizeof(Owed) + bytes);
}

bool InternalQueue::submitEnd(const void *packets, uint32_t bytes, DeviceContext context, void *reserve) {
  if (bytes > kBytes - DmaLayout::forEntries(0).packetOffset()) return false;
  ExAcquireFastMutex(&m_mutex);
  bool done = sendOwedLocked() && NT_SUCCESS(trySubmit(packets, bytes, context, nullptr));
  if (!done && m_ring.ring().allocated())
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
  ExReleaseFastMutex(&m_mutex);
  poolFree(reserve);
  return done;
}

void InternalQueue::sendOwed() {
  ExAcquireFastMutex(&m_mutex);
  sendOwedLocked();
  ExReleaseFastMutex(&m_mutex);
}

void InternalQueue::drainOwed() {
  if (!m_ring.running()) return;
  const Deadline deadline(kRoomTimeoutMs);
  const uint32_t headBefore = m_ring.ring().head();
  do {
    sendOwed();
  } while (m_owed && waitForRoom(deadline, headBefore));
}

bool InternalQueue::sendOwedLocked() {
  while (m_owed) {
    const int slot = m_ring.running() ? freeSlot() : -1;
    if (slot < 0) return false;
    // Joins as many kept packets of one context as fit into a submission.
    const DeviceContext context = m_owed->context;
    uint32_t bytes = 0;
    Owed *end = m_owed;
    for (; end && end->context == context && end->bytes <= kBytes - DmaLayout::forEntries(0).packetOffset() - bytes;
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

void InternalQueue::dropOwed() {
  while (m_owed) {
    Owed *dropped = m_owed;
    m_owed = dropped->next;
    poolFree(dropped);
  }
}

NTSTATUS InternalQueue::finish(uint32_t milliseconds) {
  Submission last = {};
  last.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ;
  last.fence = m_ring.completed() | ~uint32_t{0};
  bool pushed = false;
  for (const Deadline deadline(milliseconds); m_ring.running();) {
    if (!pushed) {
      sendOwed();
      const SharedRing::Lock lock(m_ring);
      pushed = !m_owed && m_ring.push(last);
    }
    if (pushed && m_ring.completed() >= last.fence) return STATUS_SUCCESS;
    if (deadline.passed()) return STATUS_IO_TIMEOUT;
    sleepMs(kIdlePollMs);
  }
  return STATUS_DEVICE_NOT_READY;
}

NTSTATUS InternalQueue::waitIdle(uint32_t milliseconds) {
  const uint32_t tail = m_ring.ring().tail();
  const Deadline deadline(milliseconds);
  while (m_ring.running() && !m_ring.ring().passed(tail - 1) && m_ring.ring().head() != tail) {
    if (deadline.passed()) return STATUS_IO_TIMEOUT;
    sleepMs(kIdlePollMs);
  }
  return m_ring.running() ? STATUS_SUCCESS : STATUS_DEVICE_NOT_READY;
}

}  // namespace aero
