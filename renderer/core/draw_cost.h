// SPDX-License-Identifier: MIT
// A state keeps the cost of a draw (WorkBudget), so that a draw only adds it up. Render thread only.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::core {

/// Sets the weights of invocations of the bound vertex and pixel shaders: after a change of either.
void weighShaders(DrawState& state);
/// A sampler of the pixel shader has become `changed`: sets the anisotropy that counts, and the weights.
void noteFilter(DrawState& state, const SamplerState& changed);
/// Sets the pixels that a draw may touch: after a change of the targets or the viewport.
void measureTargets(DrawState& state);

}  // namespace aerogpu::core
