// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/adapter/legacy_caps.h"

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-d3d9/adapter/device_caps.h"

namespace aero {
namespace {

// Page "DDRAW_CAPS"; numbers of d3dumddi.h.
constexpr uint32_t kDdZBlts = 1, kDdColorKey = 2, kDdBltDepthFill = 4;  // Caps
constexpr uint32_t kDdSourceBlt = 1, kDdTargetBlt = 2;                  // CKeyCaps
constexpr uint32_t kDdDynamicTextures = 0x10;                           // Caps2
constexpr uint32_t kDdMirrorLeftRight = 1, kDdMirrorUpDown = 2;         // FxCaps
// The members that are filled (D3DDD_*): COLORMODEL, DEVCAPS, LINECAPS, TRICAPS, DEVICERENDERBITDEPTH,
// DEVICEZBUFFERBITDEPTH. With MAXBUFFERSIZE and MAXVERTEXCOUNT set, their zeros would count. D3D9On12 sets the same.
constexpr uint32_t kDeviceFlags = 0x1E3;
constexpr uint32_t kRgb = 2;                                           // D3DCOLOR_RGB
constexpr uint32_t kBits16 = 0x400, kBits24 = 0x200, kBits32 = 0x100;  // DDBD_*
// Texture blending of DirectX 3: DECAL, MODULATE, DECALALPHA, MODULATEALPHA, COPY, ADD (D3DPTBLENDCAPS_*).
constexpr uint32_t kTextureBlends = 1 | 2 | 4 | 8 | 0x40 | 0x80;
// Filters by the names of DirectX 5: NEAREST, LINEAR and both with each mip filter (D3DPTFILTERCAPS_*).
constexpr uint32_t kOldFilters = 0x3F;

// Bits that Direct3D 8 and older have, and Direct3D 9 does not (d3d8caps.h).
constexpr uint32_t kCanRenderWindowed = 0x00080000;  // D3DCAPS2_CANRENDERWINDOWED
constexpr uint32_t kZBias = 0x4000;                  // D3DPRASTERCAPS_ZBIAS

/** The bits of a member that Direct3D 8 has: it has no meaning for others, and could refuse them. Microsoft's own
 * driver of this interface clears them as well (D3D9On12, include/9on12Caps.h). */
struct Mask8 {
  DWORD D3DCAPS9::*member;
  DWORD bits;
};
constexpr Mask8 kMasks8[] = {
    {&D3DCAPS9::Caps2, D3DCAPS2_FULLSCREENGAMMA | D3DCAPS2_DYNAMICTEXTURES | D3DCAPS2_CANAUTOGENMIPMAP},
    {&D3DCAPS9::Caps3, D3DCAPS3_ALPHA_FULLSCREEN_FLIP_OR_DISCARD},
    {&D3DCAPS9::PresentationIntervals, 0x8000000F},
    {&D3DCAPS9::CursorCaps, 0x3},
    {&D3DCAPS9::DevCaps, 0x0FFBFFF0},
    {&D3DCAPS9::PrimitiveMiscCaps, 0x3FF6},
    {&D3DCAPS9::RasterCaps, 0x00F7F19F},
    {&D3DCAPS9::ZCmpCaps, 0xFF},
    {&D3DCAPS9::SrcBlendCaps, 0x1FFF},
    {&D3DCAPS9::DestBlendCaps, 0x1FFF},
    {&D3DCAPS9::AlphaCmpCaps, 0xFF},
    {&D3DCAPS9::ShadeCaps, 0x84208},
    {&D3DCAPS9::TextureCaps, 0x7EDE7},
    {&D3DCAPS9::TextureFilterCaps, 0x1F030700},
    {&D3DCAPS9::CubeTextureFilterCaps, 0x1F030700},
    {&D3DCAPS9::VolumeTextureFilterCaps, 0x1F030700},
    {&D3DCAPS9::TextureAddressCaps, 0x3F},
    {&D3DCAPS9::VolumeTextureAddressCaps, 0x3F},
    {&D3DCAPS9::LineCaps, 0x1F},
    {&D3DCAPS9::StencilCaps, 0xFF},
    {&D3DCAPS9::FVFCaps, 0x18FFFF},
    {&D3DCAPS9::TextureOpCaps, 0x03FFFFFF},
    {&D3DCAPS9::VertexProcessingCaps, 0xFB},
};

/** Returns the bits of D3DCAPS9 that DirectX 7 had, as D3DPRIMCAPS. */
PrimitiveCaps primitiveCaps(const D3DCAPS9 &caps) {
  PrimitiveCaps out = {};
  out.size = sizeof out;
  out.misc = caps.PrimitiveMiscCaps &
             (D3DPMISCCAPS_MASKZ | D3DPMISCCAPS_CULLNONE | D3DPMISCCAPS_CULLCW | D3DPMISCCAPS_CULLCCW);
  out.raster = (caps.RasterCaps & 0x007FFFFF) | kZBias;
  out.zCompare = caps.ZCmpCaps;
  out.sourceBlend = caps.SrcBlendCaps & 0x1FFF;
  out.destinationBlend = caps.DestBlendCaps & 0x1FFF;
  out.alphaCompare = caps.AlphaCmpCaps;
  out.shade = caps.ShadeCaps;
  constexpr uint32_t kTransparency = 8;                       // D3DPTEXTURECAPS_TRANSPARENCY: textures have colour keys
  out.texture = (caps.TextureCaps & 0x0FFF) | kTransparency;  // up to CUBEMAP
  out.textureFilter = kOldFilters | (caps.TextureFilterCaps & 0x07FFFF00);
  out.textureBlend = kTextureBlends;
  out.textureAddress = caps.TextureAddressCaps & 0x1F;
  return out;
}

}  // namespace

D3DCAPS9 capsOfDirect3d8(const Adapter &adapter) {
  D3DCAPS9 caps = deviceCaps(adapter);
  for (const Mask8 &mask : kMasks8) caps.*mask.member &= mask.bits;
  // Programs of the DirectX 8 SDK's framework refuse a window without this bit. D3DCAPS9 has none for it.
  caps.Caps2 |= kCanRenderWindowed;
  caps.RasterCaps |= kZBias;
  caps.VertexShaderVersion = 0xFFFE0101;
  caps.PixelShaderVersion = 0xFFFF0104;
  caps.MaxVertexShaderConst = 96;
  return caps;
}

DDRAW_CAPS directDrawCaps(const Adapter &adapter) {
  DDRAW_CAPS caps = {};
  if (adapter.featuresHigh() & AEROGPU_EXT_FEATURE_HI_BLIT) {
    caps.Caps = kDdZBlts | kDdColorKey | kDdBltDepthFill;
    caps.CKeyCaps = kDdSourceBlt | kDdTargetBlt;
  }
  caps.Caps2 = kDdDynamicTextures;
  caps.FxCaps = kDdMirrorLeftRight | kDdMirrorUpDown;
  return caps;
}

GlobalDriverData globalDriverData(const Adapter &adapter) {
  const D3DCAPS9 caps = deviceCaps(adapter);
  GlobalDriverData data = {};
  data.size = sizeof data;
  DeviceDescription1 &device = data.device;
  device.size = sizeof device;
  device.flags = kDeviceFlags;
  device.colorModel = kRgb;
  device.deviceCaps = caps.DevCaps & 0x000FFFFF;  // up to HWRASTERIZATION
  device.clips = 1;
  device.lines = device.triangles = primitiveCaps(caps);
  device.renderBitDepths = kBits16 | kBits32;
  device.depthBitDepths = kBits16 | kBits24;  // no format has 32 bits of depth
  return data;
}

ExtendedCaps extendedCaps(const Adapter &adapter) {
  const D3DCAPS9 caps = deviceCaps(adapter);
  ExtendedCaps out = {};
  out.size = sizeof out;
  out.minTextureWidth = out.minTextureHeight = 1;
  out.maxTextureWidth = caps.MaxTextureWidth;
  out.maxTextureHeight = caps.MaxTextureHeight;
  out.maxTextureRepeat = caps.MaxTextureRepeat;
  out.maxTextureAspectRatio = caps.MaxTextureAspectRatio;
  out.maxAnisotropy = caps.MaxAnisotropy;
  out.guardBandLeft = caps.GuardBandLeft;
  out.guardBandTop = caps.GuardBandTop;
  out.guardBandRight = caps.GuardBandRight;
  out.guardBandBottom = caps.GuardBandBottom;
  out.extentsAdjust = caps.ExtentsAdjust;
  out.stencilCaps = caps.StencilCaps & 0xFF;
  out.fvfCaps = caps.FVFCaps & 0xFFFF;  // D3DFVFCAPS_TEXCOORDCOUNTMASK
  // MULTIPLYADD and LERP came with Direct3D 8.
  out.textureOpCaps = caps.TextureOpCaps & ~static_cast<DWORD>(D3DTEXOPCAPS_MULTIPLYADD | D3DTEXOPCAPS_LERP);
  out.maxTextureBlendStages = static_cast<uint16_t>(caps.MaxTextureBlendStages);
  out.maxSimultaneousTextures = static_cast<uint16_t>(caps.MaxSimultaneousTextures);
  out.maxActiveLights = caps.MaxActiveLights;
  out.maxVertexW = caps.MaxVertexW;
  out.maxUserClipPlanes = static_cast<uint16_t>(caps.MaxUserClipPlanes);
  out.maxVertexBlendMatrices = static_cast<uint16_t>(caps.MaxVertexBlendMatrices);
  out.vertexProcessingCaps = caps.VertexProcessingCaps & 0xFF;
  return out;
}

}  // namespace aero
