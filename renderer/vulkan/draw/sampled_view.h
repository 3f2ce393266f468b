// SPDX-License-Identifier: MIT
// The view through which a shader samples a guest texture. Render thread only.
#pragma once

#include "renderer/vulkan/objects/targets.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

/// Returns the key of a view of `type` of the bound texture.
Result<ViewKey> sampledViewKey(const Gpu& gpu, const core::ShaderResourceBinding& bound, VkImageViewType type,
                               bool srgb);

/// Returns the image view `key` of a texture and makes the image ready for it. No handle if the view shows a
/// current target.
Result<CachedView> sampledView(Gpu& gpu, const Targets& targets, core::Texture& texture, const ViewKey& key);

}  // namespace aerogpu::vk
