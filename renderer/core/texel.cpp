// SPDX-License-Identifier: MIT
#include "renderer/core/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace aerogpu::core {

namespace {

// ITU-R BT.601: the amounts that V (Cr) and U (Cb), as -0.5 to 0.5, add to a channel or take from it.
constexpr float kYuvRedOfV = 1.402f, kYuvGreenOfU = 0.344136f, kYuvGreenOfV = 0.714136f, kYuvBlueOfU = 1.772f;

/// Returns the unsigned normalised value of `bits` bits; NaN becomes 0.
uint32_t unorm(float value, int bits) {
  const float limited = value >= 0 ? std::min(value, 1.0f) : 0.0f;
  const auto max = static_cast<double>((uint64_t{1} << bits) - 1);
  return static_cast<uint32_t>(std::floor(static_cast<double>(limited) * max + 0.5));
}

float fromUnorm(uint32_t value, int bits) {
  return static_cast<float>(value) / static_cast<float>((uint64_t{1} << bits) - 1);
}

/// Returns the signed normalised value, in two's complement: round to nearest, halves away from zero.
uint32_t snorm(float value, int bits, bool uneven) {
  const float limited = value >= -1 ? std::min(value, 1.0f) : value < -1 ? -1.0f : 0.0f;
  const uint32_t steps = (1u << (bits - 1)) - (uneven && limited < 0 ? 0 : 1);
  const double scaled = static_cast<double>(limited) * static_cast<double>(steps);
  return static_cast<uint32_t>(static_cast<int32_t>(std::round(scaled))) & ((1u << bits) - 1);
}

float fromSnorm(uint32_t value, int bits, bool uneven) {
  const uint32_t sign = 1u << (bits - 1);
  const auto number = static_cast<int32_t>(value ^ sign) - static_cast<int32_t>(sign);
  const uint32_t steps = uneven && number < 0 ? sign : sign - 1;
  return std::max(static_cast<float>(number) / static_cast<float>(steps), -1.0f);
}

/// Returns an integer of `bits` bits in two's complement, as a shader's ftou and ftoi convert: towards zero,
/// limited to what there is, NaN becomes 0 (Direct3D 11.3 functional specification, 22.13.4, 22.13.5).
uint32_t integer(float value, int bits, bool isSigned) {
  const double most = std::ldexp(1.0, isSigned ? bits - 1 : bits) - 1, least = isSigned ? -most - 1 : 0;
  if (std::isnan(value)) return 0;
  const double limited = std::clamp(std::trunc(static_cast<double>(value)), least, most);
  const auto mask = static_cast<uint32_t>((uint64_t{1} << bits) - 1);
  return static_cast<uint32_t>(static_cast<int64_t>(limited)) & mask;
}

float fromInteger(uint32_t value, int bits, bool isSigned) {
  if (!isSigned) return static_cast<float>(value);
  const int shift = 32 - bits;
  return static_cast<float>(static_cast<int32_t>(value << shift) >> shift);
}

/// Returns the bits of a float without a sign, with 5 bits of exponent: rounded towards zero; negative
/// numbers become 0, NaN and infinity stay, and what is too large becomes the largest number (Direct3D 11.3
/// functional specification, 3.1.5, 3.2.3.1).
uint32_t toSmall(float value, int bits) {
  const uint32_t fractionBits = static_cast<uint32_t>(bits) - 5, infinity = 31u << fractionBits;
  if (std::isnan(value)) return infinity | 1u << (fractionBits - 1);
  if (!(value > 0)) return 0;
  if (std::isinf(value)) return infinity;
  const int exponent = value >= 0x1p-14f ? std::ilogb(value) : -14;
  const auto steps = static_cast<uint32_t>(std::ldexp(value, static_cast<int>(fractionBits) - exponent));
  return std::min((static_cast<uint32_t>(exponent + 14) << fractionBits) + steps, infinity - 1);
}

/// Returns the bits of a texel of at most 16 bytes; a channel does not cross the fourth byte after its start.
uint32_t take(const uint8_t* texel, const Channel& channel) {
  uint64_t bits = 0;
  for (unsigned byte = channel.first / 8u, n = 0; byte <= (channel.first + channel.bits - 1u) / 8u;
       ++byte, ++n)
    bits |= uint64_t{texel[byte]} << (8 * n);
  return static_cast<uint32_t>(bits >> (channel.first % 8u) & ((uint64_t{1} << channel.bits) - 1));
}

void put(uint8_t* texel, const Channel& channel, uint32_t value) {
  const unsigned shift = channel.first % 8u;
  const uint64_t mask = ((uint64_t{1} << channel.bits) - 1) << shift, bits = uint64_t{value} << shift & mask;
  for (unsigned byte = channel.first / 8u, n = 0; byte <= (channel.first + channel.bits - 1u) / 8u;
       ++byte, ++n)
    texel[byte] = static_cast<uint8_t>((texel[byte] & ~(mask >> (8 * n))) | (bits >> (8 * n) & 0xFF));
}

float decode(const uint8_t* texel, const Channel& channel) {
  switch (channel.type) {
    case Channel::Type::Zero:
      return 0;
    case Channel::Type::One:
      return 1;
    case Channel::Type::Unorm:
      return fromUnorm(take(texel, channel), channel.bits);
    case Channel::Type::Snorm:
    case Channel::Type::SnormUneven:
      return fromSnorm(take(texel, channel), channel.bits, channel.type == Channel::Type::SnormUneven);
    case Channel::Type::Uint:
    case Channel::Type::Sint:
      return fromInteger(take(texel, channel), channel.bits, channel.type == Channel::Type::Sint);
    case Channel::Type::Float:
      break;
  }
  const uint32_t bits = take(texel, channel);
  // The small floats are halves without their lowest bits and their sign.
  if (channel.bits < 16) return fromHalf(static_cast<uint16_t>(bits << (15 - channel.bits)));
  return channel.bits == 16 ? fromHalf(static_cast<uint16_t>(bits)) : std::bit_cast<float>(bits);
}

uint32_t encode(float value, const Channel& channel) {
  switch (channel.type) {
    case Channel::Type::Unorm:
      return unorm(value, channel.bits);
    case Channel::Type::Snorm:
    case Channel::Type::SnormUneven:
      return snorm(value, channel.bits, channel.type == Channel::Type::SnormUneven);
    case Channel::Type::Uint:
    case Channel::Type::Sint:
      return integer(value, channel.bits, channel.type == Channel::Type::Sint);
    case Channel::Type::Float:
      if (channel.bits < 16) return toSmall(value, channel.bits);
      return channel.bits == 16 ? toHalf(value) : std::bit_cast<uint32_t>(value);
    default:
      return 0;
  }
}

float encodeSrgb(float linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 1;
  return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

float decodeSrgb(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}

}  // namespace

float fromHalf(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 31u, fraction = half & 0x3FFu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t toHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u;
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7E00u);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7C00u);
  // Below the normal numbers all steps are equal; above, the exponent gives the step.
  int exponent = -14;
  if (magnitude >= 0x1p-14f) exponent = std::ilogb(magnitude);
  const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(exponent + 14) << 10) + steps));
}

