// SPDX-License-Identifier: MIT
// The rights that a renderer's process gives up when it starts (docs/develop/renderer-process.md, "Rights").
// Files follow before its driver is loaded (landlock.h), system calls after that (call_filter.h).
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

}  // namespace aerogpu::remote
