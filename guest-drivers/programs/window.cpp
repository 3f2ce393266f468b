// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/window.h"

#include <cstdio>

#include "guest-drivers/programs/fail.h"

namespace programs {

namespace {

DWORD WINAPI waitForInput(void *) {
  int c = 0;
  do c = std::getchar();
  while (c != EOF && c != '\n');
  return 0;
}

LRESULT CALLBACK windowProcedure(HWND window, UINT message, WPARAM wide, LPARAM last) {
  if (message == WM_ERASEBKGND) return 1;  // Direct3D owns all of the window
  return DefWindowProcA(window, message, wide, last);
}

}  // namespace

bool Window::open(int x, int y, uint32_t width, uint32_t height, bool shown) {
  WNDCLASSA windowClass{};
  windowClass.lpfnWndProc = windowProcedure;
  windowClass.hInstance = GetModuleHandleA(nullptr);
  windowClass.lpszClassName = "aerogpu-program";
  RegisterClassA(&windowClass);
  handle_ = CreateWindowExA(0, windowClass.lpszClassName, speaker, shown ? WS_POPUP | WS_VISIBLE : WS_POPUP, x, y,
                            static_cast<int>(width), static_cast<int>(height), nullptr, nullptr, windowClass.hInstance,
                            nullptr);
  if (!handle_) return fail("CreateWindowEx failed: error %lu", GetLastError());
  takeMessages();
  POINT corner{0, 0};
  RECT client{};
  if (!ClientToScreen(handle_, &corner) || !GetClientRect(handle_, &client))
    return fail("the window has no client area: error %lu", GetLastError());
  if (client.right != static_cast<LONG>(width) || client.bottom != static_cast<LONG>(height))
    return fail("the window is %ldx%ld, not %ux%u", client.right, client.bottom, width, height);
  std::printf("window %ld,%ld %ldx%ld\n", corner.x, corner.y, client.right, client.bottom);
  return true;
}

Window::~Window() {
  if (handle_) DestroyWindow(handle_);
}

void takeMessages() {
  MSG message;
  while (PeekMessageA(&message, nullptr, 0, 0, PM_REMOVE)) {
    TranslateMessage(&message);
    DispatchMessageA(&message);
  }
}

void holdPicture() {
  HANDLE thread = CreateThread(nullptr, 0, waitForInput, nullptr, 0, nullptr);
  if (!thread) {
    fail("CreateThread failed: error %lu", GetLastError());
    return;
  }
  std::printf("holding\n");
  while (MsgWaitForMultipleObjects(1, &thread, FALSE, INFINITE, QS_ALLINPUT) == WAIT_OBJECT_0 + 1) takeMessages();
  CloseHandle(thread);
}

}  // namespace programs
