// SPDX-License-Identifier: MIT
// Creations: the description in Direct3D 11's numbers, the Direct3D 11 object, and its facet.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "testbed/d3d11-runtime/d3d10core/arrays.h"
#include "testbed/d3d11-runtime/d3d10core/device.h"

namespace aerogpu::runtime11 {
namespace {

/// Runs a creation of Direct3D 11 and gives its object as Direct3D 10 shows it. Without `out` it only checks.
template <class Eleven, class Ten, class Create> HRESULT make(Ten **out, Create create) {
  Eleven *object = nullptr;
  if (out) *out = nullptr;
  const HRESULT result = create(out ? &object : nullptr);
  if (FAILED(result) || !out) return result;
  const HRESULT given = give(object, out);
  return FAILED(given) ? given : result;
}

/// Refuses a description.
template <class Ten> HRESULT refuse(Ten **out) {
  if (out) *out = nullptr;
  return E_INVALIDARG;
}

/// The program's data: the same structure, in a list that Direct3D 11's checks go through.
const D3D11_SUBRESOURCE_DATA *dataOf(const D3D10_SUBRESOURCE_DATA *data) {
  static_assert(sizeof *data == sizeof(D3D11_SUBRESOURCE_DATA));
  static_assert(offsetof(D3D10_SUBRESOURCE_DATA, SysMemPitch) == offsetof(D3D11_SUBRESOURCE_DATA, SysMemPitch));
  return reinterpret_cast<const D3D11_SUBRESOURCE_DATA *>(data);
}

}  // namespace

HRESULT Device10::CreateBuffer(const D3D10_BUFFER_DESC *given, const D3D10_SUBRESOURCE_DATA *data, ID3D10Buffer **out) {
  D3D11_BUFFER_DESC desc;
  if (!given || !elevenOf(*given, desc)) return refuse(out);
  return make<ID3D11Buffer>(out,
                            [&](ID3D11Buffer **buffer) { return m_device.CreateBuffer(&desc, dataOf(data), buffer); });
}

HRESULT Device10::CreateTexture1D(const D3D10_TEXTURE1D_DESC *given, const D3D10_SUBRESOURCE_DATA *data,
                                  ID3D10Texture1D **out) {
  D3D11_TEXTURE1D_DESC desc;
  if (!given || !elevenOfTexture(*given, desc)) return refuse(out);
  return make<ID3D11Texture1D>(
      out, [&](ID3D11Texture1D **texture) { return m_device.CreateTexture1D(&desc, dataOf(data), texture); });
}

HRESULT Device10::CreateTexture2D(const D3D10_TEXTURE2D_DESC *given, const D3D10_SUBRESOURCE_DATA *data,
                                  ID3D10Texture2D **out) {
  D3D11_TEXTURE2D_DESC desc;
  if (!given || !elevenOfTexture(*given, desc)) return refuse(out);
  return make<ID3D11Texture2D>(
      out, [&](ID3D11Texture2D **texture) { return m_device.CreateTexture2D(&desc, dataOf(data), texture); });
}

HRESULT Device10::CreateTexture3D(const D3D10_TEXTURE3D_DESC *given, const D3D10_SUBRESOURCE_DATA *data,
                                  ID3D10Texture3D **out) {
  D3D11_TEXTURE3D_DESC desc;
  if (!given || !elevenOfTexture(*given, desc)) return refuse(out);
  return make<ID3D11Texture3D>(
      out, [&](ID3D11Texture3D **texture) { return m_device.CreateTexture3D(&desc, dataOf(data), texture); });
}

HRESULT Device10::CreateShaderResourceView1(ID3D10Resource *resource, const D3D10_SHADER_RESOURCE_VIEW_DESC1 *given,
                                            ID3D10ShaderResourceView1 **out) {
  // Direct3D 11 has buffers of raw bytes behind the last dimension.
  if (given && given->ViewDimension > D3D10_1_SRV_DIMENSION_TEXTURECUBEARRAY) return refuse(out);
  D3D11_SHADER_RESOURCE_VIEW_DESC desc;
  if (given) desc = same<D3D11_SHADER_RESOURCE_VIEW_DESC>(*given);
  return make<ID3D11ShaderResourceView>(out, [&](ID3D11ShaderResourceView **view) {
    return m_device.CreateShaderResourceView(objectOf(resource), given ? &desc : nullptr, view);
  });
}

HRESULT Device10::CreateShaderResourceView(ID3D10Resource *resource, const D3D10_SHADER_RESOURCE_VIEW_DESC *given,
                                           ID3D10ShaderResourceView **out) {
  if (given && given->ViewDimension > D3D10_SRV_DIMENSION_TEXTURECUBE) return refuse(out);
  D3D10_SHADER_RESOURCE_VIEW_DESC1 desc;
  if (given) desc = same<D3D10_SHADER_RESOURCE_VIEW_DESC1>(*given);
  ID3D10ShaderResourceView1 *view = nullptr;
  const HRESULT result = CreateShaderResourceView1(resource, given ? &desc : nullptr, out ? &view : nullptr);
  if (out) *out = view;
  return result;
}

HRESULT Device10::CreateRenderTargetView(ID3D10Resource *resource, const D3D10_RENDER_TARGET_VIEW_DESC *given,
                                         ID3D10RenderTargetView **out) {
  D3D11_RENDER_TARGET_VIEW_DESC desc;
  if (given) desc = same<D3D11_RENDER_TARGET_VIEW_DESC>(*given);
  return make<ID3D11RenderTargetView>(out, [&](ID3D11RenderTargetView **view) {
    return m_device.CreateRenderTargetView(objectOf(resource), given ? &desc : nullptr, view);
  });
}

HRESULT Device10::CreateDepthStencilView(ID3D10Resource *resource, const D3D10_DEPTH_STENCIL_VIEW_DESC *given,
                                         ID3D10DepthStencilView **out) {
  D3D11_DEPTH_STENCIL_VIEW_DESC desc;
  if (given) desc = elevenOf(*given);
  return make<ID3D11DepthStencilView>(out, [&](ID3D11DepthStencilView **view) {
    return m_device.CreateDepthStencilView(objectOf(resource), given ? &desc : nullptr, view);
  });
}

HRESULT Device10::CreateInputLayout(const D3D10_INPUT_ELEMENT_DESC *given, UINT count, const void *code, SIZE_T size,
                                    ID3D10InputLayout **out) {
  if ((count && !given) || count > D3D10_1_IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT) return refuse(out);
  std::vector<D3D11_INPUT_ELEMENT_DESC> elements;
  elements.reserve(count);
  for (UINT i = 0; i < count; ++i) elements.push_back(same<D3D11_INPUT_ELEMENT_DESC>(given[i]));
  return make<ID3D11InputLayout>(out, [&](ID3D11InputLayout **layout) {
    return m_device.CreateInputLayout(elements.data(), count, code, size, layout);
  });
}

HRESULT Device10::CreateVertexShader(const void *code, SIZE_T size, ID3D10VertexShader **out) {
  return make<ID3D11VertexShader>(
      out, [&](ID3D11VertexShader **shader) { return m_device.CreateVertexShader(code, size, nullptr, shader); });
}
HRESULT Device10::CreateGeometryShader(const void *code, SIZE_T size, ID3D10GeometryShader **out) {
  return make<ID3D11GeometryShader>(
      out, [&](ID3D11GeometryShader **shader) { return m_device.CreateGeometryShader(code, size, nullptr, shader); });
}
HRESULT Device10::CreatePixelShader(const void *code, SIZE_T size, ID3D10PixelShader **out) {
  return make<ID3D11PixelShader>(
      out, [&](ID3D11PixelShader **shader) { return m_device.CreatePixelShader(code, size, nullptr, shader); });
}

HRESULT Device10::CreateGeometryShaderWithStreamOutput(const void *code, SIZE_T size,
                                                       const D3D10_SO_DECLARATION_ENTRY *given, UINT count, UINT stride,
                                                       ID3D10GeometryShader **out) {
  constexpr UINT kMost = D3D10_SO_SINGLE_BUFFER_COMPONENT_LIMIT;
  if ((count && !given) || count > kMost) return refuse(out);
  std::vector<D3D11_SO_DECLARATION_ENTRY> entries;
  entries.reserve(count);
  for (UINT i = 0; i < count; ++i)  // Direct3D 10 has stream 0 alone
    entries.push_back({0, given[i].SemanticName, given[i].SemanticIndex, given[i].StartComponent,
                       given[i].ComponentCount, given[i].OutputSlot});
  // The stride counts where all goes to the first slot (page "ID3D10Device::CreateGeometryShaderWithStreamOutput").
  const bool one = std::all_of(entries.begin(), entries.end(), [](const auto &entry) { return !entry.OutputSlot; });
  return make<ID3D11GeometryShader>(out, [&](ID3D11GeometryShader **shader) {
    return m_device.CreateGeometryShaderWithStreamOutput(code, size, entries.data(), count, &stride, one ? 1 : 0, 0,
                                                         nullptr, shader);
  });
}

HRESULT Device10::CreateBlendState1(const D3D10_BLEND_DESC1 *given, ID3D10BlendState1 **out) {
  if (!given) return refuse(out);
  const auto desc = same<D3D11_BLEND_DESC>(*given);
  return make<ID3D11BlendState>(out, [&](ID3D11BlendState **state) { return m_device.CreateBlendState(&desc, state); });
}

HRESULT Device10::CreateBlendState(const D3D10_BLEND_DESC *given, ID3D10BlendState **out) {
  if (!given) return refuse(out);
  const D3D11_BLEND_DESC desc = elevenOf(*given);
  return make<ID3D11BlendState>(out, [&](ID3D11BlendState **state) { return m_device.CreateBlendState(&desc, state); });
}

HRESULT Device10::CreateDepthStencilState(const D3D10_DEPTH_STENCIL_DESC *given, ID3D10DepthStencilState **out) {
  if (!given) return refuse(out);
  const auto desc = same<D3D11_DEPTH_STENCIL_DESC>(*given);
  return make<ID3D11DepthStencilState>(
      out, [&](ID3D11DepthStencilState **state) { return m_device.CreateDepthStencilState(&desc, state); });
}

HRESULT Device10::CreateRasterizerState(const D3D10_RASTERIZER_DESC *given, ID3D10RasterizerState **out) {
  if (!given) return refuse(out);
  const auto desc = same<D3D11_RASTERIZER_DESC>(*given);
  return make<ID3D11RasterizerState>(
      out, [&](ID3D11RasterizerState **state) { return m_device.CreateRasterizerState(&desc, state); });
}

/// D3D10_FILTER_TEXT_1BIT is refused like any unknown filter: no driver here has DXGI_FORMAT_R1_UNORM.
HRESULT Device10::CreateSamplerState(const D3D10_SAMPLER_DESC *given, ID3D10SamplerState **out) {
  if (!given) return refuse(out);
  const auto desc = same<D3D11_SAMPLER_DESC>(*given);
  return make<ID3D11SamplerState>(
      out, [&](ID3D11SamplerState **state) { return m_device.CreateSamplerState(&desc, state); });
}

HRESULT Device10::CreateQuery(const D3D10_QUERY_DESC *given, ID3D10Query **out) {
  D3D11_QUERY_DESC desc;
  if (!given || !elevenOf(*given, desc)) return refuse(out);
  return make<ID3D11Query>(out, [&](ID3D11Query **query) { return m_device.CreateQuery(&desc, query); });
}

HRESULT Device10::CreatePredicate(const D3D10_QUERY_DESC *given, ID3D10Predicate **out) {
  D3D11_QUERY_DESC desc;
  if (!given || !elevenOf(*given, desc)) return refuse(out);
  return make<ID3D11Predicate>(out,
                               [&](ID3D11Predicate **predicate) { return m_device.CreatePredicate(&desc, predicate); });
}

HRESULT Device10::CreateCounter(const D3D10_COUNTER_DESC *given, ID3D10Counter **out) {
  if (!given) return refuse(out);
  const auto desc = same<D3D11_COUNTER_DESC>(*given);
  return make<ID3D11Counter>(out, [&](ID3D11Counter **counter) { return m_device.CreateCounter(&desc, counter); });
}

HRESULT Device10::OpenSharedResource(HANDLE handle, REFIID id, void **out) {
  return m_device.OpenSharedResource(handle, id, out);
}

}  // namespace aerogpu::runtime11
