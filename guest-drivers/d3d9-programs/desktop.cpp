// SPDX-License-Identifier: MIT
// desktop.exe: a window that nobody sees, until standard input ends. Wine's desktop is a process (explorer.exe) that
// the first window starts and the last one ends; creating that window fails when it takes longer than 10 s, as on a
// busy machine. While this program runs, others find a desktop. It draws nothing.
#include <windows.h>

#include <cstdio>

namespace {

constexpr int kAttempts = 60;

DWORD WINAPI waitForInput(void *) {
  while (std::getchar() != EOF) {}
  return 0;
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  WNDCLASSA windowClass{};
  windowClass.lpfnWndProc = DefWindowProcA;
  windowClass.hInstance = GetModuleHandleA(nullptr);
  windowClass.lpszClassName = "aerogpu-desktop";
  RegisterClassA(&windowClass);
  HWND window = nullptr;
  for (int attempt = 0; !window && attempt < kAttempts; ++attempt)
    window = CreateWindowExA(0, windowClass.lpszClassName, "", WS_POPUP, 0, 0, 1, 1, nullptr, nullptr,
                             windowClass.hInstance, nullptr);
  HANDLE thread = window ? CreateThread(nullptr, 0, waitForInput, nullptr, 0, nullptr) : nullptr;
  if (!thread) {
    std::printf("desktop: no window: error %lu\n", GetLastError());
    return 1;
  }
  std::printf("window 0,0 1x1\n");
  while (MsgWaitForMultipleObjects(1, &thread, FALSE, INFINITE, QS_ALLINPUT) == WAIT_OBJECT_0 + 1) {
    MSG message;
    while (PeekMessageA(&message, nullptr, 0, 0, PM_REMOVE)) DispatchMessageA(&message);
  }
  DestroyWindow(window);
  return 0;
}
