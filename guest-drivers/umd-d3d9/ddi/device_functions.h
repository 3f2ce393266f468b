// SPDX-License-Identifier: MIT
// device_functions.h: the function table of a device for the runtime, made from function_list.h.
#pragma once

#include "guest-drivers/umd-common/base/ddi.h"

namespace aero {

/** Returns the table that CreateDevice fills in. */
D3DDDI_DEVICEFUNCS deviceFunctions();
/** Returns the table for an adapter whose log is on: each call is written there. */
D3DDDI_DEVICEFUNCS loggedDeviceFunctions();

}  // namespace aero
