// SPDX-License-Identifier: MIT
// For measurements (AEROGPU_D3D9_COUNT=1): counts how many instructions each driver function executes in the driver's
// image, by single-stepping (EFLAGS.TF). Calls that call back are not counted, nor are instructions of imported
// functions. One thread: the first that calls the driver.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

/// Begins counting for this driver, if the variable asks for it.
void openInstructionCount(HMODULE driver);
/// Called before and after a call of the driver function `name`.
void beginInstructionCount();
void endInstructionCount(const char *name);
/// Called in a callback of the driver: this call is not counted.
void abandonInstructionCount();
/// Writes `instructions FUNCTION: N in a call (median of M)` into the log, a line a function.
void closeInstructionCount();

}  // namespace aerogpu::runtime
