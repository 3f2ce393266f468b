// SPDX-License-Identifier: MIT
// driver.h: the device, its kernel driver and its user-mode driver, as D3DKMT shows them.
#pragma once

#include "guest-drivers/doctor/checks.h"

namespace doctor {

/// Where the adapter is, for Direct3D.
struct Display {
  char name[64];  // "\\.\DISPLAY1"
};

/// Runs the steps `device`, `driver`, `memory`, `user-mode-driver`. `library` provides the D3DKMT functions,
/// null means gdi32.dll. Returns false if further checks would make no sense.
bool checkDriver(Checks& checks, const char* library, Display& display);

}  // namespace doctor
