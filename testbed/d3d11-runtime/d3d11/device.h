// SPDX-License-Identifier: MIT
// ID3D11Device, with the immediate context, and what DXGI wants of a device.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/d3d11/context.h"
#include "testbed/d3d11-runtime/d3d11/multithread.h"
#include "testbed/d3d11-runtime/dxgi/adapter.h"

namespace aerogpu::runtime11 {

class Device final : public ID3D11Device1, public SwapChainHost {
public:
  /// Makes a device of the first level in the list that the driver has.
  static HRESULT create(IDXGIAdapter *adapter, UINT flags, const D3D_FEATURE_LEVEL *levels, UINT levelCount,
                        Device **out);
  /// Gives the device and its objects the interfaces of another version of Direct3D. Called before a program has it.
  void addFacet(std::unique_ptr<Facet> facet, FacetSource &ofObjects);

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  ULONG STDMETHODCALLTYPE AddRef() override { return static_cast<ULONG>(InterlockedIncrement(&m_references)); }
  ULONG STDMETHODCALLTYPE Release() override;
  HRESULT STDMETHODCALLTYPE CreateBuffer(const D3D11_BUFFER_DESC *desc, const D3D11_SUBRESOURCE_DATA *initialData,
                                         ID3D11Buffer **buffer) override;
  HRESULT STDMETHODCALLTYPE CreateTexture2D(const D3D11_TEXTURE2D_DESC *desc, const D3D11_SUBRESOURCE_DATA *initialData,
                                            ID3D11Texture2D **texture2D) override;
  HRESULT STDMETHODCALLTYPE CreateShaderResourceView(ID3D11Resource *resource,
                                                     const D3D11_SHADER_RESOURCE_VIEW_DESC *desc,
                                                     ID3D11ShaderResourceView **sRView) override;
  HRESULT STDMETHODCALLTYPE CreateRenderTargetView(ID3D11Resource *resource, const D3D11_RENDER_TARGET_VIEW_DESC *desc,
                                                   ID3D11RenderTargetView **rTView) override;
  HRESULT STDMETHODCALLTYPE CreateDepthStencilView(ID3D11Resource *resource, const D3D11_DEPTH_STENCIL_VIEW_DESC *desc,
                                                   ID3D11DepthStencilView **depthStencilView) override;
  HRESULT STDMETHODCALLTYPE CreateInputLayout(const D3D11_INPUT_ELEMENT_DESC *inputElementDescs, UINT numElements,
                                              const void *shaderBytecodeWithInputSignature, SIZE_T bytecodeLength,
                                              ID3D11InputLayout **inputLayout) override;
  HRESULT STDMETHODCALLTYPE CreateVertexShader(const void *shaderBytecode, SIZE_T bytecodeLength,
                                               ID3D11ClassLinkage *classLinkage,
                                               ID3D11VertexShader **vertexShader) override;
  HRESULT STDMETHODCALLTYPE CreateGeometryShader(const void *shaderBytecode, SIZE_T bytecodeLength,
                                                 ID3D11ClassLinkage *classLinkage,
                                                 ID3D11GeometryShader **geometryShader) override;
  HRESULT STDMETHODCALLTYPE CreatePixelShader(const void *shaderBytecode, SIZE_T bytecodeLength,
                                              ID3D11ClassLinkage *classLinkage,
                                              ID3D11PixelShader **pixelShader) override;
  HRESULT STDMETHODCALLTYPE CreateBlendState(const D3D11_BLEND_DESC *blendStateDesc,
                                             ID3D11BlendState **blendState) override;
  HRESULT STDMETHODCALLTYPE CreateDepthStencilState(const D3D11_DEPTH_STENCIL_DESC *depthStencilDesc,
                                                    ID3D11DepthStencilState **depthStencilState) override;
  HRESULT STDMETHODCALLTYPE CreateRasterizerState(const D3D11_RASTERIZER_DESC *rasterizerDesc,
                                                  ID3D11RasterizerState **rasterizerState) override;
  HRESULT STDMETHODCALLTYPE CreateSamplerState(const D3D11_SAMPLER_DESC *samplerDesc,
                                               ID3D11SamplerState **samplerState) override;
  HRESULT STDMETHODCALLTYPE CreateQuery(const D3D11_QUERY_DESC *queryDesc, ID3D11Query **query) override;
  HRESULT STDMETHODCALLTYPE CreateDeferredContext(UINT contextFlags, ID3D11DeviceContext **deferredContext) override;
  HRESULT STDMETHODCALLTYPE CheckFormatSupport(DXGI_FORMAT format, UINT *formatSupport) override;
  HRESULT STDMETHODCALLTYPE CheckMultisampleQualityLevels(DXGI_FORMAT format, UINT sampleCount,
                                                          UINT *numQualityLevels) override;
  void STDMETHODCALLTYPE CheckCounterInfo(D3D11_COUNTER_INFO *counterInfo) override;
  HRESULT STDMETHODCALLTYPE CheckFeatureSupport(D3D11_FEATURE feature, void *featureSupportData,
                                                UINT featureSupportDataSize) override;
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *dataSize, void *data) override;
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT dataSize, const void *data) override;
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *data) override;
  D3D_FEATURE_LEVEL STDMETHODCALLTYPE GetFeatureLevel() override;
  UINT STDMETHODCALLTYPE GetCreationFlags() override;
  HRESULT STDMETHODCALLTYPE GetDeviceRemovedReason() override;
  void STDMETHODCALLTYPE GetImmediateContext(ID3D11DeviceContext **immediateContext) override;
  UINT STDMETHODCALLTYPE GetExceptionMode() override;

  // Not offered yet: device_missing.cpp.
  HRESULT STDMETHODCALLTYPE CreateTexture1D(const D3D11_TEXTURE1D_DESC *desc, const D3D11_SUBRESOURCE_DATA *initialData,
                                            ID3D11Texture1D **texture1D) override;
  HRESULT STDMETHODCALLTYPE CreateTexture3D(const D3D11_TEXTURE3D_DESC *desc, const D3D11_SUBRESOURCE_DATA *initialData,
                                            ID3D11Texture3D **texture3D) override;
  HRESULT STDMETHODCALLTYPE CreateUnorderedAccessView(ID3D11Resource *resource,
                                                      const D3D11_UNORDERED_ACCESS_VIEW_DESC *desc,
                                                      ID3D11UnorderedAccessView **uAView) override;
  HRESULT STDMETHODCALLTYPE CreateGeometryShaderWithStreamOutput(const void *shaderBytecode, SIZE_T bytecodeLength,
                                                                 const D3D11_SO_DECLARATION_ENTRY *sODeclaration,
                                                                 UINT numEntries, const UINT *bufferStrides,
                                                                 UINT numStrides, UINT rasterizedStream,
                                                                 ID3D11ClassLinkage *classLinkage,
                                                                 ID3D11GeometryShader **geometryShader) override;
  HRESULT STDMETHODCALLTYPE CreateHullShader(const void *shaderBytecode, SIZE_T bytecodeLength,
                                             ID3D11ClassLinkage *classLinkage, ID3D11HullShader **hullShader) override;
  HRESULT STDMETHODCALLTYPE CreateDomainShader(const void *shaderBytecode, SIZE_T bytecodeLength,
                                               ID3D11ClassLinkage *classLinkage,
                                               ID3D11DomainShader **domainShader) override;
  HRESULT STDMETHODCALLTYPE CreateComputeShader(const void *shaderBytecode, SIZE_T bytecodeLength,
                                                ID3D11ClassLinkage *classLinkage,
                                                ID3D11ComputeShader **computeShader) override;
  HRESULT STDMETHODCALLTYPE CreateClassLinkage(ID3D11ClassLinkage **linkage) override;
  HRESULT STDMETHODCALLTYPE CreatePredicate(const D3D11_QUERY_DESC *predicateDesc,
                                            ID3D11Predicate **predicate) override;
  HRESULT STDMETHODCALLTYPE CreateCounter(const D3D11_COUNTER_DESC *counterDesc, ID3D11Counter **counter) override;
  HRESULT STDMETHODCALLTYPE OpenSharedResource(HANDLE hResource, REFIID returnedInterface, void **resource) override;
  HRESULT STDMETHODCALLTYPE CheckCounter(const D3D11_COUNTER_DESC *desc, D3D11_COUNTER_TYPE *type, UINT *activeCounters,
                                         LPSTR szName, UINT *nameLength, LPSTR szUnits, UINT *unitsLength,
                                         LPSTR szDescription, UINT *descriptionLength) override;
  HRESULT STDMETHODCALLTYPE SetExceptionMode(UINT raiseFlags) override;

  // Of Direct3D 11.1: device_1.cpp.
  void STDMETHODCALLTYPE GetImmediateContext1(ID3D11DeviceContext1 **immediateContext) override;
  HRESULT STDMETHODCALLTYPE CreateDeferredContext1(UINT flags, ID3D11DeviceContext1 **deferredContext) override;
  HRESULT STDMETHODCALLTYPE CreateBlendState1(const D3D11_BLEND_DESC1 *desc, ID3D11BlendState1 **blendState) override;
  HRESULT STDMETHODCALLTYPE CreateRasterizerState1(const D3D11_RASTERIZER_DESC1 *desc,
                                                   ID3D11RasterizerState1 **rasterizerState) override;
  HRESULT STDMETHODCALLTYPE CreateDeviceContextState(UINT flags, const D3D_FEATURE_LEVEL *levels, UINT count,
                                                     UINT version, REFIID emulated, D3D_FEATURE_LEVEL *level,
                                                     ID3DDeviceContextState **state) override;
  HRESULT STDMETHODCALLTYPE OpenSharedResource1(HANDLE handle, REFIID id, void **resource) override;
  HRESULT STDMETHODCALLTYPE OpenSharedResourceByName(LPCWSTR name, DWORD access, REFIID id, void **resource) override;
  /// Makes deferred contexts; without it there are none.
  using MakeDeferred = HRESULT (*)(Core &core, ID3D11DeviceContext1 **out);
  void offerDeferred(MakeDeferred make) { m_makeDeferred = make; }

  // For swap chains.
  DriverDevice &driver() override { return m_core.driver; }
  CRITICAL_SECTION &lock() override { return m_core.lock; }
  IUnknown *device() override { return this; }
  HRESULT makeBackBuffer(const ResourceDescription &description, BackBuffer *&out) override;
  void unbindTarget(BackBuffer &buffer) override { m_context->unbindTarget(buffer.resource()); }
  UINT frameLatency() const override { return m_frameLatency; }

  Multithread &multithread() { return m_multithread; }

