// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/scheduler.h"

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "aerogpu/aerogpu_pci.h"
#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

namespace {

constexpr UINT kTdrReason = 0x117;       // VIDEO_TDR_TIMEOUT_DETECTED
constexpr uint32_t kTdrFailure = 0x116;  // VIDEO_TDR_FAILURE

// Page "TDR Registry Keys": TdrDdiDelay, TdrLimitTime, TdrLimitCount.
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kDdiDelayNs = 5 * kSecondNs, kLimitTimeNs = 60 * kSecondNs;
constexpr size_t kLimitCount = 5;

/// Waits until all threads have left the driver; otherwise the system stops (page "Thread Synchronization and
/// TDR").
void waitUntilAllLeft(std::unique_lock<std::shared_mutex>& exclusion) {
  const int64_t deadline = clockNow() + kDdiDelayNs;
  while (!exclusion.try_lock()) {
    if (clockNow() >= deadline)
      bugCheck(kTdrFailure, {0, 0, 0, 0}, "#   a thread does not leave the driver for 5 s\n");
    clockSleepUntil(clockNow() + 1'000'000);
  }
}

}  // namespace

NTSTATUS Scheduler::start() {
  if (m_adapter.ddi.DxgkDdiQueryCurrentFence == nullptr) brokenRule("no DxgkDdiQueryCurrentFence");
  return kSuccess;
}

void Scheduler::stop() {
  waitIdle();
}

void Scheduler::patchAndSubmit(InFlight& e) {
  const Submission& s = e.submission;
  std::shared_lock exclusion(m_adapter.exclusion());
  DXGKARG_PATCH patch{};
  patch.hContext = s.context;
  patch.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(s.buffer.gpa);
  patch.pDmaBuffer = s.view;
  patch.DmaBufferSize = s.bufferBytes;
  patch.DmaBufferSubmissionStartOffset = s.start;
  patch.DmaBufferSubmissionEndOffset = s.end;
  patch.pDmaBufferPrivateData = s.privateData;
  patch.DmaBufferPrivateDataSize = s.privateBytes;
  patch.DmaBufferPrivateDataSubmissionStartOffset = s.privateStart;
  patch.DmaBufferPrivateDataSubmissionEndOffset = s.privateEnd;
  patch.pAllocationList = e.allocations.empty() ? nullptr : e.allocations.data();
  patch.AllocationListSize = static_cast<UINT>(e.allocations.size());
  patch.pPatchLocationList = e.patches.empty() ? nullptr : e.patches.data();
  patch.PatchLocationListSize = patch.PatchLocationListSubmissionLength = static_cast<UINT>(e.patches.size());
  patch.SubmissionFenceId = e.fence;
  patch.Flags.Paging = s.paging;
  patch.Flags.Present = s.present;
  patch.Flags.NullRendering = s.nullRendering;
  NTSTATUS status =
      callDdi("DxgkDdiPatch", kPassiveLevel, m_adapter.ddi.DxgkDdiPatch, m_adapter.context(), &patch);
  if (status != kSuccess)
    bugCheck(0x119, {3, static_cast<uint32_t>(status), 0, 0}, "#   DxgkDdiPatch failed\n");

  DXGKARG_SUBMITCOMMAND submit{};
  submit.hContext = s.context;
  submit.DmaBufferPhysicalAddress = patch.DmaBufferPhysicalAddress;
  submit.DmaBufferSize = s.bufferBytes;
  submit.DmaBufferSubmissionStartOffset = s.start;
  submit.DmaBufferSubmissionEndOffset = s.end;
  submit.pDmaBufferPrivateData = s.privateData;
  submit.DmaBufferPrivateDataSize = s.privateBytes;
  submit.DmaBufferPrivateDataSubmissionStartOffset = s.privateStart;
  submit.DmaBufferPrivateDataSubmissionEndOffset = s.privateEnd;
  submit.SubmissionFenceId = e.fence;
  submit.Flags.Paging = s.paging;
  submit.Flags.Present = s.present;
  submit.Flags.NullRendering = s.nullRendering;
  submit.Flags.Flip = s.flip;
  status = callDdi("DxgkDdiSubmitCommand", kDispatchLevel, m_adapter.ddi.DxgkDdiSubmitCommand,
                   m_adapter.context(), &submit);
  if (status != kSuccess)
    bugCheck(0x119, {2, static_cast<uint32_t>(status), 0, 0}, "#   DxgkDdiSubmitCommand failed\n");
}

