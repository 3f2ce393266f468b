// SPDX-License-Identifier: MIT
#include "guest-drivers/common/level9.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace level9 {

namespace {

struct Flag {
  int level;
  size_t member;  // its offset in D3DCAPS9
  DWORD bit;
  const char *name;
};
struct Least {
  int level;
  size_t member;
  DWORD value;
  const char *name;
};

#define FLAG(LEVEL, MEMBER, BIT) \
  { LEVEL, offsetof(D3DCAPS9, MEMBER), BIT, #MEMBER " " #BIT }
#define LEAST(LEVEL, MEMBER, VALUE) \
  { LEVEL, offsetof(D3DCAPS9, MEMBER), VALUE, #MEMBER " of " #VALUE }

constexpr Flag kFlags[] = {
    FLAG(1, Caps2, D3DCAPS2_DYNAMICTEXTURES),
    FLAG(1, Caps2, D3DCAPS2_FULLSCREENGAMMA),
    FLAG(1, PresentationIntervals, D3DPRESENT_INTERVAL_IMMEDIATE),
    FLAG(1, PresentationIntervals, D3DPRESENT_INTERVAL_ONE),
    FLAG(1, PrimitiveMiscCaps, D3DPMISCCAPS_COLORWRITEENABLE),
    FLAG(1, ShadeCaps, D3DPSHADECAPS_ALPHAGOURAUDBLEND),
    FLAG(1, ShadeCaps, D3DPSHADECAPS_COLORGOURAUDRGB),
    FLAG(1, ShadeCaps, D3DPSHADECAPS_FOGGOURAUD),
    FLAG(1, ShadeCaps, D3DPSHADECAPS_SPECULARGOURAUDRGB),
    FLAG(1, TextureFilterCaps, D3DPTFILTERCAPS_MINFLINEAR),
    FLAG(1, TextureFilterCaps, D3DPTFILTERCAPS_MINFPOINT),
    FLAG(1, TextureFilterCaps, D3DPTFILTERCAPS_MAGFLINEAR),
    FLAG(1, TextureFilterCaps, D3DPTFILTERCAPS_MAGFPOINT),
    FLAG(1, TextureCaps, D3DPTEXTURECAPS_ALPHA),
    FLAG(1, TextureCaps, D3DPTEXTURECAPS_CUBEMAP),
    FLAG(1, TextureCaps, D3DPTEXTURECAPS_MIPMAP),
    FLAG(1, TextureCaps, D3DPTEXTURECAPS_PERSPECTIVE),
    FLAG(1, TextureAddressCaps, D3DPTADDRESSCAPS_CLAMP),
    FLAG(1, TextureAddressCaps, D3DPTADDRESSCAPS_INDEPENDENTUV),
    FLAG(1, TextureAddressCaps, D3DPTADDRESSCAPS_MIRROR),
    FLAG(1, TextureAddressCaps, D3DPTADDRESSCAPS_WRAP),
    FLAG(1, TextureOpCaps, D3DTEXOPCAPS_DISABLE),
    FLAG(1, TextureOpCaps, D3DTEXOPCAPS_MODULATE),
    FLAG(1, TextureOpCaps, D3DTEXOPCAPS_SELECTARG1),
    FLAG(1, TextureOpCaps, D3DTEXOPCAPS_SELECTARG2),
    FLAG(1, SrcBlendCaps, D3DPBLENDCAPS_INVDESTALPHA),
    FLAG(1, SrcBlendCaps, D3DPBLENDCAPS_INVDESTCOLOR),
    FLAG(1, SrcBlendCaps, D3DPBLENDCAPS_INVSRCALPHA),
    FLAG(1, SrcBlendCaps, D3DPBLENDCAPS_ONE),
    FLAG(1, SrcBlendCaps, D3DPBLENDCAPS_SRCALPHA),
    FLAG(1, SrcBlendCaps, D3DPBLENDCAPS_ZERO),
    FLAG(1, DestBlendCaps, D3DPBLENDCAPS_ONE),
    FLAG(1, DestBlendCaps, D3DPBLENDCAPS_INVSRCALPHA),
    FLAG(1, DestBlendCaps, D3DPBLENDCAPS_INVSRCCOLOR),
    FLAG(1, DestBlendCaps, D3DPBLENDCAPS_SRCALPHA),
    FLAG(1, DestBlendCaps, D3DPBLENDCAPS_ZERO),
    FLAG(1, StretchRectFilterCaps, D3DPTFILTERCAPS_MAGFLINEAR),
    FLAG(1, StretchRectFilterCaps, D3DPTFILTERCAPS_MAGFPOINT),
    FLAG(1, StretchRectFilterCaps, D3DPTFILTERCAPS_MINFLINEAR),
    FLAG(1, StretchRectFilterCaps, D3DPTFILTERCAPS_MINFPOINT),
    FLAG(1, ZCmpCaps, D3DPCMPCAPS_ALWAYS),
    FLAG(1, ZCmpCaps, D3DPCMPCAPS_LESSEQUAL),
    FLAG(1, RasterCaps, D3DPRASTERCAPS_DEPTHBIAS),
    FLAG(1, RasterCaps, D3DPRASTERCAPS_SLOPESCALEDEPTHBIAS),
    FLAG(1, StencilCaps, D3DSTENCILCAPS_TWOSIDED),
    FLAG(1, DeclTypes, D3DDTCAPS_UBYTE4),
    FLAG(1, DeclTypes, D3DDTCAPS_UBYTE4N),
    FLAG(1, DeclTypes, D3DDTCAPS_SHORT2N),
    FLAG(1, DeclTypes, D3DDTCAPS_SHORT4N),
    FLAG(2, PrimitiveMiscCaps, D3DPMISCCAPS_SEPARATEALPHABLEND),
    FLAG(2, DevCaps2, D3DDEVCAPS2_VERTEXELEMENTSCANSHARESTREAMOFFSET),
    FLAG(2, TextureAddressCaps, D3DPTADDRESSCAPS_MIRRORONCE),
    FLAG(2, VolumeTextureAddressCaps, D3DPTADDRESSCAPS_MIRRORONCE),
    FLAG(3, PS20Caps.Caps, D3DPS20CAPS_GRADIENTINSTRUCTIONS),
    FLAG(3, PrimitiveMiscCaps, D3DPMISCCAPS_INDEPENDENTWRITEMASKS),
    FLAG(3, PrimitiveMiscCaps, D3DPMISCCAPS_MRTPOSTPIXELSHADERBLENDING),
    FLAG(3, TextureAddressCaps, D3DPTADDRESSCAPS_BORDER),
    FLAG(3, DeclTypes, D3DDTCAPS_FLOAT16_2),
    FLAG(3, DeclTypes, D3DDTCAPS_FLOAT16_4),
};

// Versions count up with their numbers: D3DPS_VERSION(2,0) is 0xFFFF0200.
constexpr Least kLeasts[] = {
    LEAST(1, MaxTextureWidth, 2048),
    LEAST(1, MaxTextureHeight, 2048),
    LEAST(1, NumSimultaneousRTs, 1),
    LEAST(1, MaxSimultaneousTextures, 8),
    LEAST(1, MaxTextureBlendStages, 8),
    LEAST(1, PixelShaderVersion, D3DPS_VERSION(2, 0)),
    LEAST(1, MaxPrimitiveCount, 65535),
    LEAST(1, MaxVertexIndex, 65534),
    LEAST(1, MaxVolumeExtent, 256),
    LEAST(1, MaxAnisotropy, 2),
    LEAST(2, VertexShaderVersion, D3DVS_VERSION(2, 0)),
    LEAST(2, MaxAnisotropy, 16),
    LEAST(2, MaxPrimitiveCount, 1048575),
    LEAST(2, MaxVertexIndex, 1048575),
    LEAST(3, MaxTextureWidth, 4096),
    LEAST(3, MaxTextureHeight, 4096),
    LEAST(3, NumSimultaneousRTs, 4),
    LEAST(3, PS20Caps.NumInstructionSlots, 512),
    LEAST(3, PS20Caps.NumTemps, 32),
    LEAST(3, VS20Caps.NumTemps, 32),
    LEAST(3, MaxVertexShaderConst, 256),
    LEAST(3, VertexShaderVersion, D3DVS_VERSION(3, 0)),
};

#undef FLAG
#undef LEAST

/// Requirements for MaxTextureRepeat: zero, or at least `least`.
constexpr struct {
  int level;
  DWORD least;
  const char *name;
} kRepeats[] = {{1, 128, "MaxTextureRepeat of 0, or 128"},
                {2, 2048, "MaxTextureRepeat of 0, or 2048"},
                {3, 8192, "MaxTextureRepeat of 0, or 8192"}};

DWORD member(const D3DCAPS9 &caps, size_t offset) {
  DWORD value;
  memcpy(&value, reinterpret_cast<const uint8_t *>(&caps) + offset, sizeof value);
  return value;
}

// The uses of a format, in the order of the levels in its row. The second table of "Required DXGI formats"
// gives the questions of CheckDeviceFormat for each.
constexpr struct {
  DWORD usage;
  D3DRESOURCETYPE type;
  const char *name;
} kUses[] = {
    {0, D3DRTYPE_TEXTURE, " as a texture"},
    {0, D3DRTYPE_VOLUMETEXTURE, " as a volume texture"},
    {0, D3DRTYPE_CUBETEXTURE, " as a cube texture"},
    {D3DUSAGE_QUERY_FILTER, D3DRTYPE_TEXTURE, " filtered"},
    {D3DUSAGE_QUERY_WRAPANDMIP, D3DRTYPE_TEXTURE, " with mip levels"},
    {D3DUSAGE_RENDERTARGET, D3DRTYPE_TEXTURE, " as a render target"},
    {D3DUSAGE_RENDERTARGET | D3DUSAGE_QUERY_POSTPIXELSHADER_BLENDING, D3DRTYPE_TEXTURE, " as a target with blending"},
    {D3DUSAGE_QUERY_SRGBREAD, D3DRTYPE_TEXTURE, " read as sRGB"},
    {D3DUSAGE_RENDERTARGET | D3DUSAGE_QUERY_SRGBWRITE, D3DRTYPE_TEXTURE, " written as sRGB"},
    {D3DUSAGE_DEPTHSTENCIL, D3DRTYPE_SURFACE, " as a depth buffer"},
};
constexpr int kUseCount = sizeof kUses / sizeof kUses[0];

/// The first level that requires each use; 0: no level does.
struct FormatRow {
  D3DFORMAT format, other;  // one of the two must do
  const char *name;
  int levels[kUseCount];
};
constexpr FormatRow kFormats[] = {
    {D3DFMT_A8R8G8B8, D3DFMT_A8R8G8B8, "A8R8G8B8", {1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {D3DFMT_X8R8G8B8, D3DFMT_X8R8G8B8, "X8R8G8B8", {1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {D3DFMT_Q8W8V8U8, D3DFMT_Q8W8V8U8, "Q8W8V8U8", {1, 0, 1, 1, 1}},
    {D3DFMT_V8U8, D3DFMT_V8U8, "V8U8", {1, 0, 0, 1, 1}},
    {D3DFMT_V16U16, D3DFMT_V16U16, "V16U16", {1, 2, 2, 2, 1}},
    {D3DFMT_L8, D3DFMT_L8, "L8", {1, 1, 1, 1, 1}},
    {D3DFMT_DXT1, D3DFMT_DXT1, "DXT1", {1, 0, 1, 1, 1}},
    {D3DFMT_DXT2, D3DFMT_DXT3, "DXT2 or DXT3", {1, 0, 1, 1, 1}},
    {D3DFMT_DXT4, D3DFMT_DXT5, "DXT4 or DXT5", {1, 0, 1, 1, 1}},
    {D3DFMT_D24S8, D3DFMT_D24S8, "D24S8", {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
    {D3DFMT_D16, D3DFMT_D16_LOCKABLE, "D16 or D16_LOCKABLE", {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
    {D3DFMT_A16B16G16R16, D3DFMT_A16B16G16R16, "A16B16G16R16", {2, 2, 2, 2, 2, 2}},
    {D3DFMT_A16B16G16R16F, D3DFMT_A16B16G16R16F, "A16B16G16R16F", {2, 2, 2, 0, 2, 2, 3}},
    {D3DFMT_G16R16, D3DFMT_G16R16, "G16R16", {2, 2, 2, 2, 2, 2}},
    {D3DFMT_G16R16F, D3DFMT_G16R16F, "G16R16F", {2, 2, 2, 0, 2, 2}},
    {D3DFMT_R32F, D3DFMT_R32F, "R32F", {2, 2, 2, 0, 2, 2}},
    {D3DFMT_L16, D3DFMT_L16, "L16", {2, 2, 2, 2, 2}},
    {D3DFMT_A32B32G32R32F, D3DFMT_A32B32G32R32F, "A32B32G32R32F", {2, 3, 3, 0, 3, 2}},
    {D3DFMT_G32R32F, D3DFMT_G32R32F, "G32R32F", {3, 3, 3, 0, 0, 3}},
};

}  // namespace

void checkCaps(const D3DCAPS9 &caps, Lacks &lacks) {
  // Without hardware vertex processing Direct3D converts vertices itself.
  const bool vertices = caps.DevCaps & D3DDEVCAPS_HWTRANSFORMANDLIGHT;
  for (const Flag &row : kFlags) {
    if (row.member == offsetof(D3DCAPS9, DeclTypes) && !vertices) continue;
    if (!(member(caps, row.member) & row.bit)) lacks.lack(row.level, row.name, "");
  }
  for (const Least &row : kLeasts)
    if (member(caps, row.member) < row.value) lacks.lack(row.level, row.name, "");
  for (const auto &row : kRepeats)
    if (caps.MaxTextureRepeat && caps.MaxTextureRepeat < row.least) lacks.lack(row.level, row.name, "");
  if (caps.MaxVertexW < 1e10f) lacks.lack(2, "MaxVertexW of 1e10", "");
  const bool pow2 = caps.TextureCaps & D3DPTEXTURECAPS_POW2;
  const bool conditional = caps.TextureCaps & D3DPTEXTURECAPS_NONPOW2CONDITIONAL;
  if (pow2 != conditional)
    lacks.lack(1, "TextureCaps both or neither of D3DPTEXTURECAPS_POW2, D3DPTEXTURECAPS_NONPOW2CONDITIONAL", "");
}

void checkFormats(Formats &formats, Lacks &lacks) {
  for (const FormatRow &row : kFormats)
    for (int i = 0; i < kUseCount; i++) {
      if (!row.levels[i] || formats.has(kUses[i].usage, kUses[i].type, row.format)) continue;
      if (row.other != row.format && formats.has(kUses[i].usage, kUses[i].type, row.other)) continue;
      lacks.lack(row.levels[i], row.name, kUses[i].name);
    }
}

}  // namespace level9
