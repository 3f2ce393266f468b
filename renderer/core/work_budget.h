// SPDX-License-Identifier: MIT
// How much GPU work a guest may ask for: a limit for each submission, and slices after which the executor
// waits for the GPU, so that a reset never waits for more than two of them. LIM-2 to LIM-6, LIM-9.
// Render thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace aerogpu::core {

/// What is counted. 64 bits each; one packet never counts for more than 2^45.
enum class Work : uint8_t {
  Vertices,  ///< vertices or indices of draws, times instances
  Pixels,    ///< of the area that a draw may touch, for each draw
  Groups,    ///< thread groups of dispatches
  Bytes,     ///< zeroed at creation, cleared, written, copied, read back or shown
};

class WorkBudget {
public:
  struct Limit {
    uint64_t submission;  ///< most in one submission
    uint64_t slice;       ///< most between two waits
  };
  static constexpr std::array<Limit, 4> kLimits{{
      {uint64_t{1} << 30, uint64_t{1} << 22},
      {uint64_t{1} << 40, uint64_t{1} << 31},
      {uint64_t{1} << 26, uint64_t{1} << 16},
      {uint64_t{1} << 38, uint64_t{1} << 29},
  }};
  static constexpr const Limit& limit(Work work) { return kLimits[static_cast<size_t>(work)]; }

  void beginSubmission() { m_used = {}; }
  /// False when the submission would pass its limit; then nothing is counted.
  bool take(Work work, uint64_t amount) {
    const auto i = static_cast<size_t>(work);
    if (m_used[i] > kLimits[i].submission || amount > kLimits[i].submission - m_used[i]) return false;
    count(i, amount);
    return true;
  }
  /// The same for what is done when the packet is, and leaves the GPU nothing to do: it fills no slice.
  bool takeDone(Work work, uint64_t amount) {
    const auto i = static_cast<size_t>(work);
    if (m_used[i] > kLimits[i].submission || amount > kLimits[i].submission - m_used[i]) return false;
    m_used[i] += amount;
    return true;
  }
  /// Counts what was done already. Above the limit no more of this kind is taken, not even nothing.
  void note(Work work, uint64_t amount) { count(static_cast<size_t>(work), amount); }
  uint64_t used(Work work) const { return m_used[static_cast<size_t>(work)]; }
  bool sliceFull() const { return m_sliceFull; }
  void beginSlice() {
    m_slice = {};
    m_sliceFull = false;
  }

private:
  void count(size_t i, uint64_t amount) {
    m_used[i] += amount;
    m_slice[i] += amount;
    if (m_slice[i] >= kLimits[i].slice) m_sliceFull = true;
  }
  std::array<uint64_t, kLimits.size()> m_used{}, m_slice{};
  bool m_sliceFull = false;
};

}  // namespace aerogpu::core
