// SPDX-License-Identifier: MIT
#include "renderer/core/draw_cost.h"

#include <algorithm>

#include "renderer/core/work_budget.h"

namespace aerogpu::core {

void weighShaders(DrawState& state) {
  const auto weightOf = [&](Stage which, uint32_t anisotropy) -> uint32_t {
    const Shader* shader = state.shaders[static_cast<size_t>(which)].get();
    if (!shader) return 1;
    if (anisotropy == 1) return shader->weight;
    return WorkBudget::weight(shader->gpu->cost.instructions, shader->gpu->cost.samples, anisotropy);
  };
  state.vertexWeight = weightOf(Stage::Vertex, 1);
  state.geometryWeight = weightOf(Stage::Geometry, 1);
  state.pixelWeight = weightOf(Stage::Pixel, state.anisotropy);
}

void noteFilter(DrawState& state, const SamplerState& changed) {
  if (changed.maxAnisotropy <= 1 && state.anisotropy == 1) return;
  state.anisotropy = 1;
  for (const SamplerState& sampler : state.stages[static_cast<size_t>(Stage::Pixel)].samplers)
    if (sampler.min == Filter::Anisotropic || sampler.mag == Filter::Anisotropic)
      state.anisotropy = std::max(state.anisotropy, std::min(sampler.maxAnisotropy, 16u));
  weighShaders(state);
}

void measureTargets(DrawState& state) {
  uint64_t width = UINT64_MAX, height = UINT64_MAX;
  const auto measure = [&](const TargetBinding& binding) {
    if (!binding.texture) return;
    const auto& mip = binding.texture->layout.mip(binding.view ? binding.view->desc.baseMip : 0);
    width = std::min<uint64_t>(width, mip.width);
    height = std::min<uint64_t>(height, mip.height);
  };
  for (uint32_t i = 0; i < state.colorTargetCount; ++i) measure(state.colorTargets[i]);
  // A depth target counts only without color targets: a smaller one cuts only some draws.
  if (width == UINT64_MAX) measure(state.depthTarget);
  state.drawPixels = 0;
  if (width == UINT64_MAX) return;
  if (state.viewportSet) {
    // Not a number and negative sizes give 0.
    const auto inside = [](float size, uint64_t limit) {
      return size > 0 ? static_cast<uint64_t>(std::min(size, static_cast<float>(limit))) : 0;
    };
    const auto pixels = [&](const Viewport& v) { return inside(v.width, width) * inside(v.height, height); };
    state.drawPixels = pixels(state.viewport);
    for (uint32_t i = 1; i < state.more.viewportCount; ++i)
      state.drawPixels = std::max(state.drawPixels, pixels(state.more.viewports[i - 1]));
    return;
  }
  state.drawPixels = width * height;
}

}  // namespace aerogpu::core
