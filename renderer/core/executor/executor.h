// SPDX-License-Identifier: MIT
// Runs submissions, packet by packet: commands/dispatch.h runs a packet, and the parts that commands work
// with are made here. Render thread only, but for what says so.
#pragma once

#include <atomic>
#include <cstdint>

#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/core/backend.h"
#include "renderer/core/context_table.h"
#include "renderer/core/execution_report.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/packet_scratch.h"
#include "renderer/core/presents.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/sharing.h"
#include "renderer/core/spaces.h"
#include "renderer/core/stats.h"
#include "renderer/core/submission.h"
#include "renderer/core/work_meter.h"

namespace aerogpu::core {

class Executor {
public:
  /// All that is referred to outlives the executor.
  struct Environment {
    Backend& backend;
    HostMemory& hostMemory;
    Stats& stats;
    Log& log;
    const GuestMemory& guest;
    const std::atomic<bool>& interrupted;
    bool presentColorTarget;   ///< presents show colour target 0, not the scanout (trace files)
    uint64_t spaceMemory = 0;  ///< bytes that a handle space may make us hold, beside space 0
    Sharing sharing{};
  };
  explicit Executor(const Environment& env);
  ~Executor();

  /// Runs the packets of one submission, or those up to an interruption.
  ExecutionReport execute(const aerogpu_submission& submission);
  /// Returns the bits of FEATURES_LO (low half) and FEATURES_HI that the executor stands for.
  uint64_t features() const;
  /// Counts what could not be made again from nothing: objects with a handle, share tokens, contexts in which
  /// anything ran but presents since they were last reset, and spaces.
  uint64_t heldObjects() const {
    return m_space.handleCount() + m_resources.shared.count() + m_contexts.changedCount() + m_spaces.count();
  }
  const Spaces& spaces() const { return m_spaces; }
  void setScanout(const aerogpu_scanout_config& config) { m_presents.setScanout(config); }
  /// The allocation whose texture is shown; 0 = none, or one is found by its address.
  uint32_t scanoutAllocation() const { return m_presents.scanoutAllocation(); }
  /// Whether a live texture's backing starts at the scanout address.
  bool scanoutIsTexture() const { return m_presents.scanoutTexture() != nullptr; }
  /// Captures the scanout's texture, if there is one.
  Result<void> snapshotScanout() { return m_presents.snapshot(); }
  /// The oldest submission that was executed is finished: its write-backs are in guest memory. Any thread.
  void submissionFinished() { m_guest.submissionFinished(); }
  /// Nothing that comes runs before goOn() or reset(): a submission that must not fail has failed (MEM-12).
  /// Any thread.
  void hold() { m_held.store(true, std::memory_order_relaxed); }
  /// An interruption is over, in which what was under way was dropped.
  void goOn() { m_held.store(false, std::memory_order_relaxed); }
  /// Whether it must not fail (AEROGPU_SUBMIT_FLAG_EXT_HOLD of the kernel driver's, MEM-10).
  static bool mustNotFail(const aerogpu_submission& submission);
  /// The embedder may have thrown the last frame away: the next present brings a new one.
  void forgetFrame() { m_presents.forgetFrame(); }
  /// Drops every object, token and binding. Every submission is finished.
  void reset();
  /// Null = none. Not owned.
  void setObserver(GuestReadObserver* observer) { m_guest.setObserver(observer); }

private:
  void noteError(const Error& error, uint32_t offset, uint32_t opcode, uint64_t fence);
  /// Packet by packet, in the space and context that are selected.
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
  Submission m_submission;     ///< that is executed; refers to the parts above
  bool m_mustNotFail = false;  ///< it stops everything when it fails
  std::atomic<bool> m_held{false};
};

}  // namespace aerogpu::core
