// SPDX-License-Identifier: MIT
// Binding. A range sets its slots and leaves the others; null unbinds. A resource that is a target is no shader's input
// at the same time: the one that is bound later wins for targets, and inputs become null.
#include <algorithm>

#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {
namespace {

/// Returns the runtime's object behind the API's.
template <class T, class Api> T *implementation(Api *object) {
  return static_cast<T *>(object);
}

/// Keeps what was bound until the driver has unbound it.
template <class T> std::vector<Ref<T>> keep(const Ref<T> *first, UINT count) {
  return {first, first + count};
}

/// True if a range lies within `slots` slots.
bool isRange(UINT start, UINT count, UINT slots) {
  return start < slots && count && count <= slots - start;
}

template <class T> auto handleOf(const Ref<T> &object) -> decltype(object->driver().handle()) {
  decltype(object->driver().handle()) none{};
  return object ? object->driver().handle() : none;
}

template <class Handle, class T> std::vector<Handle> handlesOf(const Ref<T> *first, UINT count) {
  std::vector<Handle> out;
  for (UINT i = 0; i < count; ++i) out.push_back(handleOf(first[i]));
  return out;
}

}  // namespace

template <auto kSet, class S> void Context::setShader(Stage<S> &stage, S *shader, UINT instances) {
  if (instances) runtime::notImplemented("ID3D11DeviceContext: class instances of shaders");
  const Lock lock(core().lock);
  const Ref<S> old = stage.shader;
  stage.shader = shader;
  if (!isLost()) driver().call<kSet>(handleOf(stage.shader));
}

template <auto kSet>
void Context::setConstants(Ref<Buffer> (&slots)[kConstants], UINT start, UINT count, ID3D11Buffer *const *buffers) {
  const Lock lock(core().lock);
  if (!isRange(start, count, kConstants)) return;
  const auto old = keep(slots + start, count);
  for (UINT i = 0; i < count; ++i) {
    Buffer *buffer = buffers ? implementation<Buffer>(buffers[i]) : nullptr;
    if (buffer && !(buffer->description().bind & D3D11_BIND_CONSTANT_BUFFER)) buffer = nullptr;
    slots[start + i] = buffer;
  }
  if (isLost()) return;
  Lent<D3D10DDI_HRESOURCE> lent(handlesOf<D3D10DDI_HRESOURCE>(slots + start, count));
  driver().call<kSet>(start, count, static_cast<const D3D10DDI_HRESOURCE *>(lent.data()));
}

bool Context::isTarget(const ShaderResourceView &view) const {
  for (UINT i = 0; i < m_targetCount; ++i)
    if (m_targets[i] && m_targets[i]->conflictsWith(view.resource(), view.range)) return true;
  if (!m_depth || m_depth->description().Flags) return false;
  return m_depth->conflictsWith(view.resource(), view.range);
}

template <auto kSet>
void Context::setViews(Ref<ShaderResourceView> (&slots)[kViews], UINT start, UINT count,
                       ID3D11ShaderResourceView *const *views) {
  const Lock lock(core().lock);
  if (!isRange(start, count, kViews)) return;
  const auto old = keep(slots + start, count);
  for (UINT i = 0; i < count; ++i) {
    ShaderResourceView *view = views ? implementation<ShaderResourceView>(views[i]) : nullptr;
    slots[start + i] = view && isTarget(*view) ? nullptr : view;
  }
  if (isLost()) return;
  Lent<D3D10DDI_HSHADERRESOURCEVIEW> lent(handlesOf<D3D10DDI_HSHADERRESOURCEVIEW>(slots + start, count));
  driver().call<kSet>(start, count, static_cast<const D3D10DDI_HSHADERRESOURCEVIEW *>(lent.data()));
}

template <auto kSet>
void Context::setSamplers(Ref<SamplerState> (&slots)[kSamplers], UINT start, UINT count,
                          ID3D11SamplerState *const *samplers) {
  const Lock lock(core().lock);
  if (!isRange(start, count, kSamplers)) return;
  const auto old = keep(slots + start, count);
  for (UINT i = 0; i < count; ++i) slots[start + i] = samplers ? implementation<SamplerState>(samplers[i]) : nullptr;
  if (isLost()) return;
  Lent<D3D10DDI_HSAMPLER> lent(handlesOf<D3D10DDI_HSAMPLER>(slots + start, count));
  driver().call<kSet>(start, count, static_cast<const D3D10DDI_HSAMPLER *>(lent.data()));
}

