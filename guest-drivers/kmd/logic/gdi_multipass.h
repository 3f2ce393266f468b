// SPDX-License-Identifier: MIT
// gdi_multipass.h: how far an operation came that does not fit into one DMA buffer, in the 32 bits of MultipassOffset,
// which the OS hands back with the next buffer (d3dkmddi pages "DXGKARG_PRESENT", "DXGKARG_RENDER"). Any IRQL.
#pragma once

#include <stdint.h>

namespace aero {

/** Of a DxgkDdiPresent: stretches of its list of rectangles that are drawn, and steps of the one after them; or that
 * only the frame is left to announce. 0 is a new present. */
struct PresentProgress {
  uint32_t stretch = 0;
  uint32_t steps = 0;
  bool drawn = false;  // the others mean nothing then

  static constexpr uint32_t kStepBits = 20;
  /** Rectangles of a stretch: as many as are worth a copy of the list. */
  static constexpr uint32_t kStretch = 4096;

  static constexpr PresentProgress from(uint32_t multipass) {
    return multipass == kDrawn ? PresentProgress{0, 0, true}
                               : PresentProgress{multipass >> kStepBits, multipass & ((1u << kStepBits) - 1), false};
  }
  /** False when it cannot be said in 32 bits. */
  constexpr bool to(uint32_t &multipass) const {
    if (!drawn && (stretch >= (1u << (32 - kStepBits)) - 1 || steps >= 1u << kStepBits)) return false;
    multipass = drawn ? kDrawn : stretch << kStepBits | steps;
    return true;
  }

private:
  static constexpr uint32_t kDrawn = 0xFFFFFFFFu;
};

/** Of a DxgkDdiRenderKm: bytes of commands that are drawn, and steps of the command after them. 0 is a new list. */
struct RenderKmProgress {
  uint32_t offset = 0;  // a multiple of 4
  uint32_t steps = 0;

  static constexpr uint32_t kStepBits = 14;

  static constexpr RenderKmProgress from(uint32_t multipass) {
    return {(multipass >> kStepBits) * 4, multipass & ((1u << kStepBits) - 1)};
  }
  /** False when it cannot be said in 32 bits. */
  constexpr bool to(uint32_t &multipass) const {
    if (offset % 4 || offset / 4 >= 1u << (32 - kStepBits) || steps >= 1u << kStepBits) return false;
    multipass = offset / 4 << kStepBits | steps;
    return true;
  }
};

}  // namespace aero
