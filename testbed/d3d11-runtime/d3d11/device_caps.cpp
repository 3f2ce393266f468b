// SPDX-License-Identifier: MIT
// What the device can do, and the device as DXGI shows it.
#include <algorithm>
#include <utility>

#include "testbed/d3d11-runtime/d3d11/device.h"
#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {

using runtime::notImplemented;

namespace {

/// Answers that there is nothing of a feature.
template <class T> HRESULT without(void *data, UINT size) {
  if (!data || size != sizeof(T)) return E_INVALIDARG;
  *static_cast<T *>(data) = {};
  return S_OK;
}

}  // namespace

/// The driver tells five bits of a format; the rest follows from the format.
HRESULT Device::CheckFormatSupport(DXGI_FORMAT format, UINT *out) {
  if (!out) return E_INVALIDARG;
  *out = 0;
  if (!hasFormat(m_core, format)) return E_FAIL;
  const FormatInfo info = formatInfo(format);
  UINT bits = D3D11_FORMAT_SUPPORT_TEXTURE2D | D3D11_FORMAT_SUPPORT_MIP;
  if (!(info.flags & kDepth)) bits |= D3D11_FORMAT_SUPPORT_TEXTURECUBE;
  if (info.flags & kVertex) bits |= D3D11_FORMAT_SUPPORT_IA_VERTEX_BUFFER | D3D11_FORMAT_SUPPORT_BUFFER;
  if (format == DXGI_FORMAT_R16_UINT || format == DXGI_FORMAT_R32_UINT) bits |= D3D11_FORMAT_SUPPORT_IA_INDEX_BUFFER;
  if (info.flags & kDepth) bits |= D3D11_FORMAT_SUPPORT_DEPTH_STENCIL;
  if (!(info.flags & (kDepth | kTypeless))) bits |= D3D11_FORMAT_SUPPORT_SHADER_LOAD;
  if (info.flags & (kTypeless | kExtended)) bits |= D3D11_FORMAT_SUPPORT_CAST_WITHIN_BIT_LAYOUT;
  const UINT driver = format < m_formatSupport.size() ? m_formatSupport[format] : 0;
  if (driver & D3D10_DDI_FORMAT_SUPPORT_NOT_SUPPORTED) return E_FAIL;
  if (driver & D3D10_DDI_FORMAT_SUPPORT_SHADER_SAMPLE)
    bits |= D3D11_FORMAT_SUPPORT_SHADER_SAMPLE | D3D11_FORMAT_SUPPORT_MIP_AUTOGEN;
  if (!(driver & D3D10_DDI_FORMAT_SUPPORT_RENDERTARGET)) bits &= ~UINT{D3D11_FORMAT_SUPPORT_MIP_AUTOGEN};
  if (driver & D3D10_DDI_FORMAT_SUPPORT_RENDERTARGET) bits |= D3D11_FORMAT_SUPPORT_RENDER_TARGET;
  if (driver & D3D10_DDI_FORMAT_SUPPORT_BLENDABLE) bits |= D3D11_FORMAT_SUPPORT_BLENDABLE;
  if (driver & D3D10_DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET)
    bits |= D3D11_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET | D3D11_FORMAT_SUPPORT_MULTISAMPLE_RESOLVE;
  if (driver & D3D10_DDI_FORMAT_SUPPORT_MULTISAMPLE_LOAD) bits |= D3D11_FORMAT_SUPPORT_MULTISAMPLE_LOAD;
  *out = bits;
  return S_OK;
}

HRESULT Device::CheckMultisampleQualityLevels(DXGI_FORMAT format, UINT samples, UINT *out) {
  if (!out) return E_INVALIDARG;
  *out = 0;
  if (!samples || samples > D3D11_MAX_MULTISAMPLE_SAMPLE_COUNT) return E_FAIL;
  if (!hasFormat(m_core, format)) return E_FAIL;
  const Lock lock(m_core.lock);
  m_core.driver.call<&D3D11DDI_DEVICEFUNCS::pfnCheckMultisampleQualityLevels, Errors::None>(format, samples, out);
  return S_OK;
}

void Device::CheckCounterInfo(D3D11_COUNTER_INFO *out) {
  if (out) *out = {};  // counters of drivers are not offered
}

