// SPDX-License-Identifier: MIT
#include "renderer/d3d9/samplers.h"

namespace aerogpu::d3d9 {

SamplerTypes boundSamplerTypes(const core::DrawState& state, const shader::ShaderInfo& info) {
  SamplerTypes types{};
  const bool declared = info.version.major != 1;
  const core::StageBindings& ps = state.stages[static_cast<size_t>(core::Stage::Pixel)];
  for (uint32_t m = info.samplerMask & 0xFFFFu; m; m &= m - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(m));
    const core::ShaderResourceBinding& bound = ps.resources[slot];
    if (!bound.texture || (declared && isOfType(bound, info.samplerTypes[slot]))) continue;
    types[slot] = isOfType(bound, SamplerType::TextureVolume) ? SamplerType::TextureVolume
                  : isOfType(bound, SamplerType::TextureCube) ? SamplerType::TextureCube
                                                              : SamplerType::Texture2D;
  }
  return types;
}

}  // namespace aerogpu::d3d9
