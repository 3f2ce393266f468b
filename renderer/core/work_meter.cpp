// SPDX-License-Identifier: MIT
#include "renderer/core/work_meter.h"

#include <array>

namespace aerogpu::core {

void WorkMeter::beginPackets(const SlicePace& pace) {
  m_slices = 0;
  m_began = std::chrono::steady_clock::now();
  m_budget.setShift(pace.shift());
}

Error WorkMeter::tooMuch(Work work, uint64_t amount) const {
  static constexpr std::array<const char*, WorkBudget::kLimits.size()> kNames = {"vertices", "pixels",
                                                                                 "groups", "bytes"};
  return refused(ErrorCode::Backend, "the submission asks for too much work",
                 {{kNames[static_cast<size_t>(work)], amount},
                  {"before it", m_budget.used(work)},
                  {"limit", WorkBudget::limit(work).submission}});
}

bool WorkMeter::outOfTime(const Owner& owner) {
  if (!m_budget.takeAsked()) return false;
  const uint64_t pipelines = m_stats.pipelinesCreated.load(std::memory_order_relaxed);
  if (m_pipelines != kShaderMade) notePipeline();
  m_pipelines = pipelines;
  const std::chrono::nanoseconds time(Sharing::kBatchesOfSubmission * m_sharing.maxBatchNs);
  return std::chrono::steady_clock::now() - m_began >= time && m_sharing.othersWait &&
         m_sharing.othersWait(m_sharing.opaque, owner);
}

void WorkMeter::notePipeline() {
  // The time of compiling says nothing about the size of slices.
  m_slices = 0;
  if (++m_newPipelines % kPipelinesOfSlice == 0) m_budget.fillSlice();
}

bool WorkMeter::endSlice(SlicePace& pace) {
  m_budget.beginSlice();
  const auto begin = std::chrono::steady_clock::now();
  const bool goesOn = m_backend.throttle();
  const auto waited =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin);
  // throttle() waits for what an earlier call handed over: the first two waits include older work.
  pace.waited(static_cast<uint64_t>(waited.count()), ++m_slices > 2);
  m_budget.setShift(pace.shift());
  return goesOn;
}

}  // namespace aerogpu::core
