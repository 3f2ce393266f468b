// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/layout.h"

#include <algorithm>
#include <cmath>

namespace aerogpu::guest {

namespace {

int lerp(int from, int to, double t) {
  return from + static_cast<int>(std::lround((to - from) * t));
}

int roundDown(int value, int to) {
  return value >= 0 ? value / to * to : -((-value + to - 1) / to * to);
}

}  // namespace

Rect paneRect(Mode mode, Pane pane, double seconds) {
  const int w = static_cast<int>(mode.width), h = static_cast<int>(mode.height);
  const int room = h - kTaskbarHeight;
  switch (pane) {
    case kModelPane: {
      const int pw = std::min(540, w - 80), ph = std::min(430, room - 60);
      return {lerp(20, w / 2 - pw / 2, 0.16), lerp(20, room - ph - 20, 0.14), pw, ph};
    }
    case kStatsPane: {
      const int pw = std::min(430, w - 80), ph = std::min(350, room - 60);
      return {w - pw - lerp(20, w / 2 - pw / 2, 0.14), lerp(20, room - ph - 20, 0.20), pw, ph};
    }
    case kAboutPane: {
      const Rect sweep = paneSweep(mode, pane);
      const int pw = std::min(440, w - 80), ph = std::min(244, room - 60);
      const double u = 0.5 + 0.5 * std::sin(seconds * 0.53), v = 0.5 + 0.5 * std::sin(seconds * 0.81 + 1.1);
      return {lerp(sweep.x, sweep.x + sweep.w - pw, u), lerp(sweep.y, sweep.y + sweep.h - ph, v), pw, ph};
    }
    case kTaskbarPane:
    case kPaneCount:
      break;
  }
  return {0, room, w, kTaskbarHeight};
}

Rect paneSweep(Mode mode, Pane pane) {
  if (pane != kAboutPane) return paneRect(mode, pane, 0);
  const int w = static_cast<int>(mode.width), room = static_cast<int>(mode.height) - kTaskbarHeight;
  const int pw = std::min(440, w - 80), ph = std::min(244, room - 60), middle = (w - pw) / 2;
  const int left = std::max(0, middle - w / 7), right = std::min(w, middle + w / 5 + pw);
  // The distance to the taskbar is more than the reach of its blur.
  const int bottom = room - kBlurMargin - kShadow - kBlurScale, top = std::max(0, bottom - ph - room / 5);
  return {left, top, right - left, bottom - top};
}

Rect clientRect(const Rect& pane) {
  return {kBorder, kCaption, pane.w - 2 * kBorder, pane.h - kCaption - kBorder};
}

Rect blurRect(const Rect& pane) {
  const auto size = [](int n) {
    return (n + 2 * kBlurMargin + 2 * kBlurScale - 1) / kBlurScale * kBlurScale;
  };
  return {roundDown(pane.x - kBlurMargin, kBlurScale), roundDown(pane.y - kBlurMargin, kBlurScale),
          size(pane.w), size(pane.h)};
}

void cursorPosition(Mode mode, double seconds, int& x, int& y) {
  const double w = mode.width, h = mode.height;
  x = static_cast<int>(
      std::lround(w * (0.5 + 0.30 * std::sin(seconds * 0.67) + 0.08 * std::sin(seconds * 1.9))));
  y = static_cast<int>(
      std::lround(h * (0.5 + 0.27 * std::sin(seconds * 0.91 + 0.7) + 0.06 * std::cos(seconds * 2.3))));
}

}  // namespace aerogpu::guest
