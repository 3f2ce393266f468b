// SPDX-License-Identifier: MIT
// special_states.h: states whose values for the device are computed from those that the program sets. Some depend on
// each other or on whether vertices come in screen space; others are FOURCCs that programs write to unrelated states.
#pragma once

#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {

/** The special states that are wanted, and those that the device has. Setters send nothing. Only one call of a device
 * at a time uses this. */
class SpecialStates {
public:
  explicit SpecialStates(DirtyBit dirty) : m_isDirty(dirty) {}

  /** Records a state (D3DDDIRENDERSTATETYPE). Returns false if the state, or this value, is not special. */
  bool set(uint32_t state, uint32_t value);
  /** Sets whether fog tables use w in place of z (page "PFND3DDDI_UPDATEWINFO"). */
  void setWFog(bool on) { note(m_fogW, uint32_t{on}); }
  void setClipPlane(uint32_t index, const float *coefficients) {
    m_clipPlanes.set(index, coefficients);
    m_isDirty.set();
  }

  /** Sets the results in `renderStates`, and sends those that are no render states. `transformed`: vertices come in
   * screen space. `hasStencil`: false if the depth target has none to Direct3D, where the device's may. */
  bool emit(Context &context, RenderStates &renderStates, bool transformed, bool hasStencil);
  /** Forgets what the device has. */
  void forget();

private:
  /** States that are no render states of Direct3D 9. */
  struct Extension {
    uint32_t fogW = 0, coverage = 0;
  };
  uint32_t depthBias() const;
  void note(uint32_t &have, uint32_t value) {
    if (have == value) return;
    have = value;
    m_isDirty.set();
  }

  DirtyBit m_isDirty;
  uint32_t m_fogW = 0;
  uint32_t m_coverageForAll = 0, m_coverageForAlphaTest = 0;
  uint32_t m_alphaTest = 0, m_clipping = 1, m_stencil = 0;
  uint32_t m_planes = 0;                  // a bit for each clip plane that is on
  uint32_t m_depthBias = 0, m_zBias = 0;  // D3DRS_DEPTHBIAS, a float; D3DDDIRS_ZBIAS, 0 to 16
  ClipPlanes m_clipPlanes;
  Extension m_sent;
};

}  // namespace aero