uint64_t Scheduler::submit(const Submission& submission) {
  if (submission.end < submission.start || submission.end > submission.bufferBytes ||
      (submission.start == submission.end && !submission.paging))
    brokenRule("a submission of [%u, %u) in a buffer of %u bytes", submission.start, submission.end,
               submission.bufferBytes);
  std::lock_guard prepared(m_preparation);
  if (m_adapter.removed()) {  // dropped, like everything in flight
    m_completed = ++m_submitted;
    return m_completed;
  }
  for (;;) {
    uint64_t oldest;
    {
      std::lock_guard lock(m_mutex);
      if (m_inFlight.size() < m_depth) break;
      oldest = m_inFlight.front().number;
    }
    waitIdle(oldest);
  }
  InFlight entry;
  entry.submission = submission;
  if (submission.allocationCount)
    entry.allocations.assign(submission.allocations, submission.allocations + submission.allocationCount);
  if (submission.patchCount)
    entry.patches.assign(submission.patches, submission.patches + submission.patchCount);
  InFlight* place;
  {
    std::lock_guard lock(m_mutex);
    if (!submission.paging && submission.resets != m_tdr.resets) {
      // Done when everything before it is.
      const uint64_t number = ++m_submitted;
      if (m_inFlight.empty())
        m_completed = number;
      else
        m_inFlight.back().number = number;
      return number;
    }
    entry.fence = m_nextFence++;
    entry.number = ++m_submitted;
    entry.sinceNs = clockNow();
    if (m_inFlight.empty()) m_lastProgressNs = entry.sinceNs;
    m_inFlight.push_back(entry);  // before the call: the interrupt may come during it
    place = &m_inFlight.back();
  }
  (void)place;
  patchAndSubmit(entry);
  return entry.number;
}

bool Scheduler::lostBefore(uint64_t number) const {
  return number >= m_lostFrom && number <= m_lostTo && m_lostTo != 0;
}

bool Scheduler::waitIdle(uint64_t number) {
  std::unique_lock lock(m_mutex);
  while (m_completed < number && !m_adapter.removed()) {
    // Vertical syncs and completions of others wake it too: it checks how long there was no progress.
    m_changed.wait(lock, clockNow() + 100'000'000);
    if (m_completed >= number) break;
    if (clockNow() - m_lastProgressNs > m_timeoutMs * 1'000'000ll) {
      lock.unlock();
      recover();
      lock.lock();
    }
  }
  return !lostBefore(number);
}

// Page "DXGKARGCB_NOTIFY_INTERRUPT_DATA". DIRQL.
void Scheduler::notifyInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  std::lock_guard lock(m_mutex);
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_FAULTED:
      // Page "DXGK_INTERRUPT_TYPE": reserved. Its effect on a paging buffer is on page "Bug Check 0x119", 5.
      for (const InFlight& entry : m_inFlight)
        if (entry.submission.paging && entry.fence == data.DmaFaulted.FaultedFenceId)
          bugCheck(0x119, {5, entry.fence, 0, 0}, "#   a paging buffer is reported as faulted\n");
      brokenRule("fence %u is reported as faulted, which drivers may not", data.DmaFaulted.FaultedFenceId);
      return;
    case DXGK_INTERRUPT_DMA_COMPLETED: {
      const uint32_t fence = data.DmaCompleted.SubmissionFenceId;
      const UINT node = data.DmaCompleted.NodeOrdinal, engine = data.DmaCompleted.EngineOrdinal;
      if (node || engine) brokenRule("node %u, engine %u of one", node, engine);
      if (m_resetting) {
        brokenRule("fence %u is reported during a timeout reset", fence);
        return;
      }
      bool known = false;
      for (const InFlight& entry : m_inFlight) known |= entry.fence == fence;
      if (!known) {
        brokenRule("fence %u is reported complete; it is not in flight (oldest %u, last reported %u)", fence,
                   m_inFlight.empty() ? 0 : m_inFlight.front().fence, m_lastReported);
        return;
      }
      if (m_anyReported && static_cast<int32_t>(fence - m_lastReported) <= 0)
        brokenRule("fence %u is reported after %u", fence, m_lastReported);
      m_lastReported = fence;
      m_anyReported = true;
      break;
    }
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      if (!m_preempting || data.DmaPreempted.PreemptionFenceId != m_preemptFence)
        brokenRule("preemption %u is reported, asked for was %u", data.DmaPreempted.PreemptionFenceId,
                   m_preemptFence);
      break;
    case DXGK_INTERRUPT_CRTC_VSYNC:
      if (data.CrtcVsync.VidPnTargetId != m_adapter.targetId())
        brokenRule("a vertical sync of target %u", data.CrtcVsync.VidPnTargetId);
      m_vsyncInterruptNs = m_adapter.lastInterruptNs();
      m_vsyncNs = clockNow();
      m_reportedNs.push_back(m_vsyncNs);
      m_vsyncAddress = static_cast<uint64_t>(data.CrtcVsync.PhysicalAddress.QuadPart);
      m_reportedAddresses[++m_vsyncsReported % kReportedAddresses] = m_vsyncAddress;
      break;
    default:
      brokenRule("interrupt type %d", data.InterruptType);
      return;
  }
  m_reported.push_back(data);
}

