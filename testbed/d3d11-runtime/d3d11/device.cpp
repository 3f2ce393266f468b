// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/device.h"

#include <algorithm>
#include <new>

#include "testbed/d3d11-runtime/d3d11/textures.h"
#include "testbed/d3d11-runtime/driver/callbacks.h"
#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

constexpr UINT kFormats = 100;  // numbers of DXGI_FORMAT
constexpr D3D_FEATURE_LEVEL kDefaultLevels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};

}  // namespace

Device::Device(Adapter &adapter, UINT flags) : m_adapter(adapter), m_flags(flags), m_core(*adapter.driver()) {
  m_adapter.AddRef();
  m_core.device = this;
}

Device::~Device() {
  InterlockedIncrement(&m_references);  // what is released below refers to the device
  if (m_context) m_context->unbindAll();
  m_context = nullptr;
}

ULONG Device::Release() {
  const LONG count = InterlockedDecrement(&m_references);
  if (count == 0) {
    Adapter &adapter = m_adapter;
    delete this;
    adapter.Release();  // the driver's adapter outlives its device
  }
  return static_cast<ULONG>(count);
}

HRESULT Device::create(IDXGIAdapter *given, UINT flags, const D3D_FEATURE_LEVEL *levels, UINT count, Device **out) {
  *out = nullptr;
  if (!levels) {
    levels = kDefaultLevels;
    count = static_cast<UINT>(std::size(kDefaultLevels));
  }
  Adapter *adapter = adapterOf(given);
  if (!adapter) return given ? E_INVALIDARG : E_OUTOFMEMORY;
  if (!adapter->driver()) {
    adapter->Release();
    return DXGI_ERROR_UNSUPPORTED;
  }
  HRESULT result = DXGI_ERROR_UNSUPPORTED;
  for (UINT i = 0; i < count && FAILED(result); ++i) {
    Choice choice;
    if (!adapter->driver()->choose(levels[i], choice)) continue;
    Device *device = new (std::nothrow) Device(*adapter, flags);
    if (!device) {
      result = E_OUTOFMEMORY;
      break;
    }
    device->m_core.level = levels[i];
    const UINT ddi = (flags & D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS
                          ? D3D10DDI_CREATEDEVICE_FLAG_DISABLE_EXTRA_THREAD_CREATION
                          : 0) |
                     (flags & D3D11_CREATE_DEVICE_SINGLETHREADED && choice.shape == Shape::Eleven
                          ? D3D11DDI_CREATEDEVICE_FLAG_SINGLETHREADED
                          : 0);
    result = device->m_core.driver.create(choice, ddi, callbackSets());
    if (FAILED(result)) {
      device->Release();
      break;
    }
    // BGRA_SUPPORT asks for what every version with extended formats has.
    if ((flags & D3D11_CREATE_DEVICE_BGRA_SUPPORT) && !choice.extendedFormats) {
      device->Release();
      result = DXGI_ERROR_UNSUPPORTED;
      continue;
    }
    DriverDevice &driver = device->m_core.driver;
    for (UINT format = 0; format < kFormats; ++format) {
      UINT support = 0;
      if (hasFormat(device->m_core, static_cast<DXGI_FORMAT>(format)) && !has(format, kTypeless))
        driver.call<&D3D11DDI_DEVICEFUNCS::pfnCheckFormatSupport, Errors::None>(static_cast<DXGI_FORMAT>(format),
                                                                                &support);
      constexpr UINT kKnown = 0x1F;
      if ((support & D3D10_DDI_FORMAT_SUPPORT_NOT_SUPPORTED) ? support & kKnown : support & ~kKnown)
        runtime::brokenRule("CheckFormatSupport of format %u: 0x%x", format, support);
      device->m_formatSupport.push_back(support);
    }
    D3D10DDI_COUNTER_INFO counters{};
    driver.call<&D3D11DDI_DEVICEFUNCS::pfnCheckCounterInfo, Errors::None>(&counters);
    device->m_context = new (std::nothrow) Context(device->m_core);
    result = device->m_context ? device->m_context->bindDefaults(device->m_states) : E_OUTOFMEMORY;
    if (FAILED(result)) {
      device->Release();
      break;
    }
    *out = device;
  }
  adapter->Release();
  return result;
}

HRESULT Device::QueryInterface(REFIID id, void **out) {
  if (!out) return E_POINTER;
  *out = nullptr;
  if (IsEqualIID(id, __uuidof(IUnknown)) || IsEqualIID(id, __uuidof(ID3D11Device)) ||
      IsEqualIID(id, __uuidof(ID3D11Device1)))
    *out = static_cast<ID3D11Device1 *>(this);
  else if (IsEqualIID(id, __uuidof(ID3D10Multithread)))
    *out = &m_multithread;
  else if (IsEqualIID(id, __uuidof(IDXGIObject)) || IsEqualIID(id, __uuidof(IDXGIDevice)) ||
           IsEqualIID(id, __uuidof(IDXGIDevice1)))
    *out = static_cast<IDXGIDevice1 *>(&m_dxgi);
  else if (IsEqualIID(id, kSwapChainHostId))
    *out = static_cast<SwapChainHost *>(this);
  else
    return m_facet ? m_facet->query(id, out) : E_NOINTERFACE;
  AddRef();
  return S_OK;
}

void Device::addFacet(std::unique_ptr<Facet> facet, FacetSource &ofObjects) {
  m_facet = std::move(facet);
  m_core.facets = &ofObjects;
}

HRESULT Device::makeBackBuffer(const ResourceDescription &description, BackBuffer *&out) {
  Texture2D *texture = new (std::nothrow) Texture2D(m_core);
  if (!texture) return E_OUTOFMEMORY;
  texture->addPrivate();
  const HRESULT result = texture->driver().create(description, nullptr);
  if (FAILED(result)) {
    texture->releasePrivate();
    return result;
  }
  out = texture;
  return S_OK;
}

