// SPDX-License-Identifier: MIT
// linux_calls.h: system calls of the Linux under Wine, for x64 programs. Wine of Debian 12 leaves the instruction
// `syscall` to Linux; nothing of Windows does, so haveLinuxCalls() has to be asked first. Any thread.
#pragma once

#include <cstdint>

#include "testbed/kmt/client/windows_headers.h"

namespace aerogpu::kmt {

/// Numbers of x64: arch/x86/entry/syscalls/syscall_64.tbl of Linux.
enum class LinuxCall : int64_t { Close = 3, Socket = 41, Connect = 42, Send = 44, Receive = 45, SetSocketOption = 54 };

/// A call's result if a signal came: -EINTR.
inline constexpr int64_t kLinuxInterrupted = -4;

inline int64_t addressOf(const void *memory) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(memory));
}

/// Returns true in an x64 program under a Wine that runs on Linux for x64.
inline bool haveLinuxCalls() {
#ifdef __x86_64__
  using HostVersion = void(CDECL *)(const char **system, const char **release);
  const HMODULE ntdll = GetModuleHandleA("ntdll.dll");
  const auto version =
      ntdll ? reinterpret_cast<HostVersion>(reinterpret_cast<void *>(GetProcAddress(ntdll, "wine_get_host_version")))
            : nullptr;
  if (!version) return false;
  const char *system = nullptr, *release = nullptr;
  version(&system, &release);
  return system && lstrcmpA(system, "Linux") == 0;
#else
  return false;
#endif
}

/// Makes a system call. Returns its result, or -errno.
inline int64_t linuxCall(LinuxCall call, int64_t a, int64_t b = 0, int64_t c = 0, int64_t d = 0, int64_t e = 0,
                         int64_t f = 0) {
#ifdef __x86_64__
  int64_t result = static_cast<int64_t>(call);
  register int64_t r10 __asm__("r10") = d;
  register int64_t r8 __asm__("r8") = e;
  register int64_t r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
  static_cast<void>(call), static_cast<void>(a), static_cast<void>(b), static_cast<void>(c);
  static_cast<void>(d), static_cast<void>(e), static_cast<void>(f);
  return -38;  // -ENOSYS
#endif
}

}  // namespace aerogpu::kmt
