// SPDX-License-Identifier: MIT
// gamma_ramp.h: the gamma ramp of the screen, which the device applies (docs/abi/present.md SCAN-11, SCAN-12).
// PASSIVE_LEVEL; the callers are serialised (display functions of the DDI, power).
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class Registers;
struct Features;

class GammaRamp {
public:
  /** Both outlive it; `features` is filled in before start(). */
  GammaRamp(const Registers &registers, const Features &features) : m_registers(registers), m_features(features) {}

  /** True if the device has ramps. */
  bool isThere() const;
  /** Forgets the ramp and switches the device's off: another driver may have left one. */
  void start();
  /** Shows the screen through `ramp`, which VidPn::checkUpdate() has taken. */
  void set(const D3DKMDT_GAMMA_RAMP &ramp);
  /** Gives the device its ramp back, after it lost its registers. */
  void restore() const;

private:
  void program() const;

  const Registers &m_registers;
  const Features &m_features;
  D3DDDI_GAMMA_RAMP_RGB256x3x16 m_ramp = {};
  bool m_isOn = false;
};

/** True for the ramp that changes nothing, which a display shows without a table. */
inline bool isLinear(const D3DDDI_GAMMA_RAMP_RGB256x3x16 &ramp) {
  for (UINT i = 0; i < 256; i++) {
    // Eight bits become sixteen by 257 or, as some callers have it, by 256; the display shows eight.
    if (ramp.Red[i] >> 8 != i || ramp.Green[i] >> 8 != i || ramp.Blue[i] >> 8 != i) return false;
  }
  return true;
}

}  // namespace aero
