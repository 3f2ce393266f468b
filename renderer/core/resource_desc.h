// SPDX-License-Identifier: MIT
// Descriptions of resources and views, and the names of their parts.
#pragma once

#include <cstdint>

#include "aerogpu/aerogpu_format.h"

namespace aerogpu::core {

struct BufferDesc {
  uint64_t sizeBytes = 0;  ///< a multiple of 4, not 0
  uint32_t usage = 0;      ///< enum aerogpu_resource_usage_flags
};

enum class TextureKind : uint8_t {
  Texture2D,  ///< one image, or an array of them
  Cube,       ///< square; each six layers are the faces +X, -X, +Y, -Y, +Z, -Z of a cube map
  Volume,     ///< one layer; `depth` slices, which the mips halve too
  Texture1D,  ///< height 1; one row, or an array of them; no depth format, blocks or YUV
};

struct TextureDesc {
  TextureKind kind = TextureKind::Texture2D;
  aerogpu_format format = AEROGPU_FORMAT_INVALID;
  uint32_t width = 0, height = 0;  ///< texels
  uint32_t depth = 1;              ///< slices; 1 unless a volume
  uint32_t mipLevels = 1, arrayLayers = 1;
  /// Per texel: 1, 2, 4, 8 or 16. With more than one: 2D, not block-compressed, one mip, and neither write()
  /// nor read(), but planes.
  uint32_t samples = 1;
  uint32_t usage = 0;  ///< enum aerogpu_resource_usage_flags
  bool operator==(const TextureDesc&) const = default;
};

/// True if `layers` layers of a texture can be sampled as a cube map. The packets of ABI 1.4 make only 2D
/// textures, and mean a cube by six square layers; the shader says whether they are one.
inline bool canBeCube(const TextureDesc& desc, uint32_t layers) {
  if (layers < 6) return false;
  return desc.kind == TextureKind::Cube ||
         (desc.kind == TextureKind::Texture2D && desc.width == desc.height && desc.samples == 1);
}

struct ViewDesc {
  aerogpu_format format = AEROGPU_FORMAT_INVALID;
  uint32_t baseMip = 0, mipCount = 1;
  uint32_t baseLayer = 0, layerCount = 1;  ///< of volumes: the slices of a target (DXR-3)
};

/// True if the guest's draws can go to textures of the kind by slices, not by layers.
inline bool hasSlices(const TextureDesc& desc) {
  return desc.kind == TextureKind::Volume;
}

/// One mip of one layer; of a volume, all slices of the mip.
struct Subresource {
  uint32_t mip = 0, layer = 0;
  bool operator==(const Subresource&) const = default;
};

/// A part of a texel (texel_planes.h).
enum class TexelPlane : uint8_t {
  Color,    ///< as the format has it
  Depth,    ///< a float of 32 bits, whatever the format has
  Stencil,  ///< a byte
};

/// One plane of one sample of each texel of a subresource.
struct TexelPart {
  Subresource sub;
  uint32_t sample = 0;
  TexelPlane plane = TexelPlane::Color;
};

/// The mip and layer that a packet names. For packets, the slices of a volume are its layers (TEX-7).
struct Slice {
  Slice(const TextureDesc& desc, uint32_t mip, uint32_t layer)
      : sub{mip, desc.kind == TextureKind::Volume ? 0 : layer},
        z(desc.kind == TextureKind::Volume ? layer : 0) {}
  Subresource sub;
  uint32_t z;
};

/// A part of a subresource, in texels. Whole blocks of block-compressed formats, except at the edge.
struct Box {
  uint32_t x = 0, y = 0, z = 0;
  uint32_t width = 0, height = 0;
  uint32_t depth = 1;  ///< slices; z = 0 and depth = 1 unless in a volume
};

}  // namespace aerogpu::core
