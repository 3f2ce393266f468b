// SPDX-License-Identifier: MIT
// Counters of aerogpu_renderer_get_stats(): written on the render thread or the completion thread, read
// anywhere.
#pragma once

#include <atomic>
#include <cstdint>

namespace aerogpu::core {

/// A counter that one thread adds to, so that it needs no locked instruction: draws and updates count in it.
class OwnCounter {
public:
  void add(uint64_t more) { set(value() + more); }
  void subtract(uint64_t less) { set(value() - less); }
  void set(uint64_t value) { m_value.store(value, std::memory_order_relaxed); }
  /// Any thread.
  uint64_t value() const { return m_value.load(std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> m_value{0};
};

struct Stats {
  // Written by the render thread.
  OwnCounter submissions, packets, draws, dispatches, presents, framesUnchanged, resources;
  OwnCounter commandBytes, uploadBytes, readbackBytes, cpuBusyNs;
  OwnCounter gpuBusyNs;  ///< CompletionThread's: one thread at a time works for it
  std::atomic<uint64_t> errors{0}, shadersTranslated{0}, pipelinesCreated{0}, inFlight{0}, heldObjects{0};
};

}  // namespace aerogpu::core
