// SPDX-License-Identifier: MIT
// Which pixels a draw or clear may touch, and the viewport transform of the shader family in use. Pure
// functions.
#pragma once

#include "renderer/core/state.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

/// Whether Direct3D 10's rules count: a vertex shader from a DXBC container is bound. Else Direct3D 9's.
inline bool usesDxbc(const core::DrawState& state) {
  const auto& vs = state.shaders[static_cast<size_t>(core::Stage::Vertex)];
  return vs && vs->family == core::ShaderFamily::Dxbc;
}

/// The viewport in pixels, clipped to the targets, and to the scissor rectangle if it is on. Never outside
/// `extent`.
VkRect2D drawArea(const core::DrawState& state, VkExtent2D extent);

/// The viewport for Vulkan: y up in clip space, and for D3D9 pixel centres on integers. False when nothing
/// can be visible (empty, or not finite).
bool vulkanViewport(const core::DrawState& state, const VkPhysicalDeviceLimits& limits, VkExtent2D extent,
                    VkViewport& out);

}  // namespace aerogpu::vk
