// SPDX-License-Identifier: MIT
// Counts what a submission asks of the GPU, right before it is asked, and says when to wait for the GPU and
// when a submission has had its time. LIM-2 to LIM-15. Render thread only.
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

  /// Sets the counts of the submission to 0.
  void beginSubmission() { m_budget.beginSubmission(); }
  /// Starts the submission's time; `pace` is that of its space.
  void beginPackets(const SlicePace& pace);

  /// Counts work; over the submission's limit Backend, and nothing is counted. `weight`: WorkBudget::take().
  Result<void> take(Work work, uint64_t amount, uint32_t weight = 1) {
    if (m_budget.take(work, amount, weight)) return {};
    return tooMuch(work, amount);
  }
  /// Counts work that is done with the packet and leaves the GPU nothing to do.
  Result<void> takeDone(Work work, uint64_t amount) {
    if (m_budget.takeDone(work, amount)) return {};
    return tooMuch(work, amount);
  }
  /// Counts work that was done already; needNotOver() fails if it passed the limit.
  void note(Work work, uint64_t amount) { m_budget.note(work, amount); }
  Result<void> needNotOver(Work work) const {
    if (!m_budget.isOver(work)) return {};
    return tooMuch(work, 0);
  }

  /// Notes that a shader was or may have been translated, which takes time like a new pipeline.
  void noteShaderMade() {
    m_pipelines = kShaderMade;
    m_budget.ask();
  }
  /// Notes that a command ran that may have made a pipeline; if it has, needsLook() becomes true.
  void noteCompiled() {
    if (m_stats.pipelinesCreated.load(std::memory_order_relaxed) != m_pipelines) [[unlikely]]
      m_budget.ask();
  }

  /// True if outOfTime() and paceSlices() must be called after this packet.
  bool needsLook() const { return m_budget.needsLook(); }
  /// True if the submission has used up its time while work of another owner than `owner` waits: its rest
  /// must not run. Asks the embedder only after something that may have compiled.
  bool outOfTime(const Owner& owner);
  /// Waits for the GPU if a slice is full. False when the rest of the submission is not to run.
  bool paceSlices(SlicePace& pace) { return !m_budget.sliceFull() || endSlice(pace); }

private:
  static constexpr uint32_t kPipelinesOfSlice = 4;
  /// A value of m_pipelines that no count of pipelines reaches.
  static constexpr uint64_t kShaderMade = UINT64_MAX;

  Error tooMuch(Work work, uint64_t amount) const;
  /// Counts a new pipeline, which the GPU's driver compiles now or at its first use.
  void notePipeline();
  bool endSlice(SlicePace& pace);

  Backend& m_backend;
  const Stats& m_stats;
  const Sharing m_sharing;
  WorkBudget m_budget;
  std::chrono::steady_clock::time_point m_began;  ///< this submission
  uint64_t m_pipelines = 0;  ///< Stats::pipelinesCreated at the last look, or kShaderMade
  uint32_t m_newPipelines = 0;
  uint32_t m_slices = 0;  ///< full ones of this submission since the last new pipeline
};

}  // namespace aerogpu::core
