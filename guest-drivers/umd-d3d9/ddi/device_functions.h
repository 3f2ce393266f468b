// SPDX-License-Identifier: MIT
// device_functions.h: the functions of a device that the runtime is given, made from function_list.h.
#pragma once

#include "guest-drivers/umd-d3d9/base/ddi.h"

namespace aero {

/** The table that CreateDevice fills. */
D3DDDI_DEVICEFUNCS deviceFunctions();
/** The same where the adapter's log is on: each call is written there. */
D3DDDI_DEVICEFUNCS loggedDeviceFunctions();

}  // namespace aero
