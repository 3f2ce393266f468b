// SPDX-License-Identifier: MIT
// A guest texture as a shader samples it. Render thread only.
#pragma once

#include "renderer/vulkan/objects/targets.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

/// The identity of a view of `type` of what is bound.
Result<ViewKey> sampledViewKey(const Gpu& gpu, const core::ShaderResourceBinding& bound, VkImageViewType type,
                               bool srgb);

/// The image view `key` of a texture; the image is made ready for it. No handle when what it shows is a
/// target at the same time.
Result<CachedView> sampledView(Gpu& gpu, const Targets& targets, core::Texture& texture, const ViewKey& key);

}  // namespace aerogpu::vk
