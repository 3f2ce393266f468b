// SPDX-License-Identifier: MIT
// The state that a batch's draws have bound in its command buffer. Every batch begins with none.
#pragma once

#include <cstdint>

#include "renderer/core/gpu_objects.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

struct BoundState {
  uint64_t commandBuffer = 0;  ///< Recorder::commandBufferId() of this state
  bool fresh = true;           ///< no draw yet
  core::ShaderFamily family = core::ShaderFamily::D3d9;
  bool frontIsCcw = false;
  bool clipsDepth = false;
  uint32_t outputs = 0;  ///< ShaderCode::outputMask of the pixel shader that the blend state was set for
  VkPipeline pipeline = VK_NULL_HANDLE;
  uint32_t viewports = 0;  ///< and rectangles of scissor tests

  // Valid only under one pipeline layout.
  uint64_t layout = 0;                              ///< serial
  VkDescriptorSet sets[3] = {};                     ///< by dxbcSetOf(); two of them D3D9
  VkDescriptorSet pixelConstants = VK_NULL_HANDLE;  ///< D3D9
  bool stopWord = false;
  bool pushConstants = false;  ///< D3D9

  /// Notes the command buffer that draws go to. True if it is another one: all must be bound anew.
  bool enter(uint64_t buffer) {
    if (commandBuffer == buffer) return false;
    *this = {};
    commandBuffer = buffer;
    return true;
  }
  void useLayout(uint64_t serial) {
    if (layout == serial) return;
    layout = serial;
    sets[0] = sets[1] = sets[2] = pixelConstants = VK_NULL_HANDLE;
    stopWord = pushConstants = false;
  }
};

}  // namespace aerogpu::vk
