// SPDX-License-Identifier: MIT
// A full-screen device's effects on windows: the window system's display mode, the device window over the whole screen,
// and the focus window, whose activation decides whether the device has the screen. Pages "CreateDevice", "D3DCREATE"
// (D3DCREATE_NOWINDOWCHANGES), "Lost Devices".
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

class FullScreenWindow {
public:
  enum class Screen : LONG {
    Ours,     ///< or not wanted
    Lost,     ///< another program is active
    Regained  ///< active again, and not reset since
  };

  /// Direct3D 9Ex (`ex`) restores the mode when the focus comes back, while Direct3D 9 waits for a Reset; and it hides
  /// a window again that was hidden before. Direct3D 8 (`keepsTopmost`) leaves the window on top of others
  /// (test_window_style in Wine's dlls/d3d8/tests/device.c).
  FullScreenWindow(bool ex, bool keepsTopmost) : m_ex(ex), m_keepsTopmost(keepsTopmost) {}
  ~FullScreenWindow() { leave(); }
  FullScreenWindow(const FullScreenWindow &) = delete;
  FullScreenWindow &operator=(const FullScreenWindow &) = delete;

  /// Takes over the screen, or continues with another mode or window. `changeWindows` false leaves windows as they are;
  /// the focus is watched anyway.
  void enter(HWND deviceWindow, HWND focusWindow, UINT width, UINT height, bool changeWindows);
  /// Restores the mode, the device window's style and position, and the focus window's procedure.
  void leave();
  Screen screen() const { return static_cast<Screen>(m_screen); }
  /// Called after a successful Reset.
  void setScreen(Screen screen) { InterlockedExchange(&m_screen, static_cast<LONG>(screen)); }
  bool isEntered() const { return m_entered; }

private:
  static LRESULT CALLBACK focusProcedure(HWND window, UINT message, WPARAM wide, LPARAM longer);
  LRESULT forward(HWND window, UINT message, WPARAM wide, LPARAM longer) const;
  void watchFocus(HWND window);
  void unwatchFocus();
  void coverScreen(HWND window);
  void restoreWindow();
  void activate(bool active);

  const bool m_ex, m_keepsTopmost;
  bool m_entered = false, m_changeWindows = false, m_filter = false;
  HWND m_device = nullptr, m_focus = nullptr;
  UINT m_width = 0, m_height = 0;
  LONG m_style = 0, m_exStyle = 0;  ///< the device window's styles before
  WNDPROC m_procedure = nullptr;    ///< the focus window's own
  volatile LONG m_screen = static_cast<LONG>(Screen::Ours);
};

}  // namespace aerogpu::runtime
