// SPDX-License-Identifier: MIT
// A stream socket to another process under one deadline. Any thread, one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace aerogpu::process {

/// Owns its descriptor; closing it ends the call on the other side too. Nothing here blocks past the
/// deadline, or for more than 20 ms after `*cancelled` (may be null) became true.
class Stream {
public:
  using Clock = std::chrono::steady_clock;

  Stream(int fd, Clock::time_point deadline, const std::atomic<bool>* cancelled)
      : m_fd(fd), m_deadline(deadline), m_cancelled(cancelled) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  enum class End { None, Closed, Late, Cancelled };
  /// Returns why the last send, receive or wait failed.
  End end() const { return m_end; }

  /// Sends all of the bytes, or returns false.
  bool send(std::span<const uint8_t> bytes);
  bool receive(std::span<uint8_t> bytes);
  template <class T>
  bool sendValue(const T& value) {
    return send({reinterpret_cast<const uint8_t*>(&value), sizeof value});
  }
  template <class T>
  bool receiveValue(T& value) {
    return receive({reinterpret_cast<uint8_t*>(&value), sizeof value});
  }

  /// Waits for `events` (poll) on any descriptor, under this stream's deadline.
  bool wait(int fd, short events);

private:
  template <class Step>
  bool whole(size_t size, short events, Step step);
  bool stop(End end) {
    m_end = end;
    return false;
  }

  const int m_fd;
  const Clock::time_point m_deadline;
  const std::atomic<bool>* const m_cancelled;
  End m_end = End::None;
};

}  // namespace aerogpu::process
