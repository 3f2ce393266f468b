// SPDX-License-Identifier: MIT
#include "renderer/core/format.h"

namespace aerogpu::core {

namespace {

constexpr FormatInfo kFormats[] = {
#define F(NAME, PIXELS, BYTES, DEPTH, STENCIL, OPAQUE, SRGB, TWIN) \
  { #NAME, AEROGPU_FORMAT_##NAME, AEROGPU_FORMAT_##TWIN, PIXELS, BYTES, DEPTH, STENCIL, OPAQUE, SRGB }
    F(B8G8R8A8_UNORM, 1, 4, false, false, false, false, B8G8R8A8_UNORM),
    F(B8G8R8X8_UNORM, 1, 4, false, false, true, false, B8G8R8X8_UNORM),
    F(R8G8B8A8_UNORM, 1, 4, false, false, false, false, R8G8B8A8_UNORM),
    F(R8G8B8X8_UNORM, 1, 4, false, false, true, false, R8G8B8X8_UNORM),
    F(B5G6R5_UNORM, 1, 2, false, false, true, false, B5G6R5_UNORM),
    F(B5G5R5A1_UNORM, 1, 2, false, false, false, false, B5G5R5A1_UNORM),
    F(B8G8R8A8_UNORM_SRGB, 1, 4, false, false, false, true, B8G8R8A8_UNORM),
    F(B8G8R8X8_UNORM_SRGB, 1, 4, false, false, true, true, B8G8R8X8_UNORM),
    F(R8G8B8A8_UNORM_SRGB, 1, 4, false, false, false, true, R8G8B8A8_UNORM),
    F(R8G8B8X8_UNORM_SRGB, 1, 4, false, false, true, true, R8G8B8X8_UNORM),
    F(D24_UNORM_S8_UINT, 1, 4, true, true, false, false, D24_UNORM_S8_UINT),
    F(D32_FLOAT, 1, 4, true, false, false, false, D32_FLOAT),
    F(BC1_RGBA_UNORM, 4, 8, false, false, false, false, BC1_RGBA_UNORM),
    F(BC1_RGBA_UNORM_SRGB, 4, 8, false, false, false, true, BC1_RGBA_UNORM),
    F(BC2_RGBA_UNORM, 4, 16, false, false, false, false, BC2_RGBA_UNORM),
    F(BC2_RGBA_UNORM_SRGB, 4, 16, false, false, false, true, BC2_RGBA_UNORM),
    F(BC3_RGBA_UNORM, 4, 16, false, false, false, false, BC3_RGBA_UNORM),
    F(BC3_RGBA_UNORM_SRGB, 4, 16, false, false, false, true, BC3_RGBA_UNORM),
    F(BC7_RGBA_UNORM, 4, 16, false, false, false, false, BC7_RGBA_UNORM),
    F(BC7_RGBA_UNORM_SRGB, 4, 16, false, false, false, true, BC7_RGBA_UNORM),
#undef F
};

/// The layout that a format shares with its sRGB and X8 twins.
aerogpu_format layoutOf(const FormatInfo& info) {
  switch (info.linearTwin) {
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
      return AEROGPU_FORMAT_B8G8R8A8_UNORM;
    case AEROGPU_FORMAT_R8G8B8X8_UNORM:
      return AEROGPU_FORMAT_R8G8B8A8_UNORM;
    default:
      return info.linearTwin;
  }
}

}  // namespace

const FormatInfo* findFormat(uint32_t format) {
  for (const FormatInfo& info : kFormats)
    if (static_cast<uint32_t>(info.format) == format) return &info;
  return nullptr;
}

bool viewCompatible(const FormatInfo& texture, const FormatInfo& view) {
  return layoutOf(texture) == layoutOf(view);
}

bool scanoutFormat(const FormatInfo& format) {
  return !format.depth && format.blockPixels == 1;
}

}  // namespace aerogpu::core
