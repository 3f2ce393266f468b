// SPDX-License-Identifier: MIT
// fork, a pipe, limits (see dxbc_worker.h). glibc keeps malloc usable in the child of a threaded process.
#include "renderer/vulkan/dxbc_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace aerogpu::vk {
namespace {

/// Wall-clock time of one translation, seconds.
constexpr unsigned kWallSeconds = 20;

constexpr rlim_t kCpuSeconds = 10;
constexpr rlim_t kMemoryBytes = rlim_t{1} << 30;  // beside what the process has already

/// Bytes of address space in use; 0 when that cannot be known.
rlim_t addressSpace() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (!file) return 0;
  if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  std::fclose(file);
  return rlim_t{pages} * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void child(int fd, const std::function<void(WorkerOutput&)>& work) {
  // Whatever the process had installed for these is not for the child.
  for (const int number : {SIGALRM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGINT, SIGPIPE})
    signal(number, SIG_DFL);
  // A lock that another thread held at the fork is never released here: no wait may be without an end.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  alarm(kWallSeconds);
  const rlimit noCore{0, 0}, cpu{kCpuSeconds, kCpuSeconds};
  setrlimit(RLIMIT_CORE, &noCore);
  setrlimit(RLIMIT_CPU, &cpu);
  if (const rlim_t held = addressSpace(); held != 0) {
    const rlimit memory{held + kMemoryBytes, held + kMemoryBytes};
    setrlimit(RLIMIT_AS, &memory);
  }
  // An assertion's text on stderr is for nobody.
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) dup2(null, STDERR_FILENO);
  WorkerOutput output(fd);
  work(output);
  _exit(0);
}

}  // namespace

bool WorkerOutput::write(const void* bytes, size_t size) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  while (size > 0) {
    const ssize_t done = ::write(m_fd, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

Result<std::vector<uint8_t>> runInChild(size_t maxBytes, const std::function<void(WorkerOutput&)>& work) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return Error{ErrorCode::Backend, "no pipe for the shader translator", {}};
  const pid_t pid = fork();
  if (pid == 0) {
    close(fds[0]);
    child(fds[1], work);
  }
  close(fds[1]);
  if (pid < 0) {
    close(fds[0]);
    return Error{ErrorCode::Backend, "no process for the shader translator", {}};
  }
  std::vector<uint8_t> out;
  uint8_t buffer[16384];
  bool tooMuch = false;
  for (;;) {
    const ssize_t got = read(fds[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (out.size() + static_cast<size_t>(got) > maxBytes) {
      tooMuch = true;
      break;
    }
    out.insert(out.end(), buffer, buffer + got);
  }
  close(fds[0]);
  if (tooMuch) kill(pid, SIGKILL);
  int status = 0;
  pid_t waited;
  do {
    waited = waitpid(pid, &status, 0);
  } while (waited < 0 && errno == EINTR);
  // Somebody else may have reaped it (SIGCHLD ignored); then the output alone must do.
  if (tooMuch || (waited == pid && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)))
    return Error{ErrorCode::CmdDecode, "the shader translator gave up on the shader", {}};
  return out;
}

}  // namespace aerogpu::vk
