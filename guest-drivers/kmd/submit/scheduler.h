// SPDX-License-Identifier: MIT
// scheduler.h: submissions, fences, interrupts of completion, preemption and reset. The WDDM scheduler's 32-bit fences
// run on the device's ring as 64-bit ones.
#pragma once

#include "guest-drivers/kmd/device/error_records.h"
#include "guest-drivers/kmd/logic/dma_layout.h"
#include "guest-drivers/kmd/logic/fence.h"
#include "guest-drivers/kmd/logic/space_numbers.h"
#include "guest-drivers/kmd/submit/ring.h"

namespace aero {

struct Counters;
class Deadline;

class Scheduler {
public:
  /** All three outlive it; `dxgk` is filled in before start(). */
  Scheduler(const Registers &registers, Counters &counters, const DXGKRNL_INTERFACE &dxgk)
      : m_registers(registers), m_counters(counters), m_dxgk(dxgk) {}

  /** PASSIVE_LEVEL; `queueEntries` is how many submissions the OS may queue. `spaces`: the device has handle spaces.
   *  `holds`: it stops its ring when a paging buffer fails (MEM-10). */
  NTSTATUS start(ULONG queueEntries, bool spaces = false, bool holds = false);
  /** Nothing is submitted any more; the ring is taken off the device. PASSIVE_LEVEL. */
  void stop();
  /** Power: the ring's memory stays, the device forgets it and learns it again. What the driver itself had submitted
   *  and did not run comes again, unless the device forgot all that it was about. PASSIVE_LEVEL. */
  void suspend();
  void resume(bool deviceForgot);
  /** After a power-up, before resume(): the device has forgotten what it had completed, and so everything. */
  bool deviceForgot() const;

  /** DxgkDdiSubmitCommand, in a device context, or, of a paging buffer, in the driver's own, whichever the OS names;
   *  DISPATCH_LEVEL. `runs`: whether its commands are in the ring now; not told of a paging buffer. */
  NTSTATUS submit(const DXGKARG_SUBMITCOMMAND &args, DeviceContext context, bool *runs = nullptr);
  /** DxgkDdiPreemptCommand; DISPATCH_LEVEL. */
  NTSTATUS preempt(const DXGKARG_PREEMPTCOMMAND &args);
  /** DxgkDdiQueryCurrentFence; PASSIVE_LEVEL. Reports what no interrupt has reported yet, and returns the last fence.
   */
  uint32_t currentFence();
  /** DxgkDdiResetFromTimeout; PASSIVE_LEVEL: the ring is empty afterwards, everything in it is lost. Fails when the GPU
   *  goes on writing memory of the guest's. */
  NTSTATUS resetFromTimeout();
  /** Calls `restart` when nothing is in the ring and nothing can be put there meanwhile; when that returns true, what
   * was to be ended on the device is gone with everything else. PASSIVE_LEVEL; `restart` at DISPATCH_LEVEL. */
  template <class Restart> bool restartDevice(Restart &&restart) {
    ExAcquireFastMutex(&m_internalLock);
    KIRQL irql;
    KeAcquireSpinLock(&m_lock, &irql);
    const bool restarted = m_running && m_ring.head() == m_ring.tail() && restart();
    KeReleaseSpinLock(&m_lock, irql);
    if (restarted) dropOwed();
    ExReleaseFastMutex(&m_internalLock);
    return restarted;
  }
  /** DxgkDdiRestartFromTimeout; PASSIVE_LEVEL. */
  NTSTATUS restartFromTimeout(bool deviceForgot = false);

  /**
   * Submits packets of the driver's own, in order with everything else, without a fence that the OS knows. They are
   * copied; `bytes` at most kInternalBytes. Waits for room, but not when somebody did in vain and nothing has moved
   * since: STATUS_IO_TIMEOUT. A reset of the ring does not lose them. PASSIVE_LEVEL; with `roomMs` 0, which waits for
   * nothing, APC_LEVEL. `entry`: the allocation table, which names no place that could change, or null for none.
   */
  NTSTATUS submitInternal(const void *packets, uint32_t bytes, DeviceContext context = {},
                          uint32_t roomMs = kRoomTimeoutMs, const aerogpu_alloc_entry *entry = nullptr);
  static constexpr uint32_t kRoomTimeoutMs = 200;  // a DDI may have two of these
  /**
   * The same for packets that end something, which waits for nothing: what the ring does not take now is kept, and
   * sent before anything else of the driver's once it does. False when there was no memory to keep it, which
   * `reserve` is (reserveEnd(), for so many bytes; it is gone then). PASSIVE_LEVEL.
   */
  bool submitEnd(const void *packets, uint32_t bytes, DeviceContext context = {}, void *reserve = nullptr);
  /** Memory for an end that must not fail; null when there is none. */
  static void *reserveEnd(uint32_t bytes);
  /** Whether something is kept. Any IRQL. */
  bool owes() const { return m_owed != nullptr; }
  /** Sends of what is kept as much as there is room for. PASSIVE_LEVEL. */
  void sendOwed();
  /** Sends what is kept, and waits for room as submitInternal() does. Some may be left. PASSIVE_LEVEL. */
  void drainOwed();
  static constexpr uint32_t kInternalBytes = 16 * 1024;
  static constexpr uint32_t kInternalSlots = 32;
  /** Waits until everything submitted so far has left the ring. PASSIVE_LEVEL. */
  NTSTATUS waitIdle(uint32_t milliseconds);

