// SPDX-License-Identifier: MIT
// escapes.h: answers the escapes of programs: queries and commands (docs/abi/driver-data.md: aerogpu_escape_*).
#pragma once

#include "guest-drivers/kmd/adapter.h"

namespace aero {

/** Answers the escape of `bytes` bytes at `data` in place. `device`: the caller's, or null. The adapter is started.
 *  PASSIVE_LEVEL. */
NTSTATUS answerEscape(AeroAdapter &adapter, AeroDevice *device, void *data, UINT bytes);

/** Writes a version, the counters and the newest error to `data`, at most `bytes` bytes. For DxgkDdiCollectDbgInfo,
 *  which the OS also calls right before a bug-check: any IRQL, no pool, no lock. */
void reportForBugCheck(AeroAdapter &adapter, void *data, SIZE_T bytes);

}  // namespace aero
