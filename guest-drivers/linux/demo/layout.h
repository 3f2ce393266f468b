// SPDX-License-Identifier: MIT
// The layout of the desktop as a function of the mode and of time. Pure.
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
/// Blur textures are 1/4 in each direction and reach this far over the pane, in pixels.
inline constexpr int kBlurScale = 4, kBlurMargin = 32;

/// Rectangle of a pane at `seconds`; the about window drifts, the others stand still.
Rect paneRect(Mode mode, Pane pane, double seconds);
/// Returns the area that the pane covers over time.
Rect paneSweep(Mode mode, Pane pane);
/// Inside of the frame, in pixels from the pane's corner.
Rect clientRect(const Rect& pane);
/// Returns the area that the pane's blur texture covers: aligned to kBlurScale, of the same size wherever the
/// pane is.
Rect blurRect(const Rect& pane);
/// The pointer wanders over the windows.
void cursorPosition(Mode mode, double seconds, int& x, int& y);

}  // namespace aerogpu::guest