Rgba YuvPicture::at(uint32_t x, uint32_t y) const {
  const auto number = [&](uint64_t row, uint64_t column, size_t channel) {
    return static_cast<float>(
        take(first + row * pitch + column * format.blockBytes, format.channels[channel]));
  };
  const uint32_t height = format.pictureRows(rows), pair = x & ~1u;
  // Of three planes: texels count through the rows of the texture.
  const auto plane = [&](uint64_t texel) { return number(height + texel / width, texel % width, 0); };
  const uint64_t quarter = uint64_t{width / 2} * (height / 2), place = uint64_t{width / 2} * (y / 2) + x / 2;
  float u = 0, v = 0;
  switch (format.yuv) {
    case Yuv::None:
      break;
    case Yuv::Pairs:
      u = number(y, pair, 1);
      v = number(y, pair + 1, 1);
      break;
    case Yuv::TwoPlanes:
      u = number(height + y / 2, pair, 0);
      v = number(height + y / 2, pair + 1, 0);
      break;
    case Yuv::ThreePlanes:
      u = plane(quarter + place);
      v = plane(place);
      break;
  }
  const float luma = (number(y, x, 0) - 16) / 219, cb = (u - 128) / 224, cr = (v - 128) / 224;
  Rgba out{luma + kYuvRedOfV * cr, luma - kYuvGreenOfU * cb - kYuvGreenOfV * cr, luma + kYuvBlueOfU * cb, 1};
  for (float& c : out) c = std::clamp(c, 0.0f, 1.0f);
  return out;
}

