// SPDX-License-Identifier: MIT
// What is noted of the draw that a pipeline was made for, so that another renderer can make one like it.
// Render thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "renderer/core/draw_traits.h"
#include "renderer/vulkan/draw/shader_path.h"

namespace aerogpu::vk {

struct RecentDraw {
  RecentDraw(const core::DrawState& state, const DrawShaders& shaders);

  std::weak_ptr<ShaderCode> vs, gs, ps;  ///< a note keeps no program alive
  bool hasGs, hasPs;
  core::DrawTraits traits;
  uint64_t usedIn = 0;  ///< the batch that used the pipeline last
};

/// Returns states for the draws that were used last, those first, at most `most`. Draws whose programs are
/// gone are left out. Orders `draws` anew.
std::vector<std::unique_ptr<core::DrawState>> statesOf(std::vector<const RecentDraw*>& draws, size_t most);

}  // namespace aerogpu::vk
