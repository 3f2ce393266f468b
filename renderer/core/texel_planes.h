// SPDX-License-Identifier: MIT
// The planes of texels, by which a snapshot brings what a guest can neither read nor update. Pure functions.
#pragma once

#include <cstdint>

#include "renderer/core/format.h"
#include "renderer/core/resource_desc.h"

namespace aerogpu::core {

/// True if texels of the format have the plane.
constexpr bool hasPlane(const FormatInfo& format, TexelPlane plane) {
  if (plane == TexelPlane::Color) return !format.depth;
  return plane == TexelPlane::Depth ? format.depth : format.stencil;
}
/// Returns the bytes of a texel of the plane.
constexpr uint32_t planeBytes(const FormatInfo& format, TexelPlane plane) {
  return plane == TexelPlane::Color ? format.blockBytes : plane == TexelPlane::Depth ? 4 : 1;
}

/// Convert between a depth of 16 or 24 bits and the float that is nearest to it, which is exact both ways.
float depthOf(uint32_t steps, uint32_t bits);
uint32_t depthSteps(float depth, uint32_t bits);

/// Copy a plane out of a row of texels, and into one, whose other planes stay. The format has it.
void takePlane(const FormatInfo& format, TexelPlane plane, const uint8_t* texels, uint64_t count,
               uint8_t* out);
void putPlane(const FormatInfo& format, TexelPlane plane, const uint8_t* in, uint64_t count, uint8_t* texels);

}  // namespace aerogpu::core
