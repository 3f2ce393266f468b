// SPDX-License-Identifier: MIT
// scheduler.h: submissions, fences, interrupts of completion, preemption and reset. The WDDM scheduler's 32-bit fences
// run on the device's ring as 64-bit ones.
#pragma once

#include "dma_layout.h"
#include "fence.h"
#include "ring.h"

namespace aero {

struct Counters;

class Scheduler {
public:
  /** All three outlive it; `dxgk` is filled in before start(). */
  Scheduler(const Registers &registers, Counters &counters, const DXGKRNL_INTERFACE &dxgk)
      : m_registers(registers), m_counters(counters), m_dxgk(dxgk) {}

  /** PASSIVE_LEVEL; `queueEntries` is how many submissions the OS may queue. */
  NTSTATUS start(ULONG queueEntries);
  /** Nothing is submitted any more; the ring is taken off the device. PASSIVE_LEVEL. */
  void stop();
  /** Power: the ring's memory stays, the device forgets it and learns it again. PASSIVE_LEVEL. */
  void suspend();
  void resume();
  /** After a power-up, before resume(): the device has forgotten what it had completed, and so everything. */
  bool deviceForgot() const;

  /** DxgkDdiSubmitCommand, in a device context; DISPATCH_LEVEL. `runs`: whether its commands are in the ring now. */
  NTSTATUS submit(const DXGKARG_SUBMITCOMMAND &args, uint32_t contextId, bool *runs = nullptr);
  /** DxgkDdiPreemptCommand; DISPATCH_LEVEL. */
  NTSTATUS preempt(const DXGKARG_PREEMPTCOMMAND &args);
  /** DxgkDdiQueryCurrentFence; PASSIVE_LEVEL. Reports what no interrupt has reported yet, and returns the last fence.
   */
  uint32_t currentFence();
  /** DxgkDdiResetFromTimeout; PASSIVE_LEVEL: the ring is empty afterwards, everything in it is lost. */
  NTSTATUS resetFromTimeout();
  /** DxgkDdiRestartFromTimeout; PASSIVE_LEVEL. */
  NTSTATUS restartFromTimeout();

  /**
   * Submits packets of the driver's own, in order with everything else, without a fence that the OS knows. They are
   * copied; `bytes` at most kInternalBytes. Waits, bounded, for room. PASSIVE_LEVEL; with `roomMs` 0, which waits for
   * nothing, APC_LEVEL. `entry`: the allocation table, or null for none.
   */
  NTSTATUS submitInternal(const void *packets, uint32_t bytes, uint32_t contextId = kInternalContext,
                          uint32_t roomMs = kRoomTimeoutMs, const aerogpu_alloc_entry *entry = nullptr);
  static constexpr uint32_t kRoomTimeoutMs = 2000;
  static constexpr uint32_t kInternalBytes = 16 * 1024;
  /** Waits until everything submitted so far has left the ring. PASSIVE_LEVEL. */
  NTSTATUS waitIdle(uint32_t milliseconds);

  /** The device raised FENCE or ERROR; DIRQL. Tells the OS what completed. Returns whether it needs a DPC. */
  bool interrupt(uint32_t status);

  const Ring &ring() const { return m_ring; }
  /** Where head and tail of the ring were when it was last emptied; what lay between them did not run. */
  struct RingEnd {
    uint32_t head, tail;
  };
  RingEnd ringEnd() const { return m_ringEnd; }
  uint64_t lastSubmitted() const { return m_lastSubmitted; }
  /** The highest completed fence, never less than before a sleep: a device that was reset in it knows nothing of what
   *  it did. Any IRQL. */
  uint64_t completed() const {
    const uint64_t fence = m_ring.allocated() ? m_ring.completedFence() : 0;
    return fence > m_base ? fence : m_base;
  }

private:
  struct Preemption {
    bool pending;
    uint32_t id;
    uint64_t after;  // the fence after which it is true
  };
  struct InternalSlot {
    bool used;
    uint32_t index;  // in the ring
  };
  struct ReportRequest {
    Scheduler *scheduler;
    uint64_t fence;
  };
  struct PreemptRequest {
    Scheduler *scheduler;
    DXGKARG_PREEMPTCOMMAND args;
  };
  static constexpr uint32_t kInternalSlots = 8;

  bool pushLocked(const Submission &submission);
  void notifyAtDirql(uint64_t fence);
  bool notifyCompleted(uint64_t fence);
  bool notifyPreempted(uint64_t fence);
  bool notifyFaulted(uint64_t fence);
  static BOOLEAN NTAPI preemptAtDirql(PVOID context);
  static BOOLEAN NTAPI reportAtDirql(PVOID context);
  static BOOLEAN NTAPI forgetAtDirql(PVOID context);
  int freeSlot();
  /** Under m_internalLock. STATUS_IO_TIMEOUT: there is no room now. */
  NTSTATUS tryInternal(const void *packets, uint32_t bytes, uint32_t contextId, const aerogpu_alloc_entry *entry);
  /** Nothing is pushed from here on. */
  void halt();

  const Registers &m_registers;
  Counters &m_counters;
  const DXGKRNL_INTERFACE &m_dxgk;
  KSPIN_LOCK m_lock = 0;  // ring, m_lastSubmitted
  Ring m_ring;
  Contiguous m_internal;
  InternalSlot m_slots[kInternalSlots] = {};
  FAST_MUTEX m_internalLock = {};
  uint64_t m_base = kFenceBase;  // complete, whatever the device says; changes while its interrupts are off
  uint64_t m_lastSubmitted = kFenceBase;
  bool m_running = false;
  RingEnd m_ringEnd = {};
  uint64_t m_completedAtSuspend = 0;  // by the register
  // Seen by the interrupt routine, or under synchronisation with it:
  uint64_t m_lastNotified = kFenceBase;
  Preemption m_preemption = {};
};

}  // namespace aero
