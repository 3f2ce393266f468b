// SPDX-License-Identifier: MIT
// actions.h: the commands that change something or write files. Each prints one line on standard error if it
// fails.
#pragma once

#include <stdint.h>

namespace dbgctl {

class Kernel;

/// Sets the pointer: a test picture, its position, its visibility. Windows' next pointer update undoes it.
bool setPointerShape(Kernel& kernel);
bool movePointer(Kernel& kernel, int32_t x, int32_t y);
bool showPointer(Kernel& kernel, bool visible);

/// Reserves handles for a device that is destroyed at once, and prints them.
bool reserveHandles(Kernel& kernel, uint32_t count);

/// Prints bytes of video memory in hexadecimal (checked builds of the driver).
bool dumpMemory(Kernel& kernel, uint64_t address, uint32_t bytes);

/// Writes all reports into a file, for analysing a fault; then, for `seconds` seconds, each second's fences
/// and counters. Exits with the worst status of the reports; an escape that the caller may not use is noted
/// in the file and is no failure.
bool capture(Kernel& kernel, const char* path, uint32_t seconds);

}  // namespace dbgctl
