// SPDX-License-Identifier: MIT
// composition.h: finds out whether Windows composes this session's desktop.
#pragma once

#include "guest-drivers/doctor/checks.h"

namespace doctor {

/// Runs the steps `session`, `desktop`, `composition`.
void checkComposition(Checks& checks);

}  // namespace doctor
