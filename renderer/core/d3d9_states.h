// SPDX-License-Identifier: MIT
// Writes Direct3D 9 render and sampler states (d3d9types.h, D3DRENDERSTATETYPE and D3DSAMPLERSTATETYPE) and
// the ABI's state blocks into the canonical state. Render thread only.
#pragma once

#include <cstdint>

#include "aerogpu/aerogpu_cmd_binding.h"
#include "aerogpu/aerogpu_cmd_state.h"
#include "renderer/base/result.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

/// Sets one D3DRS_*. A value that the state's enumeration lacks counts as another (STATE-18). Known states
/// that only Direct3D 9's fixed function reads (lighting, materials, texture wrap) have no effect here: the
/// driver handles them. Unknown numbers have no effect either, as in Direct3D 9.
void setRenderState(DrawState& state, uint32_t number, uint32_t value);

/// Sets one D3DSAMP_* by the rules of setRenderState(). True if the sampler changed.
bool setSamplerState(SamplerState& sampler, uint32_t number, uint32_t value);

// Set the state blocks; the packet check has validated their enumerators.
void setBlendState(DrawState& state, const aerogpu_blend_state& block);
void setDepthStencilState(DrawState& state, const aerogpu_depth_stencil_state& block);
void setRasterizerState(DrawState& state, const aerogpu_rasterizer_state& block);

/// Returns the state of a CREATE_SAMPLER object; the packet check has validated its enumerators.
SamplerState samplerFromPacket(const aerogpu_cmd_create_sampler& packet);

/// Sets a D3DTEXTURESTAGESTATETYPE; ignores numbers that no pixel shader reads. `stage` is under
/// kTextureStages.
void setTextureStageState(DrawState& state, uint32_t stage, uint32_t number, uint32_t value);

}  // namespace aerogpu::core