template <auto kSet>
void Context::unbindConflicts(Ref<ShaderResourceView> (&slots)[kViews], const Resource &resource,
                              const ViewRange &range) {
  for (UINT i = 0; i < kViews; ++i) {
    if (!slots[i] || !slots[i]->conflictsWith(resource, range)) continue;
    const Ref<ShaderResourceView> old = slots[i];
    slots[i] = nullptr;
    Lent<D3D10DDI_HSHADERRESOURCEVIEW> none(D3D10DDI_HSHADERRESOURCEVIEW{});
    if (!isLost()) driver().call<kSet>(i, 1u, static_cast<const D3D10DDI_HSHADERRESOURCEVIEW *>(none.data()));
  }
}

#define AEROGPU_STAGE(STAGE, DDI, MEMBER, SHADER)                                                                 \
  void Context::STAGE##SetShader(ID3D11##SHADER *shader, ID3D11ClassInstance *const *, UINT count) {              \
    setShader<&D3D11DDI_DEVICEFUNCS::pfn##DDI##SetShader>(MEMBER, implementation<SHADER>(shader), count);         \
  }                                                                                                               \
  void Context::STAGE##SetConstantBuffers(UINT start, UINT count, ID3D11Buffer *const *buffers) {                 \
    setConstants<&D3D11DDI_DEVICEFUNCS::pfn##DDI##SetConstantBuffers>((MEMBER).constants, start, count, buffers); \
  }                                                                                                               \
  void Context::STAGE##SetShaderResources(UINT start, UINT count, ID3D11ShaderResourceView *const *views) {       \
    setViews<&D3D11DDI_DEVICEFUNCS::pfn##DDI##SetShaderResources>((MEMBER).views, start, count, views);           \
  }                                                                                                               \
  void Context::STAGE##SetSamplers(UINT start, UINT count, ID3D11SamplerState *const *samplers) {                 \
    setSamplers<&D3D11DDI_DEVICEFUNCS::pfn##DDI##SetSamplers>((MEMBER).samplers, start, count, samplers);         \
  }
AEROGPU_STAGE(VS, Vs, m_vs, VertexShader)
AEROGPU_STAGE(GS, Gs, m_gs, GeometryShader)
AEROGPU_STAGE(PS, Ps, m_ps, PixelShader)
#undef AEROGPU_STAGE

void Context::IASetInputLayout(ID3D11InputLayout *layout) {
  const Lock lock(core().lock);
  const Ref<InputLayout> old = m_layout;
  m_layout = implementation<InputLayout>(layout);
  if (!isLost()) driver().call<&D3D11DDI_DEVICEFUNCS::pfnIaSetInputLayout>(handleOf(m_layout));
}

void Context::IASetVertexBuffers(UINT start, UINT count, ID3D11Buffer *const *buffers, const UINT *strides,
                                 const UINT *offsets) {
  const Lock lock(core().lock);
  if (!isRange(start, count, core().level >= D3D_FEATURE_LEVEL_10_1 ? kStreams : kStreams / 2)) return;
  const std::vector<Stream> old(m_streams + start, m_streams + start + count);
  std::vector<D3D10DDI_HRESOURCE> handles;
  std::vector<UINT> ddiStrides, ddiOffsets;
  for (UINT i = 0; i < count; ++i) {
    Stream &stream = m_streams[start + i];
    Buffer *buffer = buffers ? implementation<Buffer>(buffers[i]) : nullptr;
    if (buffer && (!(buffer->description().bind & D3D11_BIND_VERTEX_BUFFER) || isStreamTarget(*buffer)))
      buffer = nullptr;
    stream.buffer = buffer;
    stream.stride = buffer && strides ? strides[i] : 0;
    stream.offset = buffer && offsets ? offsets[i] : 0;
    handles.push_back(handleOf(stream.buffer));
    ddiStrides.push_back(stream.stride);
    ddiOffsets.push_back(stream.offset);
  }
  if (isLost()) return;
  Lent<D3D10DDI_HRESOURCE> lent(handles);
  Lent<UINT> lentStrides(ddiStrides), lentOffsets(ddiOffsets);
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnIaSetVertexBuffers>(
      start, count, static_cast<const D3D10DDI_HRESOURCE *>(lent.data()), static_cast<const UINT *>(lentStrides.data()),
      static_cast<const UINT *>(lentOffsets.data()));
}

