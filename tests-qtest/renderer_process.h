// SPDX-License-Identifier: MIT
// A device's renderer in a process of its own, as tests see it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests-qtest/aerogpu_dev.h"

namespace aerogpu::qtest {

/// Returns QEMU's arguments for guest RAM that such a process maps.
std::vector<std::string> sharedRam();
/// Returns a member of "renderer-process" in the device's status, without quotes.
std::string aboutProcess(AeroGpuDev& dev, const std::string& member);
/// Returns its number; 0 if there is none now.
pid_t renderersProcess(AeroGpuDev& dev);

}  // namespace aerogpu::qtest