uint32_t keyMask(const FormatInfo& format) {
  uint64_t mask = 0;
  for (const Channel& c : format.channels)
    if (c.stored()) mask |= ((uint64_t{1} << c.bits) - 1) << c.first;
  return static_cast<uint32_t>(mask);
}

KeyRange keyRange(const FormatInfo& format, bool srgb, uint32_t key) {
  constexpr float kAnything = std::numeric_limits<float>::max();
  KeyRange out;
  for (size_t i = 0; i < 4; ++i) {
    const Channel& c = format.channels[i];
    out.low[i] = -kAnything;
    out.high[i] = kAnything;
    if (!c.stored()) continue;
    const auto max = static_cast<float>((uint64_t{1} << c.bits) - 1);
    const auto number = static_cast<float>(key >> c.first & ((uint64_t{1} << c.bits) - 1));
    const auto read = [&](float steps) { return srgb && i < 3 ? decodeSrgb(steps / max) : steps / max; };
    // No texel reads as a number outside of 0 to 1.
    if (number > 0) out.low[i] = read(number - 0.5f);
    if (number < max) out.high[i] = read(number + 0.5f);
  }
  return out;
}

Rgba readTexel(const FormatInfo& format, bool srgb, const uint8_t* texel) {
  Rgba out{};
  for (size_t i = 0; i < 4; ++i) out[i] = decode(texel, format.channels[i]);
  if (srgb) std::transform(out.begin(), out.begin() + 3, out.begin(), decodeSrgb);
  return out;
}

void writeTexel(const FormatInfo& format, bool srgb, const Rgba& color, uint8_t* texel) {
  Rgba c = color;
  if (srgb) std::transform(c.begin(), c.begin() + 3, c.begin(), encodeSrgb);
  std::fill_n(texel, format.blockBytes, uint8_t{0xFF});  // bits of no channel: X8
  for (size_t i = 4; i-- > 0;)                           // red last: luminance is made of red
    if (format.channels[i].stored()) put(texel, format.channels[i], encode(c[i], format.channels[i]));
}

std::array<uint32_t, 4> toIntegers(const FormatInfo& format, const Rgba& color) {
  std::array<uint32_t, 4> out{};
  for (size_t i = 0; i < 4; ++i) {
    const Channel& channel = format.channels[i];
    if (!channel.stored()) continue;
    out[i] = encode(color[i], channel);
    const uint32_t sign = 1u << (channel.bits - 1);
    if (channel.type == Channel::Type::Sint) out[i] = (out[i] ^ sign) - sign;
  }
  return out;
}

void clearTexel(const FormatInfo& format, const ClearArgs& args, uint8_t* texel) {
  const float depth = clearDepth(args.depthValue);
  switch (format.format) {
    case AEROGPU_FORMAT_D24_UNORM_S8_UINT:
    case AEROGPU_FORMAT_DXGI_D24_UNORM_S8_UINT:
    case AEROGPU_FORMAT_D3D9_INTZ:
    case AEROGPU_FORMAT_D3D9_DF24: {
      uint32_t word;
      std::memcpy(&word, texel, sizeof word);
      if (args.depth) word = (word & 0xFF000000u) | unorm(depth, 24);
      if (args.stencil) word = (word & 0x00FFFFFFu) | args.stencilValue << 24;
      std::memcpy(texel, &word, sizeof word);
      break;
    }
    case AEROGPU_FORMAT_D32_FLOAT:
    case AEROGPU_FORMAT_DXGI_D32_FLOAT:
      if (args.depth) std::memcpy(texel, &depth, sizeof depth);
      break;
    case AEROGPU_FORMAT_D3D9_D16:
    case AEROGPU_FORMAT_D3D9_DF16:
    case AEROGPU_FORMAT_DXGI_D16_UNORM:
      if (args.depth) {
        const auto word = static_cast<uint16_t>(unorm(depth, 16));
        std::memcpy(texel, &word, sizeof word);
      }
      break;
    default:
      if (format.blockPixels == 1)  // block-compressed formats are never targets
        writeTexel(format, asSrgb(format.format, args.encodeSrgb), args.rgba, texel);
  }
}

}  // namespace aerogpu::core
