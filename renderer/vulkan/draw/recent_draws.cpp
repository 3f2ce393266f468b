// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/recent_draws.h"

#include <algorithm>
#include <unordered_map>

namespace aerogpu::vk {

RecentDraw::RecentDraw(const core::DrawState& state, const DrawShaders& shaders)
    : vs(ShaderObject::shared(*shaders.vsRef)), hasGs(shaders.gs), hasPs(shaders.ps), traits(state) {
  if (hasGs) gs = ShaderObject::shared(*shaders.gsRef);
  if (hasPs) ps = ShaderObject::shared(*shaders.psRef);
}

namespace {

/// Returns a guest's shader of each program, one for all draws.
class Shaders {
public:
  core::Ref<core::Shader> of(const std::shared_ptr<ShaderCode>& code) {
    if (!code) return {};
    core::Ref<core::Shader>& shader = m_shaders[code.get()];
    if (!shader) {
      shader = core::makeRef<core::Shader>();
      shader->family = code->family;
      shader->stage = static_cast<uint8_t>(code->stage);
      shader->gpu = std::make_unique<ShaderObject>(code);
    }
    return shader;
  }

private:
  std::unordered_map<const ShaderCode*, core::Ref<core::Shader>> m_shaders;
};

}  // namespace

std::vector<std::unique_ptr<core::DrawState>> statesOf(std::vector<const RecentDraw*>& draws, size_t most) {
  std::ranges::sort(draws, std::greater(), [](const RecentDraw* draw) { return draw->usedIn; });
  std::vector<std::unique_ptr<core::DrawState>> states;
  core::DrawTraits::StandIns standIns;
  Shaders shaders;
  for (const RecentDraw* draw : draws) {
    if (states.size() == most) break;
    const std::shared_ptr<ShaderCode> vs = draw->vs.lock(), gs = draw->gs.lock(), ps = draw->ps.lock();
    if (!vs || (draw->hasGs && !gs) || (draw->hasPs && !ps)) continue;
    states.push_back(standIns.stateOf(draw->traits, {shaders.of(vs), shaders.of(gs), shaders.of(ps)}));
  }
  return states;
}

}  // namespace aerogpu::vk
