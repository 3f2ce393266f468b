// SPDX-License-Identifier: MIT
// dll_main.cpp: the DLL's entry. It does nothing: there are no constructors, no per-thread data and no state of the
// process, so that the file may be loaded, unloaded and used by many adapters in any order.
#include "guest-drivers/umd-d3d9/base/windows_base.h"

extern "C" BOOL WINAPI DllMain(HINSTANCE, DWORD, LPVOID) {
  return TRUE;
}
