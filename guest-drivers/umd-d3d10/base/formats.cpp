// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/base/formats.h"

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/common/device_format.h"
#include "guest-drivers/common/surface_format.h"

namespace aero {
namespace {

constexpr FormatRow row(int dxgi, int family, int linear, uint8_t bytes) {
  return {static_cast<uint8_t>(dxgi),
          static_cast<uint8_t>(family),
          static_cast<uint8_t>(linear),
          1,
          bytes,
          false,
          false,
          false,
          false};
}
constexpr FormatRow color(int dxgi, int family, uint8_t bytes) {
  return row(dxgi, family, dxgi, bytes);
}
constexpr FormatRow srgb(int dxgi, int family, int linear, uint8_t bytes) {
  return row(dxgi, family, linear, bytes);
}
constexpr FormatRow typeless(int dxgi, int first, uint8_t bytes) {
  return row(dxgi, dxgi, first, bytes);
}
constexpr FormatRow blocks(FormatRow out) {
  out.block = 4;
  return out;
}
constexpr FormatRow depth(int dxgi, int family, int stored, uint8_t bytes, bool stencil) {
  FormatRow out = row(dxgi, family, stored, bytes);
  out.isDepth = true;
  out.hasStencil = stencil;
  return out;
}
constexpr FormatRow readsDepth(FormatRow out) {
  out.showsDepth = true;
  return out;
}
constexpr FormatRow viewOnly(int dxgi, int family, uint8_t bytes) {
  FormatRow out = readsDepth(color(dxgi, family, bytes));
  out.isViewOnly = true;
  return out;
}

// A typeless format is stored as the first typed one after it; with BIND_DEPTH_STENCIL as the family's depth format.
constexpr FormatRow kRows[] = {
    typeless(DXGI_FORMAT_R32G32B32A32_TYPELESS, DXGI_FORMAT_R32G32B32A32_FLOAT, 16),
    color(DXGI_FORMAT_R32G32B32A32_FLOAT, DXGI_FORMAT_R32G32B32A32_TYPELESS, 16),
    color(DXGI_FORMAT_R32G32B32A32_UINT, DXGI_FORMAT_R32G32B32A32_TYPELESS, 16),
    color(DXGI_FORMAT_R32G32B32A32_SINT, DXGI_FORMAT_R32G32B32A32_TYPELESS, 16),
    typeless(DXGI_FORMAT_R16G16B16A16_TYPELESS, DXGI_FORMAT_R16G16B16A16_FLOAT, 8),
    color(DXGI_FORMAT_R16G16B16A16_FLOAT, DXGI_FORMAT_R16G16B16A16_TYPELESS, 8),
    color(DXGI_FORMAT_R16G16B16A16_UNORM, DXGI_FORMAT_R16G16B16A16_TYPELESS, 8),
    color(DXGI_FORMAT_R16G16B16A16_UINT, DXGI_FORMAT_R16G16B16A16_TYPELESS, 8),
    color(DXGI_FORMAT_R16G16B16A16_SNORM, DXGI_FORMAT_R16G16B16A16_TYPELESS, 8),
    color(DXGI_FORMAT_R16G16B16A16_SINT, DXGI_FORMAT_R16G16B16A16_TYPELESS, 8),
    typeless(DXGI_FORMAT_R32G32_TYPELESS, DXGI_FORMAT_R32G32_FLOAT, 8),
    color(DXGI_FORMAT_R32G32_FLOAT, DXGI_FORMAT_R32G32_TYPELESS, 8),
    color(DXGI_FORMAT_R32G32_UINT, DXGI_FORMAT_R32G32_TYPELESS, 8),
    color(DXGI_FORMAT_R32G32_SINT, DXGI_FORMAT_R32G32_TYPELESS, 8),
    typeless(DXGI_FORMAT_R10G10B10A2_TYPELESS, DXGI_FORMAT_R10G10B10A2_UNORM, 4),
    color(DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R10G10B10A2_TYPELESS, 4),
    color(DXGI_FORMAT_R10G10B10A2_UINT, DXGI_FORMAT_R10G10B10A2_TYPELESS, 4),
    color(DXGI_FORMAT_R11G11B10_FLOAT, DXGI_FORMAT_R11G11B10_FLOAT, 4),
    typeless(DXGI_FORMAT_R8G8B8A8_TYPELESS, DXGI_FORMAT_R8G8B8A8_UNORM, 4),
    color(DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_TYPELESS, 4),
    srgb(DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT_R8G8B8A8_TYPELESS, DXGI_FORMAT_R8G8B8A8_UNORM, 4),
    color(DXGI_FORMAT_R8G8B8A8_UINT, DXGI_FORMAT_R8G8B8A8_TYPELESS, 4),
    color(DXGI_FORMAT_R8G8B8A8_SNORM, DXGI_FORMAT_R8G8B8A8_TYPELESS, 4),
    color(DXGI_FORMAT_R8G8B8A8_SINT, DXGI_FORMAT_R8G8B8A8_TYPELESS, 4),
    typeless(DXGI_FORMAT_R16G16_TYPELESS, DXGI_FORMAT_R16G16_FLOAT, 4),
    color(DXGI_FORMAT_R16G16_FLOAT, DXGI_FORMAT_R16G16_TYPELESS, 4),
    color(DXGI_FORMAT_R16G16_UNORM, DXGI_FORMAT_R16G16_TYPELESS, 4),
    color(DXGI_FORMAT_R16G16_UINT, DXGI_FORMAT_R16G16_TYPELESS, 4),
    color(DXGI_FORMAT_R16G16_SNORM, DXGI_FORMAT_R16G16_TYPELESS, 4),
    color(DXGI_FORMAT_R16G16_SINT, DXGI_FORMAT_R16G16_TYPELESS, 4),
    typeless(DXGI_FORMAT_R32_TYPELESS, DXGI_FORMAT_R32_FLOAT, 4),
    readsDepth(color(DXGI_FORMAT_R32_FLOAT, DXGI_FORMAT_R32_TYPELESS, 4)),
    color(DXGI_FORMAT_R32_UINT, DXGI_FORMAT_R32_TYPELESS, 4),
    color(DXGI_FORMAT_R32_SINT, DXGI_FORMAT_R32_TYPELESS, 4),
    depth(DXGI_FORMAT_R32_TYPELESS, DXGI_FORMAT_R32_TYPELESS, DXGI_FORMAT_D32_FLOAT, 4, false),
    depth(DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R32_TYPELESS, DXGI_FORMAT_D32_FLOAT, 4, false),
    depth(DXGI_FORMAT_R24G8_TYPELESS, DXGI_FORMAT_R24G8_TYPELESS, DXGI_FORMAT_D24_UNORM_S8_UINT, 4, true),
    depth(DXGI_FORMAT_D24_UNORM_S8_UINT, DXGI_FORMAT_R24G8_TYPELESS, DXGI_FORMAT_D24_UNORM_S8_UINT, 4, true),
    viewOnly(DXGI_FORMAT_R24_UNORM_X8_TYPELESS, DXGI_FORMAT_R24G8_TYPELESS, 4),
    viewOnly(DXGI_FORMAT_X24_TYPELESS_G8_UINT, DXGI_FORMAT_R24G8_TYPELESS, 4),
    typeless(DXGI_FORMAT_R8G8_TYPELESS, DXGI_FORMAT_R8G8_UNORM, 2),
    color(DXGI_FORMAT_R8G8_UNORM, DXGI_FORMAT_R8G8_TYPELESS, 2),
    color(DXGI_FORMAT_R8G8_UINT, DXGI_FORMAT_R8G8_TYPELESS, 2),
    color(DXGI_FORMAT_R8G8_SNORM, DXGI_FORMAT_R8G8_TYPELESS, 2),
    color(DXGI_FORMAT_R8G8_SINT, DXGI_FORMAT_R8G8_TYPELESS, 2),
    typeless(DXGI_FORMAT_R16_TYPELESS, DXGI_FORMAT_R16_FLOAT, 2),
    color(DXGI_FORMAT_R16_FLOAT, DXGI_FORMAT_R16_TYPELESS, 2),
    readsDepth(color(DXGI_FORMAT_R16_UNORM, DXGI_FORMAT_R16_TYPELESS, 2)),
    color(DXGI_FORMAT_R16_UINT, DXGI_FORMAT_R16_TYPELESS, 2),
    color(DXGI_FORMAT_R16_SNORM, DXGI_FORMAT_R16_TYPELESS, 2),
    color(DXGI_FORMAT_R16_SINT, DXGI_FORMAT_R16_TYPELESS, 2),
    depth(DXGI_FORMAT_R16_TYPELESS, DXGI_FORMAT_R16_TYPELESS, DXGI_FORMAT_D16_UNORM, 2, false),
    depth(DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_R16_TYPELESS, DXGI_FORMAT_D16_UNORM, 2, false),
    typeless(DXGI_FORMAT_R8_TYPELESS, DXGI_FORMAT_R8_UNORM, 1),
    color(DXGI_FORMAT_R8_UNORM, DXGI_FORMAT_R8_TYPELESS, 1),
    color(DXGI_FORMAT_R8_UINT, DXGI_FORMAT_R8_TYPELESS, 1),
    color(DXGI_FORMAT_R8_SNORM, DXGI_FORMAT_R8_TYPELESS, 1),
    color(DXGI_FORMAT_R8_SINT, DXGI_FORMAT_R8_TYPELESS, 1),
    color(DXGI_FORMAT_A8_UNORM, DXGI_FORMAT_R8_TYPELESS, 1),
    color(DXGI_FORMAT_R9G9B9E5_SHAREDEXP, DXGI_FORMAT_R9G9B9E5_SHAREDEXP, 4),
    blocks(typeless(DXGI_FORMAT_BC1_TYPELESS, DXGI_FORMAT_BC1_UNORM, 8)),
    blocks(color(DXGI_FORMAT_BC1_UNORM, DXGI_FORMAT_BC1_TYPELESS, 8)),
    blocks(srgb(DXGI_FORMAT_BC1_UNORM_SRGB, DXGI_FORMAT_BC1_TYPELESS, DXGI_FORMAT_BC1_UNORM, 8)),
    blocks(typeless(DXGI_FORMAT_BC2_TYPELESS, DXGI_FORMAT_BC2_UNORM, 16)),
    blocks(color(DXGI_FORMAT_BC2_UNORM, DXGI_FORMAT_BC2_TYPELESS, 16)),
    blocks(srgb(DXGI_FORMAT_BC2_UNORM_SRGB, DXGI_FORMAT_BC2_TYPELESS, DXGI_FORMAT_BC2_UNORM, 16)),
    blocks(typeless(DXGI_FORMAT_BC3_TYPELESS, DXGI_FORMAT_BC3_UNORM, 16)),
    blocks(color(DXGI_FORMAT_BC3_UNORM, DXGI_FORMAT_BC3_TYPELESS, 16)),
    blocks(srgb(DXGI_FORMAT_BC3_UNORM_SRGB, DXGI_FORMAT_BC3_TYPELESS, DXGI_FORMAT_BC3_UNORM, 16)),
    blocks(typeless(DXGI_FORMAT_BC4_TYPELESS, DXGI_FORMAT_BC4_UNORM, 8)),
    blocks(color(DXGI_FORMAT_BC4_UNORM, DXGI_FORMAT_BC4_TYPELESS, 8)),
    blocks(color(DXGI_FORMAT_BC4_SNORM, DXGI_FORMAT_BC4_TYPELESS, 8)),
    blocks(typeless(DXGI_FORMAT_BC5_TYPELESS, DXGI_FORMAT_BC5_UNORM, 16)),
    blocks(color(DXGI_FORMAT_BC5_UNORM, DXGI_FORMAT_BC5_TYPELESS, 16)),
    blocks(color(DXGI_FORMAT_BC5_SNORM, DXGI_FORMAT_BC5_TYPELESS, 16)),
    color(DXGI_FORMAT_B5G6R5_UNORM, DXGI_FORMAT_B5G6R5_UNORM, 2),
    color(DXGI_FORMAT_B5G5R5A1_UNORM, DXGI_FORMAT_B5G5R5A1_UNORM, 2),
    typeless(DXGI_FORMAT_B8G8R8A8_TYPELESS, DXGI_FORMAT_B8G8R8A8_UNORM, 4),
    color(DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_TYPELESS, 4),
    srgb(DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, DXGI_FORMAT_B8G8R8A8_TYPELESS, DXGI_FORMAT_B8G8R8A8_UNORM, 4),
    typeless(DXGI_FORMAT_B8G8R8X8_TYPELESS, DXGI_FORMAT_B8G8R8X8_UNORM, 4),
    color(DXGI_FORMAT_B8G8R8X8_UNORM, DXGI_FORMAT_B8G8R8X8_TYPELESS, 4),
    srgb(DXGI_FORMAT_B8G8R8X8_UNORM_SRGB, DXGI_FORMAT_B8G8R8X8_TYPELESS, DXGI_FORMAT_B8G8R8X8_UNORM, 4),
};

}  // namespace

uint32_t FormatRow::shared() const {
  const uint32_t known = d3dFormatOfDxgi(linear);
  return known ? deviceFormat(known) : static_cast<uint32_t>(AEROGPU_FORMAT_INVALID);
}

const FormatRow *FormatTable::find(DXGI_FORMAT format, bool isDepth) const {
  const FormatRow *found = nullptr;
  for (const FormatRow &row : kRows)
    if (row.dxgi == static_cast<uint32_t>(format) && caps(row).caps && (!found || row.isDepth == isDepth)) found = &row;
  return found;
}

const FormatRow *FormatTable::findD3d(uint32_t d3dFormat) const {
  if (!d3dFormat) return nullptr;
  for (const FormatRow &row : kRows)
    if (!row.isTypeless() && !row.isSrgb() && d3dFormatOfDxgi(row.dxgi) == d3dFormat && row.shared() && caps(row).caps)
      return &row;
  return nullptr;
}

UINT FormatTable::support(DXGI_FORMAT format) const {
  if (format == DXGI_FORMAT_R10G10B10_XR_BIAS_A2_UNORM) return D3D10_DDI_FORMAT_SUPPORT_NOT_SUPPORTED;
  const FormatRow *row = find(format);
  if (!row || row->isTypeless()) return 0;
  const aerogpu_format_caps device = caps(*row);
  constexpr uint32_t kSampling = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_FILTER;
  const uint32_t reads = kSampling | (row->isSrgb() ? AEROGPU_FORMAT_CAP_SRGB_READ : 0);
  const uint32_t writes = AEROGPU_FORMAT_CAP_TARGET | (row->isSrgb() ? AEROGPU_FORMAT_CAP_SRGB_WRITE : 0);
  UINT out = 0;
  if (!row->isDepth && (device.caps & reads) == reads) out |= D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE;
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
