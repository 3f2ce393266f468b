// SPDX-License-Identifier: MIT
// Direct3D 9's formats: the page D3DFORMAT of its reference (channels from the highest bit down); for signed
// formats, "Texture Pixel Formats" there. Direct3D 9 reads missing channels as 1, and the colors of alpha
// formats as 0. FourCC formats read as their drivers read them: INTZ gives the depth in all channels, DF16
// and DF24 in red, ATI2 gives its second block in red.
// Direct3D 10's: DXGI_FORMAT's reference. It reads missing channels as 0, alpha as 1.
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
constexpr Channel uint(int first, int bits) {
  return {Type::Uint, static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
constexpr Channel sint(int first, int bits) {
  return {Type::Sint, static_cast<uint8_t>(first), static_cast<uint8_t>(bits)};
}
/// One to four channels of `bits` bits from the lowest bit up; those that are missing are 0, 0, 0, 1.
constexpr Channels upward(Channel (*channel)(int, int), int count, int bits) {
  Channels out{Channel{}, Channel{}, Channel{}, kOne};
  for (int i = 0; i < count; ++i) out[static_cast<size_t>(i)] = channel(i * bits, bits);
  return out;
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

/// Gives a format a family of Direct3D 10.
constexpr FormatInfo in(aerogpu_format family, FormatInfo info) {
  info.family = family;
  return info;
}
constexpr FormatInfo typelessOf(const char* name, aerogpu_format format, FormatInfo first) {
  first.name = name;
  first.format = first.linearTwin = first.family = format;
  first.typeless = true;
  return first;
}
/// A format in which shaders read textures of a depth format.
constexpr FormatInfo shown(FormatInfo::Shows part, aerogpu_format depth, FormatInfo info) {
  info.family = depth;
  info.shows = part;
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
#define DXGI(NAME) AEROGPU_FORMAT_DXGI_##NAME
// A family: its typeless format, the first typed one, and others.
#define FIRST(FAMILY, INFO) \
  typelessOf("DXGI_" #FAMILY "_TYPELESS", DXGI(FAMILY##_TYPELESS), INFO), in(DXGI(FAMILY##_TYPELESS), INFO)
#define CHANNELS(NAME, BYTES, KIND, COUNT, BITS) COLOR(DXGI_##NAME, BYTES, upward(KIND, COUNT, BITS))
#define MEMBER(FAMILY, INFO) in(DXGI(FAMILY##_TYPELESS), INFO)
#define MEMBER_SRGB(FAMILY, INFO, NAME) \
  in(DXGI(FAMILY##_TYPELESS), sameAs(INFO, "DXGI_" #NAME "_SRGB", DXGI(NAME##_SRGB)))

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
    FIRST(R32G32B32A32, CHANNELS(R32G32B32A32_FLOAT, 16, real, 4, 32)),
    MEMBER(R32G32B32A32, CHANNELS(R32G32B32A32_UINT, 16, uint, 4, 32)),
    MEMBER(R32G32B32A32, CHANNELS(R32G32B32A32_SINT, 16, sint, 4, 32)),
    FIRST(R16G16B16A16, CHANNELS(R16G16B16A16_FLOAT, 8, real, 4, 16)),
    MEMBER(R16G16B16A16, CHANNELS(R16G16B16A16_UNORM, 8, unorm, 4, 16)),
    MEMBER(R16G16B16A16, CHANNELS(R16G16B16A16_UINT, 8, uint, 4, 16)),
    MEMBER(R16G16B16A16, CHANNELS(R16G16B16A16_SNORM, 8, snorm, 4, 16)),
    MEMBER(R16G16B16A16, CHANNELS(R16G16B16A16_SINT, 8, sint, 4, 16)),
    FIRST(R32G32, CHANNELS(R32G32_FLOAT, 8, real, 2, 32)),
    MEMBER(R32G32, CHANNELS(R32G32_UINT, 8, uint, 2, 32)),
    MEMBER(R32G32, CHANNELS(R32G32_SINT, 8, sint, 2, 32)),
    FIRST(R10G10B10A2, COLOR(DXGI_R10G10B10A2_UNORM, 4,
                             Channels{unorm(0, 10), unorm(10, 10), unorm(20, 10), unorm(30, 2)})),
    MEMBER(R10G10B10A2,
           COLOR(DXGI_R10G10B10A2_UINT, 4, Channels{uint(0, 10), uint(10, 10), uint(20, 10), uint(30, 2)})),
    COLOR(DXGI_R11G11B10_FLOAT, 4, Channels{real(0, 11), real(11, 11), real(22, 10), kOne}),
    FIRST(R8G8B8A8, CHANNELS(R8G8B8A8_UNORM, 4, unorm, 4, 8)),
    MEMBER_SRGB(R8G8B8A8, CHANNELS(R8G8B8A8_UNORM, 4, unorm, 4, 8), R8G8B8A8_UNORM),
    MEMBER(R8G8B8A8, CHANNELS(R8G8B8A8_UINT, 4, uint, 4, 8)),
    MEMBER(R8G8B8A8, CHANNELS(R8G8B8A8_SNORM, 4, snorm, 4, 8)),
    MEMBER(R8G8B8A8, CHANNELS(R8G8B8A8_SINT, 4, sint, 4, 8)),
    FIRST(R16G16, CHANNELS(R16G16_FLOAT, 4, real, 2, 16)),
    MEMBER(R16G16, CHANNELS(R16G16_UNORM, 4, unorm, 2, 16)),
    MEMBER(R16G16, CHANNELS(R16G16_UINT, 4, uint, 2, 16)),
    MEMBER(R16G16, CHANNELS(R16G16_SNORM, 4, snorm, 2, 16)),
    MEMBER(R16G16, CHANNELS(R16G16_SINT, 4, sint, 2, 16)),
    FIRST(R32, CHANNELS(R32_FLOAT, 4, real, 1, 32)),
    MEMBER(R32, CHANNELS(R32_UINT, 4, uint, 1, 32)),
    MEMBER(R32, CHANNELS(R32_SINT, 4, sint, 1, 32)),
    DEPTH(DXGI_D32_FLOAT, 4, false, false),
    DEPTH(DXGI_D24_UNORM_S8_UINT, 4, true, false),
    shown(FormatInfo::Shows::Depth, DXGI(D24_UNORM_S8_UINT),
          COLOR(DXGI_R24_UNORM_X8_TYPELESS, 4, Channels{unorm(0, 24), Channel{}, Channel{}, kOne})),
    shown(FormatInfo::Shows::Stencil, DXGI(D24_UNORM_S8_UINT),
          COLOR(DXGI_X24_TYPELESS_G8_UINT, 4, Channels{Channel{}, uint(24, 8), Channel{}, kOne})),
    FIRST(R8G8, CHANNELS(R8G8_UNORM, 2, unorm, 2, 8)),
    MEMBER(R8G8, CHANNELS(R8G8_UINT, 2, uint, 2, 8)),
    MEMBER(R8G8, CHANNELS(R8G8_SNORM, 2, snorm, 2, 8)),
    MEMBER(R8G8, CHANNELS(R8G8_SINT, 2, sint, 2, 8)),
    FIRST(R16, CHANNELS(R16_FLOAT, 2, real, 1, 16)),
    MEMBER(R16, CHANNELS(R16_UNORM, 2, unorm, 1, 16)),
    MEMBER(R16, CHANNELS(R16_UINT, 2, uint, 1, 16)),
    MEMBER(R16, CHANNELS(R16_SNORM, 2, snorm, 1, 16)),
    MEMBER(R16, CHANNELS(R16_SINT, 2, sint, 1, 16)),
    DEPTH(DXGI_D16_UNORM, 2, false, false),
    FIRST(R8, CHANNELS(R8_UNORM, 1, unorm, 1, 8)),
    MEMBER(R8, CHANNELS(R8_UINT, 1, uint, 1, 8)),
    MEMBER(R8, CHANNELS(R8_SNORM, 1, snorm, 1, 8)),
    MEMBER(R8, CHANNELS(R8_SINT, 1, sint, 1, 8)),
    MEMBER(R8, COLOR(DXGI_A8_UNORM, 1, Channels{Channel{}, Channel{}, Channel{}, unorm(0, 8)})),
    // A shared exponent: the texel holds no channel on its own.
    COLOR(DXGI_R9G9B9E5_SHAREDEXP, 4, kNone),
    FIRST(BC1, BLOCKS(DXGI_BC1_UNORM, 8)),
    MEMBER_SRGB(BC1, BLOCKS(DXGI_BC1_UNORM, 8), BC1_UNORM),
    FIRST(BC2, BLOCKS(DXGI_BC2_UNORM, 16)),
    MEMBER_SRGB(BC2, BLOCKS(DXGI_BC2_UNORM, 16), BC2_UNORM),
    FIRST(BC3, BLOCKS(DXGI_BC3_UNORM, 16)),
    MEMBER_SRGB(BC3, BLOCKS(DXGI_BC3_UNORM, 16), BC3_UNORM),
    FIRST(BC4, BLOCKS(DXGI_BC4_UNORM, 8)),
    MEMBER(BC4, BLOCKS(DXGI_BC4_SNORM, 8)),
    FIRST(BC5, BLOCKS(DXGI_BC5_UNORM, 16)),
    MEMBER(BC5, BLOCKS(DXGI_BC5_SNORM, 16)),
    COLOR(DXGI_B5G6R5_UNORM, 2, k565),
    COLOR(DXGI_B5G5R5A1_UNORM, 2, k1555),
    FIRST(B8G8R8A8, COLOR(DXGI_B8G8R8A8_UNORM, 4, kBgra)),
    MEMBER_SRGB(B8G8R8A8, COLOR(DXGI_B8G8R8A8_UNORM, 4, kBgra), B8G8R8A8_UNORM),
    FIRST(B8G8R8X8, COLOR(DXGI_B8G8R8X8_UNORM, 4, kBgrx)),
    MEMBER_SRGB(B8G8R8X8, COLOR(DXGI_B8G8R8X8_UNORM, 4, kBgrx), B8G8R8X8_UNORM),
};
#undef COLOR
#undef SRGB
#undef BLOCKS
#undef SRGB_BLOCKS
#undef DEPTH
#undef DXGI
#undef FIRST
#undef CHANNELS
#undef MEMBER
#undef MEMBER_SRGB

/// Returns the place of a format in kSlots: formats of 1.4, of D3DFORMAT, of FourCC and of DXGI_FORMAT have
/// numbers close together.
constexpr size_t slotOf(uint32_t format) {
  if (format < 0x80) return format;
  if (format >= 0x1000 && format < 0x1080) return 0x80 + format - 0x1000;
  if (format >= 0x1200 && format < 0x1240) return 0x100 + format - 0x1200;
  if (format >= kFirstDxgiFormat && format < kFirstDxgiFormat + 0x60)
    return 0x140 + format - kFirstDxgiFormat;
  return SIZE_MAX;
}
static_assert(std::ranges::all_of(kFormats, [](const FormatInfo& format) {
  return format.blockPixels == 1u << format.blockShift();
}));

/// The place of each number in kFormats, counted from 1; 0: none.
constexpr auto kSlots = [] {
  static_assert(std::size(kFormats) < 255);
  std::array<uint8_t, 0x1A0> slots{};
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
    case AEROGPU_FORMAT_DXGI_D16_UNORM:
      return AEROGPU_FORMAT_D3D9_D16;
    case AEROGPU_FORMAT_DXGI_D24_UNORM_S8_UINT:
      return AEROGPU_FORMAT_D24_UNORM_S8_UINT;
    case AEROGPU_FORMAT_DXGI_D32_FLOAT:
      return AEROGPU_FORMAT_D32_FLOAT;
    case AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM:
      return AEROGPU_FORMAT_R8G8B8A8_UNORM;
    case AEROGPU_FORMAT_DXGI_B8G8R8A8_TYPELESS:
    case AEROGPU_FORMAT_DXGI_B8G8R8A8_UNORM:
    case AEROGPU_FORMAT_DXGI_B8G8R8X8_TYPELESS:
    case AEROGPU_FORMAT_DXGI_B8G8R8X8_UNORM:
      return AEROGPU_FORMAT_B8G8R8A8_UNORM;
    case AEROGPU_FORMAT_DXGI_B5G6R5_UNORM:
      return AEROGPU_FORMAT_B5G6R5_UNORM;
    case AEROGPU_FORMAT_DXGI_B5G5R5A1_UNORM:
      return AEROGPU_FORMAT_B5G5R5A1_UNORM;
    case AEROGPU_FORMAT_DXGI_R10G10B10A2_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R10G10B10A2_UNORM:
      return AEROGPU_FORMAT_D3D9_A2B10G10R10;
    case AEROGPU_FORMAT_DXGI_R16G16B16A16_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R16G16B16A16_FLOAT:
      return AEROGPU_FORMAT_D3D9_A16B16G16R16F;
    case AEROGPU_FORMAT_DXGI_R16G16B16A16_UNORM:
      return AEROGPU_FORMAT_D3D9_A16B16G16R16;
    case AEROGPU_FORMAT_DXGI_R16G16B16A16_SNORM:
      return AEROGPU_FORMAT_D3D9_Q16W16V16U16;
    case AEROGPU_FORMAT_DXGI_R8G8B8A8_SNORM:
      return AEROGPU_FORMAT_D3D9_Q8W8V8U8;
    case AEROGPU_FORMAT_DXGI_R32G32B32A32_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R32G32B32A32_FLOAT:
      return AEROGPU_FORMAT_D3D9_A32B32G32R32F;
    case AEROGPU_FORMAT_DXGI_BC1_TYPELESS:
    case AEROGPU_FORMAT_DXGI_BC1_UNORM:
      return AEROGPU_FORMAT_BC1_RGBA_UNORM;
    case AEROGPU_FORMAT_DXGI_BC2_TYPELESS:
    case AEROGPU_FORMAT_DXGI_BC2_UNORM:
      return AEROGPU_FORMAT_BC2_RGBA_UNORM;
    case AEROGPU_FORMAT_DXGI_BC3_TYPELESS:
    case AEROGPU_FORMAT_DXGI_BC3_UNORM:
      return AEROGPU_FORMAT_BC3_RGBA_UNORM;
    // These differ from Direct3D 9's in what channels read that are missing.
    case AEROGPU_FORMAT_DXGI_R32G32_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R32G32_FLOAT:
      return AEROGPU_FORMAT_D3D9_G32R32F;
    case AEROGPU_FORMAT_DXGI_R16G16_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R16G16_FLOAT:
      return AEROGPU_FORMAT_D3D9_G16R16F;
    case AEROGPU_FORMAT_DXGI_R16G16_UNORM:
      return AEROGPU_FORMAT_D3D9_G16R16;
    case AEROGPU_FORMAT_DXGI_R32_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R32_FLOAT:
      return AEROGPU_FORMAT_D3D9_R32F;
    case AEROGPU_FORMAT_DXGI_R16_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R16_FLOAT:
      return AEROGPU_FORMAT_D3D9_R16F;
    case AEROGPU_FORMAT_DXGI_R16_UNORM:
      return AEROGPU_FORMAT_D3D9_L16;
    case AEROGPU_FORMAT_DXGI_R8_TYPELESS:
    case AEROGPU_FORMAT_DXGI_R8_UNORM:
      return AEROGPU_FORMAT_D3D9_L8;
    case AEROGPU_FORMAT_DXGI_A8_UNORM:
      return AEROGPU_FORMAT_D3D9_A8;
    // Of the other families, the typeless format is the first typed one's twin.
    case AEROGPU_FORMAT_DXGI_R8G8_TYPELESS:
      return AEROGPU_FORMAT_DXGI_R8G8_UNORM;
    case AEROGPU_FORMAT_DXGI_BC4_TYPELESS:
      return AEROGPU_FORMAT_DXGI_BC4_UNORM;
    case AEROGPU_FORMAT_DXGI_BC5_TYPELESS:
      return AEROGPU_FORMAT_DXGI_BC5_UNORM;
    default:
      return info.linearTwin;
  }
}

/// Returns the family of Direct3D 10 that a format is in; a format without one is its own.
aerogpu_format familyOf(const FormatInfo& info) {
  if (info.family != AEROGPU_FORMAT_INVALID) return info.family;
  if (isDxgi(info.format)) return info.format;
  // A format of before: that of its twin.
  for (const FormatInfo& other : kFormats)
    if (isDxgi(other.format) && layoutOf(other) == layoutOf(info))
      return other.family != AEROGPU_FORMAT_INVALID ? other.family : other.format;
  return info.format;
}

}  // namespace

std::span<const FormatInfo> allFormats() {
  return kFormats;
}

const FormatInfo* findFormat(uint32_t format) {
  const size_t slot = slotOf(format);
  return slot < kSlots.size() && kSlots[slot] != 0 ? &kFormats[kSlots[slot] - 1] : nullptr;
}

bool areTwins(const FormatInfo& a, const FormatInfo& b) {
  return layoutOf(a) == layoutOf(b);
}

bool copyCompatible(const FormatInfo& a, const FormatInfo& b) {
  if (a.format == b.format) return true;
  if (!isDxgi(a.format) && !isDxgi(b.format)) return false;
  return a.depth == b.depth && familyOf(a) == familyOf(b);
}

bool viewCompatible(const FormatInfo& texture, const FormatInfo& view) {
  if (areTwins(texture, view)) return true;
  if (texture.typeless) return view.family == texture.format && !view.typeless;
  switch (texture.format) {
    case AEROGPU_FORMAT_DXGI_D32_FLOAT:
      return view.format == AEROGPU_FORMAT_DXGI_R32_FLOAT;
    case AEROGPU_FORMAT_DXGI_D16_UNORM:
      return view.format == AEROGPU_FORMAT_DXGI_R16_UNORM;
    default:
      return view.shows != FormatInfo::Shows::Texels && view.family == texture.format;
  }
}

bool hasSrgbTwin(const FormatInfo& format) {
  for (const FormatInfo& info : kFormats)
    if (info.srgb &&
        (info.linearTwin == format.linearTwin || (format.typeless && info.family == format.format)))
      return true;
  return false;
}

bool decodedByShader(const FormatInfo& format) {
  const auto& c = format.channels;
  return !isDxgi(format.format) && format.blockBytes == 2 && !format.isYuv() && c[2].type == Type::Unorm &&
         !(c[2] == c[0]) && c[0].type == Type::Unorm;
}

bool isGathered(const FormatInfo& format) {
  if (isDxgi(format.format)) return false;
  if (format.depth) return !format.compares;
  if (format.blockPixels > 1 || format.isYuv()) return false;
  const std::array<Channel, 4>& c = format.channels;
  const Channel& only = isAlpha(format) ? c[3] : c[0];
  return only.stored() &&
         std::ranges::all_of(c, [&](const Channel& channel) { return !channel.stored() || channel == only; });
}

bool takesColors(const FormatInfo& format) {
  return canBeFilled(format) && !format.depth && !format.isInteger();
}

bool canBeFilled(const FormatInfo& format) {
  if (format.depth) return true;
  return format.blockPixels == 1 && !format.isYuv() && format.shows == FormatInfo::Shows::Texels &&
         (format.channels[0].stored() || format.channels[3].stored());
}

bool rendersPlainly(const FormatInfo& format) {
  if (!canBeFilled(format) || format.depth) return false;
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
