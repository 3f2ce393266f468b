// SPDX-License-Identifier: MIT
// vblank_clock.h: computes the raster's position from the device's last vblank time and a counter of the guest. The
// device has no "now" to read; readings bound the offset of its clock from the guest's. Not locked: the owner
// serialises.
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/logic/modes.h"

namespace aero {

/** Converts ticks of a counter that runs at `frequency` Hz (not 0) to nanoseconds. */
constexpr uint64_t counterNs(uint64_t ticks, uint64_t frequency) {
  return ticks / frequency * 1000000000u + ticks % frequency * 1000000000u / frequency;
}

struct Raster {
  bool inBlank;
  uint32_t line;  // 0 in the blank, as in Direct3D's raster status
};

/** Returns the raster `phaseNs` nanoseconds after the start of the vertical blank. */
constexpr Raster rasterAt(uint32_t activeLines, uint32_t totalLines, uint32_t phaseNs, uint32_t periodNs) {
  const auto line = static_cast<uint32_t>(uint64_t{phaseNs} * totalLines / periodNs);
  const uint32_t blank = totalLines - activeLines;
  return line < blank ? Raster{true, 0} : Raster{false, line - blank};
}

/**
 * Bounds the difference between the two clocks. A reading of the last vblank time means that the device's clock was
 * between that time and one period later. Readings at other moments of the period narrow that down; readings on both
 * sides of one vblank narrow it down to their distance.
 */
class VblankClock {
public:
  void reset() { m_known = false; }

  /** The device returned `vblankNs` at some moment between `beforeNs` and `afterNs` on the guest's clock. */
  void observe(uint64_t vblankNs, uint64_t beforeNs, uint64_t afterNs, uint32_t periodNs) {
    int64_t low = static_cast<int64_t>(vblankNs - afterNs);
    int64_t high = static_cast<int64_t>(vblankNs + periodNs - beforeNs);
    if (m_known) {
      const int64_t drift = driftSince(afterNs);
      const int64_t oldLow = m_low - drift, oldHigh = m_high + drift;
      // The bounds do not overlap: one of the clocks was stopped or set. Then only the new reading counts.
      if (oldLow <= high && low <= oldHigh) {
        if (oldLow > low) low = oldLow;
        if (oldHigh < high) high = oldHigh;
      }
    }
    m_low = low;
    m_high = high;
    m_vblankNs = vblankNs;
    m_atNs = afterNs;
    m_known = true;
  }

  /** Returns the nanoseconds since the start of the last vertical blank, less than `periodNs`. */
  uint32_t phase(uint64_t nowNs, uint32_t periodNs) const {
    if (!m_known) return static_cast<uint32_t>(nowNs % periodNs);
    const int64_t difference = m_low + (m_high - m_low) / 2;
    int64_t since = static_cast<int64_t>(nowNs + static_cast<uint64_t>(difference) - m_vblankNs) % periodNs;
    if (since < 0) since += periodNs;
    return static_cast<uint32_t>(since);
  }

  /** Returns twice the largest error of phase(), in nanoseconds. */
  uint64_t uncertainty(uint64_t nowNs) const {
    return m_known ? static_cast<uint64_t>(m_high - m_low + 2 * driftSince(nowNs)) : UINT64_MAX;
  }

  /** Returns the guest time of the last reading. */
  uint64_t observedAt() const { return m_known ? m_atNs : 0; }

private:
  /** Clocks of one machine drift apart by less than 50 parts in a million. */
  int64_t driftSince(uint64_t nowNs) const {
    return nowNs > m_atNs ? static_cast<int64_t>((nowNs - m_atNs) / 20000) : 0;
  }

  bool m_known = false;
  int64_t m_low = 0;  // device time minus guest time, ns
  int64_t m_high = 0;
  uint64_t m_vblankNs = 0;
  uint64_t m_atNs = 0;
};

}  // namespace aero
