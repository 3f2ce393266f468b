// SPDX-License-Identifier: MIT
// Direct3D 11.1's part of the context, as Windows 7 has it with its Platform Update: states that are swapped, and
// hints. What only a driver of WDDM 1.2 can do is not offered (page "Direct3D 11.1 Features").
#include <algorithm>
#include <new>
#include <vector>

#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {
namespace {

using runtime::notImplemented;

/// Pointers to the objects of slots, without the empty ones at the end.
template <class Api, class Slots> std::vector<Api *> objectsOf(const Slots &slots) {
  std::vector<Api *> out;
  for (const auto &slot : slots) out.push_back(slot.get());
  while (!out.empty() && !out.back()) out.pop_back();
  return out;
}

}  // namespace

HRESULT createContextState(Core &core, UINT flags, const D3D_FEATURE_LEVEL *levels, UINT count, UINT version,
                           REFIID emulated, D3D_FEATURE_LEVEL *level, ID3DDeviceContextState **out) {
  if (out) *out = nullptr;
  if (level) *level = static_cast<D3D_FEATURE_LEVEL>(0);
  constexpr UINT kFlags = D3D11_1_CREATE_DEVICE_CONTEXT_STATE_SINGLETHREADED;
  if (version != D3D11_SDK_VERSION || !levels || !count || (flags & ~kFlags)) return E_INVALIDARG;
  if (!IsEqualIID(emulated, __uuidof(ID3D11Device)) && !IsEqualIID(emulated, __uuidof(ID3D11Device1))) {
    notImplemented("ID3D11Device1::CreateDeviceContextState for another device than Direct3D 11's");
    return E_INVALIDARG;
  }
  const D3D_FEATURE_LEVEL *const end = levels + count;
  const D3D_FEATURE_LEVEL *const chosen =
      std::find_if(levels, end, [&](D3D_FEATURE_LEVEL one) { return one <= core.level; });
  if (chosen == end) return E_INVALIDARG;
  if (level) *level = *chosen;
  if (!out) return S_FALSE;
  auto *state = new (std::nothrow) ContextState(core);
  if (!state) return E_OUTOFMEMORY;
  state->AddRef();
  *out = state;
  return S_OK;
}

void Context::bind(const BoundState &state) {
  ClearState();
#define AEROGPU_BIND(STAGE, MEMBER)                                                                              \
  {                                                                                                              \
    const auto constants = objectsOf<ID3D11Buffer>((MEMBER).constants);                                          \
    const auto views = objectsOf<ID3D11ShaderResourceView>((MEMBER).views);                                      \
    const auto samplers = objectsOf<ID3D11SamplerState>((MEMBER).samplers);                                      \
    if ((MEMBER).shader) STAGE##SetShader((MEMBER).shader.get(), nullptr, 0);                                    \
    if (!constants.empty()) STAGE##SetConstantBuffers(0, static_cast<UINT>(constants.size()), constants.data()); \
    if (!views.empty()) STAGE##SetShaderResources(0, static_cast<UINT>(views.size()), views.data());             \
    if (!samplers.empty()) STAGE##SetSamplers(0, static_cast<UINT>(samplers.size()), samplers.data());           \
  }
  AEROGPU_BIND(VS, state.m_vs)
  AEROGPU_BIND(GS, state.m_gs)
  AEROGPU_BIND(PS, state.m_ps)
#undef AEROGPU_BIND
  if (state.m_layout) IASetInputLayout(state.m_layout.get());
  for (UINT i = 0; i < kStreams; ++i) {
    const Stream &stream = state.m_streams[i];
    ID3D11Buffer *buffer = stream.buffer.get();
    if (buffer) IASetVertexBuffers(i, 1, &buffer, &stream.stride, &stream.offset);
  }
  if (state.m_indices) IASetIndexBuffer(state.m_indices.get(), state.m_indexFormat, state.m_indexOffset);
  if (state.m_topology != D3D11_PRIMITIVE_TOPOLOGY_UNDEFINED) IASetPrimitiveTopology(state.m_topology);
  const auto targets = objectsOf<ID3D11RenderTargetView>(state.m_targets);
  if (!targets.empty() || state.m_depth)
    OMSetRenderTargets(static_cast<UINT>(targets.size()), targets.data(), state.m_depth.get());
  const auto streams = objectsOf<ID3D11Buffer>(state.m_streamTargets);
  const std::vector<UINT> goOn(streams.size(), ~0u);
  if (!streams.empty()) SOSetTargets(static_cast<UINT>(streams.size()), streams.data(), goOn.data());
  OMSetBlendState(state.m_blend.get(), state.m_blendFactor, state.m_sampleMask);
  OMSetDepthStencilState(state.m_depthState.get(), state.m_stencilReference);
  RSSetState(state.m_rasterizer.get());
  if (state.m_viewportCount) RSSetViewports(state.m_viewportCount, state.m_viewports);
  if (state.m_scissorCount) RSSetScissorRects(state.m_scissorCount, state.m_scissors);
  if (state.m_predicate) SetPredication(state.m_predicate.get(), state.m_predicateValue);
}

