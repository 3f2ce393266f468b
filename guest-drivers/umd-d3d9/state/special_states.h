// SPDX-License-Identifier: MIT
// special_states.h: states that the device does not have as the program sets them: those that depend on each other, on
// whether vertices come in screen space, and FOURCCs in states that never had such a meaning.
#pragma once

#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {

/** The special states that are wanted and what the device has of them. Setters only note; one device's thread. */
class SpecialStates {
public:
  explicit SpecialStates(DirtyBit dirty) : m_isDirty(dirty) {}

  /** False for states (D3DDDIRENDERSTATETYPE) and values that are no special ones. */
  bool set(uint32_t state, uint32_t value);
  /** Whether fog tables count w in place of z (page "PFND3DDDI_UPDATEWINFO"). */
  void setWFog(bool on) { note(m_fogW, uint32_t{on}); }
  void setClipPlane(uint32_t index, const float *coefficients) {
    m_clipPlanes.set(index, coefficients);
    m_isDirty.set();
  }

  /** Sets those that are render states of the device, and sends the others. `transformed`: vertices come in screen
   *  space. */
  bool emit(Context &context, RenderStates &renderStates, bool transformed);
  /** The device may have anything. */
  void forget();

private:
  /** What no render state of Direct3D 9 says. */
  struct Extension {
    uint32_t fogW = 0, coverage = 0;
  };
  void note(uint32_t &have, uint32_t value) {
    if (have == value) return;
    have = value;
    m_isDirty.set();
  }

  DirtyBit m_isDirty;
  uint32_t m_fogW = 0;
  uint32_t m_coverageForAll = 0, m_coverageForAlphaTest = 0;
  uint32_t m_alphaTest = 0, m_clipping = 1;
  uint32_t m_planes = 0;  // a bit for each that is on
  ClipPlanes m_clipPlanes;
  Extension m_sent;
};

}  // namespace aero
