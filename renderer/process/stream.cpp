// SPDX-License-Identifier: MIT
#include "renderer/process/stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace aerogpu::process {
namespace {

/// The interval at which a wait checks if it was cancelled.
constexpr int kSliceMs = 20;

}  // namespace

Stream::~Stream() {
  close(m_fd);
}

bool Stream::send(std::span<const uint8_t> bytes) {
  return whole(bytes.size(), POLLOUT, [&](size_t at) {
    return ::send(m_fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
  });
}

bool Stream::receive(std::span<uint8_t> bytes) {
  return whole(bytes.size(), POLLIN, [&](size_t at) {
    const ssize_t got = ::recv(m_fd, bytes.data() + at, bytes.size() - at, MSG_DONTWAIT);
    return got == 0 ? ssize_t{-2} : got;
  });
}

bool Stream::wait(int fd, short events) {
  for (;;) {
    if (m_cancelled && m_cancelled->load(std::memory_order_relaxed)) return stop(End::Cancelled);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_deadline - Clock::now()).count();
    if (left <= 0) return stop(End::Late);
    pollfd p{fd, events, 0};
    const int ready = poll(&p, 1, static_cast<int>(std::min<int64_t>(left, kSliceMs)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return stop(End::Closed);
  }
}

template <class Step>
bool Stream::whole(size_t size, short events, Step step) {
  for (size_t at = 0; at < size;) {
    const ssize_t done = step(at);
    if (done >= 0) {
      at += static_cast<size_t>(done);
      continue;
    }
    if (done == -1 && errno == EINTR) continue;
    if (done != -1 || (errno != EAGAIN && errno != EWOULDBLOCK)) return stop(End::Closed);
    if (!wait(m_fd, events)) return false;
  }
  return true;
}

}  // namespace aerogpu::process
