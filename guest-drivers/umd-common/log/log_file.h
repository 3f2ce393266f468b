// SPDX-License-Identifier: MIT
// log_file.h: the Windows services of the log of calls: memory that outlives the process, a clock, and the debugger.
// Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aero {

/** Maps `bytes` (whole pages) of a new file aerogpu-API-PROGRAM-PROCESS-N.log in the user's folder for temporary files;
 * `api` is ASCII. Returns null on failure, and `error` has Windows' code. Written bytes are in the file at once, and
 * stay there however the process ends. Others may read it meanwhile. */
uint8_t *mapLogFile(const char *api, size_t bytes, uint32_t &error);
void unmapLogFile(uint8_t *memory);

/** Sends a line, without its end, to a debugger of the process or of the kernel. */
void debugOutput(const char *line);

/** Returns the time since the machine's start, on the clock of event traces. */
uint64_t logMicroseconds();
uint32_t logThread();

}  // namespace aero
