// SPDX-License-Identifier: MIT
// Test support: keeps Vulkan drivers loaded.
#pragma once

#include <dlfcn.h>

namespace aerogpu::test {

/// Call it before the first instance: the loader unloads drivers with the last one, and loads them again for
/// the next, perhaps elsewhere. That takes time, and the leak checker names its suppressions
/// (scripts/lib/lsan.supp) by module: every module that leaks must still be loaded when the process ends, at
/// its old address.
inline void keepDriversLoaded() {
  for (const char* name : {"libvulkan_lvp.so", "libVkLayer_khronos_validation.so", "libvulkan.so.1"})
    dlopen(name, RTLD_LAZY | RTLD_NODELETE);
}

}  // namespace aerogpu::test
