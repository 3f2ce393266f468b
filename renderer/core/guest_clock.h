// SPDX-License-Identifier: MIT
// The clock of timestamps as the guest sees it: the GPU's, which never goes back (QUERY-6), not even on
// another GPU.
#pragma once

#include <atomic>
#include <cstdint>

namespace aerogpu::core {

class GuestClock {
public:
  /// Returns the guest's time for one of the GPU's, and notes it as given. Thread that carries out
  /// read-backs.
  uint64_t give(uint64_t gpuTime) {
    const uint64_t time = gpuTime + m_offset.load(std::memory_order_relaxed);
    if (time > m_newest.load(std::memory_order_relaxed)) m_newest.store(time, std::memory_order_relaxed);
    return time;
  }
  /// Returns the newest time that was given. All work is done, here and below.
  uint64_t newest() const { return m_newest.load(std::memory_order_relaxed); }
  /// Goes on from `newest`, where the GPU's time is `gpuTime`.
  void goOn(uint64_t newest, uint64_t gpuTime) {
    m_offset.store(newest > gpuTime ? newest - gpuTime : 0, std::memory_order_relaxed);
    m_newest.store(newest, std::memory_order_relaxed);
  }
  /// Shows the GPU's time again.
  void reset() { goOn(0, 0); }

private:
  std::atomic<uint64_t> m_offset{0}, m_newest{0};
};

}  // namespace aerogpu::core
