// SPDX-License-Identifier: MIT
#include "renderer/translator/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace aerogpu::translator {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a waiting call looks whether it was cancelled.
constexpr int kSliceMs = 20;

/// One end of a call's stream; closing it ends the call on the other side too.
class Stream {
public:
  Stream(int fd, Clock::time_point deadline, const std::atomic<bool>* cancelled)
      : m_fd(fd), m_deadline(deadline), m_cancelled(cancelled) {}
  ~Stream() { close(m_fd); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  enum class End { None, Closed, Late, Cancelled };
  /// Why the last send or receive failed.
  End end() const { return m_end; }

  bool send(std::span<const uint8_t> bytes) {
    return whole(bytes.size(), POLLOUT, [&](size_t at) {
      return ::send(m_fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    });
  }
  bool receive(std::span<uint8_t> bytes) {
    return whole(bytes.size(), POLLIN, [&](size_t at) {
      const ssize_t got = ::recv(m_fd, bytes.data() + at, bytes.size() - at, MSG_DONTWAIT);
      return got == 0 ? ssize_t{-2} : got;
    });
  }
  template <class T>
  bool receiveValue(T& value) {
    return receive({reinterpret_cast<uint8_t*>(&value), sizeof value});
  }

  /// Waits for `events` on any descriptor under this call's deadline.
  bool wait(int fd, short events) {
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

private:
  template <class Step>
  bool whole(size_t size, short events, Step step) {
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
  bool stop(End end) {
    m_end = end;
    return false;
  }

  const int m_fd;
  const Clock::time_point m_deadline;
  const std::atomic<bool>* const m_cancelled;
  End m_end = End::None;
};

enum class Sent { Yes, Full, Gone };

Sent sendCall(int control, const Call& call, int stream) {
  iovec bytes{const_cast<Call*>(&call), sizeof call};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &stream, sizeof stream);
  for (;;) {
    if (sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return Sent::Yes;
    // Too many descriptors on their way count as a full queue.
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ETOOMANYREFS)
      return Sent::Full;
    if (errno != EINTR) return Sent::Gone;
  }
}

Error tooSlow() {
  return {ErrorCode::Backend, "the shader translator does not answer", {}};
}
Error died() {
  return {ErrorCode::CmdDecode, "the shader translator gave up on the shader", {}};
}
Error interrupted() {
  return {ErrorCode::Interrupted, "interrupted", {}};
}

bool hungUp(int fd) {
  pollfd p{fd, 0, 0};
  return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace

Client::~Client() {
  close(m_control);
}

Error Client::goneError() {
  m_gone.store(true, std::memory_order_relaxed);
  return {ErrorCode::Backend, "the shader translator has ended", {}};
}

Result<std::vector<uint8_t>> Client::call(Job job, std::initializer_list<std::span<const uint8_t>> input,
                                          const std::atomic<bool>* cancelled, Limits limits) {
  if (gone()) return goneError();
  uint64_t total = 0;
  for (const auto part : input) total += part.size();
  if (total > kMaxBytes) return Error{ErrorCode::CmdDecode, "shader is too big to translate", {}};

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{ErrorCode::Backend, "no socket for the shader translator", {}};
  const auto deadline = Clock::now() + std::chrono::milliseconds(uint64_t{limits.wallMs} + m_graceMs);
  Stream stream(ends[0], deadline, cancelled);
  const Call call{kMagic, static_cast<uint32_t>(job), limits};
  Sent sent;
  while ((sent = sendCall(m_control, call, ends[1])) == Sent::Full)
    if (!stream.wait(m_control, POLLOUT)) break;
  close(ends[1]);
  if (sent == Sent::Gone) return goneError();

  Phase phase{};
  if (sent == Sent::Full || !stream.receiveValue(phase)) {
    if (stream.end() == Stream::End::Closed && hungUp(m_control)) return goneError();
    return stream.end() == Stream::End::Cancelled ? interrupted() : tooSlow();
  }
  if (phase != Phase::Started) return Error{ErrorCode::Backend, "no process for the shader translator", {}};

  // What ends the call from here on is the input's fault: the limits of the process, or a defect met.
  const RequestHeader request{static_cast<uint32_t>(total)};
  bool open = stream.send({reinterpret_cast<const uint8_t*>(&request), sizeof request});
  for (const auto part : input) open = open && stream.send(part);
  AnswerHeader answer{};
  open = open && stream.receiveValue(answer);
  if (open && answer.size > kMaxBytes) return died();
  std::vector<uint8_t> bytes(open ? answer.size : 0);
  open = open && stream.receive(bytes);
  if (!open) return stream.end() == Stream::End::Cancelled ? interrupted() : died();
  if (answer.verdict == static_cast<uint32_t>(Verdict::Done)) return bytes;
  return Error{ErrorCode::CmdDecode, "the shader translator refuses the shader",
               std::string(bytes.begin(), bytes.end())};
}

}  // namespace aerogpu::translator
