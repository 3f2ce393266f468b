// SPDX-License-Identifier: MIT
// Test support: random texels that a GPU can have drawn, plane by plane.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "renderer/core/format.h"
#include "renderer/core/texel_planes.h"

namespace aerogpu::test {

/// Returns random texels of a plane. Floats are finite; depth is a number that the format has, if it has 16
/// or 24 bits of it. Of signed numbers the least stands for -1, as the next one does: no draw writes it.
inline std::vector<uint8_t> randomTexels(const core::FormatInfo& format, core::TexelPlane plane,
                                         uint64_t count, std::mt19937& random) {
  std::vector<uint8_t> out(count * core::planeBytes(format, plane));
  for (uint8_t& byte : out) byte = static_cast<uint8_t>(random());
  if (plane == core::TexelPlane::Color) {
    const core::Channel& first = format.channels[0];
    const size_t bytes = first.bits / 8;
    for (size_t top = bytes - 1; bytes != 0 && top < out.size(); top += bytes) {
      if (first.type == core::Channel::Type::Float) out[top] &= 0xBF;  // an exponent below its largest
      if (first.type == core::Channel::Type::Snorm && out[top] == 0x80) out[top] = 0x81;
    }
  }
  // Channels that are no whole bytes.
  for (const core::Channel& c : format.channels)
    for (size_t texel = 0; c.type == core::Channel::Type::Float && c.bits < 16 && texel < out.size();
         texel += format.blockBytes) {
      const uint32_t top = c.first + c.bits - 1u;
      out[texel + top / 8] &= static_cast<uint8_t>(~(1u << top % 8));
    }
  if (plane != core::TexelPlane::Depth) return out;
  const uint32_t bits = format.stencil ? 24 : format.blockBytes * 8u;
  for (size_t i = 0; i < out.size(); i += sizeof(float)) {
    const float depth = bits == 32 ? std::uniform_real_distribution<float>(0, 1)(random)
                                   : core::depthOf(random() >> (32 - bits), bits);
    std::memcpy(out.data() + i, &depth, sizeof depth);
  }
  return out;
}

}  // namespace aerogpu::test
