// SPDX-License-Identifier: MIT
// Reads and writes single texels in a texture's format, for operations that no GPU does.
#pragma once

#include <array>
#include <cstdint>

#include "renderer/core/format.h"
#include "renderer/core/texture_verbs.h"

namespace aerogpu::core {

using Rgba = std::array<float, 4>;

/// Convert from and to a half of IEEE 754: rounds to nearest even; above its largest number, infinity.
float fromHalf(uint16_t half);
uint16_t toHalf(float value);

/// Reads the color of a pixel of a YUV format by BT.601 with 16 to 235 as black to white (Microsoft,
/// "Recommended 8-Bit YUV Formats for Video Rendering"), limited to 0 to 1. Pixels that share U and V use
/// them unchanged.
struct YuvPicture {
  const FormatInfo& format;
  const uint8_t* first;  ///< byte of the texture
  uint64_t pitch;
  uint32_t width, rows;  ///< of the texture
  Rgba at(uint32_t x, uint32_t y) const;
};

/// Returns the channel bits of a texel, which count for color keys; the format has channels.
uint32_t keyMask(const FormatInfo& format);
/// The numbers as which an inexact GPU may read a texel with these bits: from `low` to `high`, half a step
/// around each channel. Channels that are not stored may be anything.
struct KeyRange {
  Rgba low, high;
};
KeyRange keyRange(const FormatInfo& format, bool srgb, uint32_t key);

/// Returns the color of one texel of a color format that is not block-compressed; with `srgb`, as its sRGB
/// twin decodes it (Khronos Data Format 13.3.1).
Rgba readTexel(const FormatInfo& format, bool srgb, const uint8_t* texel);
/// Writes the color of one texel (Direct3D 10 functional specification, 3.2.3.6; Khronos Data Format 13.3.2).
/// Bits of no channel, above all X8, become 1.
void writeTexel(const FormatInfo& format, bool srgb, const Rgba& color, uint8_t* texel);

/// Returns the numbers that a clear writes to an integer format: as a shader converts floats, and limited to
/// what each channel holds. Signed ones are in two's complement of 32 bits.
std::array<uint32_t, 4> toIntegers(const FormatInfo& format, const Rgba& color);

/// Clears one texel. Depth and stencil keep the part that `args` does not clear.
void clearTexel(const FormatInfo& format, const ClearArgs& args, uint8_t* texel);

}  // namespace aerogpu::core
