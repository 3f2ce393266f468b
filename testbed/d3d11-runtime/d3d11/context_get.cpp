// SPDX-License-Identifier: MIT
// What is bound: each object comes with a reference.
#include <algorithm>

#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {
namespace {

template <class T, class Api> void give(const Ref<T> &object, Api **out) {
  if (!out) return;
  *out = object.get();
  if (*out) (*out)->AddRef();
}

template <class T, size_t kCount, class Api>
void giveRange(const Ref<T> (&slots)[kCount], UINT start, UINT count, Api **out) {
  for (UINT i = 0; out && i < count; ++i) {
    out[i] = nullptr;
    if (start + i < kCount) give(slots[start + i], &out[i]);
  }
}

template <class T, class Api> void giveShader(const Ref<T> &shader, Api **out, UINT *instances) {
  give(shader, out);
  if (instances) *instances = 0;
}

template <class T> void giveAreas(const T *bound, UINT boundCount, UINT *count, T *out) {
  if (!count) return;
  if (!out) {
    *count = boundCount;
    return;
  }
  for (UINT i = 0; i < *count; ++i) out[i] = i < boundCount ? bound[i] : T{};
  *count = std::min(*count, boundCount);
}

}  // namespace

#define AEROGPU_STAGE(STAGE, MEMBER, SHADER)                                                          \
  void Context::STAGE##GetShader(ID3D11##SHADER **shader, ID3D11ClassInstance **, UINT *instances) {  \
    const Lock lock(core().lock);                                                                     \
    giveShader((MEMBER).shader, shader, instances);                                                   \
  }                                                                                                   \
  void Context::STAGE##GetConstantBuffers(UINT start, UINT count, ID3D11Buffer **buffers) {           \
    const Lock lock(core().lock);                                                                     \
    giveRange((MEMBER).constants, start, count, buffers);                                             \
  }                                                                                                   \
  void Context::STAGE##GetShaderResources(UINT start, UINT count, ID3D11ShaderResourceView **views) { \
    const Lock lock(core().lock);                                                                     \
    giveRange((MEMBER).views, start, count, views);                                                   \
  }                                                                                                   \
  void Context::STAGE##GetSamplers(UINT start, UINT count, ID3D11SamplerState **samplers) {           \
    const Lock lock(core().lock);                                                                     \
    giveRange((MEMBER).samplers, start, count, samplers);                                             \
  }
AEROGPU_STAGE(VS, m_vs, VertexShader)
AEROGPU_STAGE(GS, m_gs, GeometryShader)
AEROGPU_STAGE(PS, m_ps, PixelShader)
#undef AEROGPU_STAGE

void Context::IAGetInputLayout(ID3D11InputLayout **out) {
  const Lock lock(core().lock);
  give(m_layout, out);
}

void Context::IAGetVertexBuffers(UINT start, UINT count, ID3D11Buffer **buffers, UINT *strides, UINT *offsets) {
  const Lock lock(core().lock);
  for (UINT i = 0; i < count && start + i < kStreams; ++i) {
    const Stream &stream = m_streams[start + i];
    if (buffers) give(stream.buffer, &buffers[i]);
    if (strides) strides[i] = stream.stride;
    if (offsets) offsets[i] = stream.offset;
  }
}

void Context::IAGetIndexBuffer(ID3D11Buffer **buffer, DXGI_FORMAT *format, UINT *offset) {
  const Lock lock(core().lock);
  give(m_indices, buffer);
  if (format) *format = m_indexFormat;
  if (offset) *offset = m_indexOffset;
}

void Context::IAGetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY *out) {
  const Lock lock(core().lock);
  if (out) *out = m_topology;
}

void Context::OMGetRenderTargets(UINT count, ID3D11RenderTargetView **views, ID3D11DepthStencilView **depth) {
  const Lock lock(core().lock);
  giveRange(m_targets, 0, count, views);
  give(m_depth, depth);
}

void Context::SOGetTargets(UINT count, ID3D11Buffer **buffers) {
  const Lock lock(core().lock);
  giveRange(m_streamTargets, 0, count, buffers);
}

void Context::OMGetBlendState(ID3D11BlendState **state, FLOAT factor[4], UINT *mask) {
  const Lock lock(core().lock);
  give(m_blend, state);
  if (factor) std::copy_n(m_blendFactor, 4, factor);
  if (mask) *mask = m_sampleMask;
}

void Context::OMGetDepthStencilState(ID3D11DepthStencilState **state, UINT *reference) {
  const Lock lock(core().lock);
  give(m_depthState, state);
  if (reference) *reference = m_stencilReference;
}

void Context::RSGetState(ID3D11RasterizerState **out) {
  const Lock lock(core().lock);
  give(m_rasterizer, out);
}

void Context::RSGetViewports(UINT *count, D3D11_VIEWPORT *out) {
  const Lock lock(core().lock);
  giveAreas(m_viewports, m_viewportCount, count, out);
}

void Context::RSGetScissorRects(UINT *count, D3D11_RECT *out) {
  const Lock lock(core().lock);
  giveAreas(m_scissors, m_scissorCount, count, out);
}

D3D11_DEVICE_CONTEXT_TYPE Context::GetType() {
  return D3D11_DEVICE_CONTEXT_IMMEDIATE;
}

UINT Context::GetContextFlags() {
  return 0;
}

}  // namespace aerogpu::runtime11
