// SPDX-License-Identifier: MIT
// Writes the packets of Direct3D 10's fixed state (aerogpu_cmd_d3d10_states.h) into the canonical state, and
// back. Render thread only.
#pragma once

#include <array>
#include <span>

#include "aerogpu/aerogpu_cmd_d3d10_states.h"
#include "renderer/base/result.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

/// Sets the blending of all targets. Changes nothing if it fails: CmdDecode for an enumerator that Direct3D
/// 10 lacks (DXS-2). The packet check has counted the targets.
Result<void> setBlend(DrawState& state, const aerogpu_cmd_ext_set_blend& packet,
                      std::span<const aerogpu_ext_target_blend> targets);

/// True if some of `blend` is what only EXT_SET_BLEND can set.
bool needsSetBlend(const BlendState& blend);
/// What EXT_SET_BLEND says.
struct BlendPacket {
  aerogpu_cmd_ext_set_blend fixed{};
  std::array<aerogpu_ext_target_blend, kMaxColorTargets> targets{};
};
/// Returns a packet that sets all of `blend` that no other packet does.
BlendPacket blendPacket(const BlendState& blend);

/// Returns the state of a sampler; CmdDecode for an enumerator that Direct3D 10 lacks, or a level that is no
/// number (DXS-6).
Result<SamplerState> samplerFromBlock(const aerogpu_ext_sampler& block);
/// True if some of `sampler` is what only EXT_SET_SAMPLERS can set.
bool needsSamplerBlock(const SamplerState& sampler);
/// Returns a block that sets all of `sampler` that no other packet does.
aerogpu_ext_sampler samplerBlock(const SamplerState& sampler);

}  // namespace aerogpu::core
