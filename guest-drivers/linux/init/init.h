// SPDX-License-Identifier: MIT
// Does the work of process 1 in our Linux guests: mounts file systems, loads modules, powers off.
#pragma once

#include <string>

#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

inline constexpr char kHugePageMount[] = "/dev/hugepages";

/// Mounts /proc, /sys, /dev and hugetlbfs and takes the console as standard input and output.
Status mountFileSystems();
/// Mounts hugetlbfs at kHugePageMount unless it is there already.
Status mountHugePages();
/// Loads /modules/*.ko in the order of /modules/order.
Status loadModules();
/// Returns the kernel's command line.
std::string kernelCommandLine();
/// Flushes the console and turns the machine off. Does not return.
[[noreturn]] void powerOff();

}  // namespace aerogpu::guest
