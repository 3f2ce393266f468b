// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/full_screen_window.h"

#include "testbed/runtime-kernel/display_owner.h"

namespace aerogpu::runtime {
namespace {

constexpr const WCHAR *kProperty = L"aerogpu.d3d9.full-screen";

LONG fullScreenStyle(LONG style) {
  return static_cast<LONG>((static_cast<DWORD>(style) | WS_POPUP | WS_SYSMENU) & ~(WS_CAPTION | WS_THICKFRAME));
}

LONG fullScreenExStyle(LONG style) {
  return style & ~(WS_EX_WINDOWEDGE | WS_EX_CLIENTEDGE);
}

}  // namespace

void FullScreenWindow::enter(HWND deviceWindow, HWND focusWindow, UINT width, UINT height, bool changeWindows) {
  m_changeWindows = changeWindows;
  if (!focusWindow) focusWindow = deviceWindow;
  const bool first = !m_entered;
  if (first) {
    m_entered = true;
    m_focus = focusWindow;
    watchFocus(focusWindow);
  }
  m_width = width;
  m_height = height;
  setScreenMode(m_width, m_height);
  if (!changeWindows) {
    m_device = deviceWindow;
    return;
  }
  if (m_device != deviceWindow) restoreWindow();
  coverScreen(deviceWindow);
}

void FullScreenWindow::leave() {
  if (!m_entered) return;
  m_entered = false;
  unwatchFocus();
  restoreScreenMode();
  restoreWindow();
  setScreen(Screen::Ours);
}

void FullScreenWindow::coverScreen(HWND window) {
  m_filter = window == m_focus;
  const int width = static_cast<int>(m_width), height = static_cast<int>(m_height);
  if (m_device != window) {
    m_device = window;
    m_style = GetWindowLongW(window, GWL_STYLE);
    m_exStyle = GetWindowLongW(window, GWL_EXSTYLE);
    SetWindowLongW(window, GWL_STYLE, fullScreenStyle(m_style));
    SetWindowLongW(window, GWL_EXSTYLE, fullScreenExStyle(m_exStyle));
    SetWindowPos(window, HWND_TOPMOST, 0, 0, width, height, SWP_FRAMECHANGED | SWP_SHOWWINDOW | SWP_NOACTIVATE);
  } else {
    if (IsIconic(window)) ShowWindow(window, SW_RESTORE);
    SetWindowPos(window, nullptr, 0, 0, width, height, SWP_NOACTIVATE | SWP_NOZORDER);
    // The program may have hidden it meanwhile.
    if (!IsWindowVisible(window)) ShowWindow(window, SW_SHOW);
  }
  m_filter = false;
}

void FullScreenWindow::restoreWindow() {
  const HWND window = m_device;
  m_device = nullptr;
  if (!window || !m_changeWindows || !IsWindow(window)) return;
  // The program's own changes in the meantime stay.
  const LONG style = GetWindowLongW(window, GWL_STYLE), exStyle = GetWindowLongW(window, GWL_EXSTYLE);
  m_filter = window == m_focus;
  if (!((style ^ fullScreenStyle(m_style)) & ~WS_VISIBLE) &&
      !((exStyle ^ fullScreenExStyle(m_exStyle)) & ~WS_EX_TOPMOST)) {
    SetWindowLongW(window, GWL_STYLE, m_ex ? m_style : (m_style & ~WS_VISIBLE) | (style & WS_VISIBLE));
    SetWindowLongW(window, GWL_EXSTYLE, m_exStyle);
  }
  // Position and size stay: a program that wants others sets them.
  const bool topmost = m_keepsTopmost || (m_exStyle & WS_EX_TOPMOST);
  SetWindowPos(window, topmost ? nullptr : HWND_NOTOPMOST, 0, 0, 0, 0,
               SWP_FRAMECHANGED | SWP_NOACTIVATE | SWP_NOSIZE | SWP_NOMOVE | (topmost ? SWP_NOZORDER : 0u));
  m_filter = false;
}

void FullScreenWindow::watchFocus(HWND window) {
  SetWindowPos(window, nullptr, 0, 0, 0, 0, SWP_NOSIZE | SWP_NOMOVE);
  SetPropW(window, kProperty, this);
  const LONG_PTR ours = reinterpret_cast<LONG_PTR>(focusProcedure);
  const LONG_PTR before = IsWindowUnicode(window) ? SetWindowLongPtrW(window, GWLP_WNDPROC, ours)
                                                  : SetWindowLongPtrA(window, GWLP_WNDPROC, ours);
  m_procedure = reinterpret_cast<WNDPROC>(before);
  SetForegroundWindow(window);
}

void FullScreenWindow::unwatchFocus() {
  if (!m_procedure || !IsWindow(m_focus)) return;
  const bool wide = IsWindowUnicode(m_focus);
  const LONG_PTR ours = reinterpret_cast<LONG_PTR>(focusProcedure);
  const LONG_PTR now = wide ? GetWindowLongPtrW(m_focus, GWLP_WNDPROC) : GetWindowLongPtrA(m_focus, GWLP_WNDPROC);
  // A procedure that the program installed on top calls ours, which then calls the first.
  if (now != ours) return;
  const LONG_PTR first = reinterpret_cast<LONG_PTR>(m_procedure);
  wide ? SetWindowLongPtrW(m_focus, GWLP_WNDPROC, first) : SetWindowLongPtrA(m_focus, GWLP_WNDPROC, first);
  RemovePropW(m_focus, kProperty);
  m_procedure = nullptr;
}

LRESULT FullScreenWindow::forward(HWND window, UINT message, WPARAM wide, LPARAM longer) const {
  return IsWindowUnicode(window) ? CallWindowProcW(m_procedure, window, message, wide, longer)
                                 : CallWindowProcA(m_procedure, window, message, wide, longer);
}

LRESULT CALLBACK FullScreenWindow::focusProcedure(HWND window, UINT message, WPARAM wide, LPARAM longer) {
  auto *self = static_cast<FullScreenWindow *>(GetPropW(window, kProperty));
  if (!self) return DefWindowProcW(window, message, wide, longer);
  if (self->m_filter && message != WM_DISPLAYCHANGE) return DefWindowProcW(window, message, wide, longer);
  if (message == WM_ACTIVATEAPP) self->activate(wide != 0);
  if (message == WM_SYSCOMMAND && wide == SC_RESTORE) DefWindowProcW(window, message, wide, longer);
  return self->forward(window, message, wide, longer);
}

void FullScreenWindow::activate(bool active) {
  if (!m_entered) return;
  if (active) {
    if (screen() != Screen::Lost) return;
    setScreen(m_ex ? Screen::Ours : Screen::Regained);
    if (m_ex) setScreenMode(m_width, m_height);
    if (!m_changeWindows) return;
    m_filter = m_device == m_focus;
    SetWindowPos(m_device, nullptr, 0, 0, static_cast<int>(m_width), static_cast<int>(m_height),
                 SWP_NOACTIVATE | SWP_NOZORDER);
    m_filter = false;
    return;
  }
  setScreen(Screen::Lost);
  restoreScreenMode();
  if (m_changeWindows && IsWindowVisible(m_device)) ShowWindow(m_device, SW_MINIMIZE);
}

}  // namespace aerogpu::runtime
