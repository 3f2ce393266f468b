// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/adapter/device_caps.h"

#include <bit>

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {
namespace {

constexpr float kFloatMax = 3.402823466e+38f;

/** True if some format has all of `operations`. */
bool anyFormat(const FormatTable &formats, uint32_t operations) {
  for (uint32_t i = 0; i < formats.count(); i++)
    if ((formats.row(i).operations & operations) == operations) return true;
  return false;
}

/** Replaces the minimum of ABI 1.4 by the limits of the capability block. */
void takeLimits(const Adapter &adapter, D3DCAPS9 &caps) {
  const TextureLimits &textures = adapter.formats().limits();
  caps.MaxTextureWidth = textures.edge;
  caps.MaxTextureHeight = textures.edge;
  caps.MaxTextureAspectRatio = textures.edge;
  if (anyFormat(adapter.formats(), FORMATOP_AUTOGENMIPMAP)) caps.Caps2 |= D3DCAPS2_CANAUTOGENMIPMAP;
  if (textures.volumeEdge && anyFormat(adapter.formats(), FORMATOP_VOLUMETEXTURE)) {
    caps.MaxVolumeExtent = textures.volumeEdge;
    caps.TextureCaps |= D3DPTEXTURECAPS_VOLUMEMAP | D3DPTEXTURECAPS_MIPVOLUMEMAP;
    caps.VolumeTextureFilterCaps = caps.TextureFilterCaps;
    caps.VolumeTextureAddressCaps = caps.TextureAddressCaps;
  }
  const aerogpu_caps &limits = adapter.limits();
  if (!limits.magic) return;
  // GETGAMMARAMPCAPS says whether the device has ramps. But level 9, on which Windows' compositor is built, requires
  // this bit in any case (page "Required Direct3D 9 capabilities"), and a program that trusts it where there are none
  // loses only its gamma ramp.
  caps.Caps2 |= D3DCAPS2_FULLSCREENGAMMA;
  const auto least = [](DWORD a, uint32_t b) { return b && b < a ? static_cast<DWORD>(b) : a; };
  caps.MaxAnisotropy = least(caps.MaxAnisotropy, limits.max_anisotropy);
  caps.MaxStreams = least(caps.MaxStreams, limits.max_vertex_streams);
  caps.NumSimultaneousRTs = least(caps.NumSimultaneousRTs, limits.max_color_targets);
  const auto points = std::bit_cast<float>(limits.max_point_size_f32);
  if (points >= 1) caps.MaxPointSize = points;
  if (limits.max_anisotropy == 1) {
    constexpr DWORD kAnisotropic = D3DPTFILTERCAPS_MINFANISOTROPIC | D3DPTFILTERCAPS_MAGFANISOTROPIC;
    caps.RasterCaps &= ~static_cast<DWORD>(D3DPRASTERCAPS_ANISOTROPY);
    caps.TextureFilterCaps &= ~kAnisotropic;
    caps.CubeTextureFilterCaps &= ~kAnisotropic;
    caps.VolumeTextureFilterCaps &= ~kAnisotropic;
  }
  if (!(limits.flags & AEROGPU_CAPS_MIRROR_ONCE)) {
    caps.TextureAddressCaps &= ~static_cast<DWORD>(D3DPTADDRESSCAPS_MIRRORONCE);
    caps.VolumeTextureAddressCaps &= ~static_cast<DWORD>(D3DPTADDRESSCAPS_MIRRORONCE);
  }
  // The D3DDECLTYPE of each bit of D3DDTCAPS_*: from UBYTE4 on, without SHORT2 and SHORT4, which are mandatory.
  constexpr uint8_t kTypes[] = {5, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (uint32_t i = 0; i < sizeof kTypes; i++)
    if (limits.missing_vertex_types >> kTypes[i] & 1) caps.DeclTypes &= ~(1u << i);
}

void describeDevice(const Adapter &adapter, D3DCAPS9 &caps) {
  caps.DeviceType = D3DDEVTYPE_HAL;
  caps.Caps = D3DCAPS_READ_SCANLINE;
  caps.Caps2 = D3DCAPS2_DYNAMICTEXTURES | D3DCAPS2_CANSHARERESOURCE;
  // Without D3DCAPS3_LINEAR_TO_SRGB_PRESENTATION: the kernel driver, which draws windowed presents, does not convert.
  caps.Caps3 = D3DCAPS3_ALPHA_FULLSCREEN_FLIP_OR_DISCARD | D3DCAPS3_COPY_TO_VIDMEM | D3DCAPS3_COPY_TO_SYSTEMMEM;
  // Longer intervals are up to the kernel driver (page "D3DKMTPresent"), which has none (DXGK_FLIPCAPS.FlipInterval):
  // its flips are memory-mapped, and DXGKARG_SETVIDPNSOURCEADDRESS brings no interval.
  caps.PresentationIntervals = D3DPRESENT_INTERVAL_IMMEDIATE | D3DPRESENT_INTERVAL_ONE;
  caps.CursorCaps = D3DCURSORCAPS_COLOR;
  constexpr DWORD kFloatTlVertex = 1;  // D3DDEVCAPS_FLOATTLVERTEX
  caps.DevCaps = kFloatTlVertex | D3DDEVCAPS_EXECUTESYSTEMMEMORY | D3DDEVCAPS_EXECUTEVIDEOMEMORY |
                 D3DDEVCAPS_TLVERTEXSYSTEMMEMORY | D3DDEVCAPS_TLVERTEXVIDEOMEMORY | D3DDEVCAPS_TEXTURESYSTEMMEMORY |
                 D3DDEVCAPS_TEXTUREVIDEOMEMORY | D3DDEVCAPS_DRAWPRIMTLVERTEX | D3DDEVCAPS_CANRENDERAFTERFLIP |
                 D3DDEVCAPS_TEXTURENONLOCALVIDMEM | D3DDEVCAPS_DRAWPRIMITIVES2 | D3DDEVCAPS_DRAWPRIMITIVES2EX |
                 D3DDEVCAPS_HWTRANSFORMANDLIGHT | D3DDEVCAPS_CANBLTSYSTONONLOCAL | D3DDEVCAPS_HWRASTERIZATION |
                 D3DDEVCAPS_PUREDEVICE;
  // Without these bits, which no API shows, the runtime keeps vertex and index buffers in its own memory, and each draw
  // has to send what it reads.
  if (adapter.allocatesBuffers()) caps.DevCaps |= D3DDEVCAPS_HWVERTEXBUFFER | D3DDEVCAPS_HWINDEXBUFFER;
  caps.DevCaps2 = D3DDEVCAPS2_STREAMOFFSET | D3DDEVCAPS2_VERTEXELEMENTSCANSHARESTREAMOFFSET |
                  D3DDEVCAPS2_CAN_STRETCHRECT_FROM_TEXTURES;
}

void describeVertices(const Adapter &adapter, D3DCAPS9 &caps) {
  caps.MaxVertexW = 1e10f;
  caps.GuardBandLeft = -8192;
  caps.GuardBandTop = -8192;
  caps.GuardBandRight = 8192;
  caps.GuardBandBottom = 8192;
  caps.FVFCaps = 8 | D3DFVFCAPS_DONOTSTRIPELEMENTS | D3DFVFCAPS_PSIZE;
  caps.VertexProcessingCaps = D3DVTXPCAPS_TEXGEN | D3DVTXPCAPS_MATERIALSOURCE7 | D3DVTXPCAPS_DIRECTIONALLIGHTS |
                              D3DVTXPCAPS_POSITIONALLIGHTS | D3DVTXPCAPS_LOCALVIEWER | D3DVTXPCAPS_TEXGEN_SPHEREMAP;
  caps.MaxActiveLights = 8;
  caps.MaxVertexBlendMatrices = 4;
  caps.MaxPointSize = 64;
  caps.MaxPrimitiveCount = 0x7FFFFF;
  caps.MaxVertexIndex = 0xFFFFFF;
  caps.MaxStreams = 16;
  caps.MaxStreamStride = 508;
  caps.DeclTypes = D3DDTCAPS_UBYTE4 | D3DDTCAPS_UBYTE4N | D3DDTCAPS_SHORT2N | D3DDTCAPS_SHORT4N | D3DDTCAPS_USHORT2N |
                   D3DDTCAPS_USHORT4N | D3DDTCAPS_FLOAT16_2 | D3DDTCAPS_FLOAT16_4;
  if (adapter.featuresHigh() & AEROGPU_EXT_FEATURE_HI_STATES) caps.MaxUserClipPlanes = ClipPlanes::kCount;
}

void describePixels(const Adapter &adapter, D3DCAPS9 &caps) {
  caps.PrimitiveMiscCaps = D3DPMISCCAPS_MASKZ | D3DPMISCCAPS_CULLNONE | D3DPMISCCAPS_CULLCW | D3DPMISCCAPS_CULLCCW |
                           D3DPMISCCAPS_COLORWRITEENABLE | D3DPMISCCAPS_CLIPTLVERTS | D3DPMISCCAPS_TSSARGTEMP |
                           D3DPMISCCAPS_BLENDOP | D3DPMISCCAPS_INDEPENDENTWRITEMASKS | D3DPMISCCAPS_PERSTAGECONSTANT |
                           D3DPMISCCAPS_SEPARATEALPHABLEND | D3DPMISCCAPS_MRTINDEPENDENTBITDEPTHS |
                           D3DPMISCCAPS_MRTPOSTPIXELSHADERBLENDING | D3DPMISCCAPS_FOGVERTEXCLAMPED |
                           D3DPMISCCAPS_FOGINFVF;
  // Vulkan blends in linear space, and converts afterwards.
  if (anyFormat(adapter.formats(), FORMATOP_SRGBWRITE)) caps.PrimitiveMiscCaps |= D3DPMISCCAPS_POSTBLENDSRGBCONVERT;
  caps.RasterCaps = D3DPRASTERCAPS_ZTEST | D3DPRASTERCAPS_FOGVERTEX | D3DPRASTERCAPS_FOGTABLE |
                    D3DPRASTERCAPS_FOGRANGE | D3DPRASTERCAPS_ZFOG | D3DPRASTERCAPS_MIPMAPLODBIAS |
                    D3DPRASTERCAPS_ANISOTROPY | D3DPRASTERCAPS_COLORPERSPECTIVE | D3DPRASTERCAPS_SCISSORTEST |
                    D3DPRASTERCAPS_SLOPESCALEDEPTHBIAS | D3DPRASTERCAPS_DEPTHBIAS;
  if (adapter.featuresHigh() & AEROGPU_EXT_FEATURE_HI_STATES) caps.RasterCaps |= D3DPRASTERCAPS_WFOG;
  constexpr DWORD kAllCompares = 0xFF;  // D3DPCMPCAPS_NEVER to _ALWAYS
  caps.ZCmpCaps = kAllCompares;
  caps.AlphaCmpCaps = kAllCompares;
  constexpr DWORD kAllBlends = 0x3FFF;  // D3DPBLENDCAPS_ZERO to _BLENDFACTOR
  caps.SrcBlendCaps = kAllBlends;
  caps.DestBlendCaps = kAllBlends;
  caps.ShadeCaps = D3DPSHADECAPS_COLORGOURAUDRGB | D3DPSHADECAPS_SPECULARGOURAUDRGB | D3DPSHADECAPS_ALPHAGOURAUDBLEND |
                   D3DPSHADECAPS_FOGGOURAUD;
  caps.LineCaps = D3DLINECAPS_TEXTURE | D3DLINECAPS_ZTEST | D3DLINECAPS_BLEND | D3DLINECAPS_ALPHACMP | D3DLINECAPS_FOG;
  constexpr DWORD kAllStencil = 0x1FF;  // D3DSTENCILCAPS_KEEP to _TWOSIDED
  caps.StencilCaps = kAllStencil;
  caps.NumSimultaneousRTs = 4;
}

void describeTextures(const Adapter &adapter, D3DCAPS9 &caps) {
  caps.TextureCaps = D3DPTEXTURECAPS_PERSPECTIVE | D3DPTEXTURECAPS_ALPHA | D3DPTEXTURECAPS_TEXREPEATNOTSCALEDBYSIZE |
                     D3DPTEXTURECAPS_PROJECTED | D3DPTEXTURECAPS_CUBEMAP | D3DPTEXTURECAPS_MIPMAP |
                     D3DPTEXTURECAPS_MIPCUBEMAP;
  caps.TextureFilterCaps = D3DPTFILTERCAPS_MINFPOINT | D3DPTFILTERCAPS_MINFLINEAR | D3DPTFILTERCAPS_MINFANISOTROPIC |
                           D3DPTFILTERCAPS_MIPFPOINT | D3DPTFILTERCAPS_MIPFLINEAR | D3DPTFILTERCAPS_MAGFPOINT |
                           D3DPTFILTERCAPS_MAGFLINEAR | D3DPTFILTERCAPS_MAGFANISOTROPIC;
  caps.CubeTextureFilterCaps = caps.TextureFilterCaps;
  caps.StretchRectFilterCaps =
      D3DPTFILTERCAPS_MINFPOINT | D3DPTFILTERCAPS_MINFLINEAR | D3DPTFILTERCAPS_MAGFPOINT | D3DPTFILTERCAPS_MAGFLINEAR;
  caps.VertexTextureFilterCaps = D3DPTFILTERCAPS_MINFPOINT | D3DPTFILTERCAPS_MAGFPOINT;
  caps.TextureAddressCaps = D3DPTADDRESSCAPS_WRAP | D3DPTADDRESSCAPS_MIRROR | D3DPTADDRESSCAPS_CLAMP |
                            D3DPTADDRESSCAPS_BORDER | D3DPTADDRESSCAPS_INDEPENDENTUV | D3DPTADDRESSCAPS_MIRRORONCE;
  caps.MaxTextureRepeat = 8192;
  caps.MaxAnisotropy = 16;
  // The runtime translates texture operations to shaders; bump mapping needs formats and states of the extensions.
  constexpr DWORD kAllOps = 0x03FFFFFF;  // D3DTEXOPCAPS_DISABLE to _LERP
  constexpr DWORD kBumpOps = D3DTEXOPCAPS_BUMPENVMAP | D3DTEXOPCAPS_BUMPENVMAPLUMINANCE;
  const FormatRow *map = adapter.formats().find(D3DDDIFMT_V8U8);
  const bool bumps = map && map->operations & FORMATOP_BUMPMAP;
  caps.TextureOpCaps = kAllOps & ~(D3DTEXOPCAPS_PREMODULATE | (bumps ? 0 : kBumpOps));
  caps.MaxTextureBlendStages = 8;
  caps.MaxSimultaneousTextures = 8;
}

void describeShaders(D3DCAPS9 &caps) {
  caps.VertexShaderVersion = 0xFFFE0300;
  caps.MaxVertexShaderConst = 256;
  caps.PixelShaderVersion = 0xFFFF0300;
  caps.PixelShader1xMaxValue = kFloatMax;
  caps.VS20Caps.Caps = D3DVS20CAPS_PREDICATION;
  caps.VS20Caps.DynamicFlowControlDepth = D3DVS20_MAX_DYNAMICFLOWCONTROLDEPTH;
  caps.VS20Caps.NumTemps = D3DVS20_MAX_NUMTEMPS;
  caps.VS20Caps.StaticFlowControlDepth = D3DVS20_MAX_STATICFLOWCONTROLDEPTH;
  caps.PS20Caps.Caps = D3DPS20CAPS_ARBITRARYSWIZZLE | D3DPS20CAPS_GRADIENTINSTRUCTIONS | D3DPS20CAPS_PREDICATION |
                       D3DPS20CAPS_NODEPENDENTREADLIMIT | D3DPS20CAPS_NOTEXINSTRUCTIONLIMIT;
  caps.PS20Caps.DynamicFlowControlDepth = D3DPS20_MAX_DYNAMICFLOWCONTROLDEPTH;
  caps.PS20Caps.NumTemps = D3DPS20_MAX_NUMTEMPS;
  caps.PS20Caps.StaticFlowControlDepth = D3DPS20_MAX_STATICFLOWCONTROLDEPTH;
  caps.PS20Caps.NumInstructionSlots = D3DPS20_MAX_NUMINSTRUCTIONSLOTS;
  caps.MaxVShaderInstructionsExecuted = 65535;
  caps.MaxPShaderInstructionsExecuted = 65535;
  // The minimum of model 3: the device takes no more (LIM-12).
  caps.MaxVertexShader30InstructionSlots = 512;
  caps.MaxPixelShader30InstructionSlots = 512;
}

}  // namespace

D3DCAPS9 deviceCaps(const Adapter &adapter) {
  D3DCAPS9 caps = {};
  describeDevice(adapter, caps);
  describeVertices(adapter, caps);
  describePixels(adapter, caps);
  describeTextures(adapter, caps);
  describeShaders(caps);
  takeLimits(adapter, caps);
  return caps;
}

}  // namespace aero