private:
  static constexpr UINT kFrameLatency = 3;  ///< until a program sets another one

  Device(Adapter &adapter, UINT flags);
  ~Device();

  /// The device as DXGI shows it.
  class Dxgi final : public IDXGIDevice1 {
  public:
    explicit Dxgi(Device &device) : m_device(device) {}
    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override {
      return m_device.QueryInterface(id, out);
    }
    ULONG STDMETHODCALLTYPE AddRef() override { return m_device.AddRef(); }
    ULONG STDMETHODCALLTYPE Release() override { return m_device.Release(); }
    HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT size, const void *data) override {
      return m_device.SetPrivateData(guid, size, data);
    }
    HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *object) override {
      return m_device.SetPrivateDataInterface(guid, object);
    }
    HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *size, void *data) override {
      return m_device.GetPrivateData(guid, size, data);
    }
    HRESULT STDMETHODCALLTYPE GetParent(REFIID id, void **out) override {
      return m_device.m_adapter.QueryInterface(id, out);
    }
    HRESULT STDMETHODCALLTYPE GetAdapter(IDXGIAdapter **out) override;
    HRESULT STDMETHODCALLTYPE CreateSurface(const DXGI_SURFACE_DESC *description, UINT count, DXGI_USAGE usage,
                                            const DXGI_SHARED_RESOURCE *shared, IDXGISurface **out) override;
    HRESULT STDMETHODCALLTYPE QueryResourceResidency(IUnknown *const *resources, DXGI_RESIDENCY *residency,
                                                     UINT count) override;
    HRESULT STDMETHODCALLTYPE SetGPUThreadPriority(INT priority) override;
    HRESULT STDMETHODCALLTYPE GetGPUThreadPriority(INT *out) override;
    HRESULT STDMETHODCALLTYPE SetMaximumFrameLatency(UINT latency) override;
    HRESULT STDMETHODCALLTYPE GetMaximumFrameLatency(UINT *out) override;

  private:
    Device &m_device;
    INT m_priority = 0;
  };

  volatile LONG m_references = 1;
  Adapter &m_adapter;  ///< with a reference
  const UINT m_flags;
  UINT m_frameLatency = kFrameLatency;
  Core m_core;
  PrivateData m_privateData;
  StateSets m_states;
  std::unique_ptr<Facet> m_facet;
  std::vector<UINT> m_formatSupport;  ///< the driver's bits, by format
  Ref<Context> m_context;
  MakeDeferred m_makeDeferred = nullptr;
  Dxgi m_dxgi{*this};
  Multithread m_multithread{*static_cast<ID3D11Device1 *>(this), m_core.lock};
};

}  // namespace aerogpu::runtime11
