// SPDX-License-Identifier: MIT
// internal_queue.h: the driver's own submissions: small buffers in the ring, in order with the OS' ones, without a
// fence that the OS knows.
#pragma once

#include "guest-drivers/kmd/logic/dma_layout.h"
#include "guest-drivers/kmd/submit/shared_ring.h"

namespace aero {

class Deadline;

class InternalQueue {
public:
  static constexpr uint32_t kBytes = 16 * 1024;  // of a submission, with its allocation table
  static constexpr uint32_t kSlots = 32;
  static constexpr uint32_t kRoomTimeoutMs = 200;  // a DDI may have two of these

  /** Both outlive it. */
  InternalQueue(SharedRing &ring, Counters &counters) : m_ring(ring), m_counters(counters) {}

  /** False without memory. PASSIVE_LEVEL. */
  bool start();
  /** The ring is off the device. PASSIVE_LEVEL. */
  void stop();
  /** The ring was halted, and is about to be emptied: what did not run is kept. PASSIVE_LEVEL. */
  void keepLost();
  /** Has the ring run again, with what was kept before anything else, unless the device forgot all that it was about.
   *  PASSIVE_LEVEL. */
  void resume(bool deviceForgot);
  /** Calls `restart` when nothing is in the ring and nothing can be put there meanwhile; when that returns true, what
   *  was to be ended on the device is gone with everything else. PASSIVE_LEVEL; `restart` at DISPATCH_LEVEL. */
  template <class Restart> bool restartDevice(Restart &&restart) {
    ExAcquireFastMutex(&m_mutex);
    bool restarted;
    {
      const SharedRing::Lock lock(m_ring);
      const Ring &ring = m_ring.ring();
      restarted = m_ring.running() && ring.head() == ring.tail() && restart();
    }
    if (restarted) dropOwed();
    ExReleaseFastMutex(&m_mutex);
    return restarted;
  }

  /**
   * Submits packets, which are copied; `bytes` at most kBytes. Waits for room, but not when somebody did in vain and
   * nothing has moved since: STATUS_IO_TIMEOUT. A reset of the ring does not lose them. PASSIVE_LEVEL; with `roomMs` 0,
   * which waits for nothing, APC_LEVEL. `entry`: the allocation table, which names no place that could change, or null
   * for none.
   */
  NTSTATUS submit(const void *packets, uint32_t bytes, DeviceContext context = {}, uint32_t roomMs = kRoomTimeoutMs,
                  const aerogpu_alloc_entry *entry = nullptr);
  /**
   * Submits packets that end something, and waits for nothing: packets that the ring does not take now are kept, and
   * sent before any other of the driver's submissions. False when there was no memory to keep them. `reserve` is such
   * memory (reserveEnd(), for so many bytes); the call frees or keeps it. PASSIVE_LEVEL.
   */
  bool submitEnd(const void *packets, uint32_t bytes, DeviceContext context = {}, void *reserve = nullptr);
  /** Memory for an end that must not fail; null when there is none. */
  static void *reserveEnd(uint32_t bytes);
  /** Whether an end is kept. Any IRQL. */
  bool owes() const { return m_owed != nullptr; }
  /** Sends as many of the kept ends as there is room for. PASSIVE_LEVEL. */
  void sendOwed();
  /** Sends the kept ends, and waits for room as submit() does. Some may be left. PASSIVE_LEVEL. */
  void drainOwed();
  const Ring &ring() const { return m_ring.ring(); }
  /** Waits until the device has executed everything in the ring, which leaves the ring before. Nothing is submitted
   *  after it, and interrupts are off: the fence that shows the end is none of the OS'. STATUS_IO_TIMEOUT after
   *  `milliseconds`, STATUS_DEVICE_NOT_READY without a ring that runs. PASSIVE_LEVEL. */
  NTSTATUS finish(uint32_t milliseconds);
  /** Waits until everything submitted so far, the OS' too, has left the ring. PASSIVE_LEVEL. */
  NTSTATUS waitIdle(uint32_t milliseconds);

private:
  struct Slot {
    bool used;
    bool again;      // a reset dropped it
    uint32_t index;  // in the ring
    DeviceContext context;
    uint32_t bytes;    // of packets
    uint32_t entries;  // of the allocation table
  };
  /** Packets that end something, kept until there is room; they follow it in memory. */
  struct Owed {
    Owed *next;
    DeviceContext context;
    uint32_t bytes;
  };

  int freeSlot();
  /** Under the mutex. STATUS_IO_TIMEOUT: there is no room now. */
  NTSTATUS trySubmit(const void *packets, uint32_t bytes, DeviceContext context, const aerogpu_alloc_entry *entry);
  /** Under the mutex. The packets of a slot go into the ring; `flags` of enum aerogpu_submit_flags beside NO_IRQ. */
  NTSTATUS pushSlot(uint32_t number, uint32_t flags = AEROGPU_SUBMIT_FLAG_NONE);
  /** Under the mutex. False: some is left. */
  bool sendOwedLocked();
  /** Between two looks for room: waits a little. False when that is of no use any more. */
  bool waitForRoom(const Deadline &deadline, uint32_t headBefore);
  void dropOwed();
  uint8_t *slotBytes(uint32_t number) const { return m_memory.as<uint8_t>() + size_t{number} * kBytes; }
  uint8_t *packetsOf(uint32_t number, uint32_t entries) const {
    return slotBytes(number) + DmaLayout::forEntries(entries).packetOffset();
  }

  SharedRing &m_ring;
  Counters &m_counters;
  Contiguous m_memory;
  FAST_MUTEX m_mutex = {};
  // Under it; m_owed is looked at without it.
  Slot m_slots[kSlots] = {};
  Owed *volatile m_owed = nullptr;
  Owed *m_owedLast = nullptr;
  volatile bool m_stalled = false;  // somebody waited in vain while the head was at
  uint32_t m_stalledHead = 0;
};

}  // namespace aero