// DISPATCH_LEVEL.
void Scheduler::notifyDpc() {
  std::lock_guard lock(m_mutex);
  while (!m_reported.empty()) {
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA data = m_reported.front();
    m_reported.pop_front();
    uint32_t upTo = 0;
    bool completes = true;
    switch (data.InterruptType) {
      case DXGK_INTERRUPT_DMA_COMPLETED:
        upTo = data.DmaCompleted.SubmissionFenceId;
        break;
      case DXGK_INTERRUPT_DMA_PREEMPTED:
        upTo = data.DmaPreempted.LastCompletedFenceId;
        m_preempted = true;
        break;
      default:
        ++m_vsyncs;
        m_countedNs = m_reportedNs.front();
        m_reportedNs.pop_front();
        completes = false;
    }
    if (completes)
      while (!m_inFlight.empty() && static_cast<int32_t>(m_inFlight.front().fence - upTo) <= 0) {
        m_completed = m_inFlight.front().number;
        m_inFlight.pop_front();
        m_lastProgressNs = clockNow();
      }
  }
  m_changed.notifyAll();
}

UINT Scheduler::queryFence() {
  DXGKARG_QUERYCURRENTFENCE query{};
  std::shared_lock exclusion(m_adapter.exclusion());
  const NTSTATUS status = callDdi("DxgkDdiQueryCurrentFence", kPassiveLevel,
                                  m_adapter.ddi.DxgkDdiQueryCurrentFence, m_adapter.context(), &query);
  if (!ntSuccess(status)) brokenRule("DxgkDdiQueryCurrentFence returned 0x%08x", status);
  return query.CurrentFence;
}

bool Scheduler::preempt() {
  DXGKARG_PREEMPTCOMMAND args{};
  {
    std::lock_guard lock(m_mutex);
    m_preemptFence = m_nextFence++;
    m_preempting = true;
    m_preempted = false;
    args.PreemptionFenceId = m_preemptFence;
  }
  {
    std::shared_lock exclusion(m_adapter.exclusion());
    const NTSTATUS status = callDdi("DxgkDdiPreemptCommand", kDispatchLevel,
                                    m_adapter.ddi.DxgkDdiPreemptCommand, m_adapter.context(), &args);
    if (status != kSuccess)
      bugCheck(0x119, {2, static_cast<uint32_t>(status), 0, 0}, "#   DxgkDdiPreemptCommand failed\n");
  }
  std::unique_lock lock(m_mutex);
  const bool done = m_changed.waitUntil(lock, clockNow() + std::max(m_timeoutMs / 2, 1000) * 1'000'000ll,
                                        [&] { return m_preempted; });
  m_preempting = false;
  if (!done) return false;
  ++m_tdr.preemptions;
  // Submissions taken out of the queue go in again, with new fences.
  std::deque<InFlight> again;
  again.swap(m_inFlight);
  lock.unlock();
  for (InFlight& entry : again) {
    {
      std::lock_guard relock(m_mutex);
      entry.fence = m_nextFence++;
      entry.sinceNs = m_lastProgressNs = clockNow();
      m_inFlight.push_back(entry);
    }
    patchAndSubmit(entry);
  }
  return true;
}

