// SPDX-License-Identifier: MIT
// Binding: the shadow context binds, which keeps what the program can ask for, and the call is recorded.
#include "testbed/d3d11-runtime/deferred/deferred_context.h"

namespace aerogpu::runtime11 {

using Api = ID3D11DeviceContext;

namespace {

ID3D11ClassInstance *const *const kNoInstances = nullptr;

}  // namespace

#define AEROGPU_STAGE(STAGE, SHADER)                                                                                  \
  void DeferredContext::STAGE##SetShader(ID3D11##SHADER *shader, ID3D11ClassInstance *const *instances, UINT count) { \
    const Lock lock(core().lock);                                                                                     \
    Context::STAGE##SetShader(shader, instances, count);                                                              \
    record<&Api::STAGE##SetShader>(Held(shader), kNoInstances, 0u);                                                   \
  }                                                                                                                   \
  void DeferredContext::STAGE##SetConstantBuffers(UINT start, UINT count, ID3D11Buffer *const *buffers) {             \
    const Lock lock(core().lock);                                                                                     \
    if (start > kConstants || count > kConstants - start) return;                                                     \
    Context::STAGE##SetConstantBuffers(start, count, buffers);                                                        \
    record<&Api::STAGE##SetConstantBuffers>(start, count, HeldArray(buffers, count));                                 \
  }                                                                                                                   \
  void DeferredContext::STAGE##SetShaderResources(UINT start, UINT count, ID3D11ShaderResourceView *const *views) {   \
    const Lock lock(core().lock);                                                                                     \
    if (start > kViews || count > kViews - start) return;                                                             \
    Context::STAGE##SetShaderResources(start, count, views);                                                          \
    record<&Api::STAGE##SetShaderResources>(start, count, HeldArray(views, count));                                   \
  }                                                                                                                   \
  void DeferredContext::STAGE##SetSamplers(UINT start, UINT count, ID3D11SamplerState *const *samplers) {             \
    const Lock lock(core().lock);                                                                                     \
    if (start > kSamplers || count > kSamplers - start) return;                                                       \
    Context::STAGE##SetSamplers(start, count, samplers);                                                              \
    record<&Api::STAGE##SetSamplers>(start, count, HeldArray(samplers, count));                                       \
  }
AEROGPU_STAGE(VS, VertexShader)
AEROGPU_STAGE(GS, GeometryShader)
AEROGPU_STAGE(PS, PixelShader)
#undef AEROGPU_STAGE

void DeferredContext::IASetInputLayout(ID3D11InputLayout *layout) {
  const Lock lock(core().lock);
  Context::IASetInputLayout(layout);
  record<&Api::IASetInputLayout>(Held(layout));
}

void DeferredContext::IASetVertexBuffers(UINT start, UINT count, ID3D11Buffer *const *buffers, const UINT *strides,
                                         const UINT *offsets) {
  const Lock lock(core().lock);
  if (start > kStreams || count > kStreams - start) return;
  Context::IASetVertexBuffers(start, count, buffers, strides, offsets);
  record<&Api::IASetVertexBuffers>(start, count, HeldArray(buffers, count), copyOf(strides, count),
                                   copyOf(offsets, count));
}

void DeferredContext::IASetIndexBuffer(ID3D11Buffer *buffer, DXGI_FORMAT format, UINT offset) {
  const Lock lock(core().lock);
  Context::IASetIndexBuffer(buffer, format, offset);
  record<&Api::IASetIndexBuffer>(Held(buffer), format, offset);
}

void DeferredContext::IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY topology) {
  const Lock lock(core().lock);
  Context::IASetPrimitiveTopology(topology);
  record<&Api::IASetPrimitiveTopology>(topology);
}

void DeferredContext::OMSetRenderTargets(UINT count, ID3D11RenderTargetView *const *views,
                                         ID3D11DepthStencilView *depth) {
  const Lock lock(core().lock);
  if (count > kTargets) return;
  Context::OMSetRenderTargets(count, views, depth);
  record<&Api::OMSetRenderTargets>(count, HeldArray(views, count), Held(depth));
}

void DeferredContext::SOSetTargets(UINT count, ID3D11Buffer *const *buffers, const UINT *offsets) {
  const Lock lock(core().lock);
  if (count > D3D11_SO_BUFFER_SLOT_COUNT) return;
  Context::SOSetTargets(count, buffers, offsets);
  record<&Api::SOSetTargets>(count, HeldArray(buffers, count), copyOf(offsets, count));
}

void DeferredContext::OMSetBlendState(ID3D11BlendState *state, const FLOAT factor[4], UINT mask) {
  const Lock lock(core().lock);
  Context::OMSetBlendState(state, factor, mask);
  record<&Api::OMSetBlendState>(Held(state), copyOf(factor, 4), mask);
}

void DeferredContext::OMSetDepthStencilState(ID3D11DepthStencilState *state, UINT reference) {
  const Lock lock(core().lock);
  Context::OMSetDepthStencilState(state, reference);
  record<&Api::OMSetDepthStencilState>(Held(state), reference);
}

void DeferredContext::RSSetState(ID3D11RasterizerState *state) {
  const Lock lock(core().lock);
  Context::RSSetState(state);
  record<&Api::RSSetState>(Held(state));
}

void DeferredContext::RSSetViewports(UINT count, const D3D11_VIEWPORT *viewports) {
  const Lock lock(core().lock);
  if (count > kAreas || (count && !viewports)) return;
  Context::RSSetViewports(count, viewports);
  record<&Api::RSSetViewports>(count, copyOf(viewports, count));
}

void DeferredContext::RSSetScissorRects(UINT count, const D3D11_RECT *rects) {
  const Lock lock(core().lock);
  if (count > kAreas || (count && !rects)) return;
  Context::RSSetScissorRects(count, rects);
  record<&Api::RSSetScissorRects>(count, copyOf(rects, count));
}

void DeferredContext::SetPredication(ID3D11Predicate *predicate, WINBOOL value) {
  const Lock lock(core().lock);
  Context::SetPredication(predicate, value);
  record<&Api::SetPredication>(Held(predicate), value);
}

void DeferredContext::ClearState() {
  const Lock lock(core().lock);
  record<&Api::ClearState>();
  m_isClearing = true;
  Context::ClearState();
  m_isClearing = false;
}

}  // namespace aerogpu::runtime11
