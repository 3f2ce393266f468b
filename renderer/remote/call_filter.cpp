// SPDX-License-Identifier: MIT
#include "renderer/remote/call_filter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "renderer/process/architecture.h"
#include "renderer/remote/call_lists.h"

namespace aerogpu::remote {
namespace {

/// Bit of the numbers of the x32 ABI, which reach the same calls.
constexpr uint32_t kX32 = 0x40000000;

/// The low half of an argument, little endian.
constexpr uint32_t argument(unsigned index) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args) + index * sizeof(uint64_t));
}

class Filter {
public:
  /// `refusal`: what happens to calls that are refused.
  explicit Filter(uint32_t refusal) : m_refusal(refusal) {
    load(offsetof(seccomp_data, arch));
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, process::kArchitecture, 1, 0));
    end(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kX32, 0, 1));
    end(SECCOMP_RET_KILL_PROCESS);
#endif
  }

  void end(uint32_t action) {
    add(BPF_STMT(BPF_RET | BPF_K, action));
  }
  void refuse() {
    end(m_refusal);
  }
  /// Ends the call `number`.
  void endCall(uint32_t number, uint32_t action) {
    ifEqual(number, 1);
    end(action);
  }
  void refuseCall(uint32_t number) {
    endCall(number, m_refusal);
  }
  void allowCall(uint32_t number) {
    endCall(number, SECCOMP_RET_ALLOW);
  }
  void endNewerThan(uint32_t number, uint32_t action) {
    add(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, number, 0, 1));
    end(action);
  }
  /// Allows the call `number` only where its argument is one of `values`, or, with `kinds`, its bits 8 to 15
  /// are one of these.
  void allowWhere(uint32_t number, unsigned index, std::span<const uint32_t> values,
                  std::span<const uint32_t> kinds = {}) {
    const size_t length = 1 + 2 * values.size() + (kinds.empty() ? 0 : 1 + 2 * kinds.size()) + 1;
    ifEqual(number, static_cast<uint8_t>(length));
    load(argument(index));
    for (const uint32_t value : values) allowCall(value);
    if (!kinds.empty()) add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xFF00));
    for (const uint32_t kind : kinds) allowCall(kind << 8);
    refuse();
  }
  /// Allows the call `number` only where this one bit of its first argument is set.
  void allowWithBit(uint32_t number, uint32_t bit) {
    ifEqual(number, 4);
    load(argument(0));
    add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, 0, 1));
    end(SECCOMP_RET_ALLOW);
    refuse();
  }
  /// Allows the call `number` only where its first two arguments are `value`.
  void allowForTwo(uint32_t number, uint32_t value) {
    ifEqual(number, 6);
    load(argument(0));
    ifEqual(value, 3);
    load(argument(1));
    ifEqual(value, 1);
    end(SECCOMP_RET_ALLOW);
    refuse();
  }
  bool install() {
    const sock_fprog program{static_cast<unsigned short>(m_program.size()), m_program.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
  }

private:
  void load(uint32_t offset) {
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
  }
  /// What comes next counts for this value only.
  void ifEqual(uint32_t value, uint8_t instructions) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions));
  }
  void add(sock_filter instruction) {
    m_program.push_back(instruction);
  }

  const uint32_t m_refusal;
  std::vector<sock_filter> m_program;
};

/// Refused calls: number and the argument that decided, plus one so that 0 is none. Written by the handler
/// of a signal.
std::array<std::atomic<uint64_t>, 32> g_refusals;
size_t g_refusalsTold = 0;  ///< of them

/// The number of the argument by which a call is judged; -1: none.
int judgedBy(uint32_t number) {
  switch (number) {
    case __NR_ioctl:
    case __NR_fcntl:
      return 1;
    case __NR_prctl:
    case __NR_socketpair:
      return 0;
    default:
      return -1;
  }
}

