// SPDX-License-Identifier: MIT
// The adapter of fake.dll: OpenAdapter and the answers of its GetCaps.
#include <cstring>
#include <iterator>

#include "testbed/d3d9-runtime/test/fake_record.h"

using namespace aerogpu::fake;

namespace {

constexpr DWORD kTarget = FORMATOP_TEXTURE | FORMATOP_CUBETEXTURE | FORMATOP_VOLUMETEXTURE |
                          FORMATOP_OFFSCREEN_RENDERTARGET | FORMATOP_SAME_FORMAT_RENDERTARGET |
                          FORMATOP_OFFSCREENPLAIN | FORMATOP_CONVERT_TO_ARGB | FORMATOP_MEMBEROFGROUP_ARGB |
                          FORMATOP_SRGBREAD | FORMATOP_AUTOGENMIPMAP;
constexpr DWORD kDisplay = FORMATOP_DISPLAYMODE | FORMATOP_3DACCELERATION;
constexpr DWORD kDepth = FORMATOP_TEXTURE | FORMATOP_ZSTENCIL | FORMATOP_ZSTENCIL_WITH_ARBITRARY_COLOR_DEPTH;
constexpr DWORD kSampled = FORMATOP_TEXTURE | FORMATOP_CUBETEXTURE | FORMATOP_OFFSCREENPLAIN;
constexpr UINT kFourSamples = 1u << 3, kNonMaskable = 1u << 0;
constexpr FORMATOP kFormats[] = {
    {D3DDDIFMT_A8R8G8B8, kTarget, 0, kFourSamples | kNonMaskable, 0},
    {D3DDDIFMT_X8R8G8B8, kTarget | kDisplay, 0, 0, 0},
    {D3DDDIFMT_R5G6B5, kTarget | kDisplay | FORMATOP_NOFILTER, 0, 0, 0},
    {D3DDDIFMT_DXT1, kSampled, 0, 0, 0},
    {D3DDDIFMT_D24S8, kDepth, 0, 0, 0},
    // Formats that only the driver knows. Of ATI2 it does not tell the size of a pixel.
    {static_cast<D3DDDIFORMAT>(MAKEFOURCC('A', 'T', 'I', '1')), kSampled | FORMATOP_PIXELSIZE, 0, 0, 8},
    {static_cast<D3DDDIFORMAT>(MAKEFOURCC('A', 'T', 'I', '2')), kSampled, 0, 0, 8},
    {static_cast<D3DDDIFORMAT>(MAKEFOURCC('N', 'V', '1', '2')), kSampled | FORMATOP_PIXELSIZE, 0, 0, 12},
};
constexpr D3DDDIQUERYTYPE kQueries[] = {D3DDDIQUERYTYPE_EVENT, D3DDDIQUERYTYPE_OCCLUSION};

HRESULT APIENTRY getCaps(HANDLE, D3DDDIARG_GETCAPS *data) {
  record("GetCaps %u size %u", data->Type, data->DataSize);
  switch (data->Type) {
  case D3DDDICAPS_GETFORMATCOUNT:
    *static_cast<UINT *>(data->pData) = std::size(kFormats);
    return S_OK;
  case D3DDDICAPS_GETFORMATDATA:
    std::memcpy(data->pData, kFormats, sizeof kFormats);
    if (misbehaves("converted luminance")) {
      auto *last = static_cast<FORMATOP *>(data->pData) + std::size(kFormats) - 1;
      *last = {D3DDDIFMT_L8, FORMATOP_TEXTURE | FORMATOP_CONVERT_TO_ARGB, 0, 0, 0};
    }
    return S_OK;
  case D3DDDICAPS_GETD3DQUERYCOUNT:
    *static_cast<UINT *>(data->pData) = std::size(kQueries);
    return S_OK;
  case D3DDDICAPS_GETD3DQUERYDATA:
    std::memcpy(data->pData, kQueries, sizeof kQueries);
    return S_OK;
  case D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS: {
    auto *levels = static_cast<DDIMULTISAMPLEQUALITYLEVELSDATA *>(data->pData);
    const bool has = levels->Format == D3DDDIFMT_A8R8G8B8 && !levels->Flip;
    levels->QualityLevels = !has                                              ? 0
                            : levels->MsType == D3DDDIMULTISAMPLE_4_SAMPLES   ? 2
                            : levels->MsType == D3DDDIMULTISAMPLE_NONMASKABLE ? misbehaves("no levels") ? 0 : 3
                                                                              : 0;
    return S_OK;
  }
  case D3DDDICAPS_GETD3D9CAPS: {
    auto *caps = static_cast<D3DCAPS9 *>(data->pData);
    *caps = {};
    caps->Caps2 = D3DCAPS2_DYNAMICTEXTURES;
    caps->DevCaps = D3DDEVCAPS_HWTRANSFORMANDLIGHT | D3DDEVCAPS_PUREDEVICE |
                    (misbehaves("no buffers") ? 0 : D3DDEVCAPS_HWVERTEXBUFFER | D3DDEVCAPS_HWINDEXBUFFER);
    caps->MaxTextureWidth = caps->MaxTextureHeight = 4096;
    caps->MaxVolumeExtent = 256;
    caps->NumSimultaneousRTs = 4;
    caps->MaxPointSize = 128.0f;
    caps->MaxStreams = 16;
    caps->DeclTypes = D3DDTCAPS_UBYTE4;
    caps->TextureCaps = misbehaves("half a pair") ? D3DPTEXTURECAPS_POW2 : 0;
    if (misbehaves("unknown bits")) caps->LineCaps = 0x40;
    caps->PresentationIntervals = D3DPRESENT_INTERVAL_ONE | D3DPRESENT_INTERVAL_TWO | D3DPRESENT_INTERVAL_IMMEDIATE;
    caps->VertexShaderVersion = D3DVS_VERSION(3, 0);
    caps->MaxVertexShaderConst = 256;
    caps->PixelShaderVersion = D3DPS_VERSION(3, 0);
    caps->MaxVertexShader30InstructionSlots = caps->MaxPixelShader30InstructionSlots =
        misbehaves("few slots") ? 511 : 512;
    return S_OK;
  }
  case D3DDDICAPS_GETGAMMARAMPCAPS:
    static_cast<DDIGAMMACAPS *>(data->pData)->GammaCaps = misbehaves("no ramps") ? 0 : GAMMA_CAP_RGB256x3x16;
    return S_OK;
  case D3DDDICAPS_GETD3D8CAPS: {
    D3DCAPS9 caps{};
    caps.Caps2 = 0x00080000 | (misbehaves("unknown bits of 8") ? 0x00400000 : 0);  // D3DCAPS2_CANRENDERWINDOWED
    caps.DevCaps = D3DDEVCAPS_HWTRANSFORMANDLIGHT | D3DDEVCAPS_HWVERTEXBUFFER | D3DDEVCAPS_HWINDEXBUFFER;
    caps.RasterCaps = 0x4000;  // D3DPRASTERCAPS_ZBIAS
    caps.VertexShaderVersion = D3DVS_VERSION(1, 1);
    caps.MaxVertexShaderConst = 96;
    caps.PixelShaderVersion = misbehaves("shaders of 9") ? D3DPS_VERSION(2, 0) : D3DPS_VERSION(1, 4);
    std::memcpy(data->pData, &caps, data->DataSize);
    return S_OK;
  }
  default:
    std::memset(data->pData, 0, data->DataSize + (misbehaves("long answer") ? 4 : 0));
    return S_OK;
  }
}

HRESULT APIENTRY closeAdapter(HANDLE) {
  record("CloseAdapter");
  --aliveCount();
  return S_OK;
}

}  // namespace

extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER *data) {
  record("OpenAdapter interface %u version %x", data->Interface, data->Version);
  ++aliveCount();
  data->pAdapterFuncs->pfnGetCaps = getCaps;
  data->pAdapterFuncs->pfnCreateDevice = createDevice;
  data->pAdapterFuncs->pfnCloseAdapter = closeAdapter;
  data->DriverVersion = D3D_UMD_INTERFACE_VERSION_WIN7;
  data->hAdapter = &aliveCount();
  return S_OK;
}
