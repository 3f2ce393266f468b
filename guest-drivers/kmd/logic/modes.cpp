// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/logic/modes.h"

namespace aero {
namespace {

constexpr Mode kCommon[] = {
    {640, 480},   {800, 600},   {1024, 768},  {1152, 864},  {1280, 720},  {1280, 768},  {1280, 800},  {1280, 960},
    {1280, 1024}, {1360, 768},  {1366, 768},  {1400, 1050}, {1440, 900},  {1600, 900},  {1600, 1200}, {1680, 1050},
    {1920, 1080}, {1920, 1200}, {2048, 1152}, {2560, 1440}, {2560, 1600}, {3840, 2160},
};
constexpr Mode kSmallest = {640, 480};
constexpr uint32_t kMaxEdge = 16384;

// CVT 1.2, reduced blanking version 1.
constexpr uint32_t kHorizontalBlank = 160;  // pixels
constexpr uint64_t kMinVerticalBlankNs = 460000;
constexpr uint32_t kFrontPorchLines = 3;
constexpr uint32_t kMinBackPorchLines = 6;

/** CVT 1.2: the width of the vertical sync encodes a mode's aspect ratio. */
constexpr struct {
  uint32_t width, height, lines;
} kAspects[] = {{4, 3, 4}, {16, 9, 5}, {16, 10, 6}, {5, 4, 7}, {15, 9, 7}};
constexpr uint32_t kOtherAspectLines = 10;
constexpr uint32_t kCell = 8;  // pixels

uint32_t syncLines(Mode mode) {
  for (const auto &aspect : kAspects)
    if (mode.height * aspect.width / aspect.height / kCell == mode.width / kCell) return aspect.lines;
  return kOtherAspectLines;
}

}  // namespace

Timing timingOf(Mode mode, Rational refresh) {
  // Line period = (frame period - blanking) / active lines; the blanking is then rounded up to whole lines.
  const uint64_t frameNs = 1000000000ull * refresh.denominator / refresh.numerator;
  const uint64_t activeNs = frameNs > 2 * kMinVerticalBlankNs ? frameNs - kMinVerticalBlankNs : frameNs;
  const uint64_t linePs = activeNs * 1000 / mode.height;
  Timing timing = {};
  timing.syncLines = syncLines(mode);
  const uint64_t leastLines = kFrontPorchLines + timing.syncLines + kMinBackPorchLines;
  uint64_t blankLines = linePs ? kMinVerticalBlankNs * 1000 / linePs + 1 : leastLines;
  if (blankLines < leastLines) blankLines = leastLines;
  timing.totalWidth = mode.width + kHorizontalBlank;
  timing.totalHeight = mode.height + static_cast<uint32_t>(blankLines);
  const uint64_t total = uint64_t{timing.totalWidth} * timing.totalHeight;
  timing.pixelRate = total * refresh.numerator / refresh.denominator;
  timing.vsync = refresh;
  timing.hsync = {static_cast<uint32_t>(timing.pixelRate / timing.totalWidth), 1};
  return timing;
}

void ModeList::fill(Mode preferred, uint64_t maxFrameBytes) {
  m_count = 0;
  if (preferred.width && preferred.height) add(preferred, maxFrameBytes);
  add(kSmallest, UINT64_MAX);
  for (const Mode &mode : kCommon) add(mode, maxFrameBytes);
}

bool ModeList::contains(Mode mode) const {
  for (size_t i = 0; i < m_count; i++)
    if (m_modes[i] == mode) return true;
  return false;
}

void ModeList::add(Mode mode, uint64_t maxFrameBytes) {
  if (m_count == kMax || contains(mode) || mode.width > kMaxEdge || mode.height > kMaxEdge) return;
  if (uint64_t{framePitch(mode.width)} * mode.height > maxFrameBytes) return;
  m_modes[m_count++] = mode;
}

}  // namespace aero
