// SPDX-License-Identifier: MIT
// Direct3D 10's interfaces of the objects of a device. Each is a facet of the Direct3D 11 object, which does the work:
// references, private data and what is at the driver are that object's.
#pragma once

#include "testbed/d3d11-runtime/d3d10core/convert.h"
#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {

/// The interface `Interface`, which derives from `Bases`, of an object of the class `Eleven`.
template <class Interface, class Eleven, class... Bases> class ChildFacet : public Interface, public Facet {
public:
  using Object = Eleven;
  ChildFacet(Eleven &object, ID3D11DeviceContext &context) : m_object(object), m_context(context) {}
  Eleven &object() const { return m_object; }
  HRESULT query(REFIID id, void **out) override {
    const bool known = IsEqualIID(id, __uuidof(ID3D10DeviceChild)) || IsEqualIID(id, __uuidof(Interface)) ||
                       (IsEqualIID(id, __uuidof(Bases)) || ...);
    if (!known) return E_NOINTERFACE;
    *out = static_cast<Interface *>(this);
    this->AddRef();
    return S_OK;
  }

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override { return m_object.QueryInterface(id, out); }
  ULONG STDMETHODCALLTYPE AddRef() override { return m_object.AddRef(); }
  ULONG STDMETHODCALLTYPE Release() override { return m_object.Release(); }
  void STDMETHODCALLTYPE GetDevice(ID3D10Device **out) override {
    if (out) m_object.core().device->QueryInterface(__uuidof(ID3D10Device), reinterpret_cast<void **>(out));
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *size, void *data) override {
    return m_object.GetPrivateData(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT size, const void *data) override {
    return m_object.SetPrivateData(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *object) override {
    return m_object.SetPrivateDataInterface(guid, object);
  }

protected:
  ID3D11DeviceContext &context() const { return m_context; }

private:
  Eleven &m_object;
  ID3D11DeviceContext &m_context;  ///< the immediate one
};

template <class Interface, class Eleven> class ResourceFacet : public ChildFacet<Interface, Eleven, ID3D10Resource> {
public:
  using ChildFacet<Interface, Eleven, ID3D10Resource>::ChildFacet;
  void STDMETHODCALLTYPE GetType(D3D10_RESOURCE_DIMENSION *out) override {
    D3D11_RESOURCE_DIMENSION type = D3D11_RESOURCE_DIMENSION_UNKNOWN;
    this->object().GetType(&type);
    if (out) *out = static_cast<D3D10_RESOURCE_DIMENSION>(type);
  }
  void STDMETHODCALLTYPE SetEvictionPriority(UINT priority) override { this->object().SetEvictionPriority(priority); }
  UINT STDMETHODCALLTYPE GetEvictionPriority() override { return this->object().GetEvictionPriority(); }

protected:
  HRESULT map(UINT subresource, D3D10_MAP type, UINT flags, D3D11_MAPPED_SUBRESOURCE &out) {
    return this->context().Map(&this->object(), subresource, static_cast<D3D11_MAP>(type), flags, &out);
  }
};

class BufferFacet final : public ResourceFacet<ID3D10Buffer, Buffer> {
public:
  using ResourceFacet::ResourceFacet;
  HRESULT STDMETHODCALLTYPE Map(D3D10_MAP type, UINT flags, void **out) override;
  void STDMETHODCALLTYPE Unmap() override { context().Unmap(&object(), 0); }
  void STDMETHODCALLTYPE GetDesc(D3D10_BUFFER_DESC *out) override;
};

class Texture2DFacet final : public ResourceFacet<ID3D10Texture2D, Texture2D> {
public:
  using ResourceFacet::ResourceFacet;
  HRESULT STDMETHODCALLTYPE Map(UINT subresource, D3D10_MAP type, UINT flags, D3D10_MAPPED_TEXTURE2D *out) override;
  void STDMETHODCALLTYPE Unmap(UINT subresource) override { context().Unmap(&object(), subresource); }
  void STDMETHODCALLTYPE GetDesc(D3D10_TEXTURE2D_DESC *out) override;
};

template <class Interface, class Eleven, class... Bases>
class ViewFacet : public ChildFacet<Interface, Eleven, ID3D10View, Bases...> {
public:
  using ChildFacet<Interface, Eleven, ID3D10View, Bases...>::ChildFacet;
  void STDMETHODCALLTYPE GetResource(ID3D10Resource **out) override {
    if (out) this->object().resource().api()->QueryInterface(__uuidof(ID3D10Resource), reinterpret_cast<void **>(out));
  }
};

class Texture1DFacet final : public ResourceFacet<ID3D10Texture1D, Texture1D> {
public:
  using ResourceFacet::ResourceFacet;
  HRESULT STDMETHODCALLTYPE Map(UINT subresource, D3D10_MAP type, UINT flags, void **out) override;
  void STDMETHODCALLTYPE Unmap(UINT subresource) override { context().Unmap(&object(), subresource); }
  void STDMETHODCALLTYPE GetDesc(D3D10_TEXTURE1D_DESC *out) override;
};

class Texture3DFacet final : public ResourceFacet<ID3D10Texture3D, Texture3D> {
public:
  using ResourceFacet::ResourceFacet;
  HRESULT STDMETHODCALLTYPE Map(UINT subresource, D3D10_MAP type, UINT flags, D3D10_MAPPED_TEXTURE3D *out) override;
  void STDMETHODCALLTYPE Unmap(UINT subresource) override { context().Unmap(&object(), subresource); }
  void STDMETHODCALLTYPE GetDesc(D3D10_TEXTURE3D_DESC *out) override;
};

class RenderTargetViewFacet final : public ViewFacet<ID3D10RenderTargetView, RenderTargetView> {
public:
  using ViewFacet::ViewFacet;
  void STDMETHODCALLTYPE GetDesc(D3D10_RENDER_TARGET_VIEW_DESC *out) override;
};

class DepthStencilViewFacet final : public ViewFacet<ID3D10DepthStencilView, DepthStencilView> {
public:
  using ViewFacet::ViewFacet;
  void STDMETHODCALLTYPE GetDesc(D3D10_DEPTH_STENCIL_VIEW_DESC *out) override;
};

class ShaderResourceViewFacet final
    : public ViewFacet<ID3D10ShaderResourceView1, ShaderResourceView, ID3D10ShaderResourceView> {
public:
  using ViewFacet::ViewFacet;
  void STDMETHODCALLTYPE GetDesc(D3D10_SHADER_RESOURCE_VIEW_DESC *out) override;
  void STDMETHODCALLTYPE GetDesc1(D3D10_SHADER_RESOURCE_VIEW_DESC1 *out) override;
};

class BlendStateFacet final : public ChildFacet<ID3D10BlendState1, BlendState, ID3D10BlendState> {
public:
  using ChildFacet::ChildFacet;
  void STDMETHODCALLTYPE GetDesc(D3D10_BLEND_DESC *out) override;
  void STDMETHODCALLTYPE GetDesc1(D3D10_BLEND_DESC1 *out) override;
};

/// A state whose description is the same in both versions.
template <class Interface, class Eleven, class Description>
class StateFacet final : public ChildFacet<Interface, Eleven> {
public:
  using ChildFacet<Interface, Eleven>::ChildFacet;
  void STDMETHODCALLTYPE GetDesc(Description *out) override {
    if (out) *out = same<Description>(this->object().description());
  }
};
using DepthStencilStateFacet = StateFacet<ID3D10DepthStencilState, DepthStencilState, D3D10_DEPTH_STENCIL_DESC>;
using RasterizerStateFacet = StateFacet<ID3D10RasterizerState, RasterizerState, D3D10_RASTERIZER_DESC>;
using SamplerStateFacet = StateFacet<ID3D10SamplerState, SamplerState, D3D10_SAMPLER_DESC>;

using VertexShaderFacet = ChildFacet<ID3D10VertexShader, VertexShader>;
using GeometryShaderFacet = ChildFacet<ID3D10GeometryShader, GeometryShader>;
using PixelShaderFacet = ChildFacet<ID3D10PixelShader, PixelShader>;
using InputLayoutFacet = ChildFacet<ID3D10InputLayout, InputLayout>;

/// ID3D10Predicate only if the object is a predicate.
class QueryFacet final : public ChildFacet<ID3D10Predicate, Query, ID3D10Query, ID3D10Asynchronous> {
public:
  using ChildFacet::ChildFacet;
  HRESULT query(REFIID id, void **out) override;
  void STDMETHODCALLTYPE Begin() override { context().Begin(&object()); }
  void STDMETHODCALLTYPE End() override { context().End(&object()); }
  HRESULT STDMETHODCALLTYPE GetData(void *data, UINT size, UINT flags) override {
    return context().GetData(&object(), data, size, flags);
  }
  UINT STDMETHODCALLTYPE GetDataSize() override { return object().GetDataSize(); }
  void STDMETHODCALLTYPE GetDesc(D3D10_QUERY_DESC *out) override;
};

/// Makes the facet of an object whose interface of Direct3D 11 is `kind`; null if Direct3D 10 has no such object.
std::unique_ptr<Facet> makeChildFacet(ChildBase &object, REFIID kind, ID3D11DeviceContext &context);

/// Returns the source of the facets that the objects of a Direct3D 11 device have with Windows 7's Platform Update. The
/// device itself has none, so that their GetDevice gives null.
FacetSource &facetsOf11();

/// The facet behind an interface of Direct3D 10.
template <class Interface> struct FacetOf;
template <> struct FacetOf<ID3D10Buffer> { using Type = BufferFacet; };
template <> struct FacetOf<ID3D10Texture1D> { using Type = Texture1DFacet; };
template <> struct FacetOf<ID3D10Texture2D> { using Type = Texture2DFacet; };
template <> struct FacetOf<ID3D10Texture3D> { using Type = Texture3DFacet; };
template <> struct FacetOf<ID3D10RenderTargetView> { using Type = RenderTargetViewFacet; };
template <> struct FacetOf<ID3D10DepthStencilView> { using Type = DepthStencilViewFacet; };
template <> struct FacetOf<ID3D10ShaderResourceView> { using Type = ShaderResourceViewFacet; };
template <> struct FacetOf<ID3D10BlendState> { using Type = BlendStateFacet; };
template <> struct FacetOf<ID3D10DepthStencilState> { using Type = DepthStencilStateFacet; };
template <> struct FacetOf<ID3D10RasterizerState> { using Type = RasterizerStateFacet; };
template <> struct FacetOf<ID3D10SamplerState> { using Type = SamplerStateFacet; };
template <> struct FacetOf<ID3D10VertexShader> { using Type = VertexShaderFacet; };
template <> struct FacetOf<ID3D10GeometryShader> { using Type = GeometryShaderFacet; };
template <> struct FacetOf<ID3D10PixelShader> { using Type = PixelShaderFacet; };
template <> struct FacetOf<ID3D10InputLayout> { using Type = InputLayoutFacet; };
template <> struct FacetOf<ID3D10Predicate> { using Type = QueryFacet; };

/// Returns the Direct3D 11 object behind an interface of Direct3D 10; null for null.
template <class Interface> auto objectOf(Interface *ten) -> typename FacetOf<Interface>::Type::Object * {
  return ten ? &static_cast<typename FacetOf<Interface>::Type *>(ten)->object() : nullptr;
}
ID3D11Resource *objectOf(ID3D10Resource *ten);

}  // namespace aerogpu::runtime11
