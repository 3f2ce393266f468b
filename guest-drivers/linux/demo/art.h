// SPDX-License-Identifier: MIT
// Paints the static pictures of the desktop.
#pragma once

#include "guest-drivers/linux/demo/canvas.h"
#include "guest-drivers/linux/demo/layout.h"

namespace aerogpu::guest {

/// One texture for all that is drawn as sprites: glyphs of the body and bold fonts, a white texel, a shadow.
inline constexpr int kAtlasWidth = 512, kAtlasHeight = 256;
inline constexpr int kShadowTile = 3 * kShadow;  // its picture is a square of this side at (0, 0)

struct AtlasGlyph {
  int x = 0, y = 0;
};
struct Atlas {
  AtlasGlyph body[95], bold[95];
  int whiteX = 0, whiteY = 0;
};
/// Paints the atlas; the positions are the same for every call.
Atlas paintAtlas(Canvas& canvas);

/// Paints frame, caption, buttons and fixed text of a pane (`canvas` has the pane's size and is empty).
void paintPane(Canvas& canvas, Pane pane);
/// Paints the background of the model: a dark radial gradient, opaque.
void paintBackdrop(Canvas& canvas);
/// Paints diagonal light on glass, in a picture that can be repeated without seams.
void paintStreaks(Canvas& canvas);
/// Paints the surface of the model, in a picture that can be repeated without seams.
void paintSurface(Canvas& canvas);
/// Scales `source`, which is twice as wide and high, down into `canvas`.
void paintMip(const uint32_t* source, Canvas& canvas);
/// Paints the pointer with straight alpha; the hot spot is (kCursorHot, kCursorHot).
inline constexpr int kCursorSize = 32, kCursorHot = 2;
void paintCursor(uint32_t* pixels);

}  // namespace aerogpu::guest
