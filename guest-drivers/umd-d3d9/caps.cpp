// SPDX-License-Identifier: MIT
#include "caps.h"

#include <stddef.h>
#include <string.h>

#include "formats.h"
#include "queries.h"
#include "states.h"
#include "texture_layout.h"

namespace aero {
namespace {

constexpr float kFloatMax = 3.402823466e+38f;

/** Fills what there is room for; the rest of the buffer is zero. */
HRESULT answer(const D3DDDIARG_GETCAPS &args, const void *data, size_t bytes) {
  if (!args.pData) return kOk;
  memset(args.pData, 0, args.DataSize);
  memcpy(args.pData, data, bytes < args.DataSize ? bytes : args.DataSize);
  return kOk;
}

template <class T> HRESULT answer(const D3DDDIARG_GETCAPS &args, const T &value) {
  return answer(args, &value, sizeof value);
}

/** One sample a pixel is all there is. */
HRESULT answerQualityLevels(const D3DDDIARG_GETCAPS &args) {
  DDIMULTISAMPLEQUALITYLEVELSDATA data = {};
  if (!args.pData || args.DataSize < sizeof data) return kOk;
  memcpy(&data, args.pData, sizeof data);
  data.QualityLevels = data.MsType == D3DDDIMULTISAMPLE_NONE && findFormat(static_cast<uint32_t>(data.Format)) ? 1 : 0;
  memcpy(args.pData, &data, sizeof data);
  return kOk;
}

HRESULT answerFormats(const D3DDDIARG_GETCAPS &args) {
  FORMATOP list[sizeof kFormats / sizeof kFormats[0]] = {};
  for (size_t i = 0; i < sizeof kFormats / sizeof kFormats[0]; i++) {
    list[i].Format = kFormats[i].d3d;
    list[i].Operations = kFormats[i].operations;
  }
  return answer(args, list, sizeof list);
}

/** D3DCAPS8 is the beginning of D3DCAPS9, with bits and versions of its time. */
HRESULT answerCaps8(const Adapter &adapter, const D3DDDIARG_GETCAPS &args) {
  D3DCAPS9 caps = deviceCaps(adapter.featuresHigh());
  caps.VertexShaderVersion = 0xFFFE0101;
  caps.PixelShaderVersion = 0xFFFF0104;
  caps.MaxVertexShaderConst = 96;
  caps.PrimitiveMiscCaps &= 0xFFFF;
  caps.RasterCaps &= 0x007FFFFF;
  caps.StencilCaps &= 0xFF;
  return answer(args, &caps, offsetof(D3DCAPS9, DevCaps2));
}

}  // namespace

D3DCAPS9 deviceCaps(uint32_t featuresHigh) {
  D3DCAPS9 caps = {};
  caps.DeviceType = D3DDEVTYPE_HAL;
  caps.Caps = D3DCAPS_READ_SCANLINE;
  // No FULLSCREENGAMMA: the device has no gamma table.
  caps.Caps2 = D3DCAPS2_DYNAMICTEXTURES | D3DCAPS2_CANSHARERESOURCE;
  caps.Caps3 = D3DCAPS3_ALPHA_FULLSCREEN_FLIP_OR_DISCARD | D3DCAPS3_COPY_TO_VIDMEM | D3DCAPS3_COPY_TO_SYSTEMMEM;
  caps.PresentationIntervals = D3DPRESENT_INTERVAL_IMMEDIATE | D3DPRESENT_INTERVAL_ONE | D3DPRESENT_INTERVAL_TWO |
                               D3DPRESENT_INTERVAL_THREE | D3DPRESENT_INTERVAL_FOUR;
  caps.CursorCaps = D3DCURSORCAPS_COLOR;
  constexpr DWORD kFloatTlVertex = 1;  // D3DDEVCAPS_FLOATTLVERTEX
  caps.DevCaps = kFloatTlVertex | D3DDEVCAPS_EXECUTESYSTEMMEMORY | D3DDEVCAPS_EXECUTEVIDEOMEMORY |
                 D3DDEVCAPS_TLVERTEXSYSTEMMEMORY | D3DDEVCAPS_TLVERTEXVIDEOMEMORY | D3DDEVCAPS_TEXTUREVIDEOMEMORY |
                 D3DDEVCAPS_DRAWPRIMTLVERTEX | D3DDEVCAPS_CANRENDERAFTERFLIP | D3DDEVCAPS_DRAWPRIMITIVES2 |
                 D3DDEVCAPS_DRAWPRIMITIVES2EX | D3DDEVCAPS_HWTRANSFORMANDLIGHT | D3DDEVCAPS_HWRASTERIZATION |
                 D3DDEVCAPS_PUREDEVICE;
  caps.PrimitiveMiscCaps = D3DPMISCCAPS_MASKZ | D3DPMISCCAPS_CULLNONE | D3DPMISCCAPS_CULLCW | D3DPMISCCAPS_CULLCCW |
                           D3DPMISCCAPS_COLORWRITEENABLE | D3DPMISCCAPS_CLIPTLVERTS | D3DPMISCCAPS_TSSARGTEMP |
                           D3DPMISCCAPS_BLENDOP | D3DPMISCCAPS_INDEPENDENTWRITEMASKS | D3DPMISCCAPS_PERSTAGECONSTANT |
                           D3DPMISCCAPS_SEPARATEALPHABLEND | D3DPMISCCAPS_MRTINDEPENDENTBITDEPTHS |
                           D3DPMISCCAPS_MRTPOSTPIXELSHADERBLENDING | D3DPMISCCAPS_FOGVERTEXCLAMPED;
  caps.RasterCaps = D3DPRASTERCAPS_ZTEST | D3DPRASTERCAPS_FOGVERTEX | D3DPRASTERCAPS_FOGTABLE |
                    D3DPRASTERCAPS_FOGRANGE | D3DPRASTERCAPS_ZFOG | D3DPRASTERCAPS_MIPMAPLODBIAS |
                    D3DPRASTERCAPS_ANISOTROPY | D3DPRASTERCAPS_COLORPERSPECTIVE | D3DPRASTERCAPS_SCISSORTEST |
                    D3DPRASTERCAPS_SLOPESCALEDEPTHBIAS | D3DPRASTERCAPS_DEPTHBIAS;
  if (featuresHigh & AEROGPU_EXT_FEATURE_HI_STATES) {
    caps.RasterCaps |= D3DPRASTERCAPS_WFOG;
    caps.MaxUserClipPlanes = ClipPlanes::kCount;
  }
  constexpr DWORD kAllCompares = 0xFF;  // D3DPCMPCAPS_NEVER to _ALWAYS
  caps.ZCmpCaps = kAllCompares;
  caps.AlphaCmpCaps = kAllCompares;
  constexpr DWORD kAllBlends = 0x3FFF;  // D3DPBLENDCAPS_ZERO to _BLENDFACTOR
  caps.SrcBlendCaps = kAllBlends;
  caps.DestBlendCaps = kAllBlends;
  caps.ShadeCaps = D3DPSHADECAPS_COLORGOURAUDRGB | D3DPSHADECAPS_SPECULARGOURAUDRGB | D3DPSHADECAPS_ALPHAGOURAUDBLEND |
                   D3DPSHADECAPS_FOGGOURAUD;
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
  caps.LineCaps = D3DLINECAPS_TEXTURE | D3DLINECAPS_ZTEST | D3DLINECAPS_BLEND | D3DLINECAPS_ALPHACMP | D3DLINECAPS_FOG;
  caps.MaxTextureWidth = kMaxEdge;
  caps.MaxTextureHeight = kMaxEdge;
  caps.MaxTextureRepeat = 8192;
  caps.MaxTextureAspectRatio = kMaxEdge;
  caps.MaxAnisotropy = 16;
  caps.MaxVertexW = 1e10f;
  caps.GuardBandLeft = -8192;
  caps.GuardBandTop = -8192;
  caps.GuardBandRight = 8192;
  caps.GuardBandBottom = 8192;
  constexpr DWORD kAllStencil = 0x1FF;  // D3DSTENCILCAPS_KEEP to _TWOSIDED
  caps.StencilCaps = kAllStencil;
  caps.FVFCaps = 8 | D3DFVFCAPS_DONOTSTRIPELEMENTS | D3DFVFCAPS_PSIZE;
  // The runtime makes shaders of them; bump maps need formats that are not there.
  constexpr DWORD kAllOps = 0x03FFFFFF;  // D3DTEXOPCAPS_DISABLE to _LERP
  caps.TextureOpCaps =
      kAllOps & ~(D3DTEXOPCAPS_PREMODULATE | D3DTEXOPCAPS_BUMPENVMAP | D3DTEXOPCAPS_BUMPENVMAPLUMINANCE);
  caps.MaxTextureBlendStages = 8;
  caps.MaxSimultaneousTextures = 8;
  caps.VertexProcessingCaps = D3DVTXPCAPS_TEXGEN | D3DVTXPCAPS_MATERIALSOURCE7 | D3DVTXPCAPS_DIRECTIONALLIGHTS |
                              D3DVTXPCAPS_POSITIONALLIGHTS | D3DVTXPCAPS_LOCALVIEWER | D3DVTXPCAPS_TEXGEN_SPHEREMAP;
  caps.MaxActiveLights = 8;
  caps.MaxVertexBlendMatrices = 4;
  caps.MaxPointSize = 64;
  caps.MaxPrimitiveCount = 0x7FFFFF;
  caps.MaxVertexIndex = 0xFFFFFF;
  caps.MaxStreams = 16;
  caps.MaxStreamStride = 508;
  caps.VertexShaderVersion = 0xFFFE0300;
  caps.MaxVertexShaderConst = 256;
  caps.PixelShaderVersion = 0xFFFF0300;
  caps.PixelShader1xMaxValue = kFloatMax;
  caps.DevCaps2 = D3DDEVCAPS2_STREAMOFFSET | D3DDEVCAPS2_VERTEXELEMENTSCANSHARESTREAMOFFSET |
                  D3DDEVCAPS2_CAN_STRETCHRECT_FROM_TEXTURES;
  caps.NumSimultaneousRTs = 4;
  caps.DeclTypes = D3DDTCAPS_UBYTE4 | D3DDTCAPS_UBYTE4N | D3DDTCAPS_SHORT2N | D3DDTCAPS_SHORT4N | D3DDTCAPS_USHORT2N |
                   D3DDTCAPS_USHORT4N | D3DDTCAPS_FLOAT16_2 | D3DDTCAPS_FLOAT16_4;
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
  caps.MaxVertexShader30InstructionSlots = 32768;
  caps.MaxPixelShader30InstructionSlots = 32768;
  return caps;
}

HRESULT getCaps(const Adapter &adapter, const D3DDDIARG_GETCAPS &args) {
  switch (args.Type) {
  case D3DDDICAPS_DDRAW_MODE_SPECIFIC:
    return kOk;  // its beginning is input; nothing of what follows is there
  case D3DDDICAPS_GETFORMATCOUNT:
    return answer(args, static_cast<UINT>(sizeof kFormats / sizeof kFormats[0]));
  case D3DDDICAPS_GETFORMATDATA:
    return answerFormats(args);
  case D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS:
    return answerQualityLevels(args);
  case D3DDDICAPS_GETD3DQUERYCOUNT:
    return answer(args, UINT{queryTypes(adapter.featuresHigh()).count});
  case D3DDDICAPS_GETD3DQUERYDATA: {
    const QueryTypes queries = queryTypes(adapter.featuresHigh());
    return answer(args, queries.types, queries.count * sizeof queries.types[0]);
  }
  case D3DDDICAPS_GETD3D8CAPS:
    return answerCaps8(adapter, args);
  case D3DDDICAPS_GETD3D9CAPS:
    return answer(args, deviceCaps(adapter.featuresHigh()));
  // Where an error is the documented no (docs/abi/d3d9ex.md EX-10).
  case D3DDDICAPS_CHECKOVERLAYSUPPORT:
    return kUnsupportedOverlay;
  case D3DDDICAPS_GETCERTIFICATESIZE:
  case D3DDDICAPS_GETCERTIFICATE:
    return kUnsupportedCrypto;
  default: {
    // Zero counts, zero lists: decoders, video processors, extensions, protected content, gamma, DirectDraw, and
    // whatever is newer than this driver.
    const UINT nothing = 0;
    return answer(args, nothing);
  }
  }
}

}  // namespace aero
