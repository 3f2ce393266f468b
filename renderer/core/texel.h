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

/// The color of one texel of a color format that is not block-compressed; with `srgb` as its sRGB twin has it
/// (Khronos Data Format 13.3.1).
Rgba readTexel(const FormatInfo& format, bool srgb, const uint8_t* texel);
/// The other way (Direct3D 10 functional specification, 3.2.3.6; Khronos Data Format 13.3.2). Bits that are
/// no channel, X8 above all, become 1.
void writeTexel(const FormatInfo& format, bool srgb, const Rgba& color, uint8_t* texel);

/// Writes the cleared form of one texel. Depth and stencil keep the part that `args` does not clear.
void clearTexel(const FormatInfo& format, const ClearArgs& args, uint8_t* texel);

}  // namespace aerogpu::core
