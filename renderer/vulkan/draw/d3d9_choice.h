// SPDX-License-Identifier: MIT
// What the modules of a draw with D3D9 shaders depend on beside its shaders. Render thread only.
#pragma once

#include "renderer/core/state.h"
#include "renderer/shader/translate.h"
#include "renderer/vulkan/draw/shader_path.h"

namespace aerogpu::vk {

/// It is kept as the translator is asked for it, so that two draws with the same shaders have the same
/// modules exactly where their choices are equal.
struct D3d9Choice {
  shader::EmitOptions vertex;
  shader::EmitOptions pixel;  ///< as it is initially where there is no pixel shader
  bool operator==(const D3d9Choice&) const = default;

  /// DirtyBits beside core::kDirtyShaders that can change a choice; the table in d3d9_choice.cpp holds to it.
  static constexpr uint32_t kDirty = core::kDirtyResources | core::kDirtySamplers | core::kDirtyInputLayout |
                                     core::kDirtyTopology | core::kDirtyRasterizer |
                                     core::kDirtyTextureStages | core::kDirtyBlend;
};

/// The choice for `state`, whose shaders' programs are in `shaders`. `dirty`: DirtyBits since `before`, which
/// was chosen with the same shaders; with core::kDirtyAll, `before` is not looked at.
D3d9Choice choiceOf(const core::DrawState& state, const DrawShaders& shaders,
                    uint32_t dirty = core::kDirtyAll, const D3d9Choice& before = {});

inline const core::StageBindings& stageOf(const core::DrawState& state, core::Stage stage) {
  return state.stages[static_cast<size_t>(stage)];
}

/// Whether samplers compare with what is bound, a texture.
bool samplersCompare(const core::ShaderResourceBinding& bound);

}  // namespace aerogpu::vk
