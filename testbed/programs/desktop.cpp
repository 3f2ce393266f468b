// SPDX-License-Identifier: MIT
// desktop.exe: an invisible window, until standard input ends. Wine's desktop is a process (explorer.exe) that the
// first window starts and the last one ends. While this program runs, others find a desktop. It draws nothing.
//
// On a busy machine a desktop that starts with a program's first window can be lost in two ways. The program waits 10 s
// for explorer.exe (win32u, get_desktop_window), and then makes a desktop without it, on which no program gets a window
// any more. And Wine's server ends explorer.exe by WM_CLOSE a second after one of explorer.exe's threads has ended
// while other programs had a single thread there, because the server counts threads before it removes the ended one
// (remove_desktop_user); without a display explorer.exe ends such a thread at its start. So this program starts
// explorer.exe itself and waits until that is ready, and has two threads by then.
#include <windows.h>

#include <cstdio>
#include <string>

namespace {

DWORD WINAPI waitForInput(void *) {
  while (std::getchar() != EOF) {}
  return 0;
}

/// Starts Wine's desktop and waits until it takes messages, which is after it made its window. Returns false after one
/// line.
bool startDesktop() {
  char folder[MAX_PATH];
  const UINT length = GetSystemDirectoryA(folder, MAX_PATH);
  if (!length || length >= MAX_PATH) {
    std::printf("desktop: no system folder: error %lu\n", GetLastError());
    return false;
  }
  std::string command = std::string(folder) + "\\explorer.exe /desktop";
  STARTUPINFOA startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  if (!CreateProcessA(nullptr, command.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr, &startup, &process)) {
    std::printf("desktop: %s does not start: error %lu\n", command.c_str(), GetLastError());
    return false;
  }
  const DWORD idle = WaitForInputIdle(process.hProcess, INFINITE), error = GetLastError();
  DWORD code = STILL_ACTIVE;
  GetExitCodeProcess(process.hProcess, &code);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  if (idle == 0 && code == STILL_ACTIVE) return true;
  std::printf("desktop: explorer.exe: exit code %lu, WaitForInputIdle gives %lu, error %lu\n", code, idle, error);
  return false;
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  HANDLE thread = CreateThread(nullptr, 0, waitForInput, nullptr, 0, nullptr);
  if (!thread) {
    std::printf("desktop: no thread: error %lu\n", GetLastError());
    return 1;
  }
  if (!startDesktop()) return 1;
  WNDCLASSA windowClass{};
  windowClass.lpfnWndProc = DefWindowProcA;
  windowClass.hInstance = GetModuleHandleA(nullptr);
  windowClass.lpszClassName = "aerogpu-desktop";
  RegisterClassA(&windowClass);
  HWND window = CreateWindowExA(0, windowClass.lpszClassName, "", WS_POPUP, 0, 0, 1, 1, nullptr, nullptr,
                                windowClass.hInstance, nullptr);
  if (!window) {
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
