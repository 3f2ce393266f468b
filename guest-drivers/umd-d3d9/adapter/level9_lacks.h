// SPDX-License-Identifier: MIT
// level9_lacks.h: what the adapter lacks of Direct3D 10's level 9, on which Windows' compositor runs. Without it there
// is no Aero, and Windows does not say why. Any thread.
#pragma once

#include "guest-drivers/umd-d3d9/adapter/adapter.h"

namespace aero {

/** Writes which level the adapter reaches, and the first rows of Microsoft's tables that it does not meet. */
void describeLevel9(CallText &out, const Adapter &adapter);

}  // namespace aero
