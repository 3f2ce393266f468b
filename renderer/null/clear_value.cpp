// SPDX-License-Identifier: MIT
#include "renderer/null/clear_value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "renderer/core/format.h"

namespace aerogpu::null {

namespace {

/// Unsigned normalised value of `bits` bits; NaN becomes 0 (Direct3D 10 functional specification, 3.2.3.6).
uint32_t unorm(float value, int bits) {
  const float limited = value >= 0 ? std::min(value, 1.0f) : 0.0f;
  const auto max = static_cast<double>((uint64_t{1} << bits) - 1);
  return static_cast<uint32_t>(std::floor(static_cast<double>(limited) * max + 0.5));
}

float encodeSrgb(float linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 1;
  return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

}  // namespace

void writeClearValue(aerogpu_format format, const core::ClearArgs& args, uint8_t* texel) {
  const core::FormatInfo& info = *core::findFormat(format);
  float r = args.rgba[0], g = args.rgba[1], b = args.rgba[2];
  const float a = info.opaque ? 1.0f : args.rgba[3];
  if (info.srgb) {
    r = encodeSrgb(r);
    g = encodeSrgb(g);
    b = encodeSrgb(b);
  }
  switch (info.linearTwin) {
    case AEROGPU_FORMAT_B8G8R8A8_UNORM:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
      std::swap(r, b);
      [[fallthrough]];
    case AEROGPU_FORMAT_R8G8B8A8_UNORM:
    case AEROGPU_FORMAT_R8G8B8X8_UNORM: {
      const float channels[] = {r, g, b, a};
      for (int i = 0; i < 4; ++i) texel[i] = static_cast<uint8_t>(unorm(channels[i], 8));
      break;
    }
    case AEROGPU_FORMAT_B5G6R5_UNORM: {
      const auto word = static_cast<uint16_t>(unorm(r, 5) << 11 | unorm(g, 6) << 5 | unorm(b, 5));
      std::memcpy(texel, &word, sizeof word);
      break;
    }
    case AEROGPU_FORMAT_B5G5R5A1_UNORM: {
      const auto word =
          static_cast<uint16_t>(unorm(a, 1) << 15 | unorm(r, 5) << 10 | unorm(g, 5) << 5 | unorm(b, 5));
      std::memcpy(texel, &word, sizeof word);
      break;
    }
    case AEROGPU_FORMAT_D24_UNORM_S8_UINT: {
      uint32_t word;
      std::memcpy(&word, texel, sizeof word);
      if (args.depth) word = (word & 0xFF000000u) | unorm(args.depthValue, 24);
      if (args.stencil) word = (word & 0x00FFFFFFu) | args.stencilValue << 24;
      std::memcpy(texel, &word, sizeof word);
      break;
    }
    case AEROGPU_FORMAT_D32_FLOAT:
      if (args.depth) std::memcpy(texel, &args.depthValue, sizeof args.depthValue);
      break;
    default:
      break;  // block-compressed formats are never targets
  }
}

}  // namespace aerogpu::null
