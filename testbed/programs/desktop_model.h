// SPDX-License-Identifier: MIT
// desktop_model.h: the desktop that compositor.exe shows: the positions of its windows, the look of frames, glass and
// shadows, and, computed on the CPU, the picture of a frame. No Windows header.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "guest-drivers/programs/contents.h"

namespace programs {

inline constexpr uint32_t kDesktopWidth = 1024, kDesktopHeight = 768;
inline constexpr int kBorder = 8, kCaption = 30, kTaskbarHeight = 40, kCorner = 8;

struct DesktopWindow {
  const char *kind;  // contents.h
  ContentKind content;
  const char *title;
  bool other;  // its program has the other bitness, if there is one
  int x, y;    // of the frame, in frame 0
  uint32_t width, height;
  int glass;  // rows of glass below the program's area
};
inline constexpr uint32_t kDesktopWindows = 5;
/** The windows of the desktop from back to front; the last one moves. */
extern const std::array<DesktopWindow, kDesktopWindows> desktopWindows;

struct DesktopBox {
  int x, y, width, height;
};
/** Returns the box of a window with its frame. */
DesktopBox frameBox(uint32_t window, uint32_t frame);
/** Returns the box that the window's program draws. */
DesktopBox clientBox(uint32_t window, uint32_t frame);
DesktopBox taskbarBox();
/** Returns the box that a window's shadow covers. */
DesktopBox shadowBox(const DesktopBox &frame);

/** Glass shows the scene below it, at a quarter of its size, blurred in both directions by these weights of the
 * texel itself and of those 1 to 6 texels away, then mixed with a tint. shaders/blur.psa. */
inline constexpr int kReduce = 4, kBlurReach = 6;
extern const std::array<double, kBlurReach + 1> kBlurWeights;
struct Tint {
  float r, g, b, share;
};
inline constexpr Tint kWindowTint{0.50f, 0.70f, 0.92f, 0.30f}, kTaskbarTint{0.08f, 0.16f, 0.28f, 0.50f};

Picture wallpaperPicture();
/** Returns the glass of a frame of this size: alpha is where the glass is, the colours are light on it. */
Picture glassPicture(int width, int height, bool window);
/** Returns the parts on top of the glass, premultiplied alpha: edges, caption, buttons, words. */
Picture framePicture(uint32_t window, const std::string &title);
Picture taskbarPicture(const std::vector<std::string> &titles);
/** Returns the shadow, premultiplied alpha, of shadowBox()'s size. */
Picture shadowPicture(int frameWidth, int frameHeight);

/** Returns the titles of all windows. `other`: the bitness of the programs marked so, 32 or 64; ours is `own`. */
std::vector<std::string> desktopTitles(int own, int other);

/** Returns the expected desktop. Each channel may differ by kDesktopTolerance. */
Picture desktopPicture(uint32_t frame, const std::vector<std::string> &titles);
inline constexpr uint32_t kDesktopTolerance = 4;  // contents, three passes of blur, three blends: each rounds

}  // namespace programs
