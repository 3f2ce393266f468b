// SPDX-License-Identifier: MIT
// driver.h: the device, its kernel driver and its user-mode driver, as D3DKMT shows them.
#pragma once

#include "guest-drivers/doctor/checks.h"

namespace doctor {

/// Where the adapter is, for Direct3D.
struct Display {
  char name[64];  // "\\.\DISPLAY1"
};

/// The steps `device`, `driver`, `memory`, `user-mode-driver`. `library`: what to take the D3DKMT functions
/// from, null for gdi32.dll. False if what follows makes no sense then.
bool checkDriver(Checks& checks, const char* library, Display& display);

}  // namespace doctor
