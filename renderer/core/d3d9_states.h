// SPDX-License-Identifier: MIT
// Writes Direct3D 9 render and sampler states (d3d9types.h, D3DRENDERSTATETYPE and D3DSAMPLERSTATETYPE) and
// the ABI's state blocks into the canonical state. Render thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "aerogpu/aerogpu_cmd_binding.h"
#include "aerogpu/aerogpu_cmd_state.h"
#include "renderer/base/result.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

/// Sets one D3DRS_*. A value that the state's enumeration lacks counts as another (STATE-18). Known states
/// that only Direct3D 9's fixed function reads (lighting, materials, texture wrap) have no effect here: the
/// driver handles them. Unknown numbers have no effect either, as in Direct3D 9.
void setRenderState(DrawState& state, uint32_t number, uint32_t value);

/// A number of a state, and a value that makes it what it is.
using StateUse = std::function<void(uint32_t number, uint32_t value)>;
/// Calls `use` for each D3DRS_* of `state` that is another in `base`, except for BLENDFACTOR and DEPTHBIAS,
/// which a block may have set to what no value of theirs is.
void forEachChange(const DrawState& state, const DrawState& base, const StateUse& use);
/// Calls `use` for each D3DSAMP_* of `sampler` that is another in `base`.
void forEachChange(const SamplerState& sampler, const SamplerState& base, const StateUse& use);
/// Calls `use` for each D3DTEXTURESTAGESTATETYPE that is not as in a new context.
void forEachChange(const TextureStage& stage, const StateUse& use);

/// True if a border colour (RGBA, IEEE 754 bits) is a D3DCOLOR.
bool isD3dColor(const std::array<uint32_t, 4>& border);

/// Sets one D3DSAMP_* by the rules of setRenderState(). True if the sampler changed.
bool setSamplerState(SamplerState& sampler, uint32_t number, uint32_t value);

// Set the state blocks; the packet check has validated their enumerators.
void setBlendState(DrawState& state, const aerogpu_blend_state& block);
void setDepthStencilState(DrawState& state, const aerogpu_depth_stencil_state& block);
void setRasterizerState(DrawState& state, const aerogpu_rasterizer_state& block);

/// Returns the rasterizer block that sets what no render state does.
aerogpu_rasterizer_state rasterizerBlock(const RasterizerState& raster);

/// Returns a packet of which samplerFromPacket() makes this state, which it made.
aerogpu_cmd_create_sampler packetOfSampler(const SamplerState& state);
/// Returns the state of a CREATE_SAMPLER object; the packet check has validated its enumerators.
SamplerState samplerFromPacket(const aerogpu_cmd_create_sampler& packet);

/// Sets a D3DTEXTURESTAGESTATETYPE; ignores numbers that no pixel shader reads. `stage` is under
/// kTextureStages.
void setTextureStageState(DrawState& state, uint32_t stage, uint32_t number, uint32_t value);

}  // namespace aerogpu::core
