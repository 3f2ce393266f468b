// SPDX-License-Identifier: MIT
// settings.h: reads the registry values under the driver's software key (documented in docs/windows/driver.md).
// PASSIVE_LEVEL.
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

struct Settings {
  bool disable3d = false;        // Disable3D: display modes and pointer only; no Direct3D, no GDI acceleration
  bool disableGdi = false;       // DisableGdiAcceleration
  bool disableAperture = false;  // DisableAperture: everything lives in BAR1
  bool disableBuffers = false;   // DisableHardwareBuffers: Direct3D 9's runtime keeps vertex and index buffers
  uint32_t userModeLog = 0;      // UserModeLog, at most AEROGPU_EXT_USER_MODE_LOG_MAX: what user-mode drivers log

  /** Reads the values; an absent value keeps its default. `path` is DXGK_DEVICE_INFO.DeviceRegistryPath. */
  void read(const UNICODE_STRING &path);
};

}  // namespace aero