HRESULT Device::CreateBuffer(const D3D11_BUFFER_DESC *desc, const D3D11_SUBRESOURCE_DATA *data, ID3D11Buffer **out) {
  return createBuffer(m_core, desc, data, out);
}
HRESULT Device::CreateTexture2D(const D3D11_TEXTURE2D_DESC *desc, const D3D11_SUBRESOURCE_DATA *data,
                                ID3D11Texture2D **out) {
  return createTexture2D(m_core, desc, data, out);
}

HRESULT Device::CreateTexture1D(const D3D11_TEXTURE1D_DESC *desc, const D3D11_SUBRESOURCE_DATA *data,
                                ID3D11Texture1D **out) {
  return createTexture1D(m_core, desc, data, out);
}

HRESULT Device::CreateTexture3D(const D3D11_TEXTURE3D_DESC *desc, const D3D11_SUBRESOURCE_DATA *data,
                                ID3D11Texture3D **out) {
  return createTexture3D(m_core, desc, data, out);
}
HRESULT Device::CreateShaderResourceView(ID3D11Resource *resource, const D3D11_SHADER_RESOURCE_VIEW_DESC *desc,
                                         ID3D11ShaderResourceView **out) {
  return createView(m_core, resource, desc, out);
}
HRESULT Device::CreateRenderTargetView(ID3D11Resource *resource, const D3D11_RENDER_TARGET_VIEW_DESC *desc,
                                       ID3D11RenderTargetView **out) {
  return createView(m_core, resource, desc, out);
}
HRESULT Device::CreateDepthStencilView(ID3D11Resource *resource, const D3D11_DEPTH_STENCIL_VIEW_DESC *desc,
                                       ID3D11DepthStencilView **out) {
  return createView(m_core, resource, desc, out);
}
HRESULT Device::CreateInputLayout(const D3D11_INPUT_ELEMENT_DESC *elements, UINT count, const void *code, SIZE_T size,
                                  ID3D11InputLayout **out) {
  return createInputLayout(m_core, elements, count, code, size, out);
}
HRESULT Device::CreateVertexShader(const void *code, SIZE_T size, ID3D11ClassLinkage *, ID3D11VertexShader **out) {
  return createShader(m_core, code, size, out);
}
HRESULT Device::CreateGeometryShader(const void *code, SIZE_T size, ID3D11ClassLinkage *, ID3D11GeometryShader **out) {
  return createShader(m_core, code, size, out);
}
HRESULT Device::CreatePixelShader(const void *code, SIZE_T size, ID3D11ClassLinkage *, ID3D11PixelShader **out) {
  return createShader(m_core, code, size, out);
}
HRESULT Device::CreateGeometryShaderWithStreamOutput(const void *code, SIZE_T size,
                                                     const D3D11_SO_DECLARATION_ENTRY *entries, UINT count,
                                                     const UINT *strides, UINT strideCount, UINT rasterized,
                                                     ID3D11ClassLinkage *, ID3D11GeometryShader **out) {
  return createStreamShader(m_core, code, size, {entries, count, strides, strideCount, rasterized}, out);
}
HRESULT Device::CreateBlendState(const D3D11_BLEND_DESC *desc, ID3D11BlendState **out) {
  return createState(m_core, m_states, desc, out);
}
HRESULT Device::CreateDepthStencilState(const D3D11_DEPTH_STENCIL_DESC *desc, ID3D11DepthStencilState **out) {
  return createState(m_core, m_states, desc, out);
}
HRESULT Device::CreateRasterizerState(const D3D11_RASTERIZER_DESC *desc, ID3D11RasterizerState **out) {
  return createState(m_core, m_states, desc, out);
}
HRESULT Device::CreateSamplerState(const D3D11_SAMPLER_DESC *desc, ID3D11SamplerState **out) {
  return createState(m_core, m_states, desc, out);
}
HRESULT Device::CreateQuery(const D3D11_QUERY_DESC *desc, ID3D11Query **out) {
  return createQuery(m_core, desc, out);
}
HRESULT Device::CreatePredicate(const D3D11_QUERY_DESC *desc, ID3D11Predicate **out) {
  return createPredicate(m_core, desc, out);
}

HRESULT Device::CreateDeferredContext(UINT flags, ID3D11DeviceContext **out) {
  ID3D11DeviceContext1 *context = nullptr;
  const HRESULT result = CreateDeferredContext1(flags, out ? &context : nullptr);
  if (out) *out = context;
  return result;
}

D3D_FEATURE_LEVEL Device::GetFeatureLevel() {
  return m_core.level;
}
UINT Device::GetCreationFlags() {
  return m_flags;
}
HRESULT Device::GetDeviceRemovedReason() {
  return m_core.driver.isLost() ? DXGI_ERROR_DRIVER_INTERNAL_ERROR : S_OK;
}
void Device::GetImmediateContext(ID3D11DeviceContext **out) {
  if (!out) return;
  *out = m_context.get();
  (*out)->AddRef();
}
UINT Device::GetExceptionMode() {
  return 0;
}
HRESULT Device::GetPrivateData(REFGUID guid, UINT *size, void *data) {
  const Lock lock(m_core.lock);
  return m_privateData.get(guid, size, data);
}
HRESULT Device::SetPrivateData(REFGUID guid, UINT size, const void *data) {
  const Lock lock(m_core.lock);
  return m_privateData.set(guid, size, data);
}
HRESULT Device::SetPrivateDataInterface(REFGUID guid, const IUnknown *object) {
  const Lock lock(m_core.lock);
  return m_privateData.setInterface(guid, object);
}

}  // namespace aerogpu::runtime11
