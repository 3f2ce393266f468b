// SPDX-License-Identifier: MIT
// The rights that a renderer's process gives up before it reads a byte of a guest
// (docs/develop/renderer-process.md, "Rights").
#pragma once

namespace aerogpu::remote {

/// A sanitizer looks into its process when that ends, by means that the rights here do not include.
#if defined(AEROGPU_ADDRESS_SANITIZER) || defined(AEROGPU_THREAD_SANITIZER)
inline constexpr bool kIsConfined = false;
#else
inline constexpr bool kIsConfined = true;
#endif

/// Gives up what no Vulkan driver needs when it starts: capabilities, the chance to gain any, being looked
/// into by others of its user; and tells the kernel to end this process before QEMU when memory is short.
/// Call it while the process has one thread. False if the kernel refuses.
bool giveUpRights();

/// Installs the filter of system calls for all threads. Drivers may have started by then what they start with
/// a program or a socket. False if the kernel refuses.
bool filterCalls();

}  // namespace aerogpu::remote
