// SPDX-License-Identifier: MIT
// Computes the pixels that a blit of D3DKMTPresent goes to: rectangles of the source and of the window become
// rectangles of the destination. Page "D3DKMT_PRESENT".
#pragma once

#include <optional>
#include <vector>

#include "ddi_base.h"

namespace aerogpu::host {

struct PresentArea {
  RECT from, to;               // may reach outside the destination
  std::vector<RECT> subRects;  // drawable rectangles of the destination, within it and never empty
};

struct PresentShape {
  LONG sourceWidth, sourceHeight, width, height;  // sizes of source and destination
  RECT window;                                    // in the destination; `to` is relative to it
  std::optional<RECT> from, to;                   // default: all of the source, of the window
  std::vector<RECT> subRects;                     // in the source; none: all of it
};

/// Returns nothing if a rectangle is empty, reversed, outside the source, or larger than a surface can be. An
/// area without subRects lies entirely outside the destination.
std::optional<PresentArea> presentArea(const PresentShape& shape);

}  // namespace aerogpu::host
