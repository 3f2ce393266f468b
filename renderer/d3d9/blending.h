// SPDX-License-Identifier: MIT
// Blending of one colour target, with Direct3D's special cases resolved. Pure functions.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::d3d9 {

/// The effective blending of a target. Factors are never BothSrcAlpha or BothInvSrcAlpha, and for alpha never
/// SrcAlphaSat.
struct Blending {
  bool enable = false;
  Blend src = Blend::One, dst = Blend::Zero;
  BlendOp op = BlendOp::Add;
  Blend srcAlpha = Blend::One, dstAlpha = Blend::Zero;
  BlendOp opAlpha = BlendOp::Add;
  uint8_t writeMask = 15;  ///< bit 0 R .. 3 A
  bool operator==(const Blending&) const = default;
};

/// Returns the blending of target `index`. `opaque`: the target has X8 in place of alpha, which reads as 1
/// whatever the byte holds. `written`: the pixel shader writes the target; else it stays unchanged.
Blending blendingOf(const core::BlendState& state, uint32_t index, bool opaque, bool written);

/// True if a factor of one of the first `targets` is a second output of the pixel shader (D3DBLEND_SRCCOLOR2,
/// D3D10_BLEND_SRC1_ALPHA and their inversions).
bool usesSecondSource(const core::BlendState& state, uint32_t targets);

}  // namespace aerogpu::d3d9
