// SPDX-License-Identifier: MIT
// A deferred context: what is bound, as a shadow context has it, and the calls so far. No call reaches the driver
// before the immediate context plays the list. Direct3D 11.3 Functional Specification, 6.3 "Command Lists".
#pragma once

#include <functional>
#include <memory>

#include "testbed/d3d11-runtime/d3d11/context.h"
#include "testbed/d3d11-runtime/deferred/held.h"

namespace aerogpu::runtime11 {

using Commands = std::vector<std::function<void(ID3D11DeviceContext &)>>;

/// Implements ID3D11Device1::CreateDeferredContext1 (Device::MakeDeferred).
HRESULT makeDeferredContext(Core &core, ID3D11DeviceContext1 **out);

class DeferredContext final : public Context {
public:
  explicit DeferredContext(Core &core) : Context(core, true) {}

#define AEROGPU_STAGE(STAGE, SHADER)                                                                                 \
  void STDMETHODCALLTYPE STAGE##SetShader(ID3D11##SHADER *shader, ID3D11ClassInstance *const *instances, UINT count) \
      override;                                                                                                      \
  void STDMETHODCALLTYPE STAGE##SetConstantBuffers(UINT start, UINT count, ID3D11Buffer *const *buffers) override;   \
  void STDMETHODCALLTYPE STAGE##SetShaderResources(UINT start, UINT count, ID3D11ShaderResourceView *const *views)   \
      override;                                                                                                      \
  void STDMETHODCALLTYPE STAGE##SetSamplers(UINT start, UINT count, ID3D11SamplerState *const *samplers) override;
  AEROGPU_STAGE(VS, VertexShader)
  AEROGPU_STAGE(GS, GeometryShader)
  AEROGPU_STAGE(PS, PixelShader)
#undef AEROGPU_STAGE
  void STDMETHODCALLTYPE IASetInputLayout(ID3D11InputLayout *layout) override;
  void STDMETHODCALLTYPE SOSetTargets(UINT count, ID3D11Buffer *const *buffers, const UINT *offsets) override;
  void STDMETHODCALLTYPE DrawAuto() override;
  void STDMETHODCALLTYPE IASetVertexBuffers(UINT start, UINT count, ID3D11Buffer *const *buffers, const UINT *strides,
                                            const UINT *offsets) override;
  void STDMETHODCALLTYPE IASetIndexBuffer(ID3D11Buffer *buffer, DXGI_FORMAT format, UINT offset) override;
  void STDMETHODCALLTYPE IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY topology) override;
  void STDMETHODCALLTYPE OMSetRenderTargets(UINT count, ID3D11RenderTargetView *const *views,
                                            ID3D11DepthStencilView *depth) override;
  void STDMETHODCALLTYPE OMSetBlendState(ID3D11BlendState *state, const FLOAT factor[4], UINT mask) override;
  void STDMETHODCALLTYPE OMSetDepthStencilState(ID3D11DepthStencilState *state, UINT reference) override;
  void STDMETHODCALLTYPE RSSetState(ID3D11RasterizerState *state) override;
  void STDMETHODCALLTYPE RSSetViewports(UINT count, const D3D11_VIEWPORT *viewports) override;
  void STDMETHODCALLTYPE RSSetScissorRects(UINT count, const D3D11_RECT *rects) override;
  void STDMETHODCALLTYPE SetPredication(ID3D11Predicate *predicate, WINBOOL value) override;
  void STDMETHODCALLTYPE ClearState() override;

  void STDMETHODCALLTYPE Draw(UINT count, UINT start) override;
  void STDMETHODCALLTYPE DrawIndexed(UINT count, UINT start, INT base) override;
  void STDMETHODCALLTYPE DrawInstanced(UINT vertices, UINT instances, UINT start, UINT firstInstance) override;
  void STDMETHODCALLTYPE DrawIndexedInstanced(UINT indices, UINT instances, UINT start, INT base,
                                              UINT firstInstance) override;
  void STDMETHODCALLTYPE ClearRenderTargetView(ID3D11RenderTargetView *view, const FLOAT color[4]) override;
  void STDMETHODCALLTYPE ClearDepthStencilView(ID3D11DepthStencilView *view, UINT flags, FLOAT depth,
                                               UINT8 stencil) override;
  void STDMETHODCALLTYPE GenerateMips(ID3D11ShaderResourceView *view) override;
  void STDMETHODCALLTYPE Begin(ID3D11Asynchronous *query) override;
  void STDMETHODCALLTYPE End(ID3D11Asynchronous *query) override;
  HRESULT STDMETHODCALLTYPE GetData(ID3D11Asynchronous *query, void *data, UINT size, UINT flags) override;
  void STDMETHODCALLTYPE Flush() override;

  HRESULT STDMETHODCALLTYPE Map(ID3D11Resource *resource, UINT subresource, D3D11_MAP type, UINT flags,
                                D3D11_MAPPED_SUBRESOURCE *out) override;
  void STDMETHODCALLTYPE Unmap(ID3D11Resource *resource, UINT subresource) override;
  void STDMETHODCALLTYPE UpdateSubresource(ID3D11Resource *resource, UINT subresource, const D3D11_BOX *box,
                                           const void *data, UINT rowPitch, UINT depthPitch) override;
  void STDMETHODCALLTYPE CopyResource(ID3D11Resource *to, ID3D11Resource *from) override;
  void STDMETHODCALLTYPE CopySubresourceRegion(ID3D11Resource *to, UINT toSubresource, UINT x, UINT y, UINT z,
                                               ID3D11Resource *from, UINT fromSubresource,
                                               const D3D11_BOX *box) override;
  void STDMETHODCALLTYPE ResolveSubresource(ID3D11Resource *to, UINT toSubresource, ID3D11Resource *from,
                                            UINT fromSubresource, DXGI_FORMAT format) override;

  D3D11_DEVICE_CONTEXT_TYPE STDMETHODCALLTYPE GetType() override {
    return D3D11_DEVICE_CONTEXT_DEFERRED;
  }
  void STDMETHODCALLTYPE ExecuteCommandList(ID3D11CommandList *list, WINBOOL restore) override;
  HRESULT STDMETHODCALLTYPE FinishCommandList(WINBOOL restore, ID3D11CommandList **list) override;

private:
  /// The memory that stands for a dynamic subresource. It is copied when it is unmapped.
  struct Mapping {
    Held<ID3D11Resource> resource;
    UINT subresource, rowBytes, rows;
    D3D11_MAP type = D3D11_MAP_WRITE_DISCARD;
    bool isMapped = false;
    std::vector<BYTE> bytes{}, sent{};  ///< `sent`: what the calls so far write
  };
  Mapping *find(ID3D11Resource *resource, UINT subresource) const;
  /// Records a call of `kMethod` with arguments of held.h.
  template <auto kMethod, class... Arguments> void record(Arguments... arguments) {
    if (m_isClearing) return;
    m_commands.emplace_back(
        [... kept = std::move(arguments)](ID3D11DeviceContext &context) { (context.*kMethod)(pass(kept)...); });
  }

  Commands m_commands;
  bool m_isClearing = false;  ///< ClearState's own calls are not recorded
  std::vector<std::unique_ptr<Mapping>> m_mappings;
  std::vector<Held<ID3D11Asynchronous>> m_begun;  ///< queries
};

}  // namespace aerogpu::runtime11
