// SPDX-License-Identifier: MIT
// module.h: the driver's DLL in its process.
#pragma once

namespace aero {

/** Keeps the DLL in the process until it ends: programs release objects after the runtime has given up its
 * driver, and the last calls must find it. Any thread. */
void stayLoaded();

}  // namespace aero
