// SPDX-License-Identifier: MIT
// dll_main.cpp: the DLL's entry, which does nothing: there are no constructors, no per-thread data and no state of the
// process, so that many adapters may use the file in any order.
#include "guest-drivers/umd-common/base/module.h"
#include "guest-drivers/umd-common/base/windows_base.h"

void aero::stayLoaded() {
  static const wchar_t kInside = 0;
  HMODULE self;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, &kInside, &self);
}

extern "C" BOOL WINAPI DllMain(HINSTANCE, DWORD, LPVOID) {
  return TRUE;
}
