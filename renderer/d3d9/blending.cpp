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
    case Blend::SrcAlphaSat:
      // min(As, 1 - Ad), and 1 for alpha.
      if (alpha) return Blend::One;
      return opaque ? Blend::Zero : b;
    default:
      return b;
  }
}

}  // namespace

Blending blendingOf(const core::BlendState& state, uint32_t index, bool opaque, bool written) {
  Blend src = state.src, dst = state.dst;
  Blend srcAlpha = state.separateAlpha ? state.srcAlpha : state.src;
  Blend dstAlpha = state.separateAlpha ? state.dstAlpha : state.dst;
  pair(src, dst);
  pair(srcAlpha, dstAlpha);
  Blending out;
  out.enable = state.enable;
  out.src = resolve(src, opaque, false);
  out.dst = resolve(dst, opaque, false);
  out.op = state.op;
  out.srcAlpha = resolve(srcAlpha, opaque, true);
  out.dstAlpha = resolve(dstAlpha, opaque, true);
  out.opAlpha = state.separateAlpha ? state.opAlpha : state.op;
  out.writeMask = written ? state.writeMask[index] & 0xF : 0;
  return out;
}

}  // namespace aerogpu::d3d9
