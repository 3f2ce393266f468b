// SPDX-License-Identifier: MIT
// ID3D10Device1: a facet of the Direct3D 11 device and its immediate context. Its own are the conversions, what
// Direct3D 10 alone checks, and the numbers that only it has.
#pragma once

#include "testbed/d3d11-runtime/d3d10core/facets.h"
#include "testbed/d3d11-runtime/d3d11/device.h"

namespace aerogpu::runtime11 {

class Device10 final : public ID3D10Device1, public Facet, public FacetSource {
public:
  explicit Device10(Device &device);

  /// Makes a device of exactly this level; a program gets it as ID3D10Device.
  static HRESULT create(IDXGIAdapter *adapter, UINT flags, D3D_FEATURE_LEVEL level, void **out);

  HRESULT query(REFIID id, void **out) override;
  std::unique_ptr<Facet> makeFacet(ChildBase &object, REFIID kind) override {
    return makeChildFacet(object, kind, m_context);
  }

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override { return m_device.QueryInterface(id, out); }
  ULONG STDMETHODCALLTYPE AddRef() override { return m_device.AddRef(); }
  ULONG STDMETHODCALLTYPE Release() override { return m_device.Release(); }
  void STDMETHODCALLTYPE VSSetConstantBuffers(UINT start, UINT count, ID3D10Buffer *const *buffers) override;
  void STDMETHODCALLTYPE PSSetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView *const *views) override;
  void STDMETHODCALLTYPE PSSetShader(ID3D10PixelShader *pixelShader) override;
  void STDMETHODCALLTYPE PSSetSamplers(UINT start, UINT count, ID3D10SamplerState *const *samplers) override;
  void STDMETHODCALLTYPE VSSetShader(ID3D10VertexShader *vertexShader) override;
  void STDMETHODCALLTYPE DrawIndexed(UINT indexCount, UINT startIndexLocation, INT baseVertexLocation) override;
  void STDMETHODCALLTYPE Draw(UINT vertexCount, UINT startVertexLocation) override;
  void STDMETHODCALLTYPE PSSetConstantBuffers(UINT start, UINT count, ID3D10Buffer *const *buffers) override;
  void STDMETHODCALLTYPE IASetInputLayout(ID3D10InputLayout *inputLayout) override;
  void STDMETHODCALLTYPE IASetVertexBuffers(UINT start, UINT count, ID3D10Buffer *const *vertexBuffers,
                                            const UINT *strides, const UINT *offsets) override;
  void STDMETHODCALLTYPE IASetIndexBuffer(ID3D10Buffer *indexBuffer, DXGI_FORMAT format, UINT offset) override;
  void STDMETHODCALLTYPE DrawIndexedInstanced(UINT indexCountPerInstance, UINT instanceCount, UINT startIndexLocation,
                                              INT baseVertexLocation, UINT startInstanceLocation) override;
  void STDMETHODCALLTYPE DrawInstanced(UINT vertexCountPerInstance, UINT instanceCount, UINT startVertexLocation,
                                       UINT startInstanceLocation) override;
  void STDMETHODCALLTYPE GSSetConstantBuffers(UINT start, UINT count, ID3D10Buffer *const *buffers) override;
  void STDMETHODCALLTYPE GSSetShader(ID3D10GeometryShader *shader) override;
  void STDMETHODCALLTYPE IASetPrimitiveTopology(D3D10_PRIMITIVE_TOPOLOGY topology) override;
  void STDMETHODCALLTYPE VSSetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView *const *views) override;
  void STDMETHODCALLTYPE VSSetSamplers(UINT start, UINT count, ID3D10SamplerState *const *samplers) override;
  void STDMETHODCALLTYPE SetPredication(ID3D10Predicate *predicate, WINBOOL predicateValue) override;
  void STDMETHODCALLTYPE GSSetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView *const *views) override;
  void STDMETHODCALLTYPE GSSetSamplers(UINT start, UINT count, ID3D10SamplerState *const *samplers) override;
  void STDMETHODCALLTYPE OMSetRenderTargets(UINT count, ID3D10RenderTargetView *const *views,
                                            ID3D10DepthStencilView *depth) override;
  void STDMETHODCALLTYPE OMSetBlendState(ID3D10BlendState *blendState, const FLOAT blendFactor[4],
                                         UINT sampleMask) override;
  void STDMETHODCALLTYPE OMSetDepthStencilState(ID3D10DepthStencilState *depthStencilState, UINT stencilRef) override;
  void STDMETHODCALLTYPE SOSetTargets(UINT count, ID3D10Buffer *const *buffers, const UINT *offsets) override;
  void STDMETHODCALLTYPE DrawAuto() override;
  void STDMETHODCALLTYPE RSSetState(ID3D10RasterizerState *rasterizerState) override;
  void STDMETHODCALLTYPE RSSetViewports(UINT numViewports, const D3D10_VIEWPORT *viewports) override;
  void STDMETHODCALLTYPE RSSetScissorRects(UINT numRects, const D3D10_RECT *rects) override;
  void STDMETHODCALLTYPE CopySubresourceRegion(ID3D10Resource *dstResource, UINT dstSubresource, UINT dstX, UINT dstY,
                                               UINT dstZ, ID3D10Resource *srcResource, UINT srcSubresource,
                                               const D3D10_BOX *srcBox) override;
  void STDMETHODCALLTYPE CopyResource(ID3D10Resource *dstResource, ID3D10Resource *srcResource) override;
  void STDMETHODCALLTYPE UpdateSubresource(ID3D10Resource *dstResource, UINT dstSubresource, const D3D10_BOX *dstBox,
                                           const void *srcData, UINT srcRowPitch, UINT srcDepthPitch) override;
  void STDMETHODCALLTYPE ClearRenderTargetView(ID3D10RenderTargetView *renderTargetView,
                                               const FLOAT colorRGBA[4]) override;
  void STDMETHODCALLTYPE ClearDepthStencilView(ID3D10DepthStencilView *view, UINT clearFlags, FLOAT depth,
                                               UINT8 stencil) override;
  void STDMETHODCALLTYPE GenerateMips(ID3D10ShaderResourceView *shaderResourceView) override;
  void STDMETHODCALLTYPE ResolveSubresource(ID3D10Resource *dstResource, UINT dstSubresource,
                                            ID3D10Resource *srcResource, UINT srcSubresource,
                                            DXGI_FORMAT format) override;
  void STDMETHODCALLTYPE VSGetConstantBuffers(UINT start, UINT count, ID3D10Buffer **buffers) override;
  void STDMETHODCALLTYPE PSGetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView **views) override;
  void STDMETHODCALLTYPE PSGetShader(ID3D10PixelShader **pixelShader) override;
  void STDMETHODCALLTYPE PSGetSamplers(UINT start, UINT count, ID3D10SamplerState **samplers) override;
  void STDMETHODCALLTYPE VSGetShader(ID3D10VertexShader **vertexShader) override;
  void STDMETHODCALLTYPE PSGetConstantBuffers(UINT start, UINT count, ID3D10Buffer **buffers) override;
  void STDMETHODCALLTYPE IAGetInputLayout(ID3D10InputLayout **inputLayout) override;
  void STDMETHODCALLTYPE IAGetVertexBuffers(UINT start, UINT count, ID3D10Buffer **vertexBuffers, UINT *strides,
                                            UINT *offsets) override;
  void STDMETHODCALLTYPE IAGetIndexBuffer(ID3D10Buffer **indexBuffer, DXGI_FORMAT *format, UINT *offset) override;
  void STDMETHODCALLTYPE GSGetConstantBuffers(UINT start, UINT count, ID3D10Buffer **buffers) override;
  void STDMETHODCALLTYPE GSGetShader(ID3D10GeometryShader **geometryShader) override;
  void STDMETHODCALLTYPE IAGetPrimitiveTopology(D3D10_PRIMITIVE_TOPOLOGY *topology) override;
  void STDMETHODCALLTYPE VSGetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView **views) override;
  void STDMETHODCALLTYPE VSGetSamplers(UINT start, UINT count, ID3D10SamplerState **samplers) override;
  void STDMETHODCALLTYPE GetPredication(ID3D10Predicate **predicate, WINBOOL *predicateValue) override;
  void STDMETHODCALLTYPE GSGetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView **views) override;
  void STDMETHODCALLTYPE GSGetSamplers(UINT start, UINT count, ID3D10SamplerState **samplers) override;
  void STDMETHODCALLTYPE OMGetRenderTargets(UINT count, ID3D10RenderTargetView **views,
                                            ID3D10DepthStencilView **depth) override;
  void STDMETHODCALLTYPE OMGetBlendState(ID3D10BlendState **blendState, FLOAT blendFactor[4],
                                         UINT *sampleMask) override;
  void STDMETHODCALLTYPE OMGetDepthStencilState(ID3D10DepthStencilState **depthStencilState, UINT *stencilRef) override;
  void STDMETHODCALLTYPE SOGetTargets(UINT count, ID3D10Buffer **buffers, UINT *offsets) override;
  void STDMETHODCALLTYPE RSGetState(ID3D10RasterizerState **rasterizerState) override;
  void STDMETHODCALLTYPE RSGetViewports(UINT *numViewports, D3D10_VIEWPORT *viewports) override;
  void STDMETHODCALLTYPE RSGetScissorRects(UINT *numRects, D3D10_RECT *rects) override;
  HRESULT STDMETHODCALLTYPE GetDeviceRemovedReason() override;
  HRESULT STDMETHODCALLTYPE SetExceptionMode(UINT raiseFlags) override;
  UINT STDMETHODCALLTYPE GetExceptionMode() override;
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *dataSize, void *data) override;
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT dataSize, const void *data) override;
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *data) override;
  void STDMETHODCALLTYPE ClearState() override;
  void STDMETHODCALLTYPE Flush() override;
  HRESULT STDMETHODCALLTYPE CreateBuffer(const D3D10_BUFFER_DESC *desc, const D3D10_SUBRESOURCE_DATA *data,
                                         ID3D10Buffer **buffer) override;
  HRESULT STDMETHODCALLTYPE CreateTexture1D(const D3D10_TEXTURE1D_DESC *desc, const D3D10_SUBRESOURCE_DATA *data,
                                            ID3D10Texture1D **texture1D) override;
  HRESULT STDMETHODCALLTYPE CreateTexture2D(const D3D10_TEXTURE2D_DESC *desc, const D3D10_SUBRESOURCE_DATA *data,
                                            ID3D10Texture2D **texture2D) override;
  HRESULT STDMETHODCALLTYPE CreateTexture3D(const D3D10_TEXTURE3D_DESC *desc, const D3D10_SUBRESOURCE_DATA *data,
                                            ID3D10Texture3D **texture3D) override;
  HRESULT STDMETHODCALLTYPE CreateShaderResourceView(ID3D10Resource *resource,
                                                     const D3D10_SHADER_RESOURCE_VIEW_DESC *desc,
                                                     ID3D10ShaderResourceView **view) override;
  HRESULT STDMETHODCALLTYPE CreateRenderTargetView(ID3D10Resource *resource, const D3D10_RENDER_TARGET_VIEW_DESC *desc,
                                                   ID3D10RenderTargetView **view) override;
  HRESULT STDMETHODCALLTYPE CreateDepthStencilView(ID3D10Resource *resource, const D3D10_DEPTH_STENCIL_VIEW_DESC *desc,
                                                   ID3D10DepthStencilView **depth) override;
  HRESULT STDMETHODCALLTYPE CreateInputLayout(const D3D10_INPUT_ELEMENT_DESC *inputElementDescs, UINT numElements,
                                              const void *code, SIZE_T size, ID3D10InputLayout **inputLayout) override;
  HRESULT STDMETHODCALLTYPE CreateVertexShader(const void *code, SIZE_T size,
                                               ID3D10VertexShader **vertexShader) override;
  HRESULT STDMETHODCALLTYPE CreateGeometryShader(const void *code, SIZE_T size,
                                                 ID3D10GeometryShader **geometryShader) override;
  HRESULT STDMETHODCALLTYPE CreateGeometryShaderWithStreamOutput(const void *code, SIZE_T size,
                                                                 const D3D10_SO_DECLARATION_ENTRY *entries,
                                                                 UINT numEntries, UINT outputStreamStride,
                                                                 ID3D10GeometryShader **geometryShader) override;
  HRESULT STDMETHODCALLTYPE CreatePixelShader(const void *code, SIZE_T size, ID3D10PixelShader **pixelShader) override;
  HRESULT STDMETHODCALLTYPE CreateBlendState(const D3D10_BLEND_DESC *blendStateDesc,
                                             ID3D10BlendState **blendState) override;
  HRESULT STDMETHODCALLTYPE CreateDepthStencilState(const D3D10_DEPTH_STENCIL_DESC *depthStencilDesc,
                                                    ID3D10DepthStencilState **depthStencilState) override;
  HRESULT STDMETHODCALLTYPE CreateRasterizerState(const D3D10_RASTERIZER_DESC *rasterizerDesc,
                                                  ID3D10RasterizerState **rasterizerState) override;
  HRESULT STDMETHODCALLTYPE CreateSamplerState(const D3D10_SAMPLER_DESC *samplerDesc,
                                               ID3D10SamplerState **samplerState) override;
  HRESULT STDMETHODCALLTYPE CreateQuery(const D3D10_QUERY_DESC *queryDesc, ID3D10Query **query) override;
  HRESULT STDMETHODCALLTYPE CreatePredicate(const D3D10_QUERY_DESC *predicateDesc,
                                            ID3D10Predicate **predicate) override;
  HRESULT STDMETHODCALLTYPE CreateCounter(const D3D10_COUNTER_DESC *counterDesc, ID3D10Counter **counter) override;
  HRESULT STDMETHODCALLTYPE CheckFormatSupport(DXGI_FORMAT format, UINT *formatSupport) override;
  HRESULT STDMETHODCALLTYPE CheckMultisampleQualityLevels(DXGI_FORMAT format, UINT sampleCount,
                                                          UINT *numQualityLevels) override;
  void STDMETHODCALLTYPE CheckCounterInfo(D3D10_COUNTER_INFO *counterInfo) override;
  HRESULT STDMETHODCALLTYPE CheckCounter(const D3D10_COUNTER_DESC *desc, D3D10_COUNTER_TYPE *type, UINT *activeCounters,
                                         char *name, UINT *nameLength, char *units, UINT *unitsLength,
                                         char *description, UINT *descriptionLength) override;
  UINT STDMETHODCALLTYPE GetCreationFlags() override;
  HRESULT STDMETHODCALLTYPE OpenSharedResource(HANDLE hResource, REFIID returnedInterface, void **resource) override;
  void STDMETHODCALLTYPE SetTextFilterSize(UINT width, UINT height) override;
  void STDMETHODCALLTYPE GetTextFilterSize(UINT *width, UINT *height) override;
  HRESULT STDMETHODCALLTYPE CreateShaderResourceView1(ID3D10Resource *resource,
                                                      const D3D10_SHADER_RESOURCE_VIEW_DESC1 *desc,
                                                      ID3D10ShaderResourceView1 **view) override;
  HRESULT STDMETHODCALLTYPE CreateBlendState1(const D3D10_BLEND_DESC1 *blendStateDesc,
                                              ID3D10BlendState1 **blendState) override;
  D3D10_FEATURE_LEVEL1 STDMETHODCALLTYPE GetFeatureLevel() override;

private:
  Device &m_device;
  ID3D11DeviceContext &m_context;  ///< the device's, without a reference
  UINT m_textFilterWidth = 0, m_textFilterHeight = 0;
};

}  // namespace aerogpu::runtime11