/// Notes the call that was not made, and lets it fail. Any thread; async-signal-safe.
void onRefusal(int, siginfo_t* info, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
  const auto number = static_cast<uint32_t>(info->si_syscall);
  const int index = judgedBy(number);
  uint64_t value = 0;
#if defined(__x86_64__)
  if (index >= 0) value = static_cast<uint64_t>(registers.gregs[index == 0 ? REG_RDI : REG_RSI]);
  registers.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
  if (index >= 0) value = registers.regs[index];
  registers.regs[0] = static_cast<uint64_t>(-int64_t{EPERM});
#else
#error "put the result of a system call here"
#endif
  const uint64_t refusal = (uint64_t{number} << 32 | static_cast<uint32_t>(value)) + 1;
  for (auto& place : g_refusals) {
    uint64_t none = 0;
    if (place.compare_exchange_strong(none, refusal, std::memory_order_release, std::memory_order_relaxed) ||
        none == refusal)
      return;
  }
}

/// A refusing filter: short, and without a handler that a driver could miss.
bool refuseSome() {
  Filter filter(SECCOMP_RET_ERRNO | EPERM);
  for (const uint32_t number : kRefused) filter.refuseCall(number);
  // Its flags are in memory, which a filter cannot read; the C library takes clone() then.
  filter.endCall(__NR_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.allowWithBit(__NR_clone, CLONE_THREAD);  // threads, and no processes
  const uint32_t own[] = {static_cast<uint32_t>(getpid())}, self[] = {0};
  filter.allowWhere(__NR_tgkill, 0, own);      // abort()
  filter.allowWhere(__NR_prlimit64, 0, self);  // its own limits
  filter.end(SECCOMP_RET_ALLOW);
  return filter.install();
}

bool allowSome(bool hardware) {
  struct sigaction action {};
  action.sa_sigaction = onRefusal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;
  Filter filter(SECCOMP_RET_TRAP);
  for (const uint32_t number : kListed) filter.allowCall(number);
  filter.endCall(__NR_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.endNewerThan(kNewestCall, SECCOMP_RET_ERRNO | ENOSYS);
  filter.endCall(__NR_openat2, SECCOMP_RET_ERRNO | ENOSYS);
  filter.allowWithBit(__NR_clone, CLONE_THREAD);
  const uint32_t own[] = {static_cast<uint32_t>(getpid())}, self[] = {0}, local[] = {AF_UNIX};
  filter.allowWhere(__NR_tgkill, 0, own);
  filter.allowWhere(__NR_prlimit64, 0, self);
  filter.allowWhere(__NR_socketpair, 0, local);  // of a call of the shader translator
  filter.allowWhere(__NR_fcntl, 1, kFileCommands);
  filter.allowWhere(__NR_prctl, 0, kProcessCommands);
  filter.allowWhere(__NR_ioctl, 1, kDeviceCommands,
                    hardware ? std::span<const uint32_t>(kDeviceKinds) : std::span<const uint32_t>());
  if (hardware) filter.allowForTwo(__NR_kcmp, own[0]);  // whether two descriptors are one file
  filter.refuse();
  return filter.install();
}

}  // namespace

Calls callsFor(core::DriverKind driver) {
  const char* const wanted = std::getenv("AEROGPU_RENDERER_CALLS");
  const std::string_view named = wanted ? wanted : "";
  if (named == "refused") return Calls::Refused;
  const bool lists = named == "listed";
  switch (driver) {
    case core::DriverKind::None:
    case core::DriverKind::Lavapipe:
      return Calls::Listed;
    case core::DriverKind::Mesa:
    case core::DriverKind::Other:
      break;
  }
  return lists ? Calls::Mesa : Calls::Refused;
}

bool filterCalls(Calls calls) {
  switch (calls) {
    case Calls::All:
      return true;
    case Calls::Refused:
      return refuseSome();
    case Calls::Listed:
      return allowSome(false);
    case Calls::Mesa:
      return allowSome(true);
  }
  return false;
}

std::vector<std::string> takeRefusals() {
  std::vector<std::string> lines;
  for (; g_refusalsTold < g_refusals.size(); ++g_refusalsTold) {
    const uint64_t noted = g_refusals[g_refusalsTold].load(std::memory_order_acquire);
    if (noted == 0) break;
    const auto number = static_cast<uint32_t>((noted - 1) >> 32), value = static_cast<uint32_t>(noted - 1);
    char line[96];
    if (judgedBy(number) >= 0)
      std::snprintf(line, sizeof line, "the renderer's process was refused system call %u with 0x%x", number,
                    value);
    else
      std::snprintf(line, sizeof line, "the renderer's process was refused system call %u", number);
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace aerogpu::remote
