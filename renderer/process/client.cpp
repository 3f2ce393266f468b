// SPDX-License-Identifier: MIT
#include "renderer/process/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "renderer/process/stream.h"

namespace aerogpu::process {
namespace {

using Reason = CallError::Reason;

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
    // Too many descriptors under way count as a full queue.
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ETOOMANYREFS)
      return Sent::Full;
    if (errno != EINTR) return Sent::Gone;
  }
}

bool hungUp(int fd) {
  pollfd p{fd, 0, 0};
  return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace

std::unique_ptr<Client> Client::start(const Program& program, std::string& error, uint32_t graceMs) {
  const int control = startProgram(program, error);
  return control < 0 ? nullptr : std::unique_ptr<Client>(new Client(control, graceMs));
}

Client::~Client() {
  close(m_control);
}

CallError Client::ended() {
  m_gone.store(true, std::memory_order_relaxed);
  return {Reason::Ended};
}

Result<std::vector<uint8_t>, CallError> Client::call(uint32_t job,
                                                     std::initializer_list<std::span<const uint8_t>> input,
                                                     const std::atomic<bool>* cancelled, Limits limits) {
  if (gone()) return ended();
  uint64_t total = 0;
  for (const auto part : input) total += part.size();
  if (total > kMaxBytes) return CallError{Reason::TooBig};

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return CallError{Reason::NoSocket};
  const auto deadline = Stream::Clock::now() + std::chrono::milliseconds(uint64_t{limits.wallMs} + m_graceMs);
  Stream stream(ends[0], deadline, cancelled);
  const Call call{kMagic, job, limits};
  Sent sent;
  while ((sent = sendCall(m_control, call, ends[1])) == Sent::Full)
    if (!stream.wait(m_control, POLLOUT)) break;
  close(ends[1]);
  if (sent == Sent::Gone) return ended();

  Phase phase{};
  if (sent == Sent::Full || !stream.receiveValue(phase)) {
    if (stream.end() == Stream::End::Closed && hungUp(m_control)) return ended();
    return CallError{stream.end() == Stream::End::Cancelled ? Reason::Cancelled : Reason::NoAnswer};
  }
  if (phase != Phase::Started) return CallError{Reason::NoChild};

  // From here on the input is at fault if the call ends: it met the child's limits, or a defect.
  bool open = stream.sendValue(RequestHeader{static_cast<uint32_t>(total)});
  for (const auto part : input) open = open && stream.send(part);
  AnswerHeader answer{};
  open = open && stream.receiveValue(answer);
  if (open && answer.size > kMaxBytes) return CallError{Reason::Died};
  std::vector<uint8_t> bytes(open ? answer.size : 0);
  open = open && stream.receive(bytes);
  if (!open) return CallError{stream.end() == Stream::End::Cancelled ? Reason::Cancelled : Reason::Died};
  if (answer.verdict == static_cast<uint32_t>(Verdict::Done)) return bytes;
  return CallError{Reason::Refused, std::string(bytes.begin(), bytes.end())};
}

}  // namespace aerogpu::process
