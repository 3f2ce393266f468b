// SPDX-License-Identifier: MIT
#include "user_copy.h"

namespace aero {
namespace {

/** Whether [address, address + bytes) lies below the end of user memory. */
bool isUserRange(const void *address, SIZE_T bytes) {
  const auto first = reinterpret_cast<ULONG_PTR>(address);
  const auto end = reinterpret_cast<ULONG_PTR>(MmHighestUserAddress) + 1;
  return bytes <= end && first <= end - bytes;
}

}  // namespace

NTSTATUS copyFromUser(void *destination, const void *source, SIZE_T bytes) {
  if (!bytes) return STATUS_SUCCESS;
  return isUserRange(source, bytes) ? AeroGuardedCopy(destination, source, bytes) : STATUS_ACCESS_VIOLATION;
}

NTSTATUS copyToUser(void *destination, const void *source, SIZE_T bytes) {
  if (!bytes) return STATUS_SUCCESS;
  return isUserRange(destination, bytes) ? AeroGuardedCopy(destination, source, bytes) : STATUS_ACCESS_VIOLATION;
}

}  // namespace aero
