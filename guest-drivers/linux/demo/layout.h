// SPDX-License-Identifier: MIT
// Computes the layout of the desktop from the mode and the time. Pure functions.
#pragma once

#include <cstdint>

#include "guest-drivers/linux/device/scanout.h"

namespace aerogpu::guest {

inline float real(int value) {
  return static_cast<float>(value);
}

struct Rect {
  int x = 0, y = 0, w = 0, h = 0;
  bool overlaps(const Rect& o) const { return x < o.x + o.w && o.x < x + w && y < o.y + o.h && o.y < y + h; }
};

/// Panes of glass from the bottom up.
enum Pane : uint32_t { kModelPane, kStatsPane, kAboutPane, kTaskbarPane, kPaneCount };

inline constexpr int kCaption = 30, kBorder = 8, kTaskbarHeight = 40, kShadow = 24;
/// Blur textures have 1/kBlurScale of the size in each direction, and cover kBlurMargin pixels around the
/// pane.
inline constexpr int kBlurScale = 4, kBlurMargin = 32;

/// Returns the rectangle of a pane at `seconds`. The about window moves, the others do not.
Rect paneRect(Mode mode, Pane pane, double seconds);
/// Returns the area that the pane covers over time.
Rect paneSweep(Mode mode, Pane pane);
/// Returns the area inside of the frame, in pixels from the pane's corner.
Rect clientRect(const Rect& pane);
/// Returns the area that the pane's blur texture covers: aligned to kBlurScale; its size does not depend on
/// where the pane is.
Rect blurRect(const Rect& pane);
/// Returns the position of the pointer, which wanders over the windows.
void cursorPosition(Mode mode, double seconds, int& x, int& y);

}  // namespace aerogpu::guest
