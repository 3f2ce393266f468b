// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/driver_adapter.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "testbed/d3d9-runtime/driver/driver_call.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

constexpr UINT kMostFormats = 1024, kMostQueries = 64;
constexpr UINT kCaps8Bytes = offsetof(D3DCAPS9, DevCaps2);  // D3DCAPS8
static_assert(kCaps8Bytes == 212);
constexpr DWORD kLeastSlots = 512, kMostSlots = 32768;  // limits of shader model 3

/// True if a driver may announce a format as a destination of conversions: it has red, green and blue of at least 5
/// bits (page "FORMATOP").
bool canBeOfGroup(D3DDDIFORMAT format) {
  switch (format) {
  case D3DDDIFMT_R8G8B8:
  case D3DDDIFMT_A8R8G8B8:
  case D3DDDIFMT_X8R8G8B8:
  case D3DDDIFMT_R5G6B5:
  case D3DDDIFMT_X1R5G5B5:
  case D3DDDIFMT_A1R5G5B5:
  case D3DDDIFMT_A2B10G10R10:
  case D3DDDIFMT_A8B8G8R8:
  case D3DDDIFMT_X8B8G8R8:
  case D3DDDIFMT_A2R10G10B10:
  case D3DDDIFMT_A16B16G16R16:
  case D3DDDIFMT_A16B16G16R16F:
  case D3DDDIFMT_A32B32G32R32F:
    return true;
  default:
    return false;
  }
}

/// True if a driver may announce a format as their source (page "Reporting Support for 2D Operations Using Surface
/// Formats"): one of those, or one with a FOURCC.
bool canBeConverted(D3DDDIFORMAT format) {
  return canBeOfGroup(format) || static_cast<DWORD>(format) > 0xFFFF;
}

}  // namespace

DriverAdapter::~DriverAdapter() {
  if (m_functions.pfnCloseAdapter) {
    const FloatControl before = FloatControl::read();
    const HRESULT result = m_functions.pfnCloseAdapter(m_driverHandle);
    checkAfterCall("CloseAdapter", before, result, Results::Ordinary, S_OK);
  }
  if (m_module) FreeLibrary(m_module);
}

bool DriverAdapter::open(const WCHAR *name) {
  return m_kernelAdapter.open(name) && loadDriver() && readCaps() && m_kernelAdapter.readModes();
}

bool DriverAdapter::loadDriver() {
  WCHAR file[MAX_PATH];
  const HRESULT found = m_kernelAdapter.driverFile(KMTUMDVERSION_DX9, file);
  if (FAILED(found)) {
    logLine("the kernel side names no user-mode driver: 0x%08lx", static_cast<unsigned long>(found));
    return false;
  }
  if (!WideCharToMultiByte(CP_UTF8, 0, file, -1, m_driverFile, sizeof m_driverFile, nullptr, nullptr))
    m_driverFile[0] = 0;
  m_module = LoadLibraryW(file);
  if (!m_module) {
    logLine("cannot load the user-mode driver '%s': error %lu", m_driverFile, GetLastError());
    return false;
  }
  // The only export that Direct3D 9 needs.
  FARPROC symbol = GetProcAddress(m_module, "OpenAdapter");
  PFND3DDDI_OPENADAPTER openAdapter = nullptr;
  static_assert(sizeof symbol == sizeof openAdapter);
  std::memcpy(&openAdapter, &symbol, sizeof symbol);
  if (!openAdapter) {
    logLine("'%s' has no OpenAdapter", m_driverFile);
    return false;
  }
  D3DDDIARG_OPENADAPTER argument{};
  argument.hAdapter = m_kernelAdapter.runtimeHandle();
  argument.Interface = m_version;
  argument.Version = D3D_UMD_INTERFACE_VERSION;
  // The driver has to copy the table: it is invalid after the call.
  D3DDDI_ADAPTERCALLBACKS callbacks = KernelAdapter::callbacks();
  argument.pAdapterCallbacks = &callbacks;
  argument.pAdapterFuncs = &m_functions;
  const FloatControl before = FloatControl::read();
  const HRESULT result = openAdapter(&argument);
  checkAfterCall("OpenAdapter", before, result, Results::Ordinary, S_OK);
  std::memset(&callbacks, 0xDB, sizeof callbacks);
  if (FAILED(result)) {
    m_functions = {};
    logLine("OpenAdapter of '%s' gave 0x%08lx", m_driverFile, static_cast<unsigned long>(result));
    return false;
  }
  m_driverHandle = argument.hAdapter;
  m_driverVersion = argument.DriverVersion;
  if (!m_functions.pfnGetCaps || !m_functions.pfnCreateDevice || !m_functions.pfnCloseAdapter) {
    brokenRule("OpenAdapter left a function of the adapter out");
    return false;
  }
  return true;
}

