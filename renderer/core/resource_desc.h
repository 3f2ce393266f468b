// SPDX-License-Identifier: MIT
// What resources and views are made from, and how parts of them are named.
#pragma once

#include <cstdint>

#include "aerogpu/aerogpu_format.h"

namespace aerogpu::core {

struct BufferDesc {
  uint64_t sizeBytes = 0;  ///< a multiple of 4, not 0
  uint32_t usage = 0;      ///< enum aerogpu_resource_usage_flags
};

struct TextureDesc {
  aerogpu_format format = AEROGPU_FORMAT_INVALID;
  uint32_t width = 0, height = 0;  ///< pixels
  uint32_t mipLevels = 1, arrayLayers = 1;
  uint32_t usage = 0;  ///< enum aerogpu_resource_usage_flags
};

struct ViewDesc {
  aerogpu_format format = AEROGPU_FORMAT_INVALID;
  uint32_t baseMip = 0, mipCount = 1, baseLayer = 0, layerCount = 1;
};

/// One mip of one layer.
struct Subresource {
  uint32_t mip = 0, layer = 0;
};
struct Rect {
  uint32_t x = 0, y = 0, width = 0, height = 0;  ///< pixels
};

}  // namespace aerogpu::core
