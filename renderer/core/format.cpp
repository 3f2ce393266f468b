// SPDX-License-Identifier: MIT
// Direct3D 9's formats: the page D3DFORMAT of its reference (channels from the highest bit down); for signed
// formats, "Texture Pixel Formats" there. Direct3D 9 reads missing channels as 1, and the colors of alpha
// formats as 0. FourCC formats read as their drivers read them: INTZ gives the depth in all channels, DF16
// and DF24 in red, ATI2 gives its second block in red.
#include "renderer/core/format.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace aerogpu::core {

namespace {

using Type = Channel::Type;
using Channels = std::array<Channel, 4>;

constexpr Channel kOne{Type::One};
constexpr Channel unorm(int first, int bits) {
  return {Type::Unorm, static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
constexpr Channel snorm(int first, int bits) {
  return {Type::Snorm, static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
constexpr Channel uneven(int first, int bits) {
  return {Type::SnormUneven, static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
constexpr Channel real(int first, int bits) {
  return {Type::Float, static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
constexpr Channels luminance(Channel l, Channel a) {
  return {l, l, l, a};
}
constexpr Channels kNone{};  // of formats whose texels hold no single color
constexpr Channels kBgra{unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)};
constexpr Channels kBgrx{unorm(16, 8), unorm(8, 8), unorm(0, 8), kOne};
constexpr Channels kRgba{unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)};
constexpr Channels kRgbx{unorm(0, 8), unorm(8, 8), unorm(16, 8), kOne};
constexpr Channels k565{unorm(11, 5), unorm(5, 6), unorm(0, 5), kOne};
constexpr Channels k1555{unorm(10, 5), unorm(5, 5), unorm(0, 5), unorm(15, 1)};

constexpr FormatInfo color(const char* name, aerogpu_format format, int bytes, const Channels& channels) {
  return {name,  format, format,  1, static_cast<uint8_t>(bytes), false, false, !channels[3].stored(),
          false, false,  channels};
}
constexpr FormatInfo sameAs(const FormatInfo& linear, const char* name, aerogpu_format format) {
  FormatInfo info = linear;
  info.name = name;
  info.format = format;
  info.srgb = true;
  return info;
}
constexpr FormatInfo blocks(const char* name, aerogpu_format format, int bytes) {
  return {name, format, format, 4, static_cast<uint8_t>(bytes), false, false, false, false, false, kNone};
}
constexpr FormatInfo depth(const char* name, aerogpu_format format, int bytes, bool stencil, bool compares) {
  return {name, format, format, 1, static_cast<uint8_t>(bytes), true, stencil, false, false, compares, kNone};
}

constexpr FormatInfo yuvPairs(const char* name, aerogpu_format format, Channel luma, Channel chroma) {
  FormatInfo info = color(name, format, 2, Channels{luma, chroma, Channel{}, kOne});
  info.yuv = Yuv::Pairs;
  return info;
}
constexpr FormatInfo yuvPlanes(const char* name, aerogpu_format format, Yuv planes) {
  FormatInfo info = color(name, format, 1, Channels{unorm(0, 8), Channel{}, Channel{}, kOne});
  info.yuv = planes;
  return info;
}

#define COLOR(NAME, BYTES, ...) color(#NAME, AEROGPU_FORMAT_##NAME, BYTES, __VA_ARGS__)
#define SRGB(NAME, BYTES, CHANNELS) \
  COLOR(NAME, BYTES, CHANNELS),     \
      sameAs(COLOR(NAME, BYTES, CHANNELS), #NAME "_SRGB", AEROGPU_FORMAT_##NAME##_SRGB)
#define BLOCKS(NAME, BYTES) blocks(#NAME, AEROGPU_FORMAT_##NAME, BYTES)
#define SRGB_BLOCKS(NAME, BYTES) \
  BLOCKS(NAME, BYTES), sameAs(BLOCKS(NAME, BYTES), #NAME "_SRGB", AEROGPU_FORMAT_##NAME##_SRGB)
#define DEPTH(NAME, BYTES, STENCIL, COMPARES) depth(#NAME, AEROGPU_FORMAT_##NAME, BYTES, STENCIL, COMPARES)

constexpr FormatInfo kFormats[] = {
    SRGB(B8G8R8A8_UNORM, 4, kBgra),
    SRGB(B8G8R8X8_UNORM, 4, kBgrx),
    SRGB(R8G8B8A8_UNORM, 4, kRgba),
    SRGB(R8G8B8X8_UNORM, 4, kRgbx),
    COLOR(B5G6R5_UNORM, 2, k565),
    COLOR(B5G5R5A1_UNORM, 2, k1555),
    DEPTH(D24_UNORM_S8_UINT, 4, true, true),
    DEPTH(D32_FLOAT, 4, false, true),
    SRGB_BLOCKS(BC1_RGBA_UNORM, 8),
    SRGB_BLOCKS(BC2_RGBA_UNORM, 16),
    SRGB_BLOCKS(BC3_RGBA_UNORM, 16),
    SRGB_BLOCKS(BC7_RGBA_UNORM, 16),
    COLOR(D3D9_R8G8B8, 3, Channels{unorm(16, 8), unorm(8, 8), unorm(0, 8), kOne}),
    COLOR(D3D9_X1R5G5B5, 2, Channels{unorm(10, 5), unorm(5, 5), unorm(0, 5), kOne}),
    COLOR(D3D9_A4R4G4B4, 2, Channels{unorm(8, 4), unorm(4, 4), unorm(0, 4), unorm(12, 4)}),
    COLOR(D3D9_X4R4G4B4, 2, Channels{unorm(8, 4), unorm(4, 4), unorm(0, 4), kOne}),
    COLOR(D3D9_A8, 1, Channels{Channel{}, Channel{}, Channel{}, unorm(0, 8)}),
    COLOR(D3D9_A2B10G10R10, 4, Channels{unorm(0, 10), unorm(10, 10), unorm(20, 10), unorm(30, 2)}),
    COLOR(D3D9_A2R10G10B10, 4, Channels{unorm(20, 10), unorm(10, 10), unorm(0, 10), unorm(30, 2)}),
    COLOR(D3D9_G16R16, 4, Channels{unorm(0, 16), unorm(16, 16), kOne, kOne}),
    COLOR(D3D9_A16B16G16R16, 8, Channels{unorm(0, 16), unorm(16, 16), unorm(32, 16), unorm(48, 16)}),
    COLOR(D3D9_L8, 1, luminance(unorm(0, 8), kOne)),
    COLOR(D3D9_A8L8, 2, luminance(unorm(0, 8), unorm(8, 8))),
    COLOR(D3D9_A4L4, 1, luminance(unorm(0, 4), unorm(4, 4))),
    COLOR(D3D9_L16, 2, luminance(unorm(0, 16), kOne)),
    COLOR(D3D9_V8U8, 2, Channels{snorm(0, 8), snorm(8, 8), kOne, kOne}),
    COLOR(D3D9_L6V5U5, 2, Channels{uneven(0, 5), uneven(5, 5), unorm(10, 6), kOne}),
    COLOR(D3D9_X8L8V8U8, 4, Channels{snorm(0, 8), snorm(8, 8), unorm(16, 8), kOne}),
    COLOR(D3D9_Q8W8V8U8, 4, Channels{snorm(0, 8), snorm(8, 8), snorm(16, 8), snorm(24, 8)}),
    COLOR(D3D9_V16U16, 4, Channels{snorm(0, 16), snorm(16, 16), kOne, kOne}),
    COLOR(D3D9_A2W10V10U10, 4, Channels{snorm(0, 10), snorm(10, 10), snorm(20, 10), unorm(30, 2)}),
    COLOR(D3D9_Q16W16V16U16, 8, Channels{snorm(0, 16), snorm(16, 16), snorm(32, 16), snorm(48, 16)}),
    COLOR(D3D9_R16F, 2, Channels{real(0, 16), kOne, kOne, kOne}),
    COLOR(D3D9_G16R16F, 4, Channels{real(0, 16), real(16, 16), kOne, kOne}),
    COLOR(D3D9_A16B16G16R16F, 8, Channels{real(0, 16), real(16, 16), real(32, 16), real(48, 16)}),
    COLOR(D3D9_R32F, 4, Channels{real(0, 32), kOne, kOne, kOne}),
    COLOR(D3D9_G32R32F, 8, Channels{real(0, 32), real(32, 32), kOne, kOne}),
    COLOR(D3D9_A32B32G32R32F, 16, Channels{real(0, 32), real(32, 32), real(64, 32), real(96, 32)}),
    BLOCKS(D3D9_ATI1, 8),
    BLOCKS(D3D9_ATI2, 16),
    DEPTH(D3D9_D16, 2, false, true),
    DEPTH(D3D9_INTZ, 4, true, false),
    DEPTH(D3D9_DF16, 2, false, false),
    DEPTH(D3D9_DF24, 4, true, false),
    yuvPairs("D3D9_UYVY", AEROGPU_FORMAT_D3D9_UYVY, unorm(8, 8), unorm(0, 8)),
    yuvPairs("D3D9_YUY2", AEROGPU_FORMAT_D3D9_YUY2, unorm(0, 8), unorm(8, 8)),
    yuvPlanes("D3D9_NV12", AEROGPU_FORMAT_D3D9_NV12, Yuv::TwoPlanes),
    yuvPlanes("D3D9_YV12", AEROGPU_FORMAT_D3D9_YV12, Yuv::ThreePlanes),
};
#undef COLOR
#undef SRGB
#undef BLOCKS
#undef SRGB_BLOCKS
#undef DEPTH

/// Returns the place of a format in kSlots: formats of 1.4, of D3DFORMAT and of FourCC have numbers close
/// together.
constexpr size_t slotOf(uint32_t format) {
  if (format < 0x80) return format;
  if (format >= 0x1000 && format < 0x1080) return 0x80 + format - 0x1000;
  if (format >= 0x1200 && format < 0x1240) return 0x100 + format - 0x1200;
  return SIZE_MAX;
}
static_assert(std::ranges::all_of(kFormats, [](const FormatInfo& format) {
  return format.blockPixels == 1u << format.blockShift();
}));

/// The place of each number in kFormats, counted from 1; 0: none.
constexpr auto kSlots = [] {
  static_assert(std::size(kFormats) < 255);
  std::array<uint8_t, 0x140> slots{};
  for (size_t i = 0; i < std::size(kFormats); ++i)
    slots[slotOf(kFormats[i].format)] = static_cast<uint8_t>(i + 1);
  return slots;
}();

/// Returns the layout that a format shares with its twins.
aerogpu_format layoutOf(const FormatInfo& info) {
  switch (info.linearTwin) {
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
      return AEROGPU_FORMAT_B8G8R8A8_UNORM;
    case AEROGPU_FORMAT_R8G8B8X8_UNORM:
      return AEROGPU_FORMAT_R8G8B8A8_UNORM;
    case AEROGPU_FORMAT_D3D9_X1R5G5B5:
      return AEROGPU_FORMAT_B5G5R5A1_UNORM;
    case AEROGPU_FORMAT_D3D9_X4R4G4B4:
      return AEROGPU_FORMAT_D3D9_A4R4G4B4;
    case AEROGPU_FORMAT_D3D9_INTZ:
    case AEROGPU_FORMAT_D3D9_DF24:
      return AEROGPU_FORMAT_D24_UNORM_S8_UINT;
    case AEROGPU_FORMAT_D3D9_DF16:
      return AEROGPU_FORMAT_D3D9_D16;
    default:
      return info.linearTwin;
  }
}

}  // namespace

std::span<const FormatInfo> allFormats() {
  return kFormats;
}

const FormatInfo* findFormat(uint32_t format) {
  const size_t slot = slotOf(format);
  return slot < kSlots.size() && kSlots[slot] != 0 ? &kFormats[kSlots[slot] - 1] : nullptr;
}

bool viewCompatible(const FormatInfo& texture, const FormatInfo& view) {
  return layoutOf(texture) == layoutOf(view);
}

bool hasSrgbTwin(const FormatInfo& format) {
  for (const FormatInfo& info : kFormats)
    if (info.srgb && info.linearTwin == format.linearTwin) return true;
  return false;
}

bool decodedByShader(const FormatInfo& format) {
  const auto& c = format.channels;
  return format.blockBytes == 2 && !format.isYuv() && c[2].type == Type::Unorm && !(c[2] == c[0]) &&
         c[0].type == Type::Unorm;
}

bool isGathered(const FormatInfo& format) {
  if (format.depth) return !format.compares;
  if (format.blockPixels > 1 || format.isYuv()) return false;
  const std::array<Channel, 4>& c = format.channels;
  const Channel& only = isAlpha(format) ? c[3] : c[0];
  return only.stored() &&
         std::ranges::all_of(c, [&](const Channel& channel) { return !channel.stored() || channel == only; });
}

bool takesColors(const FormatInfo& format) {
  return !format.depth && format.blockPixels == 1 && !format.isYuv();
}

bool rendersPlainly(const FormatInfo& format) {
  if (!takesColors(format)) return false;
  const std::array<Channel, 4>& c = format.channels;
  if (!c[0].stored() || std::popcount(format.blockBytes) != 1) return false;
  // A luminance alone is a texel of one channel, which takes red and blends as luminance.
  if (c[0] == c[1]) return !c[3].stored();
  // GPUs have no formats with signed and unsigned channels in one texel.
  for (size_t i = 1; i < 4; ++i)
    if (c[i].stored() && c[i].type != c[0].type) return false;
  return true;
}

bool scanoutFormat(const FormatInfo& format) {
  return !format.depth && format.blockPixels == 1 && !isExtension(format.format);
}

}  // namespace aerogpu::core