HRESULT Device::CheckFeatureSupport(D3D11_FEATURE feature, void *data, UINT size) {
  const DriverAdapter &adapter = m_core.driver.adapter();
  const bool eleven = m_core.driver.shape() == Shape::Eleven;
  switch (feature) {
  case D3D11_FEATURE_THREADING: {
    auto *out = static_cast<D3D11_FEATURE_DATA_THREADING *>(data);
    if (!data || size != sizeof *out) return E_INVALIDARG;
    out->DriverConcurrentCreates = eleven && (adapter.threadingCaps() & D3D11DDICAPS_FREETHREADED);
    out->DriverCommandLists = eleven && (adapter.threadingCaps() & D3D11DDICAPS_COMMANDLISTS_BUILD_2);
    return S_OK;
  }
  case D3D11_FEATURE_DOUBLES: {
    auto *out = static_cast<D3D11_FEATURE_DATA_DOUBLES *>(data);
    if (!data || size != sizeof *out) return E_INVALIDARG;
    out->DoublePrecisionFloatShaderOps = eleven && (adapter.shaderCaps() & D3D11DDICAPS_SHADER_DOUBLES);
    return S_OK;
  }
  case D3D11_FEATURE_FORMAT_SUPPORT: {
    auto *out = static_cast<D3D11_FEATURE_DATA_FORMAT_SUPPORT *>(data);
    if (!data || size != sizeof *out) return E_INVALIDARG;
    return CheckFormatSupport(out->InFormat, &out->OutFormatSupport);
  }
  case D3D11_FEATURE_FORMAT_SUPPORT2: {
    auto *out = static_cast<D3D11_FEATURE_DATA_FORMAT_SUPPORT2 *>(data);
    if (!data || size != sizeof *out) return E_INVALIDARG;
    out->OutFormatSupport2 = 0;  // unordered access
    return hasFormat(m_core, out->InFormat) ? S_OK : E_FAIL;
  }
  case D3D11_FEATURE_D3D10_X_HARDWARE_OPTIONS: {
    auto *out = static_cast<D3D11_FEATURE_DATA_D3D10_X_HARDWARE_OPTIONS *>(data);
    if (!data || size != sizeof *out) return E_INVALIDARG;
    out->ComputeShaders_Plus_RawAndStructuredBuffers_Via_Shader_4_x = FALSE;  // compute is not offered
    return S_OK;
  }
  // Of Direct3D 11.1: what only drivers of WDDM 1.2 have.
  case D3D11_FEATURE_D3D11_OPTIONS:
    return without<D3D11_FEATURE_DATA_D3D11_OPTIONS>(data, size);
  case D3D11_FEATURE_ARCHITECTURE_INFO:
    return without<D3D11_FEATURE_DATA_ARCHITECTURE_INFO>(data, size);
  case D3D11_FEATURE_SHADER_MIN_PRECISION_SUPPORT:
    return without<D3D11_FEATURE_DATA_SHADER_MIN_PRECISION_SUPPORT>(data, size);
  case D3D11_FEATURE_D3D9_OPTIONS: {
    auto *out = static_cast<D3D11_FEATURE_DATA_D3D9_OPTIONS *>(data);
    if (!data || size != sizeof *out) return E_INVALIDARG;
    out->FullNonPow2TextureSupport = TRUE;  // all of level 10
    return S_OK;
  }
  default:
    return E_INVALIDARG;
  }
}

HRESULT Device::Dxgi::GetAdapter(IDXGIAdapter **out) {
  if (!out) return E_INVALIDARG;
  *out = &m_device.m_adapter;
  (*out)->AddRef();
  return S_OK;
}
/// A surface is a texture of one level.
HRESULT Device::Dxgi::CreateSurface(const DXGI_SURFACE_DESC *description, UINT count, DXGI_USAGE usage,
                                    const DXGI_SHARED_RESOURCE *shared, IDXGISurface **out) {
  if (!description || !out || !count || shared) return E_INVALIDARG;  // the page says that `shared` is not used
  std::fill_n(out, count, nullptr);
  D3D11_TEXTURE2D_DESC texture{};
  texture.Width = description->Width;
  texture.Height = description->Height;
  texture.MipLevels = texture.ArraySize = 1;
  texture.Format = description->Format;
  texture.SampleDesc = description->SampleDesc;
  texture.BindFlags = (usage & DXGI_USAGE_SHADER_INPUT ? UINT{D3D11_BIND_SHADER_RESOURCE} : 0) |
                      (usage & DXGI_USAGE_RENDER_TARGET_OUTPUT ? UINT{D3D11_BIND_RENDER_TARGET} : 0) |
                      (usage & DXGI_USAGE_UNORDERED_ACCESS ? UINT{D3D11_BIND_UNORDERED_ACCESS} : 0);
  if (!texture.BindFlags) return E_INVALIDARG;
  HRESULT result = S_OK;
  for (UINT i = 0; i < count && SUCCEEDED(result); ++i) {
    ID3D11Texture2D *made = nullptr;
    result = m_device.CreateTexture2D(&texture, nullptr, &made);
    if (FAILED(result)) break;
    result = made->QueryInterface(__uuidof(IDXGISurface), reinterpret_cast<void **>(&out[i]));
    made->Release();
  }
  for (UINT i = 0; FAILED(result) && i < count; ++i)
    if (IDXGISurface *surface = std::exchange(out[i], nullptr)) surface->Release();
  return result;
}
HRESULT Device::Dxgi::QueryResourceResidency(IUnknown *const *, DXGI_RESIDENCY *, UINT) {
  notImplemented("IDXGIDevice::QueryResourceResidency");
  return E_NOTIMPL;
}
/// The kernel side has no such priority; the number is kept.
HRESULT Device::Dxgi::SetGPUThreadPriority(INT priority) {
  if (priority < -7 || priority > 7) return E_INVALIDARG;
  m_priority = priority;
  return S_OK;
}
HRESULT Device::Dxgi::GetGPUThreadPriority(INT *out) {
  if (!out) return E_POINTER;
  *out = m_priority;
  return S_OK;
}
HRESULT Device::Dxgi::SetMaximumFrameLatency(UINT latency) {
  constexpr UINT kMost = 16;
  if (latency > kMost) return DXGI_ERROR_INVALID_CALL;
  const Lock lock(m_device.m_core.lock);
  m_device.m_frameLatency = latency ? latency : kFrameLatency;
  D3DKMT_SETQUEUEDLIMIT argument{};
  argument.hDevice = m_device.m_core.driver.kernelHandle();
  argument.Type = D3DKMT_SET_QUEUEDLIMIT_PRESENT;
  argument.QueuedPresentLimit = m_device.m_frameLatency;
  return runtime::resultOfStatus(m_device.m_adapter.driver()->kernelAdapter().kernel().SetQueuedLimit(&argument));
}
HRESULT Device::Dxgi::GetMaximumFrameLatency(UINT *out) {
  if (!out) return DXGI_ERROR_INVALID_CALL;
  *out = m_device.m_frameLatency;
  return S_OK;
}

}  // namespace aerogpu::runtime11
