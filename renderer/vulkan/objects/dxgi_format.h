// SPDX-License-Identifier: MIT
// DXGI_FORMAT in Vulkan's terms, of textures and vertex elements. One table.
#pragma once

#include "renderer/vulkan/objects/components.h"

namespace aerogpu::vk {

struct DxgiFormat {
  uint8_t dxgi;                         ///< DXGI_FORMAT
  VkFormat linear;                      ///< of a typeless one, that of its family's first typed one
  VkFormat srgb = VK_FORMAT_UNDEFINED;  ///< the same bytes, sRGB-encoded; undefined if there is none
  Components components{};              ///< of views for sampling
};

/// Returns null for formats that Vulkan has not, or has for other uses.
const DxgiFormat* findDxgi(uint32_t dxgi);

/// Returns the format of vertex elements, VK_FORMAT_UNDEFINED if there is none.
VkFormat dxgiVertexFormat(uint32_t dxgi);

}  // namespace aerogpu::vk
