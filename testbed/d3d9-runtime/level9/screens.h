// SPDX-License-Identifier: MIT
// screens.h: a full screen of a front's device: it owns the display, and shows buffers of its own.
#pragma once

#include <memory>

#include "testbed/d3d9-runtime/level9/front.h"
#include "testbed/runtime-kernel/display_owner.h"

namespace aerogpu::level9 {

class Screen {
public:
  explicit Screen(Front &front) : m_front(front) {}
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;

  /// Becomes the display's owner.
  bool take();
  /// Makes X8R8G8B8 buffers, for a mode of this size.
  bool make(UINT width, UINT height, UINT buffers);
  /// Shows a buffer, in its mode.
  bool show(UINT buffer);
  /// Flips to a buffer at the next vertical blank.
  bool flip(UINT buffer);
  /// Gives the display back. The buffers stay.
  void leave() { m_display.reset(); }

  const runtime::DriverResource &buffers() const { return *m_buffers; }
  UINT width() const { return m_width; }
  UINT height() const { return m_height; }

private:
  Front &m_front;
  std::unique_ptr<runtime::DriverResource> m_buffers;
  UINT m_width = 0, m_height = 0;
  std::unique_ptr<runtime::DisplayOwner> m_display;
};

}  // namespace aerogpu::level9
