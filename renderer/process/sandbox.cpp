// SPDX-License-Identifier: MIT
// Limits and a seccomp filter (Linux, Documentation/userspace-api/seccomp_filter.rst).
#include "renderer/process/sandbox.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <iterator>

#include "renderer/process/architecture.h"

namespace aerogpu::process {
namespace {

constexpr unsigned kNobody = 65534;

/// Enough for malloc, memory copies and the end of a process. Excludes paths, descriptors, signals and other
/// processes.
constexpr uint32_t kAllowed[] = {
    __NR_read,        __NR_write,         __NR_munmap, __NR_mremap,     __NR_madvise,
    __NR_brk,         __NR_futex,         __NR_exit,   __NR_exit_group, __NR_rt_sigreturn,
    __NR_getrandom,   __NR_clock_gettime, __NR_getpid, __NR_gettid,     __NR_sched_yield,
#ifdef AEROGPU_ADDRESS_SANITIZER
    __NR_sigaltstack,  // its runtime asks where the stack is before the process ends
#endif
};
/// Allowed only without PROT_EXEC.
constexpr uint32_t kAllowedData[] = {__NR_mmap, __NR_mprotect};

constexpr uint32_t kArgumentProt =
    offsetof(seccomp_data, args) + 2 * sizeof(uint64_t);  // low half, little endian

/// Makes a forbidden call fail as if the kernel did not know it.
bool installFilter() {
  constexpr size_t kAllowedCount = std::size(kAllowed), kDataCount = std::size(kAllowedData);
  sock_filter program[kAllowedCount + kDataCount + 10];
  size_t n = 0;
  const auto add = [&](sock_filter f) { program[n++] = f; };
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  // After the comparisons: refuse, check the protection, refuse, allow.
  const size_t refuse = n + kAllowedCount + kDataCount, protection = refuse + 1, allow = refuse + 4;
  const auto jumpTo = [&](size_t target) { return static_cast<uint8_t>(target - n - 1); };
  for (const uint32_t number : kAllowed) add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, jumpTo(allow), 0));
  for (const uint32_t number : kAllowedData)
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, jumpTo(protection), 0));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArgumentProt));
  add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(n), program};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

}  // namespace

bool dropPrivileges() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  uint32_t action = SECCOMP_RET_ERRNO;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0) return false;
  // QEMU changes its user later (-runas, -chroot), which does not affect this process: so it drops its rights
  // at once. If the user does not exist (a user namespace), root has no rights outside, and the capabilities
  // go anyway.
  if (geteuid() == 0) {
    (void)!setgroups(0, nullptr);
    (void)!setresgid(kNobody, kNobody, kNobody);
    (void)!setresuid(kNobody, kNobody, kNobody);
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capset, &header, none) != 0) return false;
  limit(RLIMIT_CORE, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return chdir("/") == 0;
}

uint64_t mappedBytes() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (!file) return 0;
  if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  std::fclose(file);
  return uint64_t{pages} * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

bool enterSandbox(const Limits& limits, uint64_t mapped, int parent) {
  // Resets signals to their default, which ends the process; the filter removes the means to change that.
  for (const int number : {SIGALRM, SIGCHLD, SIGPIPE}) signal(number, SIG_DFL);
  sigset_t nothing;
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) return false;
  const uint32_t wallMs = std::max(limits.wallMs, 1u);
  const itimerval wall{{0, 0}, {wallMs / 1000, static_cast<suseconds_t>(wallMs % 1000) * 1000}};
  if (setitimer(ITIMER_REAL, &wall, nullptr) != 0) return false;
  limit(RLIMIT_CPU, std::max(limits.cpuSeconds, 1u));
  if (mapped != 0) limit(RLIMIT_AS, mapped + kMemoryBytes);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  return installFilter();
}

}  // namespace aerogpu::process
