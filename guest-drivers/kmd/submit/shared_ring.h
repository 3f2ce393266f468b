// SPDX-License-Identifier: MIT
// shared_ring.h: the ring with its lock. The OS' submissions (scheduler.h) and the driver's own (internal_queue.h)
// share it.
#pragma once

#include "guest-drivers/kmd/logic/fence.h"
#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/os/trace.h"
#include "guest-drivers/kmd/submit/ring.h"

namespace aero {

/** Head and tail of the ring when it was last emptied; submissions between them did not run. */
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
  /** Gives the ring to the device and lets submissions in. Their fences begin above all that the device has completed,
   *  so that fences only go up. PASSIVE_LEVEL. */
  void start();
  /** Lets no more submissions in, and notes head and tail. The ring keeps its memory. */
  void halt();
  /** After halt() and reset(): gives the empty ring to the device again, and lets submissions in. PASSIVE_LEVEL. */
  void run();
  /** Ring::reset(), Ring::stop(). */
  Ring::Left reset() { return m_ring.reset(m_registers); }
  void stop() { m_ring.stop(m_registers); }
  /** Before a sleep: keeps the completed fence, which a device that is reset meanwhile forgets. The device's interrupts
   *  are off. */
  void keepCompleted() { m_base = completed(); }

  /** Keeps other processors from pushing for a scope, at DISPATCH_LEVEL. Called at most at DISPATCH_LEVEL. */
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
  /** Pushes a submission, under the lock. Returns false if the ring is full or halted. */
  [[gnu::always_inline]] inline bool push(const Submission &submission);
  /** Lets no more submissions in; under the lock. */
  void shut() { m_running = false; }

  /** True if submissions are let in. Any IRQL. */
  bool running() const { return m_running; }
  const Ring &ring() const { return m_ring; }
  RingEnd end() const { return m_end; }
  /** Returns a fence that is complete, for submissions that must not change the completed fence. */
  uint64_t base() const { return m_base; }
  /** Returns the highest completed fence. It never goes back, also if the device was reset in a sleep and has forgotten
   *  its own. Any IRQL. */
  uint64_t completed() const {
    const uint64_t fence = m_ring.allocated() ? m_ring.completedFence() : 0;
    return fence > m_base ? fence : m_base;
  }

private:
  const Registers &m_registers;
  Counters &m_counters;
  KSPIN_LOCK m_lock = 0;  // of the ring
  Ring m_ring;
  uint64_t m_base = kFenceBase;  // at least this fence is complete; changes while the device's interrupts are off
  bool m_running = false;
  bool m_spaces = false;  // the device has handle spaces
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
