// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/shared_resource.h"

namespace aerogpu::runtime {
namespace {

struct Pair {
  UINT32 d3d, dxgi;
};
// Page "Surface Sharing Between Windows Graphics APIs". The first of a D3DFORMAT is the one as which it is opened.
constexpr Pair kPairs[] = {
    {21, 87},   // A8R8G8B8, B8G8R8A8_UNORM
    {21, 91},   // B8G8R8A8_UNORM_SRGB
    {22, 88},   // X8R8G8B8, B8G8R8X8_UNORM
    {22, 93},   // B8G8R8X8_UNORM_SRGB
    {32, 28},   // A8B8G8R8, R8G8B8A8_UNORM
    {32, 29},   // R8G8B8A8_UNORM_SRGB
    {31, 24},   // A2B10G10R10, R10G10B10A2_UNORM
    {113, 10},  // A16B16G16R16F, R16G16B16A16_FLOAT
};

}  // namespace

UINT32 sharedDxgiFormat(UINT32 format) {
  for (const Pair &pair : kPairs)
    if (pair.d3d == format) return pair.dxgi;
  return 0;
}

UINT32 sharedD3dFormat(UINT32 dxgiFormat) {
  for (const Pair &pair : kPairs)
    if (pair.dxgi == dxgiFormat) return pair.d3d;
  return 0;
}

SharedDescription sharedOf9(UINT32 type, UINT32 format, UINT32 width, UINT32 height, UINT32 usage, UINT32 multisample,
                            UINT32 quality) {
  SharedDescription out{};
  out.size = sizeof out;
  out.version = kSharedVersion;
  out.type = type;
  out.format = format;
  out.width = width;
  out.height = height;
  out.usage = usage;
  out.multisample = multisample;
  out.quality = quality;
  const bool isImage = type == D3DRTYPE_TEXTURE || type == D3DRTYPE_SURFACE;
  if (isImage && !multisample) out.dxgiFormat = sharedDxgiFormat(format);
  return out;
}

}  // namespace aerogpu::runtime
