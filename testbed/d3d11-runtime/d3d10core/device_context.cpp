// SPDX-License-Identifier: MIT
// What Direct3D 11 has moved from the device to its immediate context: binding, draws, copies.
#include <algorithm>

#include "testbed/d3d11-runtime/d3d10core/arrays.h"
#include "testbed/d3d11-runtime/d3d10core/device.h"

namespace aerogpu::runtime11 {
namespace {

constexpr UINT kAreas = D3D11_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE;

/// A box, which may be null, in Direct3D 11's structure.
class Box11 {
public:
  explicit Box11(const D3D10_BOX *given) : m_given(given != nullptr) {
    if (given) m_box = same<D3D11_BOX>(*given);
  }
  const D3D11_BOX *data() const { return m_given ? &m_box : nullptr; }

private:
  const bool m_given;
  D3D11_BOX m_box{};
};

}  // namespace

#define AEROGPU_STAGE(STAGE, SHADER)                                                                                \
  void Device10::STAGE##SetShader(ID3D10##SHADER *shader) {                                                         \
    m_context.STAGE##SetShader(objectOf(shader), nullptr, 0);                                                       \
  }                                                                                                                 \
  void Device10::STAGE##SetConstantBuffers(UINT start, UINT count, ID3D10Buffer *const *given) {                    \
    m_context.STAGE##SetConstantBuffers(start, count, ObjectList<ID3D11Buffer, ID3D10Buffer>(given, count).data()); \
  }                                                                                                                 \
  void Device10::STAGE##SetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView *const *given) {        \
    m_context.STAGE##SetShaderResources(                                                                            \
        start, count, ObjectList<ID3D11ShaderResourceView, ID3D10ShaderResourceView>(given, count).data());         \
  }                                                                                                                 \
  void Device10::STAGE##SetSamplers(UINT start, UINT count, ID3D10SamplerState *const *given) {                     \
    m_context.STAGE##SetSamplers(start, count,                                                                      \
                                 ObjectList<ID3D11SamplerState, ID3D10SamplerState>(given, count).data());          \
  }                                                                                                                 \
  void Device10::STAGE##GetShader(ID3D10##SHADER **out) {                                                           \
    giveList<ID3D11##SHADER>(                                                                                       \
        out, 1, [&](UINT, ID3D11##SHADER **shader) { m_context.STAGE##GetShader(shader, nullptr, nullptr); });      \
  }                                                                                                                 \
  void Device10::STAGE##GetConstantBuffers(UINT start, UINT count, ID3D10Buffer **out) {                            \
    giveList<ID3D11Buffer>(out, count, [&](UINT i, ID3D11Buffer **buffer) {                                         \
      m_context.STAGE##GetConstantBuffers(start + i, 1, buffer);                                                    \
    });                                                                                                             \
  }                                                                                                                 \
  void Device10::STAGE##GetShaderResources(UINT start, UINT count, ID3D10ShaderResourceView **out) {                \
    giveList<ID3D11ShaderResourceView>(out, count, [&](UINT i, ID3D11ShaderResourceView **view) {                   \
      m_context.STAGE##GetShaderResources(start + i, 1, view);                                                      \
    });                                                                                                             \
  }                                                                                                                 \
  void Device10::STAGE##GetSamplers(UINT start, UINT count, ID3D10SamplerState **out) {                             \
    giveList<ID3D11SamplerState>(out, count, [&](UINT i, ID3D11SamplerState **sampler) {                            \
      m_context.STAGE##GetSamplers(start + i, 1, sampler);                                                          \
    });                                                                                                             \
  }
AEROGPU_STAGE(VS, VertexShader)
AEROGPU_STAGE(GS, GeometryShader)
AEROGPU_STAGE(PS, PixelShader)
#undef AEROGPU_STAGE

