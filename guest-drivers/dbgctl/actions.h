// SPDX-License-Identifier: MIT
// actions.h: the commands that change something or write files. Each prints one line on standard error if it
// fails.
#pragma once

#include <stdint.h>

namespace dbgctl {

class Kernel;

/// Set the pointer's picture (a test picture), position and visibility, until Windows updates the pointer.
bool setPointerShape(Kernel& kernel);
bool movePointer(Kernel& kernel, int32_t x, int32_t y);
bool showPointer(Kernel& kernel, bool visible);

/// Reserves handles for a device that is destroyed at once, and prints them.
bool reserveHandles(Kernel& kernel, uint32_t count);

/// Prints bytes of video memory in hexadecimal (checked builds of the driver).
bool dumpMemory(Kernel& kernel, uint64_t address, uint32_t bytes);

/// Writes the reports into a file, for analysing a fault; then, for `seconds` seconds, each second's fences
/// and counters. Returns false only if the file cannot be written: a report that fails is noted in the file.
bool capture(Kernel& kernel, const char* path, uint32_t seconds);

}  // namespace dbgctl
