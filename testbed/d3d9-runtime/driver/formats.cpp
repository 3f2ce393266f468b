// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/formats.h"

#include <numeric>

#include "aerogpu/d3d9/formats.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

bool isFourCc(D3DFORMAT format) {
  return static_cast<DWORD>(format) > 0xFFFF;
}

/// Returns the format without its alpha, for SAME_FORMAT_UP_TO_ALPHA.
D3DFORMAT withoutAlpha(D3DFORMAT format) {
  switch (format) {
  case D3DFMT_A8R8G8B8:
    return D3DFMT_X8R8G8B8;
  case D3DFMT_A1R5G5B5:
    return D3DFMT_X1R5G5B5;
  case D3DFMT_A4R4G4B4:
    return D3DFMT_X4R4G4B4;
  case D3DFMT_A8B8G8R8:
    return D3DFMT_X8B8G8R8;
  default:
    return format;
  }
}

bool isRenderTarget(const DriverAdapter &adapter, D3DFORMAT display, D3DFORMAT format) {
  const DWORD operations = adapter.operations(format);
  if (operations & FORMATOP_OFFSCREEN_RENDERTARGET) return true;
  if ((operations & FORMATOP_SAME_FORMAT_RENDERTARGET) && format == display) return true;
  return (operations & FORMATOP_SAME_FORMAT_UP_TO_ALPHA_RENDERTARGET) && withoutAlpha(format) == withoutAlpha(display);
}

bool isDisplayFormat(const DriverAdapter &adapter, D3DFORMAT format) {
  constexpr DWORD kBoth = FORMATOP_DISPLAYMODE | FORMATOP_3DACCELERATION;
  return (adapter.operations(format) & kBoth) == kBoth;
}

}  // namespace

bool isDriverFormat(D3DFORMAT format) {
  switch (static_cast<DWORD>(format)) {
  case MAKEFOURCC('A', 'T', 'I', '1'):
  case MAKEFOURCC('A', 'T', 'I', '2'):
    return true;
  default:
    return isFourCc(format) && !d3d9::findFormat(format);
  }
}

bool formatLayout(const DriverAdapter &adapter, D3DFORMAT format, FormatLayout &layout) {
  const d3d9::FormatInfo *info = isDriverFormat(format) ? nullptr : d3d9::findFormat(format);
  if (info) {
    layout = {info->blockWidth, info->blockHeight, info->blockBytes ? info->blockBytes : 1u};
    return true;
  }
  const UINT bits = adapter.pixelBits(format);
  const UINT common = bits ? std::gcd(bits, 8u) : 8;
  layout = {8 / common, 1, bits ? bits / common : 1};
  return isFourCc(format);
}

bool hasRuntimeMemory(const DriverAdapter &adapter, D3DFORMAT format) {
  return !isDriverFormat(format) || adapter.pixelBits(format);
}

bool isDepthFormat(D3DFORMAT format) {
  switch (static_cast<DWORD>(format)) {
  case D3DFMT_D16_LOCKABLE:
  case D3DFMT_D32:
  case D3DFMT_D15S1:
  case D3DFMT_D24S8:
  case D3DFMT_D24X8:
  case D3DFMT_D24X4S4:
  case D3DFMT_D16:
  case D3DFMT_D32F_LOCKABLE:
  case D3DFMT_D24FS8:
  case D3DFMT_D32_LOCKABLE:
  case D3DFMT_S8_LOCKABLE:
  case MAKEFOURCC('I', 'N', 'T', 'Z'):
  case MAKEFOURCC('D', 'F', '1', '6'):
  case MAKEFOURCC('D', 'F', '2', '4'):
    return true;
  default:
    return false;
  }
}

UINT rowBytes(const FormatLayout &layout, UINT width) {
  return (width + layout.blockWidth - 1) / layout.blockWidth * layout.blockBytes;
}

UINT rowCount(const FormatLayout &layout, UINT height) {
  return (height + layout.blockHeight - 1) / layout.blockHeight;
}

UINT64 imageBytes(const FormatLayout &layout, UINT width, UINT height, UINT depth) {
  return UINT64{rowBytes(layout, width)} * rowCount(layout, height) * depth;
}

HRESULT checkDeviceType(const DriverAdapter &adapter, D3DFORMAT display, D3DFORMAT backBuffer, bool windowed) {
  if (display == D3DFMT_UNKNOWN || (backBuffer == D3DFMT_UNKNOWN && !windowed)) return D3DERR_INVALIDCALL;
  if (backBuffer == D3DFMT_UNKNOWN) backBuffer = display;
  if (!isDisplayFormat(adapter, display)) return D3DERR_NOTAVAILABLE;
  if (!isRenderTarget(adapter, display, backBuffer)) return D3DERR_NOTAVAILABLE;
  if (withoutAlpha(backBuffer) == withoutAlpha(display)) return D3D_OK;
  // A window's back buffer may have another format if it can be converted; a full screen flips.
  return windowed ? checkConversion(adapter, backBuffer, display) : D3DERR_NOTAVAILABLE;
}

