// SPDX-License-Identifier: MIT
#include "renderer/remote/clock.h"

#include <algorithm>
#include <chrono>

namespace aerogpu::remote {
namespace {

/// poll() takes no longer times than an int has milliseconds for.
constexpr uint64_t kMostMs = 60'000;

}  // namespace

uint64_t nowNs() {
  if (TestClock* test = TestClock::set.load(std::memory_order_relaxed)) [[unlikely]]
    return test->nowNs();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

int pollUntil(std::span<pollfd> polled, uint64_t untilNs) {
  if (TestClock* test = TestClock::set.load(std::memory_order_relaxed)) [[unlikely]]
    return test->poll(polled, untilNs);
  for (;;) {
    int timeoutMs = -1;
    const uint64_t now = untilNs == kForever ? 0 : nowNs();
    if (untilNs != kForever)
      timeoutMs = now < untilNs ? static_cast<int>(std::min((untilNs - now) / 1'000'000 + 1, kMostMs)) : 0;
    const int ready = poll(polled.data(), polled.size(), timeoutMs);
    if (ready != 0 || now >= untilNs) return ready;
  }
}

void waitUntil(CondVar& changed, Mutex& mutex, uint64_t untilNs) {
  if (TestClock* test = TestClock::set.load(std::memory_order_relaxed)) [[unlikely]] {
    test->wait(changed, mutex, untilNs);
    return;
  }
  if (untilNs == kForever)
    changed.wait(mutex);
  else if (const uint64_t now = nowNs(); now < untilNs)
    changed.waitUntil(mutex, std::chrono::steady_clock::now() + std::chrono::nanoseconds(untilNs - now));
}

}  // namespace aerogpu::remote