HRESULT DriverAdapter::getCaps(D3DDDICAPS_TYPE type, void *info, void *data, UINT size) const {
  D3DDDIARG_GETCAPS argument{};
  argument.Type = type;
  argument.pInfo = info;
  argument.pData = data;
  argument.DataSize = size;
  const FloatControl before = FloatControl::read();
  const HRESULT result = m_functions.pfnGetCaps(m_driverHandle, &argument);
  checkAfterCall("GetCaps", before, result, Results::Ordinary, S_OK);
  return result;
}

bool DriverAdapter::readCaps() {
  UINT count = 0;
  if (FAILED(getCaps(D3DDDICAPS_GETFORMATCOUNT, nullptr, &count, sizeof count)) || !count || count > kMostFormats) {
    logLine("no HAL device: %u formats", count);
    return false;
  }
  m_formats.resize(count);
  if (FAILED(
          getCaps(D3DDDICAPS_GETFORMATDATA, nullptr, m_formats.data(), static_cast<UINT>(count * sizeof(FORMATOP))))) {
    logLine("no HAL device: no format list");
    return false;
  }
  if (FAILED(getCaps(D3DDDICAPS_GETD3D9CAPS, nullptr, &m_caps, sizeof m_caps))) {
    logLine("no HAL device: no D3DCAPS9");
    return false;
  }
  // What Direct3D 8 shows to programs. Its runtime converts the fixed function as that of Direct3D 9 does, into shaders
  // of model 2 (page "Converting the Direct3D Fixed-Function State"), of which D3DCAPS8 tells nothing.
  if (m_version == 8) {
    if (FAILED(getCaps(D3DDDICAPS_GETD3D8CAPS, nullptr, &m_caps8, kCaps8Bytes))) {
      logLine("no HAL device: no D3DCAPS8");
      return false;
    }
    checkCaps8();
  }
  count = 0;
  if (SUCCEEDED(getCaps(D3DDDICAPS_GETD3DQUERYCOUNT, nullptr, &count, sizeof count)) && count &&
      count <= kMostQueries) {
    m_queries.resize(count);
    if (FAILED(getCaps(D3DDDICAPS_GETD3DQUERYDATA, nullptr, m_queries.data(),
                       static_cast<UINT>(count * sizeof(D3DDDIQUERYTYPE)))))
      m_queries.clear();
  }
  if (!checkCaps() || !checkFormats()) return false;
  checkMultisampling();
  askForVideo();
  return true;
}

