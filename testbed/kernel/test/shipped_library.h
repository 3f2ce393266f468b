// SPDX-License-Identifier: MIT
// A user-mode driver's shipped x64 library in the test's process: its instructions are counted by
// single-stepping.
#pragma once

#include <signal.h>

#include <cstdint>

namespace aero::test {

/** Returns a function that the library exports. */
void* shippedExport(const char* name);

extern volatile sig_atomic_t s_isCounting;
extern volatile uint32_t s_steps;

/** Returns the library's instructions in a call. Not those of the test, of the runtime, and of the imports.
 */
template <class Call>
uint32_t stepsOf(const Call& call) {
  s_steps = 0;
  s_isCounting = 1;
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  call();
  s_isCounting = 0;
  return s_steps;
}

/** Loads the library that the one argument names, and runs all tests; returns main()'s value. */
int runShipped(int argc, char** argv);

}  // namespace aero::test
