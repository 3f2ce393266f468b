// SPDX-License-Identifier: MIT
// actions.h: what changes something, or writes files. Each says in one line on standard error why it failed.
#pragma once

#include <stdint.h>

namespace dbgctl {

class Kernel;

/// The pointer: a test picture, its place, shown or not. What Windows next says of the pointer undoes it.
bool setPointerShape(Kernel& kernel);
bool movePointer(Kernel& kernel, int32_t x, int32_t y);
bool showPointer(Kernel& kernel, bool visible);

/// Reserves handles for a device that is gone again at once, and says which they were.
bool reserveHandles(Kernel& kernel, uint32_t count);

/// Bytes of video memory, in hexadecimal (checked builds of the driver).
bool dumpMemory(Kernel& kernel, uint64_t address, uint32_t bytes);

/// All reports into a file, for whoever looks for a fault; then, for so many seconds, each second's fences
/// and counters. Exit as that of the worst: what the caller may not ask is written down and is no failure.
bool capture(Kernel& kernel, const char* path, uint32_t seconds);

}  // namespace dbgctl
