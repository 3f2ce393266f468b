// SPDX-License-Identifier: MIT
#include "renderer/remote/doorbell.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace aerogpu::remote {

uint64_t nowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

void Doorbell::yieldTurn() {
  sched_yield();  // the other side may need this processor for the answer
}

void Doorbell::wake() const {
  const uint64_t one = 1;
  while (write(m_event.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

std::optional<Woken> Doorbell::sleep(uint64_t untilNs) const {
  pollfd polled[] = {{m_event.get(), POLLIN, 0}, {m_life, 0, 0}};
  int timeoutMs = -1;
  if (untilNs != kForever) {
    const uint64_t now = nowNs();
    if (now >= untilNs) return Woken::Late;
    timeoutMs = static_cast<int>(std::min<uint64_t>((untilNs - now) / 1'000'000 + 1, 60'000));
  }
  const int count = ::poll(polled, 2, timeoutMs);
  if (count <= 0) return std::nullopt;
  if (polled[0].revents & POLLIN) {
    uint64_t rung;
    (void)!read(m_event.get(), &rung, sizeof rung);
    return std::nullopt;
  }
  return Woken::Gone;
}

}  // namespace aerogpu::remote
