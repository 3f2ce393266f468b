// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/chain_description.h"

#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {

DXGI_SWAP_CHAIN_DESC1 ChainDescription::desc1() const {
  DXGI_SWAP_CHAIN_DESC1 out{};
  out.Width = base.BufferDesc.Width;
  out.Height = base.BufferDesc.Height;
  out.Format = base.BufferDesc.Format;
  out.Stereo = stereo;
  out.SampleDesc = base.SampleDesc;
  out.BufferUsage = base.BufferUsage;
  out.BufferCount = base.BufferCount;
  out.Scaling = scaling;
  out.SwapEffect = base.SwapEffect;
  out.AlphaMode = alpha;
  out.Flags = base.Flags;
  return out;
}

ChainDescription describeChain(HWND window, const DXGI_SWAP_CHAIN_DESC1 &d,
                               const DXGI_SWAP_CHAIN_FULLSCREEN_DESC *fullScreen) {
  ChainDescription out;
  out.base.BufferDesc.Width = d.Width;
  out.base.BufferDesc.Height = d.Height;
  out.base.BufferDesc.Format = d.Format;
  if (fullScreen) {
    out.base.BufferDesc.RefreshRate = fullScreen->RefreshRate;
    out.base.BufferDesc.ScanlineOrdering = fullScreen->ScanlineOrdering;
    out.base.BufferDesc.Scaling = fullScreen->Scaling;
  }
  out.base.SampleDesc = d.SampleDesc;
  out.base.BufferUsage = d.BufferUsage;
  out.base.BufferCount = d.BufferCount;
  out.base.OutputWindow = window;
  out.base.Windowed = fullScreen ? fullScreen->Windowed : TRUE;
  out.base.SwapEffect = d.SwapEffect;
  out.base.Flags = d.Flags;
  out.scaling = d.Scaling;
  out.alpha = d.AlphaMode;
  out.stereo = d.Stereo;
  return out;
}

bool canBeShown(DXGI_FORMAT format, bool extended, bool flipModel) {
  switch (format) {
  case DXGI_FORMAT_R8G8B8A8_UNORM:
  case DXGI_FORMAT_R16G16B16A16_FLOAT:
    return true;
  case DXGI_FORMAT_B8G8R8A8_UNORM:
    return extended;
  case DXGI_FORMAT_R8G8B8A8_UNORM_SRGB:
  case DXGI_FORMAT_R10G10B10A2_UNORM:
    return !flipModel;
  case DXGI_FORMAT_B8G8R8A8_UNORM_SRGB:
    return extended && !flipModel;
  default:
    return false;
  }
}

HRESULT checkChain(const ChainDescription &description, bool extended) {
  const DXGI_SWAP_CHAIN_DESC &d = description.base;
  const DXGI_FORMAT format = d.BufferDesc.Format;
  const bool flipModel = description.isFlipModel();
  // Compressed ones too (test_create_device in Wine's dlls/d3d11/tests/d3d11.c).
  if (format == DXGI_FORMAT_UNKNOWN || formatInfo(format).blockSize > 1) return E_INVALIDARG;
  if (!d.OutputWindow || !d.BufferCount || d.BufferCount > kMostChainBuffers || !d.SampleDesc.Count ||
      !canBeShown(format, extended, flipModel))
    return DXGI_ERROR_INVALID_CALL;
  if (!flipModel && d.SwapEffect != DXGI_SWAP_EFFECT_DISCARD && d.SwapEffect != DXGI_SWAP_EFFECT_SEQUENTIAL)
    return DXGI_ERROR_INVALID_CALL;
  if (flipModel && (d.BufferCount < 2 || d.SampleDesc.Count != 1 || d.SampleDesc.Quality))
    return DXGI_ERROR_INVALID_CALL;
  const bool forGdi = format == DXGI_FORMAT_B8G8R8A8_UNORM || format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB;
  if ((d.Flags & DXGI_SWAP_CHAIN_FLAG_GDI_COMPATIBLE) && !forGdi) return DXGI_ERROR_INVALID_CALL;
  // Windows 7 neither leaves a frame unscaled nor has stereo; what is transparent is not for a window (page
  // DXGI_ALPHA_MODE).
  const bool opaque = description.alpha == DXGI_ALPHA_MODE_UNSPECIFIED || description.alpha == DXGI_ALPHA_MODE_IGNORE;
  return description.scaling == DXGI_SCALING_STRETCH && !description.stereo && opaque ? S_OK : DXGI_ERROR_INVALID_CALL;
}

}  // namespace aerogpu::runtime11
