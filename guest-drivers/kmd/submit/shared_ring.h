// SPDX-License-Identifier: MIT
// shared_ring.h: the ring with its lock, as the OS' submissions (scheduler.h) and the driver's own (internal_queue.h)
// share it.
#pragma once

#include "guest-drivers/kmd/logic/fence.h"
#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/os/trace.h"
#include "guest-drivers/kmd/submit/ring.h"

namespace aero {

/** Where head and tail of the ring were when it was last emptied; what lay between them did not run. */
struct RingEnd {
  uint32_t head, tail;
};

class SharedRing {
public:
  /** Both outlive it. */
  SharedRing(const Registers &registers, Counters &counters) : m_registers(registers), m_counters(counters) {}

  /** `entries`: how many submissions fit. `spaces`: the device has handle spaces. PASSIVE_LEVEL. */
  bool allocate(uint32_t entries, bool spaces);
  void free() { m_ring.free(); }
  /** Begins above every fence that the device has completed, so that fences go up only, and lets submissions in.
   *  PASSIVE_LEVEL. */
  void start();
  /** Nothing is pushed any more. Ring and memory stay. */
  void halt();
  /** Tells the device of the empty ring again, after halt() and reset(), and lets submissions in. PASSIVE_LEVEL. */
  void run();
  /** Ring::reset(), Ring::stop(). */
  Ring::Left reset() { return m_ring.reset(m_registers); }
  void stop() { m_ring.stop(m_registers); }
  /** What is complete now stays so, whatever the device says after a sleep. Its interrupts are off. */
  void keepCompleted() { m_base = completed(); }

  /** While this lives, nobody else pushes. At most DISPATCH_LEVEL; DISPATCH_LEVEL in between. */
  class Lock {
  public:
    explicit Lock(SharedRing &ring) : m_ring(ring) { KeAcquireSpinLock(&m_ring.m_lock, &m_irql); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    ~Lock() { KeReleaseSpinLock(&m_ring.m_lock, m_irql); }

  private:
    SharedRing &m_ring;
    KIRQL m_irql;
  };
  /** Under the lock. False when the ring is full or nothing is let in. */
  [[gnu::always_inline]] inline bool push(const Submission &submission);
  /** Under the lock: nothing is let in any more. */
  void shut() { m_running = false; }

  /** Whether submissions are let in. Any IRQL. */
  bool running() const { return m_running; }
  const Ring &ring() const { return m_ring; }
  RingEnd end() const { return m_end; }
  /** A fence that is complete: to say nothing new with. */
  uint64_t base() const { return m_base; }
  /** The highest completed fence, never less than before a sleep: a device that was reset in it knows nothing of what
   *  it did. Any IRQL. */
  uint64_t completed() const {
    const uint64_t fence = m_ring.allocated() ? m_ring.completedFence() : 0;
    return fence > m_base ? fence : m_base;
  }

private:
  const Registers &m_registers;
  Counters &m_counters;
  KSPIN_LOCK m_lock = 0;  // of the ring
  Ring m_ring;
  uint64_t m_base = kFenceBase;  // complete, whatever the device says; changes while its interrupts are off
  bool m_running = false;
  bool m_spaces = false;  // processes are kept apart by the device
  RingEnd m_end = {};
};

inline bool SharedRing::push(const Submission &submission) {
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

}  // namespace aero
