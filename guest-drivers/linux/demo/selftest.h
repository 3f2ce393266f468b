// SPDX-License-Identifier: MIT
// Quickly checks what the demo relies on: fences, errors, interrupts, vblank.
#pragma once

#include "guest-drivers/linux/device/device.h"
#include "guest-drivers/linux/device/scanout.h"

namespace aerogpu::guest {

/// Prints "aerogpu-demo: selftest NAME ok" for each step and stops at the first failure.
Status runSelfTest(Device& device, Mode mode);

}  // namespace aerogpu::guest
