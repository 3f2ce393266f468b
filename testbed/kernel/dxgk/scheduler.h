// SPDX-License-Identifier: MIT
// A small GPU scheduler: DMA buffers go to the driver in order with growing 32-bit fences (which wrap), a few
// at a time; a completion counts once the interrupt routine and then the DPC have reported it, and its order
// is checked. A buffer that does not complete in time is preempted, then reset (TDR).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "d3dkmddi.h"
#include "guest-drivers/linux/device/memory.h"
#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/nt/nt.h"

namespace aerogpu::host {

class AdapterCore;

/// One DMA buffer on its way.
struct Submission {
  HANDLE context = nullptr;
  guest::Block buffer{};
  uint8_t* view = nullptr;  // the driver's view of the buffer
  UINT bufferBytes = 0, start = 0, end = 0;
  uint8_t* privateData = nullptr;
  UINT privateBytes = 0, privateStart = 0, privateEnd = 0;
  const DXGK_ALLOCATIONLIST* allocations = nullptr;
  UINT allocationCount = 0;
  const D3DDDI_PATCHLOCATIONLIST* patches = nullptr;
  UINT patchCount = 0;
  bool paging = false, present = false, flip = false, nullRendering = false;
  unsigned resets = 0;  // timeout resets when it was built; not for paging
};

struct TdrRecord {
  unsigned resets = 0, preemptions = 0;
  unsigned timeouts = 0;  // some of them end with a preemption
  uint64_t lost = 0;      // DMA buffers that were dropped
};

class Scheduler {
public:
  explicit Scheduler(AdapterCore& adapter) : m_adapter(adapter) {}

  NTSTATUS start();
  /// Waits for the buffers in flight.
  void stop();

  /// Returns the lock that is held from making allocations resident to the submission, so that nothing moves
  /// in between.
  std::recursive_mutex& preparation() { return m_preparation; }

  /// Patches and submits; waits while too many are in flight. Returns the number to wait for (never 0). A
  /// buffer that was built before a timeout reset is dropped: the reset took the devices of all programs
  /// ("Timeout detection and recovery").
  uint64_t submit(const Submission& submission);
  /// Waits until the submission with this number and all before it are done; runs timeout recovery if the GPU
  /// hangs. Returns false if a reset lost it.
  bool waitIdle(uint64_t number);
  bool waitIdle() { return waitIdle(m_submitted); }
  bool completed(uint64_t number) const { return m_completed >= number; }
  uint64_t submitted() const { return m_submitted; }
  /// True between DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout. Any thread.
  bool resetting() const {
    std::lock_guard lock(m_mutex);
    return m_resetting;
  }
  /// Returns how many submissions are in flight. Any thread.
  unsigned queued() const {
    std::lock_guard lock(m_mutex);
    return static_cast<unsigned>(m_inFlight.size());
  }
  /// Returns the 32-bit fence of the last submission. Only while no thread submits.
  uint32_t lastFence() const { return m_nextFence - 1; }

  /// Asks the driver to stop at the next boundary; submits again what had not run. Returns true if it
  /// reported the preemption.
  bool preempt();
  /// Preempts the GPU, if nothing completed for the time-out; if the driver does not report the preemption,
  /// resets it.
  void recover();

  // For tests.
  void setNextFence(uint32_t fence) { m_nextFence = fence; }
  void setDepth(unsigned depth) { m_depth = depth; }
  void setTimeoutMs(int ms) { m_timeoutMs = ms; }
  /// Sets the system's work between the next DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout: it ends
  /// what is no longer needed. No one else submits meanwhile.
  void setCleanup(std::function<void()> cleanup) { m_cleanup = std::move(cleanup); }
  const TdrRecord& tdr() const { return m_tdr; }
  /// Counts timeout resets. Any thread.
  unsigned resets() const {
    std::lock_guard lock(m_mutex);
    return m_tdr.resets;
  }
  uint64_t vsyncs() const { return m_vsyncs; }
  uint64_t lastVsyncAddress() const { return m_vsyncAddress; }
  /// Return how many vertical syncs the interrupt routine has reported, and the address reported with one of
  /// the last 64, counted from 1. Any thread.
  uint64_t vsyncsReported() const {
    std::lock_guard lock(m_mutex);
    return m_vsyncsReported;
  }
  uint64_t reportedAddress(uint64_t number) const {
    std::lock_guard lock(m_mutex);
    return m_reportedAddresses[number % kReportedAddresses];
  }
  /// Return the times (clockNow()) between which the driver noticed the last vertical sync: the interrupt
  /// came, and it was reported. 0 before the first.
  int64_t lastVsyncInterruptNs() const { return m_vsyncInterruptNs; }
  int64_t lastVsyncNs() const { return m_vsyncNs; }
  /// The last vertical sync that vsyncs() counts, and when it was reported; both belong together.
  struct CountedVsync {
    uint64_t count;
    int64_t ns;
  };
  CountedVsync countedVsync() const {
    std::lock_guard lock(m_mutex);
    return {m_vsyncs, m_countedNs};
  }
  int64_t completionNs(uint64_t number) const;
  /// Waits for `count` more vertical sync notifications.
  bool waitVsync(unsigned count, int timeoutMs);
  /// Waits until vsyncs() is at least `count`.
  bool waitVsyncs(uint64_t count, int timeoutMs);
  UINT queryFence();

  // Called by the callbacks.
  void notifyInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void notifyDpc();

private:
  struct InFlight {
    uint32_t fence;
    uint64_t number;
    Submission submission;
    std::vector<DXGK_ALLOCATIONLIST> allocations;
    std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
    int64_t sinceNs;
  };
  void patchAndSubmit(InFlight& entry);
  void reset();
  /// Stops the system if there are too many timeouts in a minute.
  void countReset();
  bool lostBefore(uint64_t number) const;

  AdapterCore& m_adapter;
  std::recursive_mutex m_preparation;
  std::mutex m_recovery;
  mutable std::mutex m_mutex;  // protects the following; also taken at DIRQL, held for a few instructions
  ClockCondition m_changed;
  std::deque<InFlight> m_inFlight;
  std::deque<DXGKARGCB_NOTIFY_INTERRUPT_DATA> m_reported;  // reported by the ISR, not yet by the DPC
  uint32_t m_nextFence = 1, m_lastReported = 0;
  bool m_anyReported = false, m_preempting = false, m_preempted = false, m_resetting = false;
  uint32_t m_preemptFence = 0;
  std::atomic<uint64_t> m_submitted{0}, m_completed{0}, m_vsyncs{0}, m_vsyncAddress{0};
  uint64_t m_lostFrom = 0, m_lostTo = 0;
  std::atomic<int64_t> m_lastProgressNs{0}, m_vsyncInterruptNs{0}, m_vsyncNs{0};
  static constexpr unsigned kReportedAddresses = 64;
  std::deque<int64_t> m_reportedNs;  // of the vertical syncs in m_reported
  int64_t m_countedNs = 0;
  uint64_t m_vsyncsReported = 0, m_reportedAddresses[kReportedAddresses] = {};
  unsigned m_depth = 8;
  int m_timeoutMs = 10000;
  TdrRecord m_tdr;
  std::function<void()> m_cleanup;
  std::deque<int64_t> m_resetTimes;
};

}  // namespace aerogpu::host
