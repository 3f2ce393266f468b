// SPDX-License-Identifier: MIT
// aerogpu_format in Vulkan's terms. One table; see also core/format.h.
#pragma once

#include "aerogpu/aerogpu_format.h"
#include "renderer/core/format.h"
#include "renderer/vulkan/device/device.h"

namespace aerogpu::vk {

struct VkFormatInfo {
  VkFormat linear = VK_FORMAT_UNDEFINED;  ///< reads and writes the stored values
  VkFormat srgb = VK_FORMAT_UNDEFINED;    ///< the same bytes, sRGB-encoded; undefined where there is none
  const core::FormatInfo* info = nullptr;

  VkFormat plain() const { return info->srgb ? srgb : linear; }
  VkImageAspectFlags aspects() const {
    if (!info->depth) return VK_IMAGE_ASPECT_COLOR_BIT;
    return info->stencil ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
                         : VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT};
  }
};

/// How `device` stores `format`; a Backend error when it cannot.
Result<VkFormatInfo> mapFormat(const Device& device, aerogpu_format format);

}  // namespace aerogpu::vk
