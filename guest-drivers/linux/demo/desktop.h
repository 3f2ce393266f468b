// SPDX-License-Identifier: MIT
// The desktop on the device: the scene's command streams, page flips, pacing, cursor, the once-a-second line.
#pragma once

#include "guest-drivers/linux/demo/options.h"
#include "guest-drivers/linux/device/device.h"

namespace aerogpu::guest {

/// Room for one command stream.
inline constexpr uint32_t kDesktopCommandBytes = 256 * 1024;

/// Returns the guest memory that the desktop needs at this mode, slots included.
uint64_t desktopMemoryBytes(Mode mode);

/// Runs until options.frames (0: for ever) or an error.
Status runDesktop(Device& device, const Options& options);

}  // namespace aerogpu::guest
