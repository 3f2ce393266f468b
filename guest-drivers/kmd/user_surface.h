// SPDX-License-Identifier: MIT
// user_surface.h: D3DFORMATs of surfaces that Windows itself makes or that user mode describes, as the device's
// formats.
#pragma once

#include "aerogpu/aerogpu_format.h"
#include "allocations.h"

namespace aero {

struct PixelFormat {
  uint32_t format;  // enum aerogpu_format, INVALID when the device has none
  uint32_t bytesPerPixel;
};

constexpr PixelFormat pixelFormat(uint32_t d3dFormat) {
  switch (d3dFormat) {
  case D3DDDIFMT_A8R8G8B8:
    return {AEROGPU_FORMAT_B8G8R8A8_UNORM, 4};
  case D3DDDIFMT_X8R8G8B8:
    return {AEROGPU_FORMAT_B8G8R8X8_UNORM, 4};
  case D3DDDIFMT_A8B8G8R8:
    return {AEROGPU_FORMAT_R8G8B8A8_UNORM, 4};
  case D3DDDIFMT_X8B8G8R8:
    return {AEROGPU_FORMAT_R8G8B8X8_UNORM, 4};
  case D3DDDIFMT_R5G6B5:
    return {AEROGPU_FORMAT_B5G6R5_UNORM, 2};
  case D3DDDIFMT_A1R5G5B5:
  case D3DDDIFMT_X1R5G5B5:
    return {AEROGPU_FORMAT_B5G5R5A1_UNORM, 2};
  case D3DDDIFMT_A8:
  case D3DDDIFMT_L8:
  case D3DDDIFMT_P8:
    return {AEROGPU_FORMAT_INVALID, 1};
  default:
    return {AEROGPU_FORMAT_INVALID, 4};
  }
}

/** The D3DFORMAT of a device format, D3DDDIFMT_UNKNOWN for others. */
constexpr uint32_t d3dFormatOf(uint32_t format) {
  constexpr uint32_t candidates[] = {D3DDDIFMT_X8R8G8B8, D3DDDIFMT_A8R8G8B8, D3DDDIFMT_A8B8G8R8,
                                     D3DDDIFMT_X8B8G8R8, D3DDDIFMT_R5G6B5,   D3DDDIFMT_A1R5G5B5};
  for (const uint32_t candidate : candidates)
    if (pixelFormat(candidate).format == format) return candidate;
  return D3DDDIFMT_UNKNOWN;
}

}  // namespace aero
