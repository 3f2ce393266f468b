// SPDX-License-Identifier: MIT
// A helper program whose jobs misbehave (see test_jobs.h).
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "renderer/process/server.h"
#include "renderer/process/test/test_jobs.h"

using namespace aerogpu::process;

namespace {

using Input = std::span<const uint8_t>;

JobAnswer echo(Input input) {
  return JobAnswer::done({input.begin(), input.end()});
}

JobAnswer refuse(Input input) {
  return JobAnswer::refused({reinterpret_cast<const char*>(input.data()), input.size()});
}

JobAnswer abortJob(Input) {
  std::abort();
}

JobAnswer crash(Input) {
  uintptr_t address = 8;
  asm volatile("" : "+r"(address));
  *reinterpret_cast<volatile int*>(address) = 1;
  return JobAnswer::refused("survived");
}

JobAnswer spin(Input) {
  for (;;) asm volatile("");
}

JobAnswer sleepJob(Input) {
  static int word = 0;
  for (;;) syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

JobAnswer flood(Input) {
  return JobAnswer::done(std::vector<uint8_t>(kMaxBytes + 1));
}

JobAnswer hoard(Input) {
  for (uint64_t bytes = 0;; bytes += size_t{16} << 20) {
    auto* const piece = static_cast<volatile char*>(std::malloc(size_t{16} << 20));
    if (!piece) return JobAnswer::refused(std::to_string(bytes));
    for (size_t at = 0; at < size_t{16} << 20; at += 4096) piece[at] = 1;
  }
}

JobAnswer environment(Input) {
  std::vector<uint8_t> lines;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view line(*entry);
    lines.insert(lines.end(), line.begin(), line.end());
    lines.push_back('\n');
  }
  return JobAnswer::done(lines);
}

JobAnswer escape(Input) {
  std::vector<uint8_t> through;
  uint8_t number = 0;
  const auto attempt = [&](long result) {
    ++number;
    if (result != -1) through.push_back(number);
  };
  const long page = 4096;
  void* const memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const itimerval forever{};
  char* const nothing[] = {nullptr};
  attempt(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY, 0));
  attempt(syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY, 0));
  attempt(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
  attempt(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
  attempt(syscall(SYS_execve, "/bin/true", nothing, nothing));
  attempt(syscall(SYS_kill, getppid(), 0));
  attempt(syscall(SYS_kill, -1, 0));
  attempt(syscall(SYS_setitimer, ITIMER_REAL, &forever, nullptr));
  attempt(syscall(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0));
  attempt(syscall(SYS_ptrace, PTRACE_TRACEME, 0, nullptr, nullptr));
  attempt(syscall(SYS_mprotect, memory, page, PROT_READ | PROT_EXEC));
  attempt(syscall(SYS_mmap, nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  attempt(syscall(SYS_dup, 1));
  attempt(syscall(SYS_rt_sigaction, SIGALRM, nullptr, nullptr, 8));
  attempt(syscall(SYS_setresuid, 0, 0, 0));
  const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(0);
  attempt(child);
  return JobAnswer::done(through);
}

}  // namespace

int main(int argc, char**) {
  static constexpr JobFunction kJobs[] = {echo,     refuse, abortJob, crash,       spin,
                                          sleepJob, flood,  hoard,    environment, escape};
  static_assert(std::size(kJobs) == static_cast<size_t>(TestJob::Count));
  return serverMain(argc, "process-test-jobs", kJobs);
}