  /** Before the device's interrupts are on, at a start and after a sleep. `records`: the device has error records.
   *  PASSIVE_LEVEL. */
  void startErrors(bool records) { m_errorRecords.start(records); }
  /** The device raised FENCE or ERROR; DIRQL. Tells the OS what completed. Returns whether it needs a DPC. */
  bool interrupt(uint32_t status);

  /** Whether the device could not run a submission of this device context (error INTERNAL), or of any in its handle
   *  space: what it draws from is not what the program thinks. At most APC_LEVEL. */
  bool failed(DeviceContext context) const {
    const uint32_t bit = failureBit(context);
    return m_failures[bit / 32] >> bit % 32 & 1;
  }
  /** How often failed() may have become true, of anybody. Any IRQL. */
  LONG failureCount() const { return m_failureCount; }
  /** Somebody else has the device context, or the handle space, from now on: `process`, a number of
   *  Processes::current(), 0 for the OS' own. */
  void begins(DeviceContext context, uint64_t process);
  /** Whose submission the device was at when resetFromTimeout() stopped it; 0: nobody's, or the OS' own. */
  uint64_t timedOutProcess() const { return m_timedOut; }

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
  struct ReportRequest {
    Scheduler *scheduler;
    uint64_t fence;
  };
  struct PreemptRequest {
    Scheduler *scheduler;
    DXGKARG_PREEMPTCOMMAND args;
  };
  /** Handle spaces are told apart where there are any, else contexts. */
  static constexpr uint32_t failureBit(DeviceContext context) {
    return context.space ? SpaceNumbers::placeOf(context.space) : context.number % kAlternateContext;
  }

  [[gnu::always_inline]] inline bool pushLocked(const Submission &submission);
  void submitPaging(const DXGKARG_SUBMITCOMMAND &args);
  void submittedLocked(bool pushed, uint64_t fence);
  void notifyAtDirql(uint64_t fence);
  bool notifyCompleted(uint64_t fence);
  bool notifyPreempted(uint64_t fence);
  void readErrors();
  void readNewestError();
  void blame(DeviceContext context);
  void blameAll();
  void blameFence(uint64_t fence);
  uint64_t processAtHead() const;
  static BOOLEAN NTAPI preemptAtDirql(PVOID context);
  static BOOLEAN NTAPI reportAtDirql(PVOID context);
  static BOOLEAN NTAPI forgetAtDirql(PVOID context);
  int freeSlot();
  /** Under m_internalLock. STATUS_IO_TIMEOUT: there is no room now. */
  NTSTATUS tryInternal(const void *packets, uint32_t bytes, DeviceContext context, const aerogpu_alloc_entry *entry);
  /** Under m_internalLock. The packets of slot `slot` go into the ring; `flags` of enum aerogpu_submit_flags beside
   *  NO_IRQ. */
  NTSTATUS pushSlot(uint32_t slot, uint32_t flags = AEROGPU_SUBMIT_FLAG_NONE);
  /** Under m_internalLock. False: some is left. */
  bool sendOwedLocked();
  /** Between two looks for room: waits a little. False when that is of no use any more. */
  bool waitForRoom(const Deadline &deadline, uint32_t headBefore);
  void dropOwed();
  void markLostSlots();
  uint8_t *packetsOf(uint32_t slot, uint32_t entries) const;
  /** Nothing is pushed from here on. */
  void halt();
  /** PCI-2: without bus mastering the device neither reads nor writes memory. PASSIVE_LEVEL. */
  void setBusMaster(bool on);

  const Registers &m_registers;
  Counters &m_counters;
  const DXGKRNL_INTERFACE &m_dxgk;
  KSPIN_LOCK m_lock = 0;  // ring, m_lastSubmitted
  Ring m_ring;
  ErrorRecords m_errorRecords{m_registers};  // the interrupt routine's
  Contiguous m_internal;
  InternalSlot m_slots[kInternalSlots] = {};
  FAST_MUTEX m_internalLock = {};
  // Under m_internalLock; m_owed is looked at without it.
  Owed *volatile m_owed = nullptr;
  Owed *m_owedLast = nullptr;
  volatile bool m_stalled = false;  // somebody waited in vain while the head was at
  uint32_t m_stalledHead = 0;
  uint64_t m_base = kFenceBase;  // complete, whatever the device says; changes while its interrupts are off
  uint64_t m_lastSubmitted = kFenceBase;
  uint64_t m_newest = kFenceBase;  // the last submitted one that no reset has dropped
  bool m_running = false;
  bool m_spaces = false;  // processes are kept apart by the device
  bool m_holds = false;   // paging that fails does not complete
  bool m_cutOff = false;  // bus mastering is off since a reset that the device did not take
  RingEnd m_ringEnd = {};
  uint64_t m_completedAtSuspend = 0;  // by the register
  // Seen by the interrupt routine, or under synchronisation with it:
  uint64_t m_lastNotified = kFenceBase;
  Preemption m_preemption = {};
  volatile LONG m_failures[SpaceNumbers::kPlaces / 32] = {};
  volatile LONG m_failureCount = 0;
  // By failureBit(). Written before anything of the process is in the ring, read while the OS has nobody in the driver.
  volatile uint64_t m_processes[SpaceNumbers::kPlaces] = {};
  uint64_t m_timedOut = 0;
};

}  // namespace aero