void Context::SwapDeviceContextState(ID3DDeviceContextState *given, ID3DDeviceContextState **previous) {
  const Lock lock(core().lock);
  if (previous) *previous = nullptr;
  if (!given) return;
  if (m_isShadow) {
    notImplemented("ID3D11DeviceContext1::SwapDeviceContextState of a deferred context");
    return;
  }
  // What was bound before the first call is a state too.
  if (!m_state) m_state = new (std::nothrow) ContextState(core());
  if (!m_state) return;
  const Ref<ContextState> old = m_state;
  if (previous) {
    *previous = old.get();
    old->AddRef();
  }
  auto *const state = static_cast<ContextState *>(given);
  if (state == old.get()) return;
  old->bound = static_cast<const BoundState &>(*this);
  m_state = state;
  bind(state->bound);
  state->bound = BoundState();  // from here on it is the context's
}

// Flags that say that no other command touches the same memory, or that all of it is overwritten.
void Context::CopySubresourceRegion1(ID3D11Resource *destination, UINT destinationSubresource, UINT x, UINT y, UINT z,
                                     ID3D11Resource *source, UINT sourceSubresource, const D3D11_BOX *box, UINT) {
  CopySubresourceRegion(destination, destinationSubresource, x, y, z, source, sourceSubresource, box);
}

void Context::UpdateSubresource1(ID3D11Resource *resource, UINT subresource, const D3D11_BOX *box, const void *data,
                                 UINT rowPitch, UINT depthPitch, UINT) {
  UpdateSubresource(resource, subresource, box, data, rowPitch, depthPitch);
}

// Hints that contents are not needed, which nobody has to follow.
void Context::DiscardResource(ID3D11Resource *) {}
void Context::DiscardView(ID3D11View *) {}
void Context::DiscardView1(ID3D11View *, const D3D11_RECT *, UINT) {}

void Context::ClearView(ID3D11View *, const FLOAT[4], const D3D11_RECT *, UINT) {
  notImplemented("ID3D11DeviceContext1::ClearView");
}

// Offsets into constant buffers are for drivers of WDDM 1.2
// (D3D11_FEATURE_DATA_D3D11_OPTIONS::ConstantBufferOffsetting), on others these calls do nothing; without offsets they
// are the older ones.
#define AEROGPU_CONSTANTS_1(STAGE)                                                                                  \
  void Context::STAGE##SetConstantBuffers1(UINT start, UINT count, ID3D11Buffer *const *buffers, const UINT *first, \
                                           const UINT *constants) {                                                 \
    if (!first && !constants) STAGE##SetConstantBuffers(start, count, buffers);                                     \
  }                                                                                                                 \
  void Context::STAGE##GetConstantBuffers1(UINT start, UINT count, ID3D11Buffer **buffers, UINT *first,             \
                                           UINT *constants) {                                                       \
    STAGE##GetConstantBuffers(start, count, buffers);                                                               \
    for (UINT i = 0; i < count; ++i) {                                                                              \
      if (first) first[i] = 0;                                                                                      \
      if (constants) constants[i] = D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT;                                        \
    }                                                                                                               \
  }
AEROGPU_CONSTANTS_1(VS)
AEROGPU_CONSTANTS_1(HS)
AEROGPU_CONSTANTS_1(DS)
AEROGPU_CONSTANTS_1(GS)
AEROGPU_CONSTANTS_1(PS)
AEROGPU_CONSTANTS_1(CS)
#undef AEROGPU_CONSTANTS_1

}  // namespace aerogpu::runtime11
