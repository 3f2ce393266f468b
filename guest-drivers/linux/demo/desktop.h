// SPDX-License-Identifier: MIT
// Runs the desktop on the device: submits the scene's command streams, paces frames, moves the cursor, and
// prints a line once a second.
#pragma once

#include "guest-drivers/linux/demo/options.h"
#include "guest-drivers/linux/device/device.h"

namespace aerogpu::guest {

/// Bytes of a slot for one command stream.
inline constexpr uint32_t kDesktopCommandBytes = 256 * 1024;

/// Returns the guest memory that the desktop needs at this mode, slots included.
uint64_t desktopMemoryBytes(Mode mode);

/// Runs options.frames frames (0: for ever), or until an error.
Status runDesktop(Device& device, const Options& options);

}  // namespace aerogpu::guest