void Context::IASetIndexBuffer(ID3D11Buffer *given, DXGI_FORMAT format, UINT offset) {
  const Lock lock(core().lock);
  Buffer *buffer = implementation<Buffer>(given);
  if (buffer && !(buffer->description().bind & D3D11_BIND_INDEX_BUFFER)) return;
  if (buffer && format != DXGI_FORMAT_R16_UINT && format != DXGI_FORMAT_R32_UINT) return;
  const Ref<Buffer> old = m_indices;
  m_indices = buffer;
  m_indexFormat = format;
  m_indexOffset = offset;
  if (!isLost())
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnIaSetIndexBuffer>(handleOf(m_indices),
                                                              buffer ? format : DXGI_FORMAT_UNKNOWN, offset);
}

void Context::IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY topology) {
  const Lock lock(core().lock);
  m_topology = topology;
  if (!isLost())
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnIaSetTopology>(static_cast<D3D10_DDI_PRIMITIVE_TOPOLOGY>(topology));
}

void Context::OMSetRenderTargets(UINT count, ID3D11RenderTargetView *const *views, ID3D11DepthStencilView *depth) {
  const Lock lock(core().lock);
  if (count > kTargets) return;
  const UINT before = m_targetCount;
  const auto oldTargets = keep(m_targets, kTargets);
  const Ref<DepthStencilView> oldDepth = m_depth;
  for (UINT i = 0; i < kTargets; ++i)
    m_targets[i] = i < count && views ? implementation<RenderTargetView>(views[i]) : nullptr;
  m_targetCount = count;
  m_depth = implementation<DepthStencilView>(depth);
  const auto unbind = [this](const Resource &resource, const ViewRange &range) {
    unbindConflicts<&D3D11DDI_DEVICEFUNCS::pfnVsSetShaderResources>(m_vs.views, resource, range);
    unbindConflicts<&D3D11DDI_DEVICEFUNCS::pfnGsSetShaderResources>(m_gs.views, resource, range);
    unbindConflicts<&D3D11DDI_DEVICEFUNCS::pfnPsSetShaderResources>(m_ps.views, resource, range);
  };
  for (UINT i = 0; i < count; ++i)
    if (m_targets[i]) unbind(m_targets[i]->resource(), m_targets[i]->range);
  if (m_depth && !m_depth->description().Flags) unbind(m_depth->resource(), m_depth->range);
  if (isLost()) return;
  Lent<D3D10DDI_HRENDERTARGETVIEW> lent(handlesOf<D3D10DDI_HRENDERTARGETVIEW>(m_targets, count));
  const D3D10DDI_HRENDERTARGETVIEW *handles = lent.data();
  const UINT cleared = before > count ? before - count : 0;
  if (driver().shape() == Shape::Eleven)
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnSetRenderTargets>(
        handles, count, cleared, handleOf(m_depth), static_cast<const D3D11DDI_HUNORDEREDACCESSVIEW *>(nullptr),
        static_cast<const UINT *>(nullptr), count, 0u, count, 0u);
  else
    driver().call<&D3D10DDI_DEVICEFUNCS::pfnSetRenderTargets>(handles, count, cleared, handleOf(m_depth));
}

void Context::unbindTarget(const DriverResource &resource) {
  const Lock lock(core().lock);
  std::vector<ID3D11RenderTargetView *> left;
  bool changed = false;
  for (UINT i = 0; i < m_targetCount; ++i) {
    const bool out = m_targets[i] && &m_targets[i]->resource().driver() == &resource;
    left.push_back(out ? nullptr : m_targets[i].get());
    changed |= out;
  }
  if (changed) OMSetRenderTargets(m_targetCount, left.data(), m_depth.get());
}

void Context::unbindResource(Resource &resource) {
  const Lock lock(core().lock);
  unbindTarget(resource.driver());
  const ViewRange all{0, resource.description().levels, 0, resource.description().slices};
  if (m_depth && m_depth->conflictsWith(resource, all)) {
    std::vector<ID3D11RenderTargetView *> targets;
    for (UINT i = 0; i < m_targetCount; ++i) targets.push_back(m_targets[i].get());
    OMSetRenderTargets(m_targetCount, targets.data(), nullptr);
  }
  unbindConflicts<&D3D11DDI_DEVICEFUNCS::pfnVsSetShaderResources>(m_vs.views, resource, all);
  unbindConflicts<&D3D11DDI_DEVICEFUNCS::pfnGsSetShaderResources>(m_gs.views, resource, all);
  unbindConflicts<&D3D11DDI_DEVICEFUNCS::pfnPsSetShaderResources>(m_ps.views, resource, all);
}

