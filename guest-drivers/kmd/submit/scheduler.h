// SPDX-License-Identifier: MIT
// scheduler.h: the OS' submissions, fences, interrupts of completion, preemption and reset. The WDDM scheduler's 32-bit
// fences run on the device's ring as 64-bit ones. Submissions of the driver's own are in internal_queue.h.
#pragma once

#include "guest-drivers/kmd/device/error_records.h"
#include "guest-drivers/kmd/logic/dma_layout.h"
#include "guest-drivers/kmd/logic/space_numbers.h"
#include "guest-drivers/kmd/submit/internal_queue.h"

namespace aero {

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
  void resume(bool deviceForgot) { m_internal.resume(deviceForgot); }
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
  /** DxgkDdiRestartFromTimeout; PASSIVE_LEVEL. */
  NTSTATUS restartFromTimeout(bool deviceForgot = false);

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

  /** Submissions of the driver's own, in the same ring. */
  InternalQueue &internal() { return m_internal; }
  const Ring &ring() const { return m_ring.ring(); }
  /** Of the last reset or sleep. */
  RingEnd ringEnd() const { return m_ring.end(); }
  uint64_t lastSubmitted() const { return m_lastSubmitted; }
  /** SharedRing::completed(). Any IRQL. */
  uint64_t completed() const { return m_ring.completed(); }

private:
  struct Preemption {
    bool pending;
    uint32_t id;
    uint64_t after;  // the fence after which it is true
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
  /** PCI-2: without bus mastering the device neither reads nor writes memory. PASSIVE_LEVEL. */
  void setBusMaster(bool on);

  const Registers &m_registers;
  Counters &m_counters;
  const DXGKRNL_INTERFACE &m_dxgk;
  SharedRing m_ring{m_registers, m_counters};  // its lock is m_lastSubmitted's too
  InternalQueue m_internal{m_ring, m_counters};
  ErrorRecords m_errorRecords{m_registers};  // the interrupt routine's
  uint64_t m_lastSubmitted = kFenceBase;
  uint64_t m_newest = kFenceBase;     // the last submitted one that no reset has dropped
  bool m_holds = false;               // paging that fails does not complete
  bool m_cutOff = false;              // bus mastering is off since a reset that the device did not take
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
