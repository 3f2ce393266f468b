// SPDX-License-Identifier: MIT
#include "renderer/core/texel_planes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace aerogpu::core {

namespace {

/// Returns the bits of depth in a texel; 32: it is a float.
uint32_t depthBits(const FormatInfo& format) {
  return format.stencil ? 24 : format.blockBytes * 8u;
}

}  // namespace

float depthOf(uint32_t steps, uint32_t bits) {
  return static_cast<float>(steps / static_cast<double>((uint64_t{1} << bits) - 1));
}

uint32_t depthSteps(float depth, uint32_t bits) {
  const double limited = depth > 0 ? std::min(static_cast<double>(depth), 1.0) : 0.0;  // of NaN 0 too
  return static_cast<uint32_t>(std::lround(limited * static_cast<double>((uint64_t{1} << bits) - 1)));
}

void takePlane(const FormatInfo& format, TexelPlane plane, const uint8_t* texels, uint64_t count,
               uint8_t* out) {
  const uint32_t bits = depthBits(format);
  if (plane == TexelPlane::Color || (plane == TexelPlane::Depth && bits == 32)) {
    std::memcpy(out, texels, count * format.blockBytes);
    return;
  }
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, texels + i * format.blockBytes, format.blockBytes);
    if (plane == TexelPlane::Stencil) {
      out[i] = static_cast<uint8_t>(word >> 24);
      continue;
    }
    const float depth = depthOf(bits == 24 ? word & 0xFFFFFF : word, bits);
    std::memcpy(out + i * sizeof depth, &depth, sizeof depth);
  }
}

void putPlane(const FormatInfo& format, TexelPlane plane, const uint8_t* in, uint64_t count,
              uint8_t* texels) {
  const uint32_t bits = depthBits(format);
  if (plane == TexelPlane::Color || (plane == TexelPlane::Depth && bits == 32)) {
    std::memcpy(texels, in, count * format.blockBytes);
    return;
  }
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t word = 0;
    uint8_t* const texel = texels + i * format.blockBytes;
    std::memcpy(&word, texel, format.blockBytes);
    if (plane == TexelPlane::Stencil) {
      word = (word & 0xFFFFFF) | uint32_t{in[i]} << 24;
    } else {
      float depth;
      std::memcpy(&depth, in + i * sizeof depth, sizeof depth);
      word = depthSteps(depth, bits) | (bits == 24 ? word & 0xFF000000u : 0u);
    }
    std::memcpy(texel, &word, format.blockBytes);
  }
}

}  // namespace aerogpu::core
