// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d10core/facets.h"

#include <new>

namespace aerogpu::runtime11 {
namespace {

template <class F> std::unique_ptr<Facet> make(ChildBase &object, ID3D11DeviceContext &context) {
  return std::unique_ptr<Facet>(new (std::nothrow) F(static_cast<typename F::Object &>(object), context));
}

struct Kind {
  const IID &eleven;
  std::unique_ptr<Facet> (*make)(ChildBase &object, ID3D11DeviceContext &context);
};
template <class F> constexpr Kind kKind = {__uuidof(typename F::Object::ChildInterface), make<F>};
/// Makes them for any device.
class Facets final : public FacetSource {
public:
  std::unique_ptr<Facet> makeFacet(ChildBase &object, REFIID kind) override {
    ID3D11DeviceContext *context = nullptr;
    object.core().device->GetImmediateContext(&context);
    context->Release();  // it lives as long as its device
    return makeChildFacet(object, kind, *context);
  }
};

constexpr const Kind *kKinds[] = {
    &kKind<BufferFacet>,
    &kKind<Texture1DFacet>,
    &kKind<Texture2DFacet>,
    &kKind<Texture3DFacet>,
    &kKind<RenderTargetViewFacet>,
    &kKind<DepthStencilViewFacet>,
    &kKind<ShaderResourceViewFacet>,
    &kKind<BlendStateFacet>,
    &kKind<DepthStencilStateFacet>,
    &kKind<RasterizerStateFacet>,
    &kKind<SamplerStateFacet>,
    &kKind<VertexShaderFacet>,
    &kKind<GeometryShaderFacet>,
    &kKind<PixelShaderFacet>,
    &kKind<InputLayoutFacet>,
    &kKind<QueryFacet>,
};

}  // namespace

std::unique_ptr<Facet> makeChildFacet(ChildBase &object, REFIID kind, ID3D11DeviceContext &context) {
  for (const Kind *row : kKinds)
    if (IsEqualIID(row->eleven, kind)) return row->make(object, context);
  return nullptr;
}

FacetSource &facetsOf11() {
  static Facets facets;
  return facets;
}

ID3D11Resource *objectOf(ID3D10Resource *ten) {
  if (!ten) return nullptr;
  D3D10_RESOURCE_DIMENSION type = D3D10_RESOURCE_DIMENSION_UNKNOWN;
  ten->GetType(&type);
  if (type == D3D10_RESOURCE_DIMENSION_BUFFER) return objectOf(static_cast<ID3D10Buffer *>(ten));
  if (type == D3D10_RESOURCE_DIMENSION_TEXTURE1D) return objectOf(static_cast<ID3D10Texture1D *>(ten));
  if (type == D3D10_RESOURCE_DIMENSION_TEXTURE3D) return objectOf(static_cast<ID3D10Texture3D *>(ten));
  return objectOf(static_cast<ID3D10Texture2D *>(ten));
}

HRESULT BufferFacet::Map(D3D10_MAP type, UINT flags, void **out) {
  if (!out) return E_INVALIDARG;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  const HRESULT result = map(0, type, flags, mapped);
  *out = mapped.pData;
  return result;
}

void BufferFacet::GetDesc(D3D10_BUFFER_DESC *out) {
  D3D11_BUFFER_DESC desc;
  object().GetDesc(&desc);
  if (out) *out = tenOf(desc);
}

HRESULT Texture2DFacet::Map(UINT subresource, D3D10_MAP type, UINT flags, D3D10_MAPPED_TEXTURE2D *out) {
  if (!out) return E_INVALIDARG;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  const HRESULT result = map(subresource, type, flags, mapped);
  *out = {mapped.pData, mapped.RowPitch};
  return result;
}

void Texture2DFacet::GetDesc(D3D10_TEXTURE2D_DESC *out) {
  D3D11_TEXTURE2D_DESC desc;
  object().GetDesc(&desc);
  if (out) *out = tenOfTexture<D3D10_TEXTURE2D_DESC>(desc);
}

HRESULT Texture1DFacet::Map(UINT subresource, D3D10_MAP type, UINT flags, void **out) {
  if (!out) return E_INVALIDARG;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  const HRESULT result = map(subresource, type, flags, mapped);
  *out = mapped.pData;
  return result;
}

void Texture1DFacet::GetDesc(D3D10_TEXTURE1D_DESC *out) {
  D3D11_TEXTURE1D_DESC desc;
  object().GetDesc(&desc);
  if (out) *out = tenOfTexture<D3D10_TEXTURE1D_DESC>(desc);
}

HRESULT Texture3DFacet::Map(UINT subresource, D3D10_MAP type, UINT flags, D3D10_MAPPED_TEXTURE3D *out) {
  if (!out) return E_INVALIDARG;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  const HRESULT result = map(subresource, type, flags, mapped);
  *out = {mapped.pData, mapped.RowPitch, mapped.DepthPitch};
  return result;
}

void Texture3DFacet::GetDesc(D3D10_TEXTURE3D_DESC *out) {
  D3D11_TEXTURE3D_DESC desc;
  object().GetDesc(&desc);
  if (out) *out = tenOfTexture<D3D10_TEXTURE3D_DESC>(desc);
}

void RenderTargetViewFacet::GetDesc(D3D10_RENDER_TARGET_VIEW_DESC *out) {
  if (out) *out = same<D3D10_RENDER_TARGET_VIEW_DESC>(object().description());
}

void DepthStencilViewFacet::GetDesc(D3D10_DEPTH_STENCIL_VIEW_DESC *out) {
  if (out) *out = tenOf(object().description());
}

void ShaderResourceViewFacet::GetDesc(D3D10_SHADER_RESOURCE_VIEW_DESC *out) {
  if (out) *out = same<D3D10_SHADER_RESOURCE_VIEW_DESC>(object().description());
}

void ShaderResourceViewFacet::GetDesc1(D3D10_SHADER_RESOURCE_VIEW_DESC1 *out) {
  if (out) *out = same<D3D10_SHADER_RESOURCE_VIEW_DESC1>(object().description());
}

void BlendStateFacet::GetDesc(D3D10_BLEND_DESC *out) {
  if (out) *out = tenOf(object().description());
}

void BlendStateFacet::GetDesc1(D3D10_BLEND_DESC1 *out) {
  if (out) *out = same<D3D10_BLEND_DESC1>(object().description());
}

HRESULT QueryFacet::query(REFIID id, void **out) {
  if (!IsEqualIID(id, __uuidof(ID3D10Predicate))) return ChildFacet::query(id, out);
  void *eleven = nullptr;
  if (FAILED(object().QueryInterface(__uuidof(ID3D11Predicate), &eleven))) return E_NOINTERFACE;
  *out = static_cast<ID3D10Predicate *>(this);  // with the reference of the query
  return S_OK;
}

void QueryFacet::GetDesc(D3D10_QUERY_DESC *out) {
  D3D11_QUERY_DESC desc;
  object().GetDesc(&desc);
  if (out) *out = tenOf(desc);
}

}  // namespace aerogpu::runtime11