/// Asks for what programs of video and gamma ramps make Windows ask for, with room for the answer and marked bytes
/// behind it. A number of zero, or a documented refusal, is an answer (page "D3DDDICAPS_TYPE"); a number of which the
/// list is refused is none.
void DriverAdapter::askForVideo() const {
  constexpr UINT kMark = 16, kMostEntries = 64;
  const auto answer = [this](D3DDDICAPS_TYPE type, void *info, std::vector<BYTE> &data, UINT size) {
    data.assign(size + kMark, 0xEE);
    const HRESULT result = getCaps(type, info, data.data(), size);
    if (std::any_of(data.begin() + static_cast<std::ptrdiff_t>(size), data.end(),
                    [](BYTE byte) { return byte != 0xEE; }))
      brokenRule("GetCaps %u writes behind the %u bytes of its answer", static_cast<unsigned>(type), size);
    return SUCCEEDED(result);
  };
  DXVADDI_VIDEODESC video{};
  video.SampleWidth = 720;
  video.SampleHeight = 576;
  video.Format = D3DDDIFMT_YUY2;
  DDICONTENTPROTECTIONCAPS protection{};
  DXVADDI_VIDEODESC *const described = &video;
  const struct {
    D3DDDICAPS_TYPE count, list;
    void *info;
    UINT entryBytes;
  } lists[] = {
      {D3DDDICAPS_GETDECODEGUIDCOUNT, D3DDDICAPS_GETDECODEGUIDS, nullptr, sizeof(GUID)},
      {D3DDDICAPS_GETVIDEOPROCESSORDEVICEGUIDCOUNT, D3DDDICAPS_GETVIDEOPROCESSORDEVICEGUIDS, described, sizeof(GUID)},
      {D3DDDICAPS_GETEXTENSIONGUIDCOUNT, D3DDDICAPS_GETEXTENSIONGUIDS, nullptr, sizeof(GUID)},
  };
  std::vector<BYTE> data;
  for (const auto &row : lists) {
    UINT count = 0;
    if (!answer(row.count, row.info, data, sizeof count)) continue;
    std::memcpy(&count, data.data(), sizeof count);
    if (count > kMostEntries || (count && !answer(row.list, row.info, data, count * row.entryBytes)))
      brokenRule("GetCaps %u says %u, and GetCaps %u does not list them", static_cast<unsigned>(row.count), count,
                 static_cast<unsigned>(row.list));
  }
  answer(D3DDDICAPS_GETGAMMARAMPCAPS, nullptr, data, sizeof(DDIGAMMACAPS));
  answer(D3DDDICAPS_GETCONTENTPROTECTIONCAPS, &protection, data, sizeof(D3DCONTENTPROTECTIONCAPS));
  answer(D3DDDICAPS_GETCERTIFICATESIZE, nullptr, data, sizeof(UINT));
}

