// SPDX-License-Identifier: MIT
// formats.h: which D3DFORMATs there are, what each is on the device, and what Direct3D may do with it. A format is here
// only when resources of it can be made and everything that its operations say works. Constants; any thread.
#pragma once

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/d3d9/formats.h"
#include "ddi.h"

namespace aero {

struct FormatRow {
  D3DDDIFORMAT d3d;
  uint32_t device;      // enum aerogpu_format
  uint32_t operations;  // FORMATOP_*
  bool depth, stencil;
  uint8_t block;  // edge of a block, pixels
  uint8_t blockBytes;

  bool isTarget() const { return operations & FORMATOP_OFFSCREEN_RENDERTARGET; }
};

namespace detail {
constexpr uint32_t kSampled = FORMATOP_TEXTURE | FORMATOP_CUBETEXTURE;
constexpr uint32_t kDrawn = kSampled | FORMATOP_VERTEXTEXTURE | FORMATOP_OFFSCREEN_RENDERTARGET |
                            FORMATOP_SAME_FORMAT_RENDERTARGET | FORMATOP_OFFSCREENPLAIN;
constexpr uint32_t kSrgb = FORMATOP_SRGBREAD | FORMATOP_SRGBWRITE;
// The blitter draws from one colour format to any other.
constexpr uint32_t kArgb = FORMATOP_MEMBEROFGROUP_ARGB | FORMATOP_CONVERT_TO_ARGB;
constexpr uint32_t kShown = FORMATOP_DISPLAYMODE | FORMATOP_3DACCELERATION;
constexpr uint32_t kDepth = FORMATOP_ZSTENCIL | FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH;
constexpr uint32_t kUpToAlpha = FORMATOP_SAME_FORMAT_UP_TO_ALPHA_RENDERTARGET;
}  // namespace detail

// The device has more formats than these, but not under Direct3D's names: its B5G5R5A1 would show the X of X1R5G5B5.
// D16 and D24X8 are kept as 32-bit depth: nobody sees the bits, for neither can be locked, and they have no stencil.
inline constexpr FormatRow kFormats[] = {
    {D3DDDIFMT_A8R8G8B8, AEROGPU_FORMAT_B8G8R8A8_UNORM,
     detail::kDrawn | detail::kSrgb | detail::kArgb | detail::kUpToAlpha, false, false, 1, 4},
    {D3DDDIFMT_X8R8G8B8, AEROGPU_FORMAT_B8G8R8X8_UNORM, detail::kDrawn | detail::kSrgb | detail::kArgb | detail::kShown,
     false, false, 1, 4},
    {D3DDDIFMT_R5G6B5, AEROGPU_FORMAT_B5G6R5_UNORM, detail::kDrawn | detail::kArgb | detail::kShown, false, false, 1,
     2},
    {D3DDDIFMT_A1R5G5B5, AEROGPU_FORMAT_B5G5R5A1_UNORM, detail::kDrawn | detail::kArgb, false, false, 1, 2},
    {D3DDDIFMT_A8B8G8R8, AEROGPU_FORMAT_R8G8B8A8_UNORM,
     detail::kDrawn | detail::kSrgb | FORMATOP_CONVERT_TO_ARGB | detail::kUpToAlpha, false, false, 1, 4},
    {D3DDDIFMT_X8B8G8R8, AEROGPU_FORMAT_R8G8B8X8_UNORM, detail::kDrawn | detail::kSrgb | FORMATOP_CONVERT_TO_ARGB,
     false, false, 1, 4},
    {D3DDDIFMT_DXT1, AEROGPU_FORMAT_BC1_RGBA_UNORM, detail::kSampled | FORMATOP_SRGBREAD, false, false, 4, 8},
    {D3DDDIFMT_DXT2, AEROGPU_FORMAT_BC2_RGBA_UNORM, detail::kSampled | FORMATOP_SRGBREAD, false, false, 4, 16},
    {D3DDDIFMT_DXT3, AEROGPU_FORMAT_BC2_RGBA_UNORM, detail::kSampled | FORMATOP_SRGBREAD, false, false, 4, 16},
    {D3DDDIFMT_DXT4, AEROGPU_FORMAT_BC3_RGBA_UNORM, detail::kSampled | FORMATOP_SRGBREAD, false, false, 4, 16},
    {D3DDDIFMT_DXT5, AEROGPU_FORMAT_BC3_RGBA_UNORM, detail::kSampled | FORMATOP_SRGBREAD, false, false, 4, 16},
    {D3DDDIFMT_D24S8, AEROGPU_FORMAT_D24_UNORM_S8_UINT, detail::kDepth | FORMATOP_TEXTURE, true, true, 1, 4},
    {D3DDDIFMT_D24X8, AEROGPU_FORMAT_D32_FLOAT, detail::kDepth | FORMATOP_TEXTURE, true, false, 1, 4},
    {D3DDDIFMT_D16, AEROGPU_FORMAT_D32_FLOAT, detail::kDepth | FORMATOP_TEXTURE, true, false, 1, 4},
    {D3DDDIFMT_D32F_LOCKABLE, AEROGPU_FORMAT_D32_FLOAT, detail::kDepth, true, false, 1, 4},
};

/** The row of a D3DFORMAT, null for formats that are not offered. */
constexpr const FormatRow *findFormat(uint32_t d3d) {
  for (const FormatRow &row : kFormats)
    if (static_cast<uint32_t>(row.d3d) == d3d) return &row;
  return nullptr;
}

}  // namespace aero
