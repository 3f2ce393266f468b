// SPDX-License-Identifier: MIT
// Test support: Vulkan drivers that stay where they are.
#pragma once

#include <dlfcn.h>

namespace aerogpu::test {

/// Call it before the first instance: the loader unloads drivers with the last one, and loads them again for
/// the next, perhaps elsewhere. That takes time, and the leak checker names what it suppresses
/// (scripts/lib/lsan.supp) by module: all that leaks must still be loaded when the process ends, at the place
/// where it was when it did.
inline void keepDriversLoaded() {
  for (const char* name : {"libvulkan_lvp.so", "libVkLayer_khronos_validation.so", "libvulkan.so.1"})
    dlopen(name, RTLD_LAZY | RTLD_NODELETE);
}

}  // namespace aerogpu::test
