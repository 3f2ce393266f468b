// SPDX-License-Identifier: MIT
// Direct3D's depth bias in Vulkan's terms.
#pragma once

#include "renderer/core/state.h"
#include "renderer/vulkan/device/device.h"

namespace aerogpu::vk {

struct DepthBias {
  float shift = 0;     ///< to add to both ends of the viewport's depth range
  float constant = 0;  ///< depthBiasConstantFactor
  float slope = 0;     ///< depthBiasSlopeFactor
  bool inDepth =
      false;  ///< `constant` counts in depth (VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT), not in steps
  bool any() const { return constant != 0 || slope != 0; }
};

/// D3DRS_DEPTHBIAS is added to the depth as it is; a DepthBias of Direct3D 10 counts steps of a 24-bit depth,
/// or in float depth those of the primitive's farthest vertex ("Depth Bias", Direct3D 10). What Vulkan counts
/// in is the implementation's affair for 24 bits (it may double a step), and follows the primitive's depth in
/// float formats (Vulkan 1.3, "Depth Bias"), so that a bias in depth cannot be told it exactly without
/// VK_EXT_depth_bias_control. Shifting the depth range after the perspective division is exact too, and comes
/// after clipping as in Direct3D. `depthFormat`: of the attachment; D32_SFLOAT_S8_UINT stands in for 24 bits.
/// `minDepth`, `maxDepth`: of the viewport, in [0, 1].
DepthBias depthBias(const core::RasterizerState& state, VkFormat depthFormat, const DeviceCaps& caps,
                    float minDepth, float maxDepth);

}  // namespace aerogpu::vk
