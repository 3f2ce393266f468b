// SPDX-License-Identifier: MIT
#include "renderer/remote/doorbell.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <cerrno>

namespace aerogpu::remote {

void Doorbell::yieldTurn() {
  sched_yield();  // the other side may need this processor for the answer
}

void Doorbell::wake(const Descriptor& end) {
  const uint8_t one = 1;
  while (send(end.get(), &one, sizeof one, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

std::optional<Woken> Doorbell::sleep(uint64_t untilNs) const {
  pollfd polled[] = {{m_event.get(), POLLIN, 0}, {m_life, 0, 0}};
  // Who is rung without end must see the limit too.
  if (untilNs != kForever && nowNs() >= untilNs) return Woken::Late;
  const int count = pollUntil(polled, untilNs);
  if (count == 0) return Woken::Late;
  if (count < 0) return std::nullopt;
  if (polled[0].revents & POLLIN) {
    uint8_t rung[64];
    const ssize_t got = recv(m_event.get(), rung, sizeof rung, MSG_DONTWAIT);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return std::nullopt;
  }
  return Woken::Gone;
}

}  // namespace aerogpu::remote