bool Context::isStreamTarget(const Buffer &buffer) const {
  return std::any_of(m_streamTargets, m_streamTargets + m_streamTargetCount,
                     [&](const Ref<Buffer> &target) { return target.get() == &buffer; });
}

void Context::SOSetTargets(UINT count, ID3D11Buffer *const *buffers, const UINT *offsets) {
  const Lock lock(core().lock);
  constexpr UINT kSlots = D3D11_SO_BUFFER_SLOT_COUNT;
  if (count > kSlots) return;
  const UINT before = std::exchange(m_streamTargetCount, count);
  const auto old = keep(m_streamTargets, kSlots);
  std::vector<UINT> ddiOffsets;
  for (UINT i = 0; i < kSlots; ++i) {
    Buffer *buffer = i < count && buffers ? implementation<Buffer>(buffers[i]) : nullptr;
    if (buffer && !(buffer->description().bind & D3D11_BIND_STREAM_OUTPUT)) buffer = nullptr;
    m_streamTargets[i] = buffer;
    if (i < count) ddiOffsets.push_back(buffer && offsets ? offsets[i] : 0);
  }
  // What is written is no vertex at the same time.
  for (UINT i = 0; i < kStreams; ++i)
    if (m_streams[i].buffer && isStreamTarget(*m_streams[i].buffer.get()))
      Context::IASetVertexBuffers(i, 1, nullptr, nullptr, nullptr);
  if (isLost()) return;
  Lent<D3D10DDI_HRESOURCE> lent(handlesOf<D3D10DDI_HRESOURCE>(m_streamTargets, count));
  Lent<UINT> lentOffsets(ddiOffsets);
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnSoSetTargets>(count, before > count ? before - count : 0,
                                                        static_cast<const D3D10DDI_HRESOURCE *>(lent.data()),
                                                        static_cast<const UINT *>(lentOffsets.data()));
}

void Context::OMSetBlendState(ID3D11BlendState *state, const FLOAT factor[4], UINT mask) {
  const Lock lock(core().lock);
  const Ref<BlendState> old = m_blend;
  m_blend = implementation<BlendState>(state);
  for (int i = 0; i < 4; ++i) m_blendFactor[i] = factor ? factor[i] : 1;
  m_sampleMask = mask;
  if (isLost()) return;
  Lent<FLOAT> lent(m_blendFactor, 4);
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnSetBlendState>(handleOf(m_blend ? m_blend : m_defaults.blend),
                                                         static_cast<const FLOAT *>(lent.data()), mask);
}

void Context::OMSetDepthStencilState(ID3D11DepthStencilState *state, UINT reference) {
  const Lock lock(core().lock);
  const Ref<DepthStencilState> old = m_depthState;
  m_depthState = implementation<DepthStencilState>(state);
  m_stencilReference = reference;
  if (!isLost())
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnSetDepthStencilState>(
        handleOf(m_depthState ? m_depthState : m_defaults.depthStencil), reference);
}

void Context::RSSetState(ID3D11RasterizerState *state) {
  const Lock lock(core().lock);
  const Ref<RasterizerState> old = m_rasterizer;
  m_rasterizer = implementation<RasterizerState>(state);
  if (!isLost())
    driver().call<&D3D11DDI_DEVICEFUNCS::pfnSetRasterizerState>(
        handleOf(m_rasterizer ? m_rasterizer : m_defaults.rasterizer));
}

void Context::RSSetViewports(UINT count, const D3D11_VIEWPORT *viewports) {
  const Lock lock(core().lock);
  if (count > kAreas || (count && !viewports)) return;
  const UINT before = std::exchange(m_viewportCount, count);
  std::copy_n(viewports, count, m_viewports);
  if (isLost()) return;
  std::vector<D3D10_DDI_VIEWPORT> rows;
  for (UINT i = 0; i < count; ++i) {
    const D3D11_VIEWPORT &v = viewports[i];
    rows.push_back({v.TopLeftX, v.TopLeftY, v.Width, v.Height, v.MinDepth, v.MaxDepth});
  }
  Lent<D3D10_DDI_VIEWPORT> lent(rows);
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnSetViewports>(count, before > count ? before - count : 0,
                                                        static_cast<const D3D10_DDI_VIEWPORT *>(lent.data()));
}

