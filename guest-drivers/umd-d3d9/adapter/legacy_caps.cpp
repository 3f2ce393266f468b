// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/adapter/legacy_caps.h"

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-d3d9/adapter/device_caps.h"

namespace aero {
namespace {

// Page "DDRAW_CAPS"; numbers of d3dumddi.h.
constexpr uint32_t kDdBltDepthFill = 4;                          // Caps
constexpr uint32_t kDdDynamicTextures = 0x10;                    // Caps2
constexpr uint32_t kDdMirrorLeftRight = 1, kDdMirrorUpDown = 2;  // FxCaps
constexpr uint32_t kDeviceFlags = 0x7FF;                         // D3DDD_*: members up to dwMaxVertexCount are valid
constexpr uint32_t kRgb = 2;                                     // D3DCOLOR_RGB
constexpr uint32_t kDepth16 = 0x400, kDepth24 = 0x200, kDepth32 = 0x100;  // DDBD_*
// Texture blending of DirectX 3: DECAL, MODULATE, DECALALPHA, MODULATEALPHA, COPY, ADD (D3DPTBLENDCAPS_*).
constexpr uint32_t kTextureBlends = 1 | 2 | 4 | 8 | 0x40 | 0x80;
// Filters by the names of DirectX 5: NEAREST, LINEAR and both with each mip filter (D3DPTFILTERCAPS_*).
constexpr uint32_t kOldFilters = 0x3F;

/** Returns the bits of D3DCAPS9 that DirectX 7 had, as D3DPRIMCAPS. */
PrimitiveCaps primitiveCaps(const D3DCAPS9 &caps) {
  PrimitiveCaps out = {};
  out.size = sizeof out;
  out.misc = caps.PrimitiveMiscCaps &
             (D3DPMISCCAPS_MASKZ | D3DPMISCCAPS_CULLNONE | D3DPMISCCAPS_CULLCW | D3DPMISCCAPS_CULLCCW);
  out.raster = caps.RasterCaps & 0x007FFFFF;
  out.zCompare = caps.ZCmpCaps;
  out.sourceBlend = caps.SrcBlendCaps & 0x1FFF;
  out.destinationBlend = caps.DestBlendCaps & 0x1FFF;
  out.alphaCompare = caps.AlphaCmpCaps;
  out.shade = caps.ShadeCaps;
  out.texture = caps.TextureCaps & 0x0FFF;  // up to CUBEMAP
  out.textureFilter = kOldFilters | (caps.TextureFilterCaps & 0x07FFFF00);
  out.textureBlend = kTextureBlends;
  out.textureAddress = caps.TextureAddressCaps & 0x1F;
  return out;
}

}  // namespace

DDRAW_CAPS directDrawCaps(const Adapter &adapter) {
  DDRAW_CAPS caps = {};
  // No colour keys, no video ports: Blt does not support the former, the device does not have the latter.
  if (adapter.featuresHigh() & AEROGPU_EXT_FEATURE_HI_BLIT) caps.Caps = kDdBltDepthFill;
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
  device.deviceCaps = caps.DevCaps & 0x001FFFFF;
  device.transformSize = 8;
  device.transformCaps = 1;  // D3DTRANSFORMCAPS_CLIP
  device.clips = 1;
  device.lightingSize = 16;
  device.lines = device.triangles = primitiveCaps(caps);
  device.renderBitDepths = kDepth16 | kDepth32;
  device.depthBitDepths = kDepth16 | kDepth24 | kDepth32;
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
  out.textureOpCaps = caps.TextureOpCaps;
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
