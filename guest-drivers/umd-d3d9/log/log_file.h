// SPDX-License-Identifier: MIT
// log_file.h: what the log of calls needs of Windows: memory that outlives the process, a clock, and the debugger. Any
// thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aero {

/** `bytes` (whole pages) of a new file aerogpu-d3d9-PROGRAM-PROCESS-N.log in the user's folder for temporary files, or
 *  null; `error` then has Windows' code. What is written is in the file at once, and stays
 *  there when the process ends in whatever way. Others may read it meanwhile. */
uint8_t *mapLogFile(size_t bytes, uint32_t &error);
void unmapLogFile(uint8_t *memory);

/** A line for a debugger of the process or of the kernel, without its end. */
void debugOutput(const char *line);

/** Of the clock that event traces have too, since the machine's start. */
uint64_t logMicroseconds();
uint32_t logThread();

}  // namespace aero
