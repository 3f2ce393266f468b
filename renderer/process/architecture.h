// SPDX-License-Identifier: MIT
// The architecture whose system call numbers a seccomp filter compares.
#pragma once

#include <linux/audit.h>

#include <cstdint>

namespace aerogpu::process {

#if defined(__x86_64__)
inline constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name the architecture's AUDIT_ARCH constant here"
#endif

}  // namespace aerogpu::process
