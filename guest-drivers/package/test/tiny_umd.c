/* SPDX-License-Identifier: MIT */
/* The smallest user-mode driver with everything that the package's checks examine. The tests pack it; it
 * is never shipped, and opens no adapter. */
#include <windows.h>

static LONG volatile g_count;
LONG volatile* g_pointer = &g_count;

#ifdef WRONG_IMPORT
/* Documented as available from Windows 8 on: a Windows 7 driver must not import it. */
WINBASEAPI VOID WINAPI GetSystemTimePreciseAsFileTime(LPFILETIME time);
#endif

HRESULT WINAPI OpenAdapter(void* data) {
  void* memory = HeapAlloc(GetProcessHeap(), 0, 16);
#ifdef WRONG_IMPORT
  GetSystemTimePreciseAsFileTime((LPFILETIME)data);
#else
  (void)data;
#endif
  if (memory) HeapFree(GetProcessHeap(), 0, memory);
  return InterlockedIncrement(g_pointer) ? E_NOTIMPL : E_FAIL;
}

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, LPVOID reserved) {
  (void)instance;
  (void)reason;
  (void)reserved;
  return TRUE;
}
