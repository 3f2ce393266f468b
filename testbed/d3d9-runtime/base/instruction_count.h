// SPDX-License-Identifier: MIT
// For measurements (AEROGPU_D3D9_COUNT=1): how many instructions of the driver's image each of its functions executes,
// counted by single-stepping (EFLAGS.TF). Calls that call back are not in it, nor is what the driver's imports execute.
// One thread: the first that calls the driver.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

/// Begins counting, if the variable asks for it, for this driver.
void openInstructionCount(HMODULE driver);
/// Around a call of the driver's function `name`.
void beginInstructionCount();
void endInstructionCount(const char *name);
/// A callback of the driver's: this call is not counted.
void abandonInstructionCount();
/// Writes `instructions FUNCTION: N in a call (median of M)` into the log, a line a function.
void closeInstructionCount();

}  // namespace aerogpu::runtime
