// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/base/formats.h"

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/common/surface_format.h"

namespace aero {
namespace {

#define AERO_DEVICE(NAME) AEROGPU_FORMAT_##NAME, AEROGPU_FORMAT_##NAME
#define AERO_SRGB(NAME) AEROGPU_FORMAT_##NAME, AEROGPU_FORMAT_##NAME##_SRGB
enum : bool { kTyped = false, kTypeless = true };

constexpr FormatRow color(int dxgi, uint32_t texture, uint32_t view, uint8_t bytes, bool typeless = kTyped,
                          bool sampled = true) {
  return {static_cast<uint8_t>(dxgi), texture, view, 1, bytes, typeless, false, false, sampled};
}
/** A format of which the device reads a channel that it lacks as 1 (FMT-16), where Direct3D 10 reads 0. */
constexpr FormatRow unsampled(int dxgi, uint32_t texture, uint32_t view, uint8_t bytes, bool typeless = kTyped) {
  return color(dxgi, texture, view, bytes, typeless, false);
}
constexpr FormatRow depth(int dxgi, uint32_t texture, uint32_t view, uint8_t bytes, bool stencil,
                          bool typeless = kTyped) {
  return {static_cast<uint8_t>(dxgi), texture, view, 1, bytes, typeless, true, stencil, false};
}
constexpr FormatRow blocks(int dxgi, uint32_t texture, uint32_t view, uint8_t bytes, bool typeless = kTyped) {
  return {static_cast<uint8_t>(dxgi), texture, view, 4, bytes, typeless, false, false, true};
}

// A typeless format is stored as the first typed one after it.
constexpr FormatRow kRows[] = {
    color(DXGI_FORMAT_R32G32B32A32_TYPELESS, AERO_DEVICE(D3D9_A32B32G32R32F), 16, kTypeless),
    color(DXGI_FORMAT_R32G32B32A32_FLOAT, AERO_DEVICE(D3D9_A32B32G32R32F), 16),
    color(DXGI_FORMAT_R16G16B16A16_TYPELESS, AERO_DEVICE(D3D9_A16B16G16R16F), 8, kTypeless),
    color(DXGI_FORMAT_R16G16B16A16_FLOAT, AERO_DEVICE(D3D9_A16B16G16R16F), 8),
    color(DXGI_FORMAT_R16G16B16A16_UNORM, AERO_DEVICE(D3D9_A16B16G16R16), 8),
    color(DXGI_FORMAT_R16G16B16A16_SNORM, AERO_DEVICE(D3D9_Q16W16V16U16), 8),
    unsampled(DXGI_FORMAT_R32G32_TYPELESS, AERO_DEVICE(D3D9_G32R32F), 8, kTypeless),
    unsampled(DXGI_FORMAT_R32G32_FLOAT, AERO_DEVICE(D3D9_G32R32F), 8),
    color(DXGI_FORMAT_R10G10B10A2_TYPELESS, AERO_DEVICE(D3D9_A2B10G10R10), 4, kTypeless),
    color(DXGI_FORMAT_R10G10B10A2_UNORM, AERO_DEVICE(D3D9_A2B10G10R10), 4),
    color(DXGI_FORMAT_R8G8B8A8_TYPELESS, AERO_DEVICE(R8G8B8A8_UNORM), 4, kTypeless),
    color(DXGI_FORMAT_R8G8B8A8_UNORM, AERO_DEVICE(R8G8B8A8_UNORM), 4),
    color(DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, AERO_SRGB(R8G8B8A8_UNORM), 4),
    color(DXGI_FORMAT_R8G8B8A8_SNORM, AERO_DEVICE(D3D9_Q8W8V8U8), 4),
    unsampled(DXGI_FORMAT_R16G16_TYPELESS, AERO_DEVICE(D3D9_G16R16F), 4, kTypeless),
    unsampled(DXGI_FORMAT_R16G16_FLOAT, AERO_DEVICE(D3D9_G16R16F), 4),
    unsampled(DXGI_FORMAT_R16G16_UNORM, AERO_DEVICE(D3D9_G16R16), 4),
    unsampled(DXGI_FORMAT_R32_TYPELESS, AERO_DEVICE(D3D9_R32F), 4, kTypeless),
    depth(DXGI_FORMAT_R32_TYPELESS, AERO_DEVICE(D32_FLOAT), 4, false, kTypeless),
    depth(DXGI_FORMAT_D32_FLOAT, AERO_DEVICE(D32_FLOAT), 4, false),
    unsampled(DXGI_FORMAT_R32_FLOAT, AERO_DEVICE(D3D9_R32F), 4),
    depth(DXGI_FORMAT_R24G8_TYPELESS, AERO_DEVICE(D24_UNORM_S8_UINT), 4, true, kTypeless),
    depth(DXGI_FORMAT_D24_UNORM_S8_UINT, AERO_DEVICE(D24_UNORM_S8_UINT), 4, true),
    unsampled(DXGI_FORMAT_R16_TYPELESS, AERO_DEVICE(D3D9_R16F), 2, kTypeless),
    depth(DXGI_FORMAT_R16_TYPELESS, AERO_DEVICE(D3D9_D16), 2, false, kTypeless),
    unsampled(DXGI_FORMAT_R16_FLOAT, AERO_DEVICE(D3D9_R16F), 2),
    depth(DXGI_FORMAT_D16_UNORM, AERO_DEVICE(D3D9_D16), 2, false),
    color(DXGI_FORMAT_A8_UNORM, AERO_DEVICE(D3D9_A8), 1),
    blocks(DXGI_FORMAT_BC1_TYPELESS, AERO_DEVICE(BC1_RGBA_UNORM), 8, kTypeless),
    blocks(DXGI_FORMAT_BC1_UNORM, AERO_DEVICE(BC1_RGBA_UNORM), 8),
    blocks(DXGI_FORMAT_BC1_UNORM_SRGB, AERO_SRGB(BC1_RGBA_UNORM), 8),
    blocks(DXGI_FORMAT_BC2_TYPELESS, AERO_DEVICE(BC2_RGBA_UNORM), 16, kTypeless),
    blocks(DXGI_FORMAT_BC2_UNORM, AERO_DEVICE(BC2_RGBA_UNORM), 16),
    blocks(DXGI_FORMAT_BC2_UNORM_SRGB, AERO_SRGB(BC2_RGBA_UNORM), 16),
    blocks(DXGI_FORMAT_BC3_TYPELESS, AERO_DEVICE(BC3_RGBA_UNORM), 16, kTypeless),
    blocks(DXGI_FORMAT_BC3_UNORM, AERO_DEVICE(BC3_RGBA_UNORM), 16),
    blocks(DXGI_FORMAT_BC3_UNORM_SRGB, AERO_SRGB(BC3_RGBA_UNORM), 16),
    color(DXGI_FORMAT_B8G8R8A8_TYPELESS, AERO_DEVICE(B8G8R8A8_UNORM), 4, kTypeless),
    color(DXGI_FORMAT_B8G8R8A8_UNORM, AERO_DEVICE(B8G8R8A8_UNORM), 4),
    color(DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, AERO_SRGB(B8G8R8A8_UNORM), 4),
    color(DXGI_FORMAT_B8G8R8X8_TYPELESS, AERO_DEVICE(B8G8R8X8_UNORM), 4, kTypeless),
    color(DXGI_FORMAT_B8G8R8X8_UNORM, AERO_DEVICE(B8G8R8X8_UNORM), 4),
    color(DXGI_FORMAT_B8G8R8X8_UNORM_SRGB, AERO_SRGB(B8G8R8X8_UNORM), 4),
};

}  // namespace

const FormatRow *FormatTable::find(DXGI_FORMAT format, bool isDepth) const {
  const FormatRow *found = nullptr;
  for (const FormatRow &row : kRows)
    if (row.dxgi == static_cast<uint32_t>(format) && caps(row).caps && (!found || row.isDepth == isDepth)) found = &row;
  return found;
}

const FormatRow *FormatTable::findD3d(uint32_t d3dFormat) const {
  if (!d3dFormat) return nullptr;
  for (const FormatRow &row : kRows)
    if (!row.isTypeless && !row.isSrgb() && d3dFormatOfDxgi(row.dxgi) == d3dFormat && caps(row).caps) return &row;
  return nullptr;
}

UINT FormatTable::support(DXGI_FORMAT format) const {
  if (format == DXGI_FORMAT_R10G10B10_XR_BIAS_A2_UNORM) return D3D10_DDI_FORMAT_SUPPORT_NOT_SUPPORTED;
  const FormatRow *row = find(format);
  if (!row || row->isTypeless) return 0;
  const aerogpu_format_caps device = caps(*row);
  constexpr uint32_t kSampling = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_FILTER;
  const uint32_t reads = kSampling | (row->isSrgb() ? AEROGPU_FORMAT_CAP_SRGB_READ : 0);
  const uint32_t writes = AEROGPU_FORMAT_CAP_TARGET | (row->isSrgb() ? AEROGPU_FORMAT_CAP_SRGB_WRITE : 0);
  UINT out = 0;
  if (row->isSampled && (device.caps & reads) == reads) out |= D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE;
  const bool isTarget = (device.caps & writes) == writes;
  if (isTarget) out |= D3D10_DDI_FORMAT_SUPPORT_RENDERTARGET;
  if (isTarget && device.caps & AEROGPU_FORMAT_CAP_BLEND) out |= D3D10_DDI_FORMAT_SUPPORT_BLENDABLE;
  if ((isTarget || row->isDepth) && device.samples > 1) out |= D3D10_DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET;
  return out;
}

UINT FormatTable::qualities(DXGI_FORMAT format, UINT samples) const {
  if (samples == 1) return 1;
  if (!samples || samples > 32 || samples & (samples - 1)) return 0;
  const FormatRow *row = find(format, true);
  if (!row) return 0;
  uint32_t log2 = 0;
  while (samples >> log2 > 1) log2++;
  return caps(*row).samples >> log2 & 1;
}

}  // namespace aero
