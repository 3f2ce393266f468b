// SPDX-License-Identifier: MIT
// Counts what a submission asks of the GPU, right before it is asked, and says when to wait for the GPU and
// when a submission has had its time. LIM-2 to LIM-11. Render thread only.
#pragma once

#include <chrono>
#include <cstdint>

#include "renderer/base/result.h"
#include "renderer/core/backend.h"
#include "renderer/core/sharing.h"
#include "renderer/core/stats.h"
#include "renderer/core/work_budget.h"

namespace aerogpu::core {

class WorkMeter {
public:
  /// `backend` and `stats` outlive the object.
  WorkMeter(Backend& backend, const Stats& stats, const Sharing& sharing)
      : m_backend(backend), m_stats(stats), m_sharing(sharing) {}

  /// Everything counts from 0 on.
  void beginSubmission() { m_budget.beginSubmission(); }
  /// The time of its packets begins, in the space that paces so.
  void beginPackets(const SlicePace& pace);

  /// Counts work; over the submission's limit Backend, and nothing is counted. `weight`: WorkBudget::take().
  Result<void> take(Work work, uint64_t amount, uint32_t weight = 1) {
    if (m_budget.take(work, amount, weight)) return {};
    return tooMuch(work, amount);
  }
  /// Counts what is done when the packet is, and leaves the GPU nothing to do.
  Result<void> takeDone(Work work, uint64_t amount) {
    if (m_budget.takeDone(work, amount)) return {};
    return tooMuch(work, amount);
  }
  /// Counts what was done already; a limit that it passes shows in needNotOver().
  void note(Work work, uint64_t amount) { m_budget.note(work, amount); }
  Result<void> needNotOver(Work work) const {
    if (!m_budget.isOver(work)) return {};
    return tooMuch(work, 0);
  }

  /// A shader was translated, which takes time too.
  void noteShaderMade() {
    m_pipelines = kShaderMade;
    m_budget.ask();
  }
  /// Something ran that may have made a pipeline: whether it has is looked at after the packet.
  void noteCompiled() {
    if (m_stats.pipelinesCreated.load(std::memory_order_relaxed) != m_pipelines) [[unlikely]]
      m_budget.ask();
  }

  /// After each packet: whether the two below have anything to say.
  bool needsLook() const { return m_budget.needsLook(); }
  /// Whether the submission has had its time, and others than `owner` wait for theirs: its rest is not to
  /// run. Asks the embedder only after something that may have compiled.
  bool outOfTime(const Owner& owner);
  /// Waits for the GPU if a slice is full. False when the rest of the submission is not to run.
  bool paceSlices(SlicePace& pace) { return !m_budget.sliceFull() || endSlice(pace); }

private:
  static constexpr uint32_t kPipelinesOfSlice = 4;
  /// No count of pipelines.
  static constexpr uint64_t kShaderMade = UINT64_MAX;

  Error tooMuch(Work work, uint64_t amount) const;
  /// A pipeline was made, which GPUs' drivers compile now or when it is first used.
  void notePipeline();
  bool endSlice(SlicePace& pace);

  Backend& m_backend;
  const Stats& m_stats;
  const Sharing m_sharing;
  WorkBudget m_budget;
  std::chrono::steady_clock::time_point m_began;  ///< this submission
  uint64_t m_pipelines = 0;  ///< Stats::pipelinesCreated as it was looked at, or kShaderMade
  uint32_t m_newPipelines = 0;
  uint32_t m_slices = 0;  ///< of this submission that are full, since a pipeline was made
};

}  // namespace aerogpu::core
