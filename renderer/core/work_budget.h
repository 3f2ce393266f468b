// SPDX-License-Identifier: MIT
// The GPU work that a guest may ask for: a limit for each submission, and slices after which the executor
// waits for the GPU, so that a reset never waits for more than two of them. LIM-2 to LIM-6, LIM-9, LIM-13.
// Render thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace aerogpu::core {

/// The kinds of work. 64 bits each; one packet never counts for more than 2^45.
enum class Work : uint8_t {
  Vertices,  ///< vertices or indices of draws, times instances
  Pixels,    ///< of the area that a draw may touch, for each draw
  Groups,    ///< thread groups of dispatches
  Bytes,     ///< zeroed at creation, cleared, written, copied, read back or shown
};

/// The size of one handle space's slices, by the time they took. A slice is counted before its time is known:
/// draws count for the whole viewport, however little of it they cover. So slices begin small, grow while
/// they are quick, and shrink for good after one that was not.
class SlicePace {
public:
  static constexpr uint32_t kStart = 6;  ///< 1/64 of WorkBudget::kLimits' slices
  static constexpr uint32_t kSmallest = 10;
  static constexpr uint64_t kQuickNs = 20'000'000, kSlowNs = 250'000'000;

  uint32_t shift() const { return m_shift; }
  /// Notes that a wait for a slice took `ns`; `own`: it waited for slices of the same space only.
  void waited(uint64_t ns, bool own) {
    if (ns < kQuickNs) {
      if (m_shift > m_least) --m_shift;
      return;
    }
    if (!own || ns <= kSlowNs) return;
    for (; ns > kSlowNs && m_shift < kSmallest; ns /= 2) ++m_shift;
    m_least = std::max(m_least, std::min(m_shift, kStart));
  }

private:
  uint32_t m_shift = kStart, m_least = 0;
};

class WorkBudget {
public:
  struct Limit {
    uint64_t submission;  ///< most in one submission
    uint64_t slice;       ///< most between two waits, weighed, if they are quick (SlicePace)
    bool paced;           ///< slices are smaller unless quick; bytes never take long
  };
  static constexpr std::array<Limit, 4> kLimits{{
      {uint64_t{1} << 30, uint64_t{1} << 22, true},
      {uint64_t{1} << 40, uint64_t{1} << 31, true},
      {uint64_t{1} << 26, uint64_t{1} << 16, true},
      {uint64_t{1} << 38, uint64_t{1} << 29, false},
  }};
  static constexpr const Limit& limit(Work work) { return kLimits[static_cast<size_t>(work)]; }

  /// Returns the weight of a shader invocation in slices; `anisotropy` is the highest that a texture is
  /// sampled with. 1 for any shader that is not longer than a plain one: a sample and a dozen instructions. A
  /// long one counts fourfold: slices grow while draws are quick because they cover little, and the next
  /// draws may cover the whole viewport; two slices of those must not reach a time-out. This costs little,
  /// for programs do not make thousands of small draws with long shaders.
  static constexpr uint32_t weight(uint64_t instructions, uint64_t samples, uint32_t anisotropy) {
    constexpr uint64_t kSample = 4, kPlain = 16, kLong = 64, kLongCounts = 4, kMost = uint64_t{1} << 15;
    const uint64_t cost = instructions + samples * kSample * anisotropy;
    return static_cast<uint32_t>(
        std::clamp<uint64_t>((cost < kLong ? cost : cost * kLongCounts) / kPlain, 1, kMost));
  }

  WorkBudget() {
    beginSubmission();
    beginSlice();
  }
  void beginSubmission() {
    for (size_t i = 0; i < kLimits.size(); ++i) m_left[i] = static_cast<int64_t>(kLimits[i].submission);
  }
  /// Scales slices of paced work to 2^-shift of those in kLimits from here on, the current slice too.
  void setShift(uint32_t shift) {
    if (shift == m_shift) return;
    for (size_t i = 0; i < kLimits.size(); ++i) m_slice[i] += sliceOf(i, shift) - sliceOf(i, m_shift);
    m_shift = shift;
  }
  /// False if the submission would pass its limit; then nothing is counted. `weight`: for slices only, at
  /// most 2^15; 0 = it fills none.
  bool take(Work work, uint64_t amount, uint32_t weight = 1) {
    const auto i = static_cast<size_t>(work);
    if (m_left[i] < 0 || amount > static_cast<uint64_t>(m_left[i])) return false;
    count(i, amount, weight);
    return true;
  }
  /// Takes work that is done with the packet and leaves the GPU nothing to do: it fills no slice.
  bool takeDone(Work work, uint64_t amount) { return take(work, amount, 0); }
  /// Counts work that was done already. Above the limit no more of this kind is taken, not even an amount of
  /// 0.
  void note(Work work, uint64_t amount) { count(static_cast<size_t>(work), amount, 1); }
  /// True if note() has passed the limit.
  bool isOver(Work work) const { return m_left[static_cast<size_t>(work)] < 0; }
  uint64_t used(Work work) const {
    const auto i = static_cast<size_t>(work);
    return kLimits[i].submission - static_cast<uint64_t>(m_left[i]);
  }
  bool sliceFull() const { return (m_look & kFull) != 0; }
  void fillSlice() { m_look |= kFull; }
  /// Makes needsLook() true until takeAsked().
  void ask() { m_look |= kAsked; }
  bool takeAsked() {
    const bool asked = (m_look & kAsked) != 0;
    m_look &= kFull;
    return asked;
  }
  /// True if a slice is full or ask() was called: the only test for each packet.
  bool needsLook() const { return m_look != 0; }
  void beginSlice() {
    for (size_t i = 0; i < kLimits.size(); ++i) m_slice[i] = sliceOf(i, m_shift);
    m_look &= kAsked;
  }

private:
  static constexpr uint8_t kFull = 1, kAsked = 2;
  static constexpr int64_t sliceOf(size_t i, uint32_t shift) {
    return static_cast<int64_t>(kLimits[i].slice >> (kLimits[i].paced ? shift : 0));
  }
  void count(size_t i, uint64_t amount, uint32_t weight) {
    m_left[i] -= static_cast<int64_t>(amount);
    // One packet adds 2^60 at most, and earlier ones less than a slice.
    m_slice[i] -= static_cast<int64_t>(amount * weight);
    if (m_slice[i] <= 0) m_look |= kFull;
  }
  std::array<int64_t, kLimits.size()> m_left{};   ///< of the submission; below 0: over its limit
  std::array<int64_t, kLimits.size()> m_slice{};  ///< left of the slice
  uint32_t m_shift = 0;
  uint8_t m_look = 0;
};

}  // namespace aerogpu::core
