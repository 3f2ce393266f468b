// SPDX-License-Identifier: MIT
#include "renderer/process/server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "renderer/process/io.h"
#include "renderer/process/sandbox.h"

namespace aerogpu::process {
namespace {

constexpr size_t kMaxReason = 400;  // bytes of text in a refusal

struct Child {
  pid_t pid;
  int stream;  ///< the child's end, kept to notice that the caller is gone
};

[[noreturn]] void serveCall(int stream, const Call& call, JobFunction job, uint64_t mapped, pid_t parent) {
  const Limits most,
      limits{std::min(call.limits.wallMs, most.wallMs), std::min(call.limits.cpuSeconds, most.cpuSeconds)};
  const bool ready = enterSandbox(limits, mapped, parent);
  const Phase phase = ready ? Phase::Started : Phase::NoProcess;
  RequestHeader request{};
  if (!writeAll(stream, &phase, sizeof phase) || !ready || !readAll(stream, &request, sizeof request) ||
      request.size > kMaxBytes)
    _exit(1);
  std::vector<uint8_t> input(request.size);
  if (!readAll(stream, input.data(), input.size())) _exit(1);
  JobAnswer produced = job(input);
  if (produced.verdict == Verdict::Refused)
    produced.bytes.resize(std::min(produced.bytes.size(), kMaxReason));
  const AnswerHeader answer{static_cast<uint32_t>(produced.verdict),
                            static_cast<uint32_t>(produced.bytes.size())};
  if (produced.bytes.size() > kMaxBytes || !writeAll(stream, &answer, sizeof answer) ||
      !writeAll(stream, produced.bytes.data(), produced.bytes.size()))
    _exit(1);
  _exit(0);
}

/// Receives a call and its stream; false if the control socket has no other end any more. `stream` is -1 for
/// a datagram that is no call.
bool receive(int control, Call& call, int& stream) {
  stream = -1;
  iovec bytes{&call, sizeof call};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  const ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int)))
    std::memcpy(&stream, CMSG_DATA(header), sizeof stream);
  if (stream >= 0 && (got != sizeof call || call.magic != kMagic)) {
    close(stream);
    stream = -1;
  }
  return true;
}

void onChild(int) {}  // only ends ppoll

class Server {
public:
  Server(int control, std::span<const JobFunction> jobs)
      : m_control(control), m_jobs(jobs), m_mapped(mappedBytes()) {}

  void run() {
    sigset_t blocked, original;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &original);
    struct sigaction action {};
    action.sa_handler = onChild;
    sigaction(SIGCHLD, &action, nullptr);
    for (;;) {
      // A caller that gave up leaves a hang-up, which is always reported.
      std::array<pollfd, kMaxChildren + 1> polled{};
      for (size_t i = 0; i < m_count; ++i) polled[i] = {m_children[i].stream, 0, 0};
      polled[m_count] = {m_control, static_cast<short>(m_count < kMaxChildren ? POLLIN : 0), 0};
      if (ppoll(polled.data(), m_count + 1, nullptr, &original) < 0) {
        if (errno != EINTR) return;
        reap();
        continue;
      }
      const bool called = (polled[m_count].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
      for (size_t i = 0; i < m_count; ++i)
        if (polled[i].revents & (POLLHUP | POLLERR)) abandon(m_children[i]);
      reap();
      if (called && m_count < kMaxChildren && !takeCall()) return;
      if (called && (polled[m_count].revents & POLLHUP) && m_count == kMaxChildren) return;
    }
  }

private:
  bool takeCall() {
    Call call{};
    int stream = -1;
    if (!receive(m_control, call, stream)) return false;
    if (stream < 0) return true;
    const pid_t self = getpid();
    const pid_t pid = call.job < m_jobs.size() ? fork() : -1;
    if (pid == 0) {
      close(m_control);
      for (size_t i = 0; i < m_count; ++i) close(m_children[i].stream);
      serveCall(stream, call, m_jobs[call.job], m_mapped, self);
    }
    if (pid < 0) {
      const Phase phase = Phase::NoProcess;
      (void)!send(stream, &phase, sizeof phase, MSG_NOSIGNAL | MSG_DONTWAIT);
      close(stream);
      return true;
    }
    m_children[m_count++] = {pid, stream};
    return true;
  }

  /// Gives up a child that no caller waits for.
  static void abandon(Child& child) {
    kill(child.pid, SIGKILL);
    close(child.stream);
    child.stream = -1;  // ppoll skips it
  }

  void reap() {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      for (size_t i = 0; i < m_count; ++i) {
        if (m_children[i].pid != pid) continue;
        if (m_children[i].stream >= 0) close(m_children[i].stream);
        m_children[i] = m_children[--m_count];
        break;
      }
    }
  }

  const int m_control;
  const std::span<const JobFunction> m_jobs;
  const uint64_t m_mapped;
  std::array<Child, kMaxChildren> m_children{};
  size_t m_count = 0;
};

}  // namespace

JobAnswer JobAnswer::refused(std::string_view why) {
  return {Verdict::Refused, std::vector<uint8_t>(why.begin(), why.end())};
}

void serve(int control, std::span<const JobFunction> jobs) {
  Server(control, jobs).run();
}

int serverMain(int argc, const char* name, std::span<const JobFunction> jobs) {
  int type = 0;
  socklen_t size = sizeof type;
  if (argc != 1 || getsockopt(kControlFd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    std::fprintf(stderr, "%s is started by the aerogpu renderer, not by hand\n", name);
    return kExitUsage;
  }
  if (!dropPrivileges()) return kExitNoSandbox;
  // A process with its own session: signals of a terminal do not reach it, no process has to wait for it, and
  // it outlives a QEMU that goes into the background. It ends when the last other end of its socket is
  // closed.
  const pid_t pid = fork();
  if (pid < 0) return kExitNoFork;
  if (pid > 0) return kExitReady;
  setsid();
  serve(kControlFd, jobs);
  return 0;
}

}  // namespace aerogpu::process
