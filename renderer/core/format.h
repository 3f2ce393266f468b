// SPDX-License-Identifier: MIT
// What the renderer knows of each aerogpu_format: the size of its blocks, its kind, and where in a texel its
// channels are (docs/abi/allocation-table.md, docs/abi/formats.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_format.h"

namespace aerogpu::core {

/// Where a channel of a color comes from: bits of the texel, or a number.
struct Channel {
  enum class Type : uint8_t {
    Zero,
    One,
    Unorm,
    Snorm,        ///< two's complement; the least number is -1, as the one above it is
    SnormUneven,  ///< two's complement; the least number alone is -1, so steps below 0 are smaller (FMT-3)
    Float,        ///< IEEE 754, of 16 or 32 bits
  };
  Type type = Type::Zero;
  uint8_t first = 0;  ///< bit, counted from the lowest of the first byte
  uint8_t bits = 0;
  constexpr bool stored() const { return type > Type::One; }
  bool operator==(const Channel&) const = default;
};

/// How luma (Y) and chroma (U, V) of a picture lie, where a texel has no color of its own.
enum class Yuv : uint8_t {
  None,
  Pairs,        ///< 4:2:2, two pixels in two texels, which share U and V
  TwoPlanes,    ///< 4:2:0, rows of Y, then half as many of U and V by turns
  ThreePlanes,  ///< 4:2:0, Y, then V, then U, each without gaps
};

struct FormatInfo {
  const char* name;
  aerogpu_format format;
  aerogpu_format linearTwin;  ///< the same layout without sRGB; itself if it has none
  uint8_t blockPixels;        ///< side of a block in pixels: 1, or 4 for block-compressed formats
  uint8_t blockBytes;
  bool depth;  ///< usable as depth-stencil target
  bool stencil;
  bool opaque;  ///< alpha is 1 whatever the bytes hold
  bool srgb;
  bool compares;  ///< sampling compares with the texels (shadow maps); of depth formats
  /// Of colors in single texels: red, green, blue, alpha. One that stands in several is stored once. Of YUV:
  /// luma, and U in even columns, V in odd ones.
  std::array<Channel, 4> channels;
  Yuv yuv = Yuv::None;  ///< else only copied, and a source of blits
  bool isYuv() const { return yuv != Yuv::None; }
  /// Texels of a row or column, at least 1, in blocks, of which the last may be a part.
  uint32_t blocks(uint32_t texels) const { return ((texels - 1) >> blockShift()) + 1; }
  /// The logarithm of blockPixels, so that nothing is divided.
  constexpr uint32_t blockShift() const { return blockPixels / 2u; }
  /// Rows of the picture that a texture of so many rows shows.
  uint32_t pictureRows(uint32_t rows) const { return yuv > Yuv::Pairs ? rows / 3 * 2 : rows; }
};

/// All of them.
std::span<const FormatInfo> allFormats();

/// Null for numbers that are no format of ABI 1.4 or of its extension.
const FormatInfo* findFormat(uint32_t format);

/// Whether it takes feature bit 37 to use the format.
inline bool isExtension(aerogpu_format format) {
  return static_cast<uint32_t>(format) >= 0x1000;
}

/// Whether textures of the format hold luma and chroma, which no sampler shows.
inline bool isYuv(aerogpu_format format) {
  return format == AEROGPU_FORMAT_D3D9_UYVY || format == AEROGPU_FORMAT_D3D9_YUY2 ||
         format == AEROGPU_FORMAT_D3D9_NV12 || format == AEROGPU_FORMAT_D3D9_YV12;
}

/// Whether a view may reinterpret `texture` as `view`: the same, or twins in sRGB, in X for alpha or in
/// whether depth compares, of the same layout.
bool viewCompatible(const FormatInfo& texture, const FormatInfo& view);

/// Whether the same layout exists in sRGB, or this is it.
bool hasSrgbTwin(const FormatInfo& format);

/// Whether the shader decodes what a sampler with D3DSAMP_SRGBTEXTURE gives of such a texture, since no GPU
/// has the layout in sRGB: colors of 16 bits (STATE-15).
bool decodedByShader(const FormatInfo& format);

/// Whether colors can be written to single texels of the format, by a blit or a fill.
bool takesColors(const FormatInfo& format);

/// Whether colors go to every channel of a texel as they are, so that a GPU can have targets of that layout:
/// a channel stands for several only where there is no other, none that is there is missing before it, and no
/// texel is of three bytes.
bool rendersPlainly(const FormatInfo& format);

/// Whether the scanout and frames can have this format.
bool scanoutFormat(const FormatInfo& format);

}  // namespace aerogpu::core
