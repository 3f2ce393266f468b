// SPDX-License-Identifier: MIT
#include "testbed/kernel/test/shipped_library.h"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "guest-drivers/umd-common/test/fake_kernel.h"
#include "testbed/kernel/core/pe_image.h"

namespace aero::test {

volatile sig_atomic_t s_isCounting;
volatile uint32_t s_steps;

namespace {

using aerogpu::host::PeImage;

PeImage* s_library;
volatile uint64_t s_lastStep;

/** Called after each instruction of this thread; counts only the library's. */
void onStep(int, siginfo_t*, void* opaque) {
  auto& registers = static_cast<ucontext_t*>(opaque)->uc_mcontext.gregs;
  if (!s_isCounting) {
    registers[REG_EFL] &= ~0x100;
    return;
  }
  const auto at = static_cast<uint64_t>(registers[REG_RIP]);
  // A repeated string instruction traps before each of its steps; it counts once.
  if (s_library->contains(at) && at != s_lastStep) s_steps = s_steps + 1;
  s_lastStep = at;
}

// The library's imports.
APIENTRY void* windowsHeap() {
  static int heap;
  return &heap;
}
APIENTRY void* windowsHeapAlloc(void*, DWORD, size_t bytes) {
  return std::calloc(1, bytes);
}
APIENTRY BOOL windowsHeapFree(void*, DWORD, void* memory) {
  std::free(memory);
  return 1;
}
APIENTRY int windowsMemcmp(const void* a, const void* b, size_t bytes) {
  return memcmp(a, b, bytes);
}
APIENTRY BOOL windowsModuleHandle(DWORD, const void*, void**) {
  return 1;
}
APIENTRY void* windowsMemcpy(void* to, const void* from, size_t bytes) {
  return memcpy(to, from, bytes);
}
APIENTRY void* windowsMemmove(void* to, const void* from, size_t bytes) {
  return memmove(to, from, bytes);
}
APIENTRY void* windowsMemset(void* to, int value, size_t bytes) {
  return memset(to, value, bytes);
}
/** Takes the place of the functions that resolve() does not know: only the log of calls, which is off, needs
 *  them. */
APIENTRY void unexpected() {
  std::fprintf(stderr, "the driver calls a function of Windows that this test has not\n");
  std::abort();
}

void* resolve(const char*, const char* name) {
  const struct {
    const char* name;
    void* function;
  } known[] = {
      {"GetModuleHandleExW", reinterpret_cast<void*>(windowsModuleHandle)},
      {"GetProcessHeap", reinterpret_cast<void*>(windowsHeap)},
      {"HeapAlloc", reinterpret_cast<void*>(windowsHeapAlloc)},
      {"HeapFree", reinterpret_cast<void*>(windowsHeapFree)},
      {"memcmp", reinterpret_cast<void*>(windowsMemcmp)},
      {"memcpy", reinterpret_cast<void*>(windowsMemcpy)},
      {"memmove", reinterpret_cast<void*>(windowsMemmove)},
      {"memset", reinterpret_cast<void*>(windowsMemset)},
  };
  for (const auto& row : known)
    if (!strcmp(row.name, name)) return row.function;
  return reinterpret_cast<void*>(unexpected);
}

}  // namespace

void* shippedExport(const char* name) {
  return reinterpret_cast<void*>(s_library->exported(name));
}

int runShipped(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s LIBRARY.DLL\n", argv[0]);
    return 2;
  }
  PeImage library;
  const auto loaded = library.loadFile(argv[1], resolve, PeImage::Use::Library);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.text().c_str());
    return 2;
  }
  s_library = &library;
  struct sigaction action = {};
  action.sa_sigaction = onStep;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  return RUN_ALL_TESTS();
}

}  // namespace aero::test
