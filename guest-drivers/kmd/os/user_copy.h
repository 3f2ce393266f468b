// SPDX-License-Identifier: MIT
// user_copy.h: the only access to user memory. Microsoft's page "DxgkDdiRender" demands structured exception handling
// around it; user_copy_x64.c and user_copy_x86.S have it, each in the way that its compiler knows.
#pragma once

#include "guest-drivers/kmd/os/nt.h"

extern "C" {
/** Copies `bytes` from `source`, which may be unmapped or vanish at any moment. STATUS_SUCCESS or the exception's code;
 *  what was copied before the exception stays. At most APC_LEVEL, in the context of the process. */
NTSTATUS NTAPI AeroGuardedCopy(void *destination, const void *source, SIZE_T bytes);
}

namespace aero {

/** Whether [address, address + bytes) lies below the end of user memory. */
inline bool isUserRange(const void *address, SIZE_T bytes) {
  const auto first = reinterpret_cast<ULONG_PTR>(address);
  const auto end = reinterpret_cast<ULONG_PTR>(MmHighestUserAddress) + 1;
  return bytes <= end && first <= end - bytes;
}

/** Copies from an address that user mode gave: refuses what is not user memory. At most APC_LEVEL. */
inline NTSTATUS copyFromUser(void *destination, const void *source, SIZE_T bytes) {
  if (!bytes) return STATUS_SUCCESS;
  return isUserRange(source, bytes) ? AeroGuardedCopy(destination, source, bytes) : STATUS_ACCESS_VIOLATION;
}
/** The same of a part of what isUserRange() says is user memory. */
inline NTSTATUS copyFromUserRange(void *destination, const void *source, SIZE_T bytes) {
  return AeroGuardedCopy(destination, source, bytes);
}
inline NTSTATUS copyToUser(void *destination, const void *source, SIZE_T bytes) {
  if (!bytes) return STATUS_SUCCESS;
  return isUserRange(destination, bytes) ? AeroGuardedCopy(destination, source, bytes) : STATUS_ACCESS_VIOLATION;
}

}  // namespace aero
