// SPDX-License-Identifier: MIT
// driver.h: checks the device, its kernel driver and its user-mode driver through D3DKMT.
#pragma once

#include "guest-drivers/doctor/checks.h"

namespace doctor {

/// The display of the adapter, by which Direct3D finds it.
struct Display {
  char name[64];  // "\\.\DISPLAY1"
};

/// Runs the steps `device`, `driver`, `memory`, `user-mode-driver`. `library` provides the D3DKMT functions,
/// null means gdi32.dll. Returns false if further checks would make no sense.
bool checkDriver(Checks& checks, const char* library, Display& display);

}  // namespace doctor
