// SPDX-License-Identifier: MIT
// Runs submissions packet by packet (commands/dispatch.h), and owns the parts that commands work with. Render
// thread only, unless a function says otherwise.
#pragma once

#include <atomic>
#include <cstdint>

#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/core/backend.h"
#include "renderer/core/context_table.h"
#include "renderer/core/execution_report.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/guest_clock.h"
#include "renderer/core/packet_scratch.h"
#include "renderer/core/presents.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/sharing.h"
#include "renderer/core/spaces.h"
#include "renderer/core/stats.h"
#include "renderer/core/submission.h"
#include "renderer/core/work_meter.h"
#include "renderer/core/write_clock.h"

namespace aerogpu::core {

class Announced;

class Executor {
public:
  /// References that outlive the executor.
  struct Environment {
    Backend& backend;
    const Announced& announced;
    HostMemory& hostMemory;
    Stats& stats;
    Log& log;
    const GuestMemory& guest;
    const std::atomic<bool>& interrupted;
    bool presentColorTarget;   ///< presents show colour target 0, not the scanout (trace files)
    uint64_t spaceMemory = 0;  ///< bytes that we hold at most for each handle space but 0
    Sharing sharing{};
  };
  explicit Executor(const Environment& env);
  ~Executor();

  /// Runs the packets of one submission, or those up to an interruption.
  ExecutionReport execute(const aerogpu_submission& submission);
  /// Returns the bits of FEATURES_LO (low half) and FEATURES_HI that the executor implements.
  uint64_t features() const;
  /// Counts what a saved state would lack: objects with a handle, share tokens, spaces, and contexts in which
  /// packets that may change their state ran since they were reset.
  uint64_t heldObjects() const {
    return m_space.handleCount() + m_resources.shared.count() + m_contexts.changedCount() + m_spaces.count();
  }
  const Spaces& spaces() const { return m_spaces; }
  void setScanout(const aerogpu_scanout_config& config) { m_presents.setScanout(config); }
  /// Returns the allocation whose texture is shown; 0 = none, or the texture is found by its address.
  uint32_t scanoutAllocation() const { return m_presents.scanoutAllocation(); }
  /// Says whether a live texture is shown: its backing starts at the scanout address, or has its allocation.
  Presents::Shown shown() const { return m_presents.shown(); }
  /// Captures the scanout's texture, if there is one.
  Result<void> snapshotScanout() { return m_presents.snapshot(); }
  /// Notes that the oldest submission is finished: its write-backs are in guest memory. Any thread.
  void submissionFinished() { m_guest.submissionFinished(); }
  /// Keeps later submissions from running until goOn() or reset(), because a submission that must not fail
  /// has failed (MEM-12). Any thread.
  void hold() { m_held.store(true, std::memory_order_relaxed); }
  bool holds() const { return m_held.load(std::memory_order_relaxed); }
  /// Ends hold(), when an interruption has dropped all work that was under way.
  void goOn() { m_held.store(false, std::memory_order_relaxed); }
  /// True if the submission must not fail: the kernel driver's with AEROGPU_SUBMIT_FLAG_EXT_HOLD (MEM-10).
  static bool mustNotFail(const aerogpu_submission& submission);
  /// Makes the next present take a frame even without changes: the embedder may have dropped the last.
  void forgetFrame() { m_presents.forgetFrame(); }
  /// Drops every object, token and binding. Every submission is finished.
  void reset();
  /// Returns the parts that commands work with, for a snapshot of them. Every submission is finished.
  Submission& parts() { return m_submission; }
  /// Sets the observer, which is not owned; null = none.
  void setObserver(GuestReadObserver* observer) { m_guest.setObserver(observer); }

private:
  void noteError(const Error& error, uint32_t offset, uint32_t opcode, uint64_t fence);
  /// Runs the packets in the selected space and context.
  void executePackets(const aerogpu_submission& submission);
  /// Adds the submission to the counters of the selected space. `drawsBefore`: Stats::draws before it.
  void noteSpace(uint64_t drawsBefore);
  void selectSpace(Space& space);

  const Environment m_env;
  Spaces m_spaces;
  SelectedSpace m_space;
  ContextTable m_contexts;
  ResourceIndex m_resources;
  GuestAccess m_guest;
  WorkMeter m_work;
  Presents m_presents;
  PacketScratch m_scratch;
  WriteClock m_writes;
  GuestClock m_clock;
  Submission m_submission;     ///< the one that is executed; refers to the parts above
  bool m_mustNotFail = false;  ///< m_submission stops all later ones if it fails
  std::atomic<bool> m_held{false};
};

}  // namespace aerogpu::core
