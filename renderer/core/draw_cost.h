// SPDX-License-Identifier: MIT
// Keeps the cost of a draw (WorkBudget) in the state, so that a draw only adds it up. Render thread only.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::core {

/// Sets the weights of invocations of the bound shaders that draw: after a change of any.
void weighShaders(DrawState& state);
/// Sets the highest anisotropy and the weights, after a sampler of the pixel shader has become `changed`.
void noteFilter(DrawState& state, const SamplerState& changed);
/// Sets the pixels that a draw may touch: after a change of the targets or the viewport.
void measureTargets(DrawState& state);

}  // namespace aerogpu::core