/// Checks the driver's D3DCAPS9; false: Windows does not load such a HAL.
bool DriverAdapter::checkCaps() const {
  // Pages reporting-capabilities-for-shader-3-support and supporting-additional-instruction-slots-for-shader-3.
  const bool model3 =
      m_caps.VertexShaderVersion >= D3DVS_VERSION(3, 0) || m_caps.PixelShaderVersion >= D3DPS_VERSION(3, 0);
  const auto slots = [](DWORD n) { return n >= kLeastSlots && n <= kMostSlots; };
  if (model3 && !(slots(m_caps.MaxVertexShader30InstructionSlots) && slots(m_caps.MaxPixelShader30InstructionSlots))) {
    logLine("no HAL device: %lu and %lu instruction slots of shader model 3", m_caps.MaxVertexShader30InstructionSlots,
            m_caps.MaxPixelShader30InstructionSlots);
    return false;
  }
  // Page "Reporting Capabilities for Shader 2 Support".
  if (m_caps.VertexShaderVersion >= D3DVS_VERSION(2, 0) &&
      (m_caps.MaxStreams < 8 || !(m_caps.DeclTypes & D3DDTCAPS_UBYTE4)))
    brokenRule("vertex shaders 2.0 with %lu streams and types 0x%lx", m_caps.MaxStreams, m_caps.DeclTypes);
  if (!(m_caps.TextureCaps & D3DPTEXTURECAPS_POW2) != !(m_caps.TextureCaps & D3DPTEXTURECAPS_NONPOW2CONDITIONAL))
    brokenRule("TextureCaps 0x%lx: POW2 and NONPOW2CONDITIONAL go together", m_caps.TextureCaps);
  // D3DKMTPresent refuses a flip interval that the kernel driver does not support (its page).
  D3DKMT_FLIPQUEUEINFO flips{};
  if (FAILED(m_kernelAdapter.queryAdapterInfo(KMTQAITYPE_FLIPQUEUEINFO, &flips, sizeof flips))) flips = {};
  constexpr DWORD kLongIntervals = D3DPRESENT_INTERVAL_TWO | D3DPRESENT_INTERVAL_THREE | D3DPRESENT_INTERVAL_FOUR;
  if ((m_caps.PresentationIntervals & kLongIntervals) && !flips.FlipFlags.FlipInterval)
    brokenRule("PresentationIntervals 0x%lx, and the kernel driver has no flip intervals above one",
               m_caps.PresentationIntervals);
  // The bits that d3d9caps.h names, and those that d3dhal.h adds for drivers: DevCaps from HWVERTEXBUFFER on, FOGINFVF.
  const struct {
    const char *name;
    DWORD value, known;
  } rows[] = {
      {"Caps", m_caps.Caps, 0x00020800},
      {"Caps2", m_caps.Caps2, 0xF0120000},
      {"Caps3", m_caps.Caps3, 0x00000FA0},
      {"PresentationIntervals", m_caps.PresentationIntervals, 0x8000000F},
      {"CursorCaps", m_caps.CursorCaps, 0x3},
      {"DevCaps", m_caps.DevCaps, 0x0FFBFFFF},
      {"PrimitiveMiscCaps", m_caps.PrimitiveMiscCaps, 0x003FFFF6},
      {"RasterCaps", m_caps.RasterCaps, 0x0F77A191},
      {"ZCmpCaps", m_caps.ZCmpCaps, 0xFF},
      {"SrcBlendCaps", m_caps.SrcBlendCaps, 0xFFFF},
      {"DestBlendCaps", m_caps.DestBlendCaps, 0xFFFF},
      {"AlphaCmpCaps", m_caps.AlphaCmpCaps, 0xFF},
      {"ShadeCaps", m_caps.ShadeCaps, 0x00084208},
      {"TextureCaps", m_caps.TextureCaps, 0x0027EDE7},
      {"TextureFilterCaps", m_caps.TextureFilterCaps, 0x1F071F00},
      {"CubeTextureFilterCaps", m_caps.CubeTextureFilterCaps, 0x1F071F00},
      {"VolumeTextureFilterCaps", m_caps.VolumeTextureFilterCaps, 0x1F071F00},
      {"TextureAddressCaps", m_caps.TextureAddressCaps, 0x3F},
      {"VolumeTextureAddressCaps", m_caps.VolumeTextureAddressCaps, 0x3F},
      {"LineCaps", m_caps.LineCaps, 0x3F},
      {"StencilCaps", m_caps.StencilCaps, 0x1FF},
      {"FVFCaps", m_caps.FVFCaps, 0x0018FFFF},
      {"TextureOpCaps", m_caps.TextureOpCaps, 0x03FFFFFF},
      {"VertexProcessingCaps", m_caps.VertexProcessingCaps, 0x37B},
      {"DevCaps2", m_caps.DevCaps2, 0x7F},
      {"DeclTypes", m_caps.DeclTypes, 0x3FF},
      {"StretchRectFilterCaps", m_caps.StretchRectFilterCaps, 0x03000300},
      {"VertexTextureFilterCaps", m_caps.VertexTextureFilterCaps, 0x1F071F00},
  };
  for (const auto &row : rows)
    if (row.value & ~row.known) brokenRule("%s: unknown bits 0x%lx", row.name, row.value & ~row.known);
  return true;
}

