// SPDX-License-Identifier: MIT
// The callbacks that a device's driver gets: the kernel's (testbed/runtime-kernel), those of the core layer, and
// DXGI's.
#pragma once

#include "testbed/d3d11-runtime/driver/device.h"

namespace aerogpu::runtime11 {

using CallbackSets = CallbackSet[2];

/// Returns the two sets.
const CallbackSets &callbackSets();

}  // namespace aerogpu::runtime11