HRESULT checkDeviceFormat(const DriverAdapter &adapter, D3DFORMAT display, DWORD usage, D3DRESOURCETYPE type,
                          D3DFORMAT format) {
  if (display == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  if (!isDisplayFormat(adapter, display)) return D3DERR_NOTAVAILABLE;
  const DWORD operations = adapter.operations(format);
  const DWORD target = usage & (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL);
  if (target == (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL)) return D3DERR_INVALIDCALL;
  const bool isTexture = type == D3DRTYPE_TEXTURE || type == D3DRTYPE_CUBETEXTURE || type == D3DRTYPE_VOLUMETEXTURE;
  switch (type) {
  case D3DRTYPE_SURFACE:
    if (!target && (usage & D3DUSAGE_QUERY_SRGBWRITE)) return D3DERR_NOTAVAILABLE;  // applies to targets only
    if (!target && !(operations & FORMATOP_OFFSCREENPLAIN)) return D3DERR_NOTAVAILABLE;
    break;
  case D3DRTYPE_TEXTURE:
    if (!(operations & FORMATOP_TEXTURE)) return D3DERR_NOTAVAILABLE;
    break;
  case D3DRTYPE_CUBETEXTURE:
    if (!(operations & FORMATOP_CUBETEXTURE)) return D3DERR_NOTAVAILABLE;
    break;
  case D3DRTYPE_VOLUMETEXTURE:
    if (target) return D3DERR_INVALIDCALL;
    if (!(operations & FORMATOP_VOLUMETEXTURE)) return D3DERR_NOTAVAILABLE;
    break;
  case D3DRTYPE_VERTEXBUFFER:
    return format == D3DFMT_VERTEXDATA ? D3D_OK : D3DERR_NOTAVAILABLE;
  case D3DRTYPE_INDEXBUFFER:
    return format == D3DFMT_INDEX16 || format == D3DFMT_INDEX32 ? D3D_OK : D3DERR_NOTAVAILABLE;
  default:
    return D3DERR_INVALIDCALL;
  }
  if ((usage & D3DUSAGE_RENDERTARGET) && !isRenderTarget(adapter, display, format)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_DEPTHSTENCIL) &&
      !(operations & (FORMATOP_ZSTENCIL | FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH)))
    return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_DYNAMIC) && isTexture && !(adapter.caps().Caps2 & D3DCAPS2_DYNAMICTEXTURES))
    return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_DMAP) && !(operations & FORMATOP_DMAP)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_QUERY_FILTER) && (operations & FORMATOP_NOFILTER)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_QUERY_SRGBREAD) && !(operations & FORMATOP_SRGBREAD)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_QUERY_SRGBWRITE) && !(operations & FORMATOP_SRGBWRITE)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_QUERY_POSTPIXELSHADER_BLENDING) && (operations & FORMATOP_NOALPHABLEND))
    return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_QUERY_VERTEXTEXTURE) && !(operations & FORMATOP_VERTEXTEXTURE)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_QUERY_WRAPANDMIP) && (operations & FORMATOP_NOTEXCOORDWRAPNORMIP)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_QUERY_LEGACYBUMPMAP) && !(operations & FORMATOP_BUMPMAP)) return D3DERR_NOTAVAILABLE;
  if ((usage & D3DUSAGE_AUTOGENMIPMAP) && !(operations & FORMATOP_AUTOGENMIPMAP)) return D3DOK_NOAUTOGEN;
  return D3D_OK;
}

HRESULT checkDepthStencilMatch(const DriverAdapter &adapter, D3DFORMAT display, D3DFORMAT target, D3DFORMAT depth) {
  const DWORD operations = adapter.operations(depth);
  if (!isDisplayFormat(adapter, display) || !isRenderTarget(adapter, display, target)) return D3DERR_NOTAVAILABLE;
  if (operations & FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH) return D3D_OK;
  if (!(operations & FORMATOP_ZSTENCIL)) return D3DERR_NOTAVAILABLE;
  FormatLayout a, b;
  return formatLayout(adapter, target, a) && formatLayout(adapter, depth, b) && a.blockBytes == b.blockBytes
             ? D3D_OK
             : D3DERR_NOTAVAILABLE;
}

HRESULT checkConversion(const DriverAdapter &adapter, D3DFORMAT from, D3DFORMAT to) {
  const bool converts =
      (adapter.operations(from) & FORMATOP_CONVERT_TO_ARGB) && (adapter.operations(to) & FORMATOP_MEMBEROFGROUP_ARGB);
  return converts || withoutAlpha(from) == withoutAlpha(to) ? D3D_OK : D3DERR_NOTAVAILABLE;
}

HRESULT checkMultisample(const DriverAdapter &adapter, D3DFORMAT format, bool windowed, D3DMULTISAMPLE_TYPE type,
                         DWORD *levels) {
  if (type > D3DMULTISAMPLE_16_SAMPLES) return D3DERR_INVALIDCALL;
  if (format == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  UINT count = 0;
  if (type == D3DMULTISAMPLE_NONE)
    count = adapter.operations(format) ? 1 : 0;
  else if (adapter.multisampleTypes(format, !windowed) >> (type - 1) & 1)
    count = adapter.qualityLevels(format, type, !windowed);
  if (levels) *levels = count;
  return count ? D3D_OK : D3DERR_NOTAVAILABLE;
}

}  // namespace aerogpu::runtime