/// Checks the driver's D3DCAPS8: the bits that d3d8caps.h names, with those that d3dhal.h adds for drivers, and the
/// versions that Direct3D 8 has. Caps2 may have CANAUTOGENMIPMAP (D3D9On12, include/9on12Caps.h).
void DriverAdapter::checkCaps8() const {
  const struct {
    const char *name;
    DWORD value, known;
  } rows[] = {
      {"Caps", m_caps8.Caps, 0x00020000},
      {"Caps2", m_caps8.Caps2, 0x721E0000},
      {"Caps3", m_caps8.Caps3, 0x8000003F},
      {"PresentationIntervals", m_caps8.PresentationIntervals, 0x8000000F},
      {"CursorCaps", m_caps8.CursorCaps, 0x3},
      {"DevCaps", m_caps8.DevCaps, 0x0FFBFFF0},
      {"PrimitiveMiscCaps", m_caps8.PrimitiveMiscCaps, 0x3FF6},
      {"RasterCaps", m_caps8.RasterCaps, 0x00F7F19F},
      {"SrcBlendCaps", m_caps8.SrcBlendCaps, 0x1FFF},
      {"DestBlendCaps", m_caps8.DestBlendCaps, 0x1FFF},
      {"TextureCaps", m_caps8.TextureCaps, 0x7EDE7},
      {"TextureFilterCaps", m_caps8.TextureFilterCaps, 0x1F030700},
      {"CubeTextureFilterCaps", m_caps8.CubeTextureFilterCaps, 0x1F030700},
      {"VolumeTextureFilterCaps", m_caps8.VolumeTextureFilterCaps, 0x1F030700},
      {"LineCaps", m_caps8.LineCaps, 0x1F},
      {"StencilCaps", m_caps8.StencilCaps, 0xFF},
      {"VertexProcessingCaps", m_caps8.VertexProcessingCaps, 0xFB},
  };
  for (const auto &row : rows)
    if (row.value & ~row.known) brokenRule("D3DCAPS8, %s: unknown bits 0x%lx", row.name, row.value & ~row.known);
  if (m_caps8.VertexShaderVersion > D3DVS_VERSION(1, 1) || m_caps8.PixelShaderVersion > D3DPS_VERSION(1, 4))
    brokenRule("D3DCAPS8: shaders of 0x%lx and 0x%lx", m_caps8.VertexShaderVersion, m_caps8.PixelShaderVersion);
}

/// Checks the driver's list of formats (pages "FORMATOP", "Reporting Support for 2D Operations Using Surface Formats");
/// false: Windows does not load such a HAL.
bool DriverAdapter::checkFormats() const {
  DWORD all = 0;
  for (const FORMATOP &format : m_formats) {
    all |= format.Operations;
    const bool alpha = format.Format == D3DDDIFMT_A8R8G8B8 || format.Format == D3DDDIFMT_A1R5G5B5 ||
                       format.Format == D3DDDIFMT_A4R4G4B4 || format.Format == D3DDDIFMT_A2R10G10B10;
    if ((format.Operations & FORMATOP_DISPLAYMODE) && alpha)
      brokenRule("FORMATOP_DISPLAYMODE of format %u, which has alpha", static_cast<unsigned>(format.Format));
    if ((format.Operations & FORMATOP_3DACCELERATION) && !(format.Operations & FORMATOP_DISPLAYMODE))
      brokenRule("FORMATOP_3DACCELERATION without FORMATOP_DISPLAYMODE of format %u",
                 static_cast<unsigned>(format.Format));
    const bool isMember = format.Operations & FORMATOP_MEMBEROFGROUP_ARGB;
    if (isMember ? !canBeOfGroup(format.Format)
                 : (format.Operations & FORMATOP_CONVERT_TO_ARGB) && !canBeConverted(format.Format)) {
      logLine("no HAL device: %s of format %u", isMember ? "FORMATOP_MEMBEROFGROUP_ARGB" : "FORMATOP_CONVERT_TO_ARGB",
              static_cast<unsigned>(format.Format));
      return false;
    }
    // Windows' runtime takes no less than 8 (D3D9On12, src/9on12Adapter.cpp, on ATI1).
    if ((format.Operations & FORMATOP_PIXELSIZE) && format.PrivateFormatBitCount < 8)
      brokenRule("FORMATOP_PIXELSIZE of format 0x%x with %u bits a pixel", static_cast<unsigned>(format.Format),
                 format.PrivateFormatBitCount);
  }
  // Without one of each there is nothing to draw to.
  if (!(all & FORMATOP_3DACCELERATION) || !(all & FORMATOP_ZSTENCIL)) {
    logLine("no HAL device: no format of a screen or none of depth");
    return false;
  }
  return true;
}

