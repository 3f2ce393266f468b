/* SPDX-License-Identifier: MIT */
/*
 * Preloaded before ThreadSanitizer's runtime into a QEMU that was not built with it: gives QEMU the C
 * library's own setjmp and longjmp. QEMU's coroutines jump between stacks, which the runtime's versions take
 * for a bug, and abort. x86_64 only, like the device tests.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

static void* c_library(const char* name) {
  static void* library;
  if (!library) library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return dlsym(library, name);
}

/* Jumps to the C library's function: a setjmp must see its caller's stack as it is. */
#define FORWARD(name, symbol)                                              \
  void* aerogpu_real_##name __attribute__((visibility("hidden")));         \
  __asm__(".text\n.globl " symbol "\n.type " symbol ", @function\n" symbol \
          ":\n\tendbr64\n\tjmp *aerogpu_real_" #name "(%rip)\n.size " symbol ", .-" symbol "\n");

FORWARD(sigsetjmp, "__sigsetjmp")
FORWARD(setjmp_nosig, "_setjmp")
FORWARD(setjmp, "setjmp")
FORWARD(longjmp, "longjmp")
FORWARD(longjmp_nosig, "_longjmp")
FORWARD(siglongjmp, "siglongjmp")

static void __attribute__((constructor(101))) find(void) {
  aerogpu_real_sigsetjmp = c_library("__sigsetjmp");
  aerogpu_real_setjmp_nosig = c_library("_setjmp");
  aerogpu_real_setjmp = c_library("setjmp");
  aerogpu_real_longjmp = c_library("longjmp");
  aerogpu_real_longjmp_nosig = c_library("_longjmp");
  aerogpu_real_siglongjmp = c_library("siglongjmp");
}
