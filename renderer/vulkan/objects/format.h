// SPDX-License-Identifier: MIT
// aerogpu_format in Vulkan's terms. One table; see also core/format.h.
#pragma once

#include <vector>

#include "aerogpu/aerogpu_format.h"
#include "renderer/core/backend.h"
#include "renderer/core/format.h"
#include "renderer/shader/spirv/blit.h"
#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/device/texel_conversion.h"
#include "renderer/vulkan/objects/components.h"

namespace aerogpu::vk {

struct VkFormatInfo {
  VkFormat linear = VK_FORMAT_UNDEFINED;  ///< reads and writes the stored values
  VkFormat srgb = VK_FORMAT_UNDEFINED;    ///< the same bytes, sRGB-encoded; undefined if there is none
  Components components;                  ///< of views for sampling
  Conversion conversion = Conversion::None;
  bool plain = true;  ///< channels lie as a pixel shader writes them: it can be a color target
  const core::FormatInfo* info = nullptr;

  VkFormat asDeclared() const { return info->srgb ? srgb : linear; }
  VkImageAspectFlags aspects() const {
    if (!info->depth) return VK_IMAGE_ASPECT_COLOR_BIT;
    return info->stencil ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
                         : VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT};
  }
  /// True if a blit or a fill can draw to it, provided the GPU has such targets.
  bool drawn() const { return !info->depth && core::canBeFilled(*info); }
  /// Returns the form in which colors must be written so that its views show them.
  shader::BlitOutput blitOutput() const;
  /// Returns BlitShader::narrow for textures of the format.
  std::array<uint8_t, 4> narrow() const;
  /// Returns the bytes of a texel or block in the image, of one plane.
  uint32_t texelBytes() const {
    return conversion == Conversion::None ? info->blockBytes : imageBytes(conversion);
  }
};

/// Returns the way `device` stores `format`. The features say whether it has textures of it.
Result<VkFormatInfo> mapFormat(const Device& device, aerogpu_format format);

/// Returns the formats of all views of a texture of that format, if there are several.
std::vector<VkFormat> viewFormats(const VkFormatInfo& format);

/// Returns VK_FORMAT_R32_SFLOAT, _UINT or _SINT: the numbers that shaders read from textures of the format.
VkFormat numbersOf(const core::FormatInfo& format);

/// Returns the uses of textures of that format: AEROGPU_FORMAT_CAP_*, and numbers of samples.
core::FormatCaps formatCaps(const Device& device, aerogpu_format format);

}  // namespace aerogpu::vk
