// SPDX-License-Identifier: MIT
// direct3d.h: checks Direct3D 9 on the adapter, and whether it suffices for level 9 of Direct3D 10
// (level9.h).
#pragma once

#include "guest-drivers/doctor/checks.h"
#include "guest-drivers/doctor/driver.h"

namespace doctor {

/// Runs the steps `direct3d`, `caps`, `direct3d-device`, `level-9_1`. Returns the highest level whose
/// requirements are all met, 0 to 3.
int checkDirect3D(Checks& checks, const Display& display);

}  // namespace doctor
