// SPDX-License-Identifier: MIT
// dwmapi.dll for the test of composition.exe, which lies beside it there. A test says with AEROGPU_COMPOSED how many
// calls find the desktop composed; without it none does. With the word "changes" after the number the desktop stays
// composed after these calls, and the caller's windows learn of a change, as they do when composition goes off and
// comes back. Pages "DwmIsCompositionEnabled", "WM_DWMCOMPOSITIONCHANGED".
#include <windows.h>

#include <cstdlib>
#include <cstring>

namespace {

constexpr UINT kCompositionChanged = 0x031E;  // WM_DWMCOMPOSITIONCHANGED

BOOL CALLBACK tellWindow(HWND window, LPARAM) {
  SendMessageA(window, kCompositionChanged, 0, 0);
  return TRUE;
}

}  // namespace

extern "C" HRESULT WINAPI DwmIsCompositionEnabled(BOOL *enabled) {
  static unsigned long calls = 0;
  char asked[32] = "0";
  if (GetEnvironmentVariableA("AEROGPU_COMPOSED", asked, sizeof asked) >= sizeof asked) return E_FAIL;
  const unsigned long limit = std::strtoul(asked, nullptr, 10);
  const bool changes = std::strstr(asked, "changes") != nullptr;
  *enabled = calls < limit || changes;
  if (calls == limit && changes) EnumThreadWindows(GetCurrentThreadId(), tellWindow, 0);
  ++calls;
  return S_OK;
}
