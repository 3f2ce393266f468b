// SPDX-License-Identifier: MIT
// Single texels in a texture's format, for what no GPU does.
#pragma once

#include <array>
#include <cstdint>

#include "renderer/core/format.h"
#include "renderer/core/texture_verbs.h"

namespace aerogpu::core {

using Rgba = std::array<float, 4>;

/// A half, and back: IEEE 754, round to nearest even; above its largest number, infinity.
float fromHalf(uint16_t half);
uint16_t toHalf(float value);

/// The color of a pixel of a YUV format by BT.601 with 16 to 235 as black to white (Microsoft, "Recommended
/// 8-Bit YUV Formats for Video Rendering"), limited to 0 to 1. All pixels that share U and V have them as
/// they are.
struct YuvPicture {
  const FormatInfo& format;
  const uint8_t* first;  ///< byte of the texture
  uint64_t pitch;
  uint32_t width, rows;  ///< of the texture
  Rgba at(uint32_t x, uint32_t y) const;
};

/// The bits of a texel that are channels, and so count for color keys; of formats that have some.
uint32_t keyMask(const FormatInfo& format);
/// The numbers as which a texel with these bits may be read, by a GPU that is not exact: from `low` to
/// `high`, half a step around each channel. Channels that are not stored may be anything.
struct KeyRange {
  Rgba low, high;
};
KeyRange keyRange(const FormatInfo& format, bool srgb, uint32_t key);

/// The color of one texel of a color format that is not block-compressed; with `srgb` as its sRGB twin has it
/// (Khronos Data Format 13.3.1).
Rgba readTexel(const FormatInfo& format, bool srgb, const uint8_t* texel);
/// The other way (Direct3D 10 functional specification, 3.2.3.6; Khronos Data Format 13.3.2). Bits that are
/// no channel, X8 above all, become 1.
void writeTexel(const FormatInfo& format, bool srgb, const Rgba& color, uint8_t* texel);

/// Writes the cleared form of one texel. Depth and stencil keep the part that `args` does not clear.
void clearTexel(const FormatInfo& format, const ClearArgs& args, uint8_t* texel);

}  // namespace aerogpu::core
