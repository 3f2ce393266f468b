// SPDX-License-Identifier: MIT
// gdi_multipass.h: stores the progress of an operation that does not fit into one DMA buffer in the 32 bits
// of MultipassOffset, which the OS hands back with the next buffer (d3dkmddi pages "DXGKARG_PRESENT",
// "DXGKARG_RENDER"). Any IRQL.
#pragma once

#include <stdint.h>

namespace aero {

/** Progress of a DxgkDdiPresent: the parts that are drawn (present_parts.h), and the steps of the next
 * part; or that only the frame is left to announce. 0 is a new present. `partSteps` is the same in all
 * calls of one present: a part has fewer steps. */
struct PresentProgress {
  uint32_t part = 0;
  uint32_t steps = 0;
  bool drawn = false;  // the other fields are meaningless then

  static constexpr PresentProgress from(uint32_t multipass, uint32_t partSteps) {
    return multipass == kDrawn ? PresentProgress{0, 0, true}
                               : PresentProgress{multipass / partSteps, multipass % partSteps, false};
  }
  /** Returns false if 32 bits cannot hold it. */
  constexpr bool to(uint32_t &multipass, uint32_t partSteps) const {
    const uint64_t said = uint64_t{part} * partSteps + steps;
    if (!drawn && (steps >= partSteps || said >= kDrawn)) return false;
    multipass = drawn ? kDrawn : static_cast<uint32_t>(said);
    return true;
  }

private:
  static constexpr uint32_t kDrawn = 0xFFFFFFFFu;
};

/** Progress of a DxgkDdiRenderKm: bytes of commands that are drawn, and steps of the next command. 0 is a
 * new list. */
struct RenderKmProgress {
  uint32_t offset = 0;  // a multiple of 4
  uint32_t steps = 0;

  static constexpr uint32_t kStepBits = 14;

  static constexpr RenderKmProgress from(uint32_t multipass) {
    return {(multipass >> kStepBits) * 4, multipass & ((1u << kStepBits) - 1)};
  }
  /** Returns false if 32 bits cannot hold it. */
  constexpr bool to(uint32_t &multipass) const {
    if (offset % 4 || offset / 4 >= 1u << (32 - kStepBits) || steps >= 1u << kStepBits) return false;
    multipass = offset / 4 << kStepBits | steps;
    return true;
  }
};

}  // namespace aero
