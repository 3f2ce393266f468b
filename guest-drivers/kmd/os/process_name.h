// SPDX-License-Identifier: MIT
// process_name.h: the name of the program that calls, for people who look at the host.
#pragma once

#include <stddef.h>

namespace aero {

/** The file name of the current process' program without its folder, in ASCII (others as '?'), cut to `bytes` with a
 *  zero behind it; empty where Windows has none. PASSIVE_LEVEL. */
void copyProcessName(char *out, size_t bytes);

}  // namespace aero
