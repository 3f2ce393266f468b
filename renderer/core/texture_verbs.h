// SPDX-License-Identifier: MIT
// The arguments of fills and blits, and the rules by which both back ends check them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "renderer/base/result.h"
#include "renderer/core/format.h"
#include "renderer/core/resource_desc.h"

namespace aerogpu::core {

/// The values of a clear or a fill: a color, or one or both of depth and stencil. Parts that are not named
/// stay.
struct ClearArgs {
  bool color = false, depth = false, stencil = false;
  std::array<float, 4> rgba{};  ///< X8 and B5G6R5 have alpha 1 whatever it says
  float depthValue = 1;
  uint32_t stencilValue = 0;  ///< its low 8 bits
  /// fill() only: writes `rgba` sRGB-encoded to a format with an sRGB twin too. sRGB formats always encode.
  bool encodeSrgb = false;
  /// fill() only: the format of which the texels are written, one of a view; INVALID: the texture's.
  aerogpu_format as = AEROGPU_FORMAT_INVALID;
};

/// Returns the format of which a fill writes texels.
inline const FormatInfo& filledFormat(const TextureDesc& desc, const ClearArgs& args) {
  return *findFormat(args.as != AEROGPU_FORMAT_INVALID ? args.as : desc.format);
}

/// Returns the depth that a buffer gets for a clear value; NaN becomes 0.
inline float clearDepth(float value) {
  return value >= 0 ? std::min(value, 1.0f) : 0.0f;
}

enum class BlitFilter : uint8_t { Point, Linear };

struct BlitBox {
  Box to, from;
  bool mirrorX = false, mirrorY = false;
};

struct BlitArgs {
  BlitFilter filter = BlitFilter::Point;
  /// Read the source or write the destination as the sRGB twin of its format, if there is one. sRGB formats
  /// always convert.
  bool decodeSrgb = false, encodeSrgb = false;
  /// Texels of the source with these bits are left out; bits of no channel do not count.
  std::optional<uint32_t> colorKey;
  /// Only texels of the destination with these bits are written; bits of no channel do not count.
  std::optional<uint32_t> targetKey;
};

/// The way to do a blit.
enum class BlitKind : uint8_t {
  Copy,          ///< bytes, and all samples
  Color,         ///< colors: scaled, converted or of several samples
  DepthResolve,  ///< the first sample of depth and stencil
};

/// Checks a fill of a buffer of `bytes`: CmdDecode unless offset and size are multiples of 4
/// (vkCmdFillBuffer), OutOfBounds for a range that is empty or does not lie inside.
Result<void> checkFill(uint64_t bytes, uint64_t offset, uint64_t size);

/// Checks a fill of a texture. CmdDecode for block-compressed formats and for parts that the format lacks;
/// OutOfBounds for boxes that are empty or do not lie inside.
Result<void> checkFill(const TextureDesc& desc, Subresource sub, std::span<const Box> boxes,
                       const ClearArgs& args);

/// Checks a blit of a texture to another, or to itself, and returns the way to do it. OutOfBounds for boxes
/// that are empty or do not lie inside. CmdDecode for
/// - depth and block-compressed formats unless nothing is scaled, mirrored or converted;
/// - block-compressed boxes that cut blocks;
/// - boxes of different depths, for slices are not scaled;
/// - destinations of several samples, unless as many are copied;
/// - YUV destinations, unless nothing is converted;
/// - a source's color key with the linear filter, either key of other formats than hasColorKey().
/// Boxes in YUV planes are in rows of the picture if they become colors, else in rows of the texture.
Result<BlitKind> checkBlit(const TextureDesc& to, Subresource sub, const TextureDesc& from,
                           Subresource srcSub, std::span<const BlitBox> boxes, const BlitArgs& args);

/// True if a texture of that format is read or written as sRGB.
bool asSrgb(aerogpu_format format, bool asked);

/// True if blits can leave out texels of that format by a color key: unsigned channels of 4 bytes at most.
bool hasColorKey(const FormatInfo& format);

/// True if boxes of one subresource have a texel in common.
bool overlap(const Box& a, const Box& b);

}  // namespace aerogpu::core
