// SPDX-License-Identifier: MIT
// scheduler.h: handles the OS' submissions, fences, completion interrupts, preemption and reset. Extends the 32-bit
// fences of the WDDM scheduler to the 64-bit fences of the device. The driver's own submissions are in
// internal_queue.h.
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

  /** `queueEntries`: how many submissions the OS may queue. `spaces`: the device has handle spaces. `holds`: the device
   *  stops its ring if a paging buffer fails (MEM-10). PASSIVE_LEVEL. */
  NTSTATUS start(ULONG queueEntries, bool spaces = false, bool holds = false);
  /** Lets no more submissions in, and takes the ring away from the device. PASSIVE_LEVEL. */
  void stop();
  /** Before and after a sleep. The ring keeps its memory, but the device is told of it anew. resume() submits those of
   *  the driver's own submissions again that did not run, unless the device forgot all objects. PASSIVE_LEVEL. */
  void suspend();
  void resume(bool deviceForgot) { m_internal.resume(deviceForgot); }
  /** After a sleep, before resume(): true if the device's completed fence went back, so that it was reset and has
   *  forgotten all objects. */
  bool deviceForgot() const;

  /** DxgkDdiSubmitCommand; DISPATCH_LEVEL. Runs in the device context `context`; operations of a paging buffer run in
   * the driver's own. `runs`: set to whether the commands are in the ring now; not set for a paging buffer. */
  NTSTATUS submit(const DXGKARG_SUBMITCOMMAND &args, DeviceContext context, bool *runs = nullptr);
  /** DxgkDdiPreemptCommand; DISPATCH_LEVEL. */
  NTSTATUS preempt(const DXGKARG_PREEMPTCOMMAND &args);
  /** DxgkDdiQueryCurrentFence; PASSIVE_LEVEL. Reports completions that no interrupt has reported yet, and returns the
   *  last completed fence. */
  uint32_t currentFence();
  /** DxgkDdiResetFromTimeout; PASSIVE_LEVEL. Empties the ring; its submissions are lost. Fails if the GPU may still
   * write guest memory. */
  NTSTATUS resetFromTimeout();
  /** DxgkDdiRestartFromTimeout; PASSIVE_LEVEL. */
  NTSTATUS restartFromTimeout(bool deviceForgot = false);

  /** Called at a start and after a sleep, before the device's interrupts are on. `records`: the device has error
   *  records. PASSIVE_LEVEL. */
  void startErrors(bool records) { m_errorRecords.start(records); }
  /** Called when the device raised FENCE or ERROR; DIRQL. Tells the OS what completed; returns true if that needs a
   *  DPC. */
  bool interrupt(uint32_t status);

  /** True if the device could not run a submission of this device context, or of any in its handle space (error
   *  INTERNAL), so that its objects may not be what the program expects. At most APC_LEVEL. */
  bool failed(DeviceContext context) const {
    const uint32_t bit = failureBit(context);
    return m_failures[bit / 32] >> bit % 32 & 1;
  }
  /** Returns a count that changes whenever failed() may have become true for some context. Any IRQL. */
  LONG failureCount() const { return m_failureCount; }
  /** Assigns the device context, or the handle space, to `process` (Processes::current(); 0: the OS), and forgets its
   *  failures. */
  void begins(DeviceContext context, uint64_t process);
  /** Returns the process whose submission was at the head when resetFromTimeout() stopped the ring; 0: no program's. */
  uint64_t timedOutProcess() const { return m_timedOut; }

  /** Returns the driver's own submissions, which share the ring. */
  InternalQueue &internal() { return m_internal; }
  const Ring &ring() const { return m_ring.ring(); }
  /** Returns where the last reset or sleep stopped the ring. */
  RingEnd ringEnd() const { return m_ring.end(); }
  uint64_t lastSubmitted() const { return m_lastSubmitted; }
  /** SharedRing::completed(). Any IRQL. */
  uint64_t completed() const { return m_ring.completed(); }

private:
  struct Preemption {
    bool pending;
    uint32_t id;
    uint64_t after;  // reported once this fence is complete
  };
  struct ReportRequest {
    Scheduler *scheduler;
    uint64_t fence;
  };
  struct PreemptRequest {
    Scheduler *scheduler;
    DXGKARG_PREEMPTCOMMAND args;
  };
  /** Returns the index of a context's handle space, or, without handle spaces, of the context itself; 0 for the
   * driver's own contexts. */
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
  /** PCI-10: without bus mastering the device neither reads nor writes memory. PASSIVE_LEVEL. */
  void setBusMaster(bool on);

  const Registers &m_registers;
  Counters &m_counters;
  const DXGKRNL_INTERFACE &m_dxgk;
  SharedRing m_ring{m_registers, m_counters};  // its lock is m_lastSubmitted's too
  InternalQueue m_internal{m_ring, m_counters};
  ErrorRecords m_errorRecords{m_registers};  // the interrupt routine's
  uint64_t m_lastSubmitted = kFenceBase;
  uint64_t m_newest = kFenceBase;     // the last submitted one that no reset has dropped
  bool m_holds = false;               // paging submissions have flag EXT_HOLD
  bool m_cutOff = false;              // bus mastering is off since a reset, after which the device still used memory
  uint64_t m_completedAtSuspend = 0;  // COMPLETED_FENCE before a sleep
  // Seen by the interrupt routine, or under synchronisation with it:
  uint64_t m_lastNotified = kFenceBase;
  Preemption m_preemption = {};
  volatile LONG m_failures[SpaceNumbers::kPlaces / 32] = {};
  volatile LONG m_failureCount = 0;
  // By failureBit(). Written before the process has work in the ring; read while no other thread is in the driver.
  volatile uint64_t m_processes[SpaceNumbers::kPlaces] = {};
  uint64_t m_timedOut = 0;
};

}  // namespace aero
