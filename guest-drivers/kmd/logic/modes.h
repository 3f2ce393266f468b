// SPDX-License-Identifier: MIT
// modes.h: the display modes that the driver offers: the monitor's preferred one and the common ones. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aero {

/** A resolution, pixels. */
struct Mode {
  uint32_t width;
  uint32_t height;
  constexpr bool operator==(const Mode &) const = default;
};

struct Rational {
  uint32_t numerator;
  uint32_t denominator;
};

/** The video signal of a mode: VESA CVT 1.2, reduced blanking (section 3.4.2), but with the exact pixel rate for the
 * refresh rate, which CVT would round down to a multiple of 250 kHz. */
struct Timing {
  uint32_t totalWidth;   // pixels with blanking
  uint32_t totalHeight;  // lines with blanking
  uint32_t syncLines;    // lines of the vertical sync, by which CVT encodes the aspect ratio
  uint64_t pixelRate;    // pixels a second
  Rational vsync;        // Hz
  Rational hsync;        // Hz
};

Timing timingOf(Mode mode, Rational refresh);

/** Modes in the order in which they are offered, the preferred one first. */
class ModeList {
public:
  static constexpr size_t kMax = 32;

  /** `preferred` may be 0x0. A mode is offered if its frame at 4 bytes a pixel fits in `maxFrameBytes`; the smallest
   * (640x480) is always there. */
  void fill(Mode preferred, uint64_t maxFrameBytes);

  size_t count() const { return m_count; }
  const Mode &operator[](size_t i) const { return m_modes[i]; }
  bool contains(Mode mode) const;

private:
  void add(Mode mode, uint64_t maxFrameBytes);

  Mode m_modes[kMax] = {};
  size_t m_count = 0;
};

/** Returns the bytes from one line to the next of a 32-bit frame, as the driver's allocations use them: a multiple
 * of 64. */
constexpr uint32_t framePitch(uint32_t width, uint32_t bytesPerPixel = 4) {
  return (width * bytesPerPixel + 63) & ~63u;
}

/** Returns the rate whose period is `periodNs` nanoseconds, to the nearest mHz and reduced; 60 Hz for 0. A period is
 * a rounded rate: 16666667 ns is 60 Hz, but Windows would call 1000000000 / 16666667 Hz 59 Hz. */
constexpr Rational refreshFromPeriod(uint32_t periodNs) {
  if (!periodNs) return {60, 1};
  uint32_t milli = static_cast<uint32_t>((1000000000000u + periodNs / 2) / periodNs), divisor = 1000;
  for (; divisor % 2 == 0 && milli % 2 == 0; divisor /= 2) milli /= 2;
  for (; divisor % 5 == 0 && milli % 5 == 0; divisor /= 5) milli /= 5;
  return {milli, divisor};
}

}  // namespace aero