void Context::RSSetScissorRects(UINT count, const D3D11_RECT *rects) {
  const Lock lock(core().lock);
  if (count > kAreas || (count && !rects)) return;
  const UINT before = std::exchange(m_scissorCount, count);
  std::copy_n(rects, count, m_scissors);
  if (isLost()) return;
  Lent<D3D10_DDI_RECT> lent(rects, count);
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnSetScissorRects>(count, before > count ? before - count : 0,
                                                           static_cast<const D3D10_DDI_RECT *>(lent.data()));
}

HRESULT Context::bindDefaults(StateSets &sets) {
  const HRESULT result = createDefaultStates(core(), sets, m_defaults);
  if (SUCCEEDED(result)) setFixedStates();
  return result;
}

void Context::setFixedStates() {
  OMSetBlendState(nullptr, nullptr, ~0u);
  OMSetDepthStencilState(nullptr, 0);
  RSSetState(nullptr);
}

void Context::unbindAll() {
  ClearState();
  const DefaultStates unbound = std::exchange(m_defaults, {});
  if (unbound.rasterizer) setFixedStates();
}

void Context::ClearState() {
  const Lock lock(core().lock);
  // Only what is bound; a range for each run of slots would be the same to a driver.
  const auto clear = [this]<auto kShader, auto kConstant, auto kView, auto kSampler>(auto &stage) {
    if (stage.shader) setShader<kShader>(stage, static_cast<decltype(stage.shader.get())>(nullptr), 0);
    const auto last = [](const auto &slots) {
      UINT count = static_cast<UINT>(std::size(slots));
      while (count && !slots[count - 1]) --count;
      return count;
    };
    setConstants<kConstant>(stage.constants, 0, last(stage.constants), nullptr);
    setViews<kView>(stage.views, 0, last(stage.views), nullptr);
    setSamplers<kSampler>(stage.samplers, 0, last(stage.samplers), nullptr);
  };
  using Table = D3D11DDI_DEVICEFUNCS;
  clear.operator()<&Table::pfnVsSetShader, &Table::pfnVsSetConstantBuffers, &Table::pfnVsSetShaderResources,
                   &Table::pfnVsSetSamplers>(m_vs);
  clear.operator()<&Table::pfnGsSetShader, &Table::pfnGsSetConstantBuffers, &Table::pfnGsSetShaderResources,
                   &Table::pfnGsSetSamplers>(m_gs);
  clear.operator()<&Table::pfnPsSetShader, &Table::pfnPsSetConstantBuffers, &Table::pfnPsSetShaderResources,
                   &Table::pfnPsSetSamplers>(m_ps);
  if (m_layout) IASetInputLayout(nullptr);
  UINT streams = kStreams;
  while (streams && !m_streams[streams - 1].buffer) --streams;
  IASetVertexBuffers(0, streams, nullptr, nullptr, nullptr);
  if (m_indices) IASetIndexBuffer(nullptr, DXGI_FORMAT_UNKNOWN, 0);
  if (m_topology != D3D11_PRIMITIVE_TOPOLOGY_UNDEFINED) IASetPrimitiveTopology(D3D11_PRIMITIVE_TOPOLOGY_UNDEFINED);
  if (m_targetCount || m_depth) OMSetRenderTargets(0, nullptr, nullptr);
  if (m_streamTargetCount) SOSetTargets(0, nullptr, nullptr);
  const bool factors = std::all_of(m_blendFactor, m_blendFactor + 4, [](FLOAT f) { return f == 1; });
  if (m_blend || !factors || m_sampleMask != ~0u) OMSetBlendState(nullptr, nullptr, ~0u);
  if (m_depthState || m_stencilReference) OMSetDepthStencilState(nullptr, 0);
  if (m_rasterizer) RSSetState(nullptr);
  if (m_viewportCount) RSSetViewports(0, nullptr);
  if (m_scissorCount) RSSetScissorRects(0, nullptr);
  if (m_predicate) SetPredication(nullptr, FALSE);
}

}  // namespace aerogpu::runtime11
