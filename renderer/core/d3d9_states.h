// SPDX-License-Identifier: MIT
// Direct3D 9 render and sampler states (d3d9types.h, D3DRENDERSTATETYPE and D3DSAMPLERSTATETYPE) and the
// ABI's state blocks, all written into the canonical state. Render thread only.
#pragma once

#include <cstdint>

#include "aerogpu/aerogpu_cmd_binding.h"
#include "aerogpu/aerogpu_cmd_state.h"
#include "renderer/base/result.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

/// Sets one D3DRS_*. A value that the state's enumeration lacks counts as another (STATE-18). Known states
/// that only Direct3D 9's fixed function reads (lighting, materials, texture wrap) have no effect here: it is
/// the driver's job. Unknown numbers have none either, as in Direct3D 9.
void setRenderState(DrawState& state, uint32_t number, uint32_t value);

/// Sets one D3DSAMP_*; reports whether the sampler changed. Rules as above.
bool setSamplerState(SamplerState& sampler, uint32_t number, uint32_t value);

// The state blocks; their enumerators were checked with the packet.
void setBlendState(DrawState& state, const aerogpu_blend_state& block);
void setDepthStencilState(DrawState& state, const aerogpu_depth_stencil_state& block);
void setRasterizerState(DrawState& state, const aerogpu_rasterizer_state& block);

/// The state of a CREATE_SAMPLER object; its enumerators were checked with the packet.
SamplerState samplerFromPacket(const aerogpu_cmd_create_sampler& packet);

/// Numbers of D3DTEXTURESTAGESTATETYPE; those that no pixel shader reads are ignored. `stage` is under
/// kTextureStages.
void setTextureStageState(DrawState& state, uint32_t stage, uint32_t number, uint32_t value);

}  // namespace aerogpu::core
