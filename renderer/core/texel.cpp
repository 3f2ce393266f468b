// SPDX-License-Identifier: MIT
#include "renderer/core/texel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace aerogpu::core {

namespace {

/// Unsigned normalised value of `bits` bits; NaN becomes 0.
uint32_t unorm(float value, int bits) {
  const float limited = value >= 0 ? std::min(value, 1.0f) : 0.0f;
  const auto max = static_cast<double>((uint64_t{1} << bits) - 1);
  return static_cast<uint32_t>(std::floor(static_cast<double>(limited) * max + 0.5));
}

float fromUnorm(uint32_t value, int bits) {
  return static_cast<float>(value) / static_cast<float>((1u << bits) - 1);
}

float encodeSrgb(float linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 1;
  return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

float decodeSrgb(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}

/// Which byte of a texel of four red is.
int redByte(const FormatInfo& format) {
  return format.linearTwin == AEROGPU_FORMAT_B8G8R8A8_UNORM ||
                 format.linearTwin == AEROGPU_FORMAT_B8G8R8X8_UNORM
             ? 2
             : 0;
}

}  // namespace

Rgba readTexel(const FormatInfo& format, bool srgb, const uint8_t* texel) {
  Rgba out{};
  if (format.blockBytes == 4) {
    const int red = redByte(format);
    out = {fromUnorm(texel[red], 8), fromUnorm(texel[1], 8), fromUnorm(texel[2 - red], 8),
           fromUnorm(texel[3], 8)};
  } else {
    uint16_t word;
    std::memcpy(&word, texel, sizeof word);
    if (format.linearTwin == AEROGPU_FORMAT_B5G6R5_UNORM)
      out = {fromUnorm(word >> 11, 5), fromUnorm(word >> 5 & 63u, 6), fromUnorm(word & 31u, 5), 1};
    else
      out = {fromUnorm(word >> 10 & 31u, 5), fromUnorm(word >> 5 & 31u, 5), fromUnorm(word & 31u, 5),
             fromUnorm(word >> 15, 1)};
  }
  if (format.opaque) out[3] = 1;
  if (srgb) std::transform(out.begin(), out.begin() + 3, out.begin(), decodeSrgb);
  return out;
}

void writeTexel(const FormatInfo& format, bool srgb, const Rgba& color, uint8_t* texel) {
  Rgba c = color;
  if (format.opaque) c[3] = 1;
  if (srgb) std::transform(c.begin(), c.begin() + 3, c.begin(), encodeSrgb);
  if (format.blockBytes == 4) {
    const int red = redByte(format);
    texel[red] = static_cast<uint8_t>(unorm(c[0], 8));
    texel[1] = static_cast<uint8_t>(unorm(c[1], 8));
    texel[2 - red] = static_cast<uint8_t>(unorm(c[2], 8));
    texel[3] = static_cast<uint8_t>(unorm(c[3], 8));
    return;
  }
  const uint32_t word =
      format.linearTwin == AEROGPU_FORMAT_B5G6R5_UNORM
          ? unorm(c[0], 5) << 11 | unorm(c[1], 6) << 5 | unorm(c[2], 5)
          : unorm(c[3], 1) << 15 | unorm(c[0], 5) << 10 | unorm(c[1], 5) << 5 | unorm(c[2], 5);
  const auto bytes = static_cast<uint16_t>(word);
  std::memcpy(texel, &bytes, sizeof bytes);
}

void clearTexel(const FormatInfo& format, const ClearArgs& args, uint8_t* texel) {
  const float depth = clearDepth(args.depthValue);
  switch (format.format) {
    case AEROGPU_FORMAT_D24_UNORM_S8_UINT: {
      uint32_t word;
      std::memcpy(&word, texel, sizeof word);
      if (args.depth) word = (word & 0xFF000000u) | unorm(depth, 24);
      if (args.stencil) word = (word & 0x00FFFFFFu) | args.stencilValue << 24;
      std::memcpy(texel, &word, sizeof word);
      break;
    }
    case AEROGPU_FORMAT_D32_FLOAT:
      if (args.depth) std::memcpy(texel, &depth, sizeof depth);
      break;
    default:
      if (format.blockPixels == 1)  // block-compressed formats are never targets
        writeTexel(format, asSrgb(format.format, args.encodeSrgb), args.rgba, texel);
  }
}

}  // namespace aerogpu::core