void Scheduler::recover() {
  std::lock_guard recovery(m_recovery);
  {
    std::lock_guard lock(m_mutex);
    if (m_inFlight.empty() || clockNow() - m_lastProgressNs <= m_timeoutMs * 1'000'000ll)
      return;  // another thread did it
    ++m_tdr.timeouts;
    auto& r = m_adapter.registers();
    const uint64_t completed = r.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
    note(
        "timeout: fence %u does not complete (%zu in flight); the device completed %llx, IRQ_STATUS %x, "
        "IRQ_ENABLE %x, "
        "RING_CONTROL %x; %llu interrupts taken, %llu refused",
        m_inFlight.front().fence, m_inFlight.size(), static_cast<unsigned long long>(completed),
        r.read(AEROGPU_MMIO_REG_IRQ_STATUS), r.read(AEROGPU_MMIO_REG_IRQ_ENABLE),
        r.read(AEROGPU_MMIO_REG_RING_CONTROL), static_cast<unsigned long long>(m_adapter.interruptsTaken()),
        static_cast<unsigned long long>(m_adapter.interruptsRefused()));
  }
  queryFence();
  if (preempt()) return;
  reset();
}

void Scheduler::countReset() {
  std::lock_guard lock(m_mutex);
  const int64_t now = clockNow();
  while (!m_resetTimes.empty() && now - m_resetTimes.front() > kLimitTimeNs) m_resetTimes.pop_front();
  if (m_resetTimes.size() == kLimitCount)
    bugCheck(kTdrFailure, {0, 0, 0, 0}, "#   a sixth timeout within a minute\n");
  m_resetTimes.push_back(now);
}

// "Timeout detection and recovery": debug information, reset, the system drops what was in flight, restart.
void Scheduler::reset() {
  countReset();
  std::unique_lock exclusion(m_adapter.exclusion(), std::defer_lock);
  waitUntilAllLeft(exclusion);
  std::vector<uint8_t> buffer(0xF800);
  DXGKARG_COLLECTDBGINFO_EXT extension{};
  DXGKARG_COLLECTDBGINFO info{};
  info.Reason = kTdrReason;
  info.pBuffer = buffer.data();
  info.BufferSize = buffer.size();
  info.pExtension = &extension;
  NTSTATUS status = callDdi("DxgkDdiCollectDbgInfo", kPassiveLevel, m_adapter.ddi.DxgkDdiCollectDbgInfo,
                            m_adapter.context(), &info);
  if (!ntSuccess(status)) brokenRule("DxgkDdiCollectDbgInfo returned 0x%08x", status);
  bool anything = false;
  for (const uint8_t byte : buffer) anything |= byte != 0;
  if (!anything) brokenRule("DxgkDdiCollectDbgInfo collected nothing");
  status = callDdi("DxgkDdiResetFromTimeout", kPassiveLevel, m_adapter.ddi.DxgkDdiResetFromTimeout,
                   m_adapter.context());
  if (!ntSuccess(status))
    bugCheck(kTdrFailure, {0, static_cast<uint32_t>(status), 0, 0}, "#   DxgkDdiResetFromTimeout failed\n");
  {
    // The interrupt routine must not run while everything is dropped. Anything it reports from here on was
    // lost.
    std::lock_guard interrupt(m_adapter.interruptLock());
    std::lock_guard lock(m_mutex);
    m_resetting = true;
    if (!m_inFlight.empty()) {
      m_lostFrom = m_inFlight.front().number;
      m_lostTo = m_inFlight.back().number;
      m_tdr.lost += m_inFlight.size();
      m_completed = m_lostTo;
      m_inFlight.clear();
    }
    m_reported.clear();
    m_reportedNs.clear();
    m_anyReported = false;
    ++m_tdr.resets;
  }
  if (m_cleanup) {
    exclusion.unlock();  // "most driver functions can again be called"
    std::exchange(m_cleanup, nullptr)();
    waitUntilAllLeft(exclusion);
  }
  status = callDdi("DxgkDdiRestartFromTimeout", kPassiveLevel, m_adapter.ddi.DxgkDdiRestartFromTimeout,
                   m_adapter.context());
  if (!ntSuccess(status)) brokenRule("DxgkDdiRestartFromTimeout returned 0x%08x", status);
  {
    std::lock_guard lock(m_mutex);
    m_resetting = false;
  }
  m_changed.notifyAll();
}

bool Scheduler::waitVsync(unsigned count, int timeoutMs) {
  return waitVsyncs(m_vsyncs + count, timeoutMs);
}

bool Scheduler::waitVsyncs(uint64_t count, int timeoutMs) {
  std::unique_lock lock(m_mutex);
  return m_changed.waitUntil(lock, clockNow() + timeoutMs * 1'000'000ll, [&] { return m_vsyncs >= count; });
}

}  // namespace aerogpu::host
