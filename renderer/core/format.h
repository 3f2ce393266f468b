// SPDX-License-Identifier: MIT
// Describes each aerogpu_format: the size of its blocks, its kind, and the place of its channels in a texel
// (docs/abi/allocation-table.md, docs/abi/formats.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_format.h"

namespace aerogpu::core {

/// The source of a color channel: bits of the texel, or a number.
struct Channel {
  enum class Type : uint8_t {
    Zero,
    One,
    Unorm,
    Snorm,        ///< two's complement; the least number is -1, as the one above it is
    SnormUneven,  ///< two's complement; the least number alone is -1, so steps below 0 are smaller (FMT-16)
    Float,        ///< IEEE 754, of 16 or 32 bits; of 10 or 11: a half without sign and low bits
    Uint,         ///< an integer, which no filter and no blending touches
    Sint,         ///< likewise, two's complement
  };
  Type type = Type::Zero;
  uint8_t first = 0;  ///< bit, counted from the lowest of the first byte
  uint8_t bits = 0;
  constexpr bool stored() const { return type > Type::One; }
  bool operator==(const Channel&) const = default;
};

/// The layout of luma (Y) and chroma (U, V) of a picture whose texels have no color of their own.
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
  /// For colors in single texels: red, green, blue, alpha. Colors that share a channel have equal entries.
  /// Of YUV: luma, and U in even columns, V in odd ones.
  std::array<Channel, 4> channels;
  Yuv yuv = Yuv::None;  ///< not None: only copied, and a source of blits
  /// Of Direct3D 10's formats: the typeless one of its family, or the depth format whose textures shaders
  /// read so; textures of that one are viewed as this one. Itself if there is none.
  aerogpu_format family = AEROGPU_FORMAT_INVALID;
  bool typeless = false;  ///< its texels are those of the first typed format of its family, and viewed as any
  /// The part of a depth texture that this format shows; there are only views of it.
  enum class Shows : uint8_t { Texels, Depth, Stencil } shows = Shows::Texels;
  bool isInteger() const {
    return channels[0].type >= Channel::Type::Uint || channels[1].type >= Channel::Type::Uint;
  }
  bool isYuv() const { return yuv != Yuv::None; }
  /// Returns the blocks of a row or column of at least 1 texel; the last block may be partial.
  uint32_t blocks(uint32_t texels) const { return ((texels - 1) >> blockShift()) + 1; }
  /// Returns the logarithm of blockPixels, so that no division is needed.
  constexpr uint32_t blockShift() const { return blockPixels / 2u; }
  /// Returns the rows of the picture that a texture with `rows` rows shows.
  uint32_t pictureRows(uint32_t rows) const { return yuv > Yuv::Pairs ? rows / 3 * 2 : rows; }
};

/// Returns all formats.
std::span<const FormatInfo> allFormats();

/// Returns null for numbers that are no format of ABI 1.4 or of its extensions.
const FormatInfo* findFormat(uint32_t format);

/// True if the format needs feature bit 37 or 47.
inline bool isExtension(aerogpu_format format) {
  return static_cast<uint32_t>(format) >= 0x1000;
}

inline constexpr uint32_t kFirstDxgiFormat = 0x2000;

/// True for Direct3D 10's formats, which shaders of Direct3D 9 do not sample (feature bit 47).
inline bool isDxgi(aerogpu_format format) {
  return static_cast<uint32_t>(format) >= kFirstDxgiFormat;
}

/// True if textures of the format hold luma and chroma, which no sampler shows.
inline bool isYuv(aerogpu_format format) {
  return format == AEROGPU_FORMAT_D3D9_UYVY || format == AEROGPU_FORMAT_D3D9_YUY2 ||
         format == AEROGPU_FORMAT_D3D9_NV12 || format == AEROGPU_FORMAT_D3D9_YV12;
}

/// True if one format is the other, or has its layout and differs in sRGB, in X for alpha, in comparing
/// depth, or in nothing but its number: conversions between them are copies.
bool areTwins(const FormatInfo& a, const FormatInfo& b);

/// True if texels of one are copied to the other as they are: twins, or a family of Direct3D 10.
bool copyCompatible(const FormatInfo& a, const FormatInfo& b);

/// True if a view may show `texture` as `view`: a twin, a format of a typeless texture's family, or one in
/// which shaders read depth or stencil.
bool viewCompatible(const FormatInfo& texture, const FormatInfo& view);

/// True if the layout exists in sRGB, or if this format is sRGB.
bool hasSrgbTwin(const FormatInfo& format);

/// True if the shader decodes the result of a sampler with D3DSAMP_SRGBTEXTURE for such a texture, since no
/// GPU has the layout in sRGB: colors of 16 bits (STATE-20).
bool decodedByShader(const FormatInfo& format);

/// True if samples of the format can be four texels (XSTATE-11): it has one channel, is not compressed, and
/// does not compare. The formats are those of AMD's drivers (Wine, dlls/d3d9/tests/visual.c, test_fetch4; for
/// ATI1 these give one texel).
bool isGathered(const FormatInfo& format);

/// True if the only channel of the format is alpha.
inline bool isAlpha(const FormatInfo& format) {
  return format.channels[3].stored() && !format.channels[0].stored();
}

/// True if a blit can write colors to single texels of the format.
bool takesColors(const FormatInfo& format);

/// True if a fill can write single texels: a format that takes colors, integers, depth.
bool canBeFilled(const FormatInfo& format);

/// True if every channel of a texel holds one color channel unchanged, so that a GPU can have targets of that
/// layout: a channel has several colors only if it is the only one, none is missing before one that exists,
/// and no texel has three bytes.
bool rendersPlainly(const FormatInfo& format);

/// True if the scanout and frames can have this format.
bool scanoutFormat(const FormatInfo& format);

}  // namespace aerogpu::core
