// SPDX-License-Identifier: MIT
// user_copy.h: the only access to user memory. Microsoft's page "DxgkDdiRender" demands structured exception handling
// around it; user_copy_x64.c and user_copy_x86.S have it, each in the way that its compiler knows.
#pragma once

#include "nt.h"

extern "C" {
/** Copies `bytes` from `source`, which may be unmapped or vanish at any moment. STATUS_SUCCESS or the exception's code;
 *  what was copied before the exception stays. At most APC_LEVEL, in the context of the process. */
NTSTATUS NTAPI AeroGuardedCopy(void *destination, const void *source, SIZE_T bytes);
}

namespace aero {

/** Copies from an address that user mode gave: refuses what is not user memory. At most APC_LEVEL. */
NTSTATUS copyFromUser(void *destination, const void *source, SIZE_T bytes);
NTSTATUS copyToUser(void *destination, const void *source, SIZE_T bytes);

}  // namespace aero
