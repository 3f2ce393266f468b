// SPDX-License-Identifier: MIT
// process_name.h: finds the name of the calling program, for people who look at the host.
#pragma once

#include <stddef.h>

namespace aero {

/** Copies the file name of the current process' program without its folder, in ASCII (others as '?'), cut to `bytes`
 * including a terminating zero; empty if Windows has none. PASSIVE_LEVEL. */
void copyProcessName(char *out, size_t bytes);

}  // namespace aero
