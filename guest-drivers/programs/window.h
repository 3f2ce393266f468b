// SPDX-License-Identifier: MIT
// window.h: a program's window, for programs of any version of Direct3D.
#pragma once

#include <windows.h>

#include <cstdint>

namespace programs {

/** A visible window without a frame: its client area is all of it, so its pixels are exactly where the program puts
 * them. */
class Window {
public:
  Window() = default;
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;
  ~Window();
  /** Prints an error line and returns false if no window can be made. Prints `window X,Y WxH` on success. A window
   * that is not `shown` takes no focus. */
  bool open(int x, int y, uint32_t width, uint32_t height, bool shown = true);
  HWND handle() const { return handle_; }

private:
  HWND handle_ = nullptr;
};

/** Handles the messages in this thread's queue, as a program has to between frames. */
void takeMessages();

/** Prints `holding` and waits for a line or the end of standard input; the thread's windows stay alive meanwhile. */
void holdPicture();

}  // namespace programs
