// SPDX-License-Identifier: MIT
// user_copy.h: the only access to user memory. Microsoft's page "DxgkDdiRender" demands structured exception handling
// around it; user_copy_x64.c and user_copy_x86.S implement it, each as its compiler allows.
#pragma once

#include "guest-drivers/kmd/os/nt.h"

extern "C" {
/** Copies `bytes` from `source`, which may be unmapped or vanish at any moment. Returns STATUS_SUCCESS or the
 * exception's code; bytes copied before the exception stay. At most APC_LEVEL, in the context of the process. */
NTSTATUS NTAPI AeroGuardedCopy(void *destination, const void *source, SIZE_T bytes);
}

namespace aero {

/** True if [address, address + bytes) lies below the end of user memory. */
inline bool isUserRange(const void *address, SIZE_T bytes) {
  const auto first = reinterpret_cast<ULONG_PTR>(address);
  const auto end = reinterpret_cast<ULONG_PTR>(MmHighestUserAddress) + 1;
  return bytes <= end && first <= end - bytes;
}

/** Copies from an address that user mode gave; refuses addresses that are not user memory. At most APC_LEVEL. */
inline NTSTATUS copyFromUser(void *destination, const void *source, SIZE_T bytes) {
  if (!bytes) return STATUS_SUCCESS;
  return isUserRange(source, bytes) ? AeroGuardedCopy(destination, source, bytes) : STATUS_ACCESS_VIOLATION;
}
/** Copies from a part of a range that isUserRange() has accepted. */
inline NTSTATUS copyFromUserRange(void *destination, const void *source, SIZE_T bytes) {
  return AeroGuardedCopy(destination, source, bytes);
}
inline NTSTATUS copyToUser(void *destination, const void *source, SIZE_T bytes) {
  if (!bytes) return STATUS_SUCCESS;
  return isUserRange(destination, bytes) ? AeroGuardedCopy(destination, source, bytes) : STATUS_ACCESS_VIOLATION;
}

}  // namespace aero
