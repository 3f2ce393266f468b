// SPDX-License-Identifier: MIT
// aerogpu_format in Vulkan's terms. One table; see also core/format.h.
#pragma once

#include "aerogpu/aerogpu_format.h"
#include "renderer/core/backend.h"
#include "renderer/core/format.h"
#include "renderer/shader/spirv/blit.h"
#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/device/texel_conversion.h"

namespace aerogpu::vk {

/// Which channel of an image each of a sampled color is. VK_COMPONENT_SWIZZLE_IDENTITY: the same.
struct Components {
  uint8_t r = VK_COMPONENT_SWIZZLE_IDENTITY, g = VK_COMPONENT_SWIZZLE_IDENTITY,
          b = VK_COMPONENT_SWIZZLE_IDENTITY, a = VK_COMPONENT_SWIZZLE_IDENTITY;
  bool operator==(const Components&) const = default;
  VkComponentMapping mapping() const {
    const auto as = [](uint8_t c) { return static_cast<VkComponentSwizzle>(c); };
    return {as(r), as(g), as(b), as(a)};
  }
};

struct VkFormatInfo {
  VkFormat linear = VK_FORMAT_UNDEFINED;  ///< reads and writes the stored values
  VkFormat srgb = VK_FORMAT_UNDEFINED;    ///< the same bytes, sRGB-encoded; undefined where there is none
  Components components;                  ///< of views to be sampled
  Conversion conversion = Conversion::None;
  bool plain = true;  ///< what a pixel shader writes goes where it belongs: it can be a color target
  const core::FormatInfo* info = nullptr;

  VkFormat asDeclared() const { return info->srgb ? srgb : linear; }
  VkImageAspectFlags aspects() const {
    if (!info->depth) return VK_IMAGE_ASPECT_COLOR_BIT;
    return info->stencil ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
                         : VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT};
  }
  /// Whether a blit can draw to it, if the GPU has such targets.
  bool drawn() const { return core::takesColors(*info); }
  /// How colors are written so that its views show them.
  shader::BlitOutput blitOutput() const;
  /// Bytes of a texel or block in the image, of one plane.
  uint32_t texelBytes() const {
    return conversion == Conversion::None ? info->blockBytes : imageBytes(conversion);
  }
};

/// How `device` stores `format`. Whether it has textures of it, its features say.
Result<VkFormatInfo> mapFormat(const Device& device, aerogpu_format format);

/// What textures of that format can be used for: AEROGPU_FORMAT_CAP_*, and numbers of samples.
core::FormatCaps formatCaps(const Device& device, aerogpu_format format);

}  // namespace aerogpu::vk
