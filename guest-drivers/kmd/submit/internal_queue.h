// SPDX-License-Identifier: MIT
// internal_queue.h: submits the driver's own packets, in small buffers, through the same ring as the OS' submissions.
// They have no fence that the OS knows.
#pragma once

#include "guest-drivers/kmd/logic/dma_layout.h"
#include "guest-drivers/kmd/submit/shared_ring.h"

namespace aero {

class Deadline;

class InternalQueue {
public:
  static constexpr uint32_t kBytes = 16 * 1024;  // of a submission, with its allocation table
  static constexpr uint32_t kSlots = 32;
  static constexpr uint32_t kRoomTimeoutMs = 200;  // a DDI call may wait twice for this long

  /** Both outlive it. */
  InternalQueue(SharedRing &ring, Counters &counters) : m_ring(ring), m_counters(counters) {}

  /** Returns false if memory is short. PASSIVE_LEVEL. */
  bool start();
  /** Frees the memory; the device no longer uses the ring. PASSIVE_LEVEL. */
  void stop();
  /** Keeps the submissions that did not run. Called after the ring was halted, before it is emptied. PASSIVE_LEVEL. */
  void keepLost();
  /** Starts the ring again, and first submits what keepLost() kept, unless the device forgot all objects.
   *  PASSIVE_LEVEL. */
  void resume(bool deviceForgot);
  /** Calls `restart` if the ring is empty, and keeps it empty during the call. If that returns true, all objects on the
   *  device are gone, so the kept ends are dropped. Returns what `restart` returned; false if it was not called.
   *  PASSIVE_LEVEL; `restart` runs at DISPATCH_LEVEL. */
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
   * Copies and submits `bytes` bytes of packets, at most kBytes with the headers. Waits up to `roomMs` for room in the
   * ring, but not if an earlier wait ended without room and the head has not moved since; then STATUS_IO_TIMEOUT. After
   * a reset of the ring the packets are submitted again. PASSIVE_LEVEL; with `roomMs` 0 at most APC_LEVEL. `entry`: the
   * only entry of the allocation table, whose address must stay valid; null for no table.
   */
  NTSTATUS submit(const void *packets, uint32_t bytes, DeviceContext context = {}, uint32_t roomMs = kRoomTimeoutMs,
                  const aerogpu_alloc_entry *entry = nullptr);
  /**
   * Submits packets that destroy objects, without waiting: if the ring has no room, they are kept, and sent before any
   * later submission of the driver. Returns false if there was no memory to keep them. `reserve`: memory for that, from
   * reserveEnd() with the same `bytes`, or null; this function takes it over. PASSIVE_LEVEL.
   */
  bool submitEnd(const void *packets, uint32_t bytes, DeviceContext context = {}, void *reserve = nullptr);
  /** Allocates memory for a submitEnd() that must not fail; null if memory is short. */
  static void *reserveEnd(uint32_t bytes);
  /** True if packets of submitEnd() are kept. Any IRQL. */
  bool owes() const { return m_owed != nullptr; }
  /** Sends as many of the kept packets as the ring has room for. PASSIVE_LEVEL. */
  void sendOwed();
  /** Sends the kept packets, waiting for room as submit() does. Some may be left. PASSIVE_LEVEL. */
  void drainOwed();
  const Ring &ring() const { return m_ring.ring(); }
  /** Waits until the device has executed everything that was submitted: pushes an empty submission and waits for its
   *  fence. The OS does not know that fence, so the device's interrupts must be off, and nothing may be submitted
   *  afterwards. STATUS_IO_TIMEOUT after `milliseconds`, STATUS_DEVICE_NOT_READY if the ring does not run.
   *  PASSIVE_LEVEL. */
  NTSTATUS finish(uint32_t milliseconds);
  /** Waits until everything submitted so far, also by the OS, has left the ring. PASSIVE_LEVEL. */
  NTSTATUS waitIdle(uint32_t milliseconds);

private:
  struct Slot {
    bool used;
    bool again;      // a reset dropped it, and resume() submits it again
    uint32_t index;  // in the ring
    DeviceContext context;
    uint32_t bytes;    // of packets
    uint32_t entries;  // of the allocation table
  };
  /** Head of kept packets of submitEnd(); the packets follow it in memory. */
  struct Owed {
    Owed *next;
    DeviceContext context;
    uint32_t bytes;
  };

  int freeSlot();
  /** Submits packets without waiting, under the mutex. STATUS_IO_TIMEOUT: there is no room now. */
  NTSTATUS trySubmit(const void *packets, uint32_t bytes, DeviceContext context, const aerogpu_alloc_entry *entry);
  /** Pushes a slot's packets into the ring, under the mutex; `flags` (enum aerogpu_submit_flags) besides NO_IRQ. */
  NTSTATUS pushSlot(uint32_t number, uint32_t flags = AEROGPU_SUBMIT_FLAG_NONE);
  /** Does sendOwed() under the mutex; returns false if some packets are left. */
  bool sendOwedLocked();
  /** Waits a little before the next try; returns false if submit() should give up. */
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
  // Under the mutex; m_owed is also read without it.
  Slot m_slots[kSlots] = {};
  Owed *volatile m_owed = nullptr;
  Owed *m_owedLast = nullptr;
  volatile bool m_stalled = false;  // a wait for room ended in vain while the head was at m_stalledHead
  uint32_t m_stalledHead = 0;
};

}  // namespace aero
