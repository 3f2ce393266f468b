// SPDX-License-Identifier: MIT
// Chooses between the three ways of a depth bias (see depth_bias.h).
#include "renderer/d3d9/depth_bias.h"

#include <algorithm>
#include <cmath>

namespace aerogpu::d3d9 {
namespace {

constexpr float kD24Steps = 16777216.0f, kD16Steps = 65536.0f;

/// Returns `bias`, rounded so that `end` + bias is exact and the scale of the depth range does not change.
/// Rounds away from zero if it would vanish.
float representableShift(float end, float bias) {
  const float moved = end + bias;
  if (moved != end) return moved - end;
  return std::nextafter(end, bias > 0 ? INFINITY : -INFINITY) - end;
}

}  // namespace

DepthBias depthBias(const core::RasterizerState& state, DepthSteps steps, const DepthBiasWays& ways,
                    float minDepth, float maxDepth) {
  DepthBias out;
  if (steps == DepthSteps::None) return out;
  if (std::isfinite(state.slopeScaledDepthBias)) out.slope = state.slopeScaledDepthBias;
  if (std::isfinite(state.depthBiasClamp)) out.clamp = state.depthBiasClamp;
  const float inOne = steps == DepthSteps::Fixed16 ? kD16Steps : kD24Steps;
  float bias = state.depthBias;
  if (!std::isfinite(bias) || bias == 0) return out;
  if (state.depthBiasIsInteger) {
    if (steps == DepthSteps::Float32) {
      out.constant = bias;
      return out;
    }
    bias /= inOne;
  }
  if (out.slope == 0 && out.clamp != 0) {  // then it is known what is clamped
    bias = out.clamp > 0 ? std::min(bias, out.clamp) : std::max(bias, out.clamp);
    out.clamp = 0;
  }
  bias = std::clamp(bias, -1.0f, 1.0f);  // a larger bias leads out of the depth range too
  if (bias == 0) return out;             // it was too small for a float
  if (ways.inDepth) {
    out.constant = bias;
    out.inDepth = true;
    return out;
  }
  const float shift = representableShift(std::max(minDepth, maxDepth), bias);
  const auto inRange = [&](float end) { return end + shift >= 0 && end + shift <= 1; };
  if (out.clamp == 0 && (ways.anyDepthRange || (inRange(minDepth) && inRange(maxDepth))))
    out.shift = shift;
  else  // inexact if a step is not 2^-24: in float formats below depth 0.5
    out.constant = bias * inOne;
  return out;
}

}  // namespace aerogpu::d3d9
