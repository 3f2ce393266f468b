// SPDX-License-Identifier: MIT
// Which pixels a blit of D3DKMTPresent goes to: rectangles of the source and of the window become rectangles
// of the destination. Page "D3DKMT_PRESENT".
#pragma once

#include <optional>
#include <vector>

#include "ddi_base.h"

namespace aerogpu::host {

struct PresentArea {
  RECT from, to;               // may reach out of the destination
  std::vector<RECT> subRects;  // of the destination: what may be drawn, within it and never empty
};

struct PresentShape {
  LONG sourceWidth, sourceHeight, width, height;  // of source and destination
  RECT window;                                    // of the destination; `to` is relative to it
  std::optional<RECT> from, to;                   // without: all of the source, of the window
  std::vector<RECT> subRects;                     // of the source; none: all of it
};

/// Nothing when a rectangle is empty, turned around, outside of the source, or larger than a surface can be.
/// An area without subRects is wholly outside of the destination.
std::optional<PresentArea> presentArea(const PresentShape& shape);

}  // namespace aerogpu::host
