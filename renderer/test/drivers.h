// SPDX-License-Identifier: MIT
// Test support: Vulkan drivers that stay where they are.
#pragma once

#include <dlfcn.h>

namespace aerogpu::test {

/// The leak checker names what it suppresses (scripts/lib/lsan.supp) by module, so all that leaks must still
/// be loaded when the process ends, at the place where it was when it did. Call it before the first instance:
/// the loader unloads drivers with the last one, and the next one may find them elsewhere.
inline void keepDriversLoaded() {
#ifdef AEROGPU_ADDRESS_SANITIZER
  for (const char* name : {"libvulkan_lvp.so", "libVkLayer_khronos_validation.so", "libvulkan.so.1"})
    dlopen(name, RTLD_LAZY | RTLD_NODELETE);
#endif
}

}  // namespace aerogpu::test