void Device10::IASetInputLayout(ID3D10InputLayout *layout) {
  m_context.IASetInputLayout(objectOf(layout));
}
void Device10::IASetVertexBuffers(UINT start, UINT count, ID3D10Buffer *const *given, const UINT *strides,
                                  const UINT *offsets) {
  m_context.IASetVertexBuffers(start, count, ObjectList<ID3D11Buffer, ID3D10Buffer>(given, count).data(), strides,
                               offsets);
}
void Device10::IASetIndexBuffer(ID3D10Buffer *buffer, DXGI_FORMAT format, UINT offset) {
  m_context.IASetIndexBuffer(objectOf(buffer), format, offset);
}
void Device10::IASetPrimitiveTopology(D3D10_PRIMITIVE_TOPOLOGY topology) {
  m_context.IASetPrimitiveTopology(topology);
}
void Device10::OMSetRenderTargets(UINT count, ID3D10RenderTargetView *const *given, ID3D10DepthStencilView *depth) {
  m_context.OMSetRenderTargets(count, ObjectList<ID3D11RenderTargetView, ID3D10RenderTargetView>(given, count).data(),
                               objectOf(depth));
}
void Device10::OMSetBlendState(ID3D10BlendState *state, const FLOAT factor[4], UINT mask) {
  m_context.OMSetBlendState(objectOf(state), factor, mask);
}
void Device10::OMSetDepthStencilState(ID3D10DepthStencilState *state, UINT reference) {
  m_context.OMSetDepthStencilState(objectOf(state), reference);
}
void Device10::SOSetTargets(UINT count, ID3D10Buffer *const *given, const UINT *offsets) {
  m_context.SOSetTargets(count, ObjectList<ID3D11Buffer, ID3D10Buffer>(given, count).data(), offsets);
}
void Device10::RSSetState(ID3D10RasterizerState *state) {
  m_context.RSSetState(objectOf(state));
}
void Device10::RSSetViewports(UINT count, const D3D10_VIEWPORT *given) {
  D3D11_VIEWPORT viewports[kAreas]{};
  if (count > kAreas || (count && !given)) return;
  std::transform(given, given + count, viewports, [](const D3D10_VIEWPORT &v) { return elevenOf(v); });
  m_context.RSSetViewports(count, viewports);
}
void Device10::RSSetScissorRects(UINT count, const D3D10_RECT *rects) {
  m_context.RSSetScissorRects(count, rects);
}
void Device10::SetPredication(ID3D10Predicate *predicate, WINBOOL value) {
  m_context.SetPredication(objectOf(predicate), value);
}

void Device10::IAGetInputLayout(ID3D10InputLayout **out) {
  giveList<ID3D11InputLayout>(out, 1, [&](UINT, ID3D11InputLayout **layout) { m_context.IAGetInputLayout(layout); });
}
void Device10::IAGetVertexBuffers(UINT start, UINT count, ID3D10Buffer **out, UINT *strides, UINT *offsets) {
  giveList<ID3D11Buffer>(out, count, [&](UINT i, ID3D11Buffer **buffer) {
    m_context.IAGetVertexBuffers(start + i, 1, buffer, nullptr, nullptr);
  });
  m_context.IAGetVertexBuffers(start, count, nullptr, strides, offsets);
}
void Device10::IAGetIndexBuffer(ID3D10Buffer **out, DXGI_FORMAT *format, UINT *offset) {
  ID3D11Buffer *buffer = nullptr;
  m_context.IAGetIndexBuffer(out ? &buffer : nullptr, format, offset);
  if (out) give(buffer, out);
}
void Device10::IAGetPrimitiveTopology(D3D10_PRIMITIVE_TOPOLOGY *out) {
  m_context.IAGetPrimitiveTopology(out);
}
void Device10::OMGetRenderTargets(UINT count, ID3D10RenderTargetView **out, ID3D10DepthStencilView **depthOut) {
  ID3D11RenderTargetView *views[D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT]{};
  ID3D11DepthStencilView *depth = nullptr;
  m_context.OMGetRenderTargets(static_cast<UINT>(std::size(views)), out ? views : nullptr, depthOut ? &depth : nullptr);
  for (UINT i = 0; out && i < std::size(views); ++i) {
    if (i < count)
      give(views[i], &out[i]);
    else if (views[i])
      views[i]->Release();
  }
  if (depthOut) give(depth, depthOut);
}
void Device10::OMGetBlendState(ID3D10BlendState **out, FLOAT factor[4], UINT *mask) {
  ID3D11BlendState *state = nullptr;
  m_context.OMGetBlendState(out ? &state : nullptr, factor, mask);
  if (out) give(state, out);
}
void Device10::OMGetDepthStencilState(ID3D10DepthStencilState **out, UINT *reference) {
  ID3D11DepthStencilState *state = nullptr;
  m_context.OMGetDepthStencilState(out ? &state : nullptr, reference);
  if (out) give(state, out);
}
/// Direct3D 11 does not tell offsets.
void Device10::SOGetTargets(UINT count, ID3D10Buffer **out, UINT *offsets) {
  ID3D11Buffer *buffers[D3D11_SO_BUFFER_SLOT_COUNT]{};
  m_context.SOGetTargets(static_cast<UINT>(std::size(buffers)), out ? buffers : nullptr);
  for (UINT i = 0; i < count; ++i) {
    if (out && i < std::size(buffers)) give(std::exchange(buffers[i], nullptr), &out[i]);
    if (offsets) offsets[i] = 0;
  }
  for (ID3D11Buffer *left : buffers)
    if (left) left->Release();
}
void Device10::RSGetState(ID3D10RasterizerState **out) {
  giveList<ID3D11RasterizerState>(out, 1, [&](UINT, ID3D11RasterizerState **state) { m_context.RSGetState(state); });
}
void Device10::RSGetViewports(UINT *count, D3D10_VIEWPORT *out) {
  if (!count) return;
  if (!out) return m_context.RSGetViewports(count, nullptr);
  D3D11_VIEWPORT viewports[kAreas]{};
  UINT all = kAreas;
  m_context.RSGetViewports(&all, viewports);
  for (UINT i = 0; i < *count; ++i) out[i] = i < all ? tenOf(viewports[i]) : D3D10_VIEWPORT{};
  *count = std::min(*count, all);
}
void Device10::RSGetScissorRects(UINT *count, D3D10_RECT *out) {
  m_context.RSGetScissorRects(count, out);
}
void Device10::GetPredication(ID3D10Predicate **out, WINBOOL *value) {
  ID3D11Predicate *predicate = nullptr;
  m_context.GetPredication(out ? &predicate : nullptr, value);
  if (out) give(predicate, out);
}

