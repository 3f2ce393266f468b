// SPDX-License-Identifier: MIT
// user_copy_x64.c: guarded copy for x64, compiled by clang, which supports __try there (gcc does not). clang 14 guards
// calls, not plain loads, in the body of a __try, so the copy is a function of its own.
#include <stddef.h>

typedef long NTSTATUS;
#define EXCEPTION_EXECUTE_HANDLER 1

static __attribute__((noinline)) void copyBytes(void *destination, const void *source, size_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(bytes) : : "memory");
}

NTSTATUS AeroGuardedCopy(void *destination, const void *source, size_t bytes) {
  NTSTATUS status = 0;
  __try {
    copyBytes(destination, source, bytes);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    status = (NTSTATUS)__exception_code();
  }
  return status;
}