/// Checks that a format has quality levels for exactly the multisample types of its masks. A bit is 1 << (type - 1)
/// (page "DDPIXELFORMAT", wMultiSampleCaps), so bit 0 is D3DMULTISAMPLE_NONMASKABLE, as in D3D9On12
/// (src/9on12Adapter.cpp, DDI_MULTISAMPLE_TYPE).
void DriverAdapter::checkMultisampling() const {
  constexpr UINT kMostType = D3DMULTISAMPLE_16_SAMPLES;
  for (const FORMATOP &row : m_formats) {
    const auto format = static_cast<D3DFORMAT>(row.Format);
    for (const bool flip : {false, true}) {
      const UINT types = flip ? row.FlipMsTypes : row.BltMsTypes;
      if (types >> kMostType) brokenRule("multisample types 0x%x of format %u", types, static_cast<unsigned>(format));
      for (UINT type = D3DMULTISAMPLE_NONMASKABLE; type <= kMostType; ++type) {
        const bool announced = types >> (type - 1) & 1;
        const UINT levels = qualityLevels(format, static_cast<D3DMULTISAMPLE_TYPE>(type), flip);
        if (announced == (levels != 0)) continue;
        brokenRule("format %u, multisample type %u of %s: %u quality levels, but %s", static_cast<unsigned>(format),
                   type, flip ? "flips" : "windows", levels, announced ? "its bit is set" : "no bit");
      }
    }
  }
}

bool DriverAdapter::hasGammaRamps() const {
  DDIGAMMACAPS caps{};
  return SUCCEEDED(getCaps(D3DDDICAPS_GETGAMMARAMPCAPS, nullptr, &caps, sizeof caps)) &&
         (caps.GammaCaps & GAMMA_CAP_RGB256x3x16);
}

DWORD DriverAdapter::operations(D3DFORMAT format) const {
  DWORD operations = 0;
  for (const FORMATOP &row : m_formats)
    if (static_cast<DWORD>(row.Format) == static_cast<DWORD>(format)) operations |= row.Operations;
  return operations;
}

UINT DriverAdapter::pixelBits(D3DFORMAT format) const {
  for (const FORMATOP &row : m_formats)
    if (static_cast<DWORD>(row.Format) == static_cast<DWORD>(format) && row.Operations & FORMATOP_PIXELSIZE)
      return row.PrivateFormatBitCount;
  return 0;
}

DWORD DriverAdapter::multisampleTypes(D3DFORMAT format, bool flip) const {
  DWORD types = 0;
  for (const FORMATOP &row : m_formats)
    if (static_cast<DWORD>(row.Format) == static_cast<DWORD>(format)) types |= flip ? row.FlipMsTypes : row.BltMsTypes;
  return types;
}

bool DriverAdapter::hasQuery(D3DDDIQUERYTYPE type) const {
  return std::find(m_queries.begin(), m_queries.end(), type) != m_queries.end();
}

UINT DriverAdapter::qualityLevels(D3DFORMAT format, D3DMULTISAMPLE_TYPE type, bool flip) const {
  DDIMULTISAMPLEQUALITYLEVELSDATA data{};
  data.Format = static_cast<D3DDDIFORMAT>(format);
  data.Flip = flip;
  data.MsType = static_cast<D3DDDIMULTISAMPLE_TYPE>(type);
  if (FAILED(getCaps(D3DDDICAPS_GETMULTISAMPLEQUALITYLEVELS, nullptr, &data, sizeof data))) return 0;
  return data.QualityLevels;
}

HRESULT DriverAdapter::createDevice(D3DDDIARG_CREATEDEVICE &argument) const {
  return m_functions.pfnCreateDevice(m_driverHandle, &argument);
}

}  // namespace aerogpu::runtime