void Device10::Draw(UINT count, UINT start) {
  m_context.Draw(count, start);
}
void Device10::DrawIndexed(UINT count, UINT start, INT base) {
  m_context.DrawIndexed(count, start, base);
}
void Device10::DrawInstanced(UINT vertices, UINT instances, UINT start, UINT firstInstance) {
  m_context.DrawInstanced(vertices, instances, start, firstInstance);
}
void Device10::DrawIndexedInstanced(UINT indices, UINT instances, UINT start, INT base, UINT firstInstance) {
  m_context.DrawIndexedInstanced(indices, instances, start, base, firstInstance);
}
void Device10::DrawAuto() {
  m_context.DrawAuto();
}
void Device10::ClearRenderTargetView(ID3D10RenderTargetView *view, const FLOAT color[4]) {
  m_context.ClearRenderTargetView(objectOf(view), color);
}
void Device10::ClearDepthStencilView(ID3D10DepthStencilView *view, UINT flags, FLOAT depth, UINT8 stencil) {
  m_context.ClearDepthStencilView(objectOf(view), flags, depth, stencil);
}
void Device10::GenerateMips(ID3D10ShaderResourceView *view) {
  m_context.GenerateMips(objectOf(view));
}
void Device10::CopyResource(ID3D10Resource *to, ID3D10Resource *from) {
  m_context.CopyResource(objectOf(to), objectOf(from));
}
void Device10::CopySubresourceRegion(ID3D10Resource *to, UINT toSubresource, UINT x, UINT y, UINT z,
                                     ID3D10Resource *from, UINT fromSubresource, const D3D10_BOX *box) {
  m_context.CopySubresourceRegion(objectOf(to), toSubresource, x, y, z, objectOf(from), fromSubresource,
                                  Box11(box).data());
}
void Device10::UpdateSubresource(ID3D10Resource *to, UINT subresource, const D3D10_BOX *box, const void *data,
                                 UINT rowPitch, UINT depthPitch) {
  m_context.UpdateSubresource(objectOf(to), subresource, Box11(box).data(), data, rowPitch, depthPitch);
}
void Device10::ResolveSubresource(ID3D10Resource *to, UINT toSubresource, ID3D10Resource *from, UINT fromSubresource,
                                  DXGI_FORMAT format) {
  m_context.ResolveSubresource(objectOf(to), toSubresource, objectOf(from), fromSubresource, format);
}
void Device10::ClearState() {
  m_context.ClearState();
}
void Device10::Flush() {
  m_context.Flush();
}

}  // namespace aerogpu::runtime11
