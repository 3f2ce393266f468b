// SPDX-License-Identifier: MIT
// A guest texture as a shader samples it. Render thread only.
#pragma once

#include "renderer/vulkan/objects/targets.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

/// Stages of shaders that draws and dispatches have.
inline constexpr VkPipelineStageFlags2 kShaderStages = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
                                                       VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
                                                       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

/// An image view of `type`, which canView() allows, of what is bound; the image is made ready for it. No
/// handle when what it shows is a target at the same time.
Result<CachedView> sampledView(Gpu& gpu, const Targets& targets, const core::ShaderResourceBinding& bound,
                               VkImageViewType type, bool srgb);

}  // namespace aerogpu::vk
