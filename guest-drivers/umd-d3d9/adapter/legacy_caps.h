// SPDX-License-Identifier: MIT
// legacy_caps.h: answers GetCaps for runtimes older than Direct3D 9 (D3DDDICAPS_DDRAW and others) in the structures
// that they know. Layouts: pages "D3DHAL_GLOBALDRIVERDATA", "D3DHAL_D3DEXTENDEDCAPS", "D3DDEVICEDESC" and "D3DPRIMCAPS"
// of the DirectX 5 to 7 reference. Any thread.
#pragma once

#include "guest-drivers/umd-d3d9/adapter/adapter.h"

namespace aero {

/** Abilities for lines or triangles: D3DPRIMCAPS. */
struct PrimitiveCaps {
  uint32_t size, misc, raster, zCompare, sourceBlend, destinationBlend, alphaCompare, shade, texture, textureFilter,
      textureBlend, textureAddress, stippleWidth, stippleHeight;
};
static_assert(sizeof(PrimitiveCaps) == 56);

/** D3DDEVICEDESC of DirectX 1. */
struct DeviceDescription1 {
  uint32_t size, flags, colorModel, deviceCaps;
  uint32_t transformSize, transformCaps;
  uint32_t clips;
  uint32_t lightingSize, lightingCaps, lightingModel, lightCount;
  PrimitiveCaps lines, triangles;
  uint32_t renderBitDepths, depthBitDepths;
  uint32_t maxBufferBytes, maxVertexCount;
};
static_assert(sizeof(DeviceDescription1) == 172);

/** D3DHAL_GLOBALDRIVERDATA; FORMATOP has replaced its list of formats. */
struct GlobalDriverData {
  uint32_t size;
  DeviceDescription1 device;
  uint32_t vertexCount, clipVertexCount, textureFormatCount;
  void *textureFormats;
};

/** D3DHAL_D3DEXTENDEDCAPS. */
struct ExtendedCaps {
  uint32_t size;
  uint32_t minTextureWidth, maxTextureWidth, minTextureHeight, maxTextureHeight;
  uint32_t minStippleWidth, maxStippleWidth, minStippleHeight, maxStippleHeight;
  uint32_t maxTextureRepeat, maxTextureAspectRatio, maxAnisotropy;
  float guardBandLeft, guardBandTop, guardBandRight, guardBandBottom, extentsAdjust;
  uint32_t stencilCaps, fvfCaps, textureOpCaps;
  uint16_t maxTextureBlendStages, maxSimultaneousTextures;
  uint32_t maxActiveLights;
  float maxVertexW;
  uint16_t maxUserClipPlanes, maxVertexBlendMatrices;
  uint32_t vertexProcessingCaps;
  uint32_t reserved[4];
};
static_assert(sizeof(ExtendedCaps) == 116);

/** Returns what D3DCAPS8 has: the members of D3DCAPS9 before DevCaps2, with the bits and versions of Direct3D 8. */
D3DCAPS9 capsOfDirect3d8(const Adapter &adapter);
DDRAW_CAPS directDrawCaps(const Adapter &adapter);
GlobalDriverData globalDriverData(const Adapter &adapter);
ExtendedCaps extendedCaps(const Adapter &adapter);

}  // namespace aero
