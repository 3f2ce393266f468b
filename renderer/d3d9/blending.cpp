// SPDX-License-Identifier: MIT
// Source: the pages D3DBLEND and D3DRENDERSTATETYPE of the Direct3D 9 reference.
#include "renderer/d3d9/blending.h"

namespace aerogpu::d3d9 {
namespace {

/// Replaces BothSrcAlpha and BothInvSrcAlpha as source factors, which also determine the destination's
/// factor.
void pair(Blend& src, Blend& dst) {
  if (src == Blend::BothSrcAlpha) {
    src = Blend::SrcAlpha;
    dst = Blend::InvSrcAlpha;
  } else if (src == Blend::BothInvSrcAlpha) {
    src = Blend::InvSrcAlpha;
    dst = Blend::SrcAlpha;
  }
}

/// Returns a factor with the same effect for this target. `alpha`: the factor applies to alpha, so that a
/// colour factor means its alpha.
Blend resolve(Blend b, bool opaque, bool alpha) {
  switch (b) {
    case Blend::BothSrcAlpha:
      return Blend::SrcAlpha;
    case Blend::BothInvSrcAlpha:
      return Blend::InvSrcAlpha;
    case Blend::DestAlpha:
      return opaque ? Blend::One : b;
    case Blend::InvDestAlpha:
      return opaque ? Blend::Zero : b;
    case Blend::DestColor:
      return opaque && alpha ? Blend::One : b;
    case Blend::InvDestColor:
      return opaque && alpha ? Blend::Zero : b;
    // Of alpha a colour is its alpha.
    case Blend::SrcAlpha2:
      return alpha ? Blend::SrcColor2 : b;
    case Blend::InvSrcAlpha2:
      return alpha ? Blend::InvSrcColor2 : b;
    case Blend::SrcAlphaSat:
      // min(As, 1 - Ad), and 1 for alpha.
      if (alpha) return Blend::One;
      return opaque ? Blend::Zero : b;
    default:
      return b;
  }
}

/// Returns the function of target `index`, with factors of alpha.
core::BlendFunction functionOf(const core::BlendState& s, uint32_t index) {
  if (index != 0 && s.independent) return s.others[index - 1];
  if (!s.separateAlpha) return {s.enable, s.src, s.dst, s.op, s.src, s.dst, s.op};
  return {s.enable, s.src, s.dst, s.op, s.srcAlpha, s.dstAlpha, s.opAlpha};
}

}  // namespace

Blending blendingOf(const core::BlendState& state, uint32_t index, bool opaque, bool written) {
  const core::BlendFunction function = functionOf(state, index);
  Blend src = function.src, dst = function.dst, srcAlpha = function.srcAlpha, dstAlpha = function.dstAlpha;
  pair(src, dst);
  pair(srcAlpha, dstAlpha);
  Blending out;
  out.enable = function.enable;
  out.src = resolve(src, opaque, false);
  out.dst = resolve(dst, opaque, false);
  out.op = function.op;
  out.srcAlpha = resolve(srcAlpha, opaque, true);
  out.dstAlpha = resolve(dstAlpha, opaque, true);
  out.opAlpha = function.opAlpha;
  out.writeMask = written ? state.writeMask[index] & 0xF : 0;
  return out;
}

bool usesSecondSource(const core::BlendState& state, uint32_t targets) {
  const auto second = [](Blend f) { return f >= Blend::SrcColor2; };
  for (uint32_t i = 0; i < (state.independent ? targets : 1); ++i) {
    const core::BlendFunction f = functionOf(state, i);
    if (f.enable && (second(f.src) || second(f.dst) || second(f.srcAlpha) || second(f.dstAlpha))) return true;
  }
  return false;
}

}  // namespace aerogpu::d3d9
