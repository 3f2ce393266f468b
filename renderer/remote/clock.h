// SPDX-License-Identifier: MIT
// What time it is, and how a wait sleeps. Everything here that has a limit asks this one, so that tests see
// the limits come without waiting for them.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "renderer/base/mutex.h"

namespace aerogpu::remote {

/// No limit of time.
inline constexpr uint64_t kForever = UINT64_MAX;

/// A clock that a test sets in place of the system's. Any thread.
class TestClock {
public:
  virtual ~TestClock() = default;
  virtual uint64_t nowNs() = 0;
  /// As pollUntil().
  virtual int poll(std::span<pollfd> polled, uint64_t untilNs) = 0;
  /// As waitUntil(); may return sooner.
  virtual void wait(CondVar& changed, Mutex& mutex, uint64_t untilNs) REQUIRES(mutex) = 0;

  /// The one that is set, or null. It outlives all that waits with it.
  static inline std::atomic<TestClock*> set{nullptr};
};

/// Returns the monotonic clock's time in nanoseconds.
uint64_t nowNs();

/// poll(2) until a time of nowNs(), or for ever: how many are ready; 0 at the limit; -1 and errno.
int pollUntil(std::span<pollfd> polled, uint64_t untilNs);

/// Waits for a change until a time of nowNs(), or for ever. May return sooner.
void waitUntil(CondVar& changed, Mutex& mutex, uint64_t untilNs) REQUIRES(mutex);

}  // namespace aerogpu::remote
