// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/queries.h"

#include <new>

namespace aerogpu::runtime11 {
namespace {

bool isPredicate(D3D11_QUERY type) {
  return type == D3D11_QUERY_OCCLUSION_PREDICATE || type == D3D11_QUERY_SO_OVERFLOW_PREDICATE ||
         type == D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM0 || type == D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM1 ||
         type == D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM2 || type == D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM3;
}

/// The size of a type's result, which does not differ between the versions of the interface; 0: not offered yet.
UINT resultBytes(D3D11_QUERY type) {
  switch (type) {
  case D3D11_QUERY_EVENT:
  case D3D11_QUERY_OCCLUSION_PREDICATE:
  case D3D11_QUERY_SO_OVERFLOW_PREDICATE:
    return sizeof(BOOL);
  case D3D11_QUERY_OCCLUSION:
  case D3D11_QUERY_TIMESTAMP:
    return sizeof(UINT64);
  case D3D11_QUERY_TIMESTAMP_DISJOINT:
    static_assert(sizeof(D3D11_QUERY_DATA_TIMESTAMP_DISJOINT) == sizeof(D3D10_DDI_QUERY_DATA_TIMESTAMP_DISJOINT));
    return sizeof(D3D11_QUERY_DATA_TIMESTAMP_DISJOINT);
  case D3D11_QUERY_SO_STATISTICS:
    static_assert(sizeof(D3D11_QUERY_DATA_SO_STATISTICS) == sizeof(D3D10_DDI_QUERY_DATA_SO_STATISTICS));
    return sizeof(D3D11_QUERY_DATA_SO_STATISTICS);
  default:
    return 0;
  }
}

template <class Interface> HRESULT create(Core &core, const D3D11_QUERY_DESC &description, Interface **out) {
  const D3D11_QUERY type = description.Query;
  constexpr UINT kFlags = D3D11_QUERY_MISC_PREDICATEHINT;
  if (type > D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM3) return E_INVALIDARG;
  if (type >= D3D11_QUERY_SO_STATISTICS_STREAM0 && core.level < D3D_FEATURE_LEVEL_11_0) return E_INVALIDARG;
  // Hints are for predicates.
  if ((description.MiscFlags & ~kFlags) || (description.MiscFlags && !isPredicate(type))) return E_INVALIDARG;
  if (!resultBytes(type)) {
    runtime::notImplemented("ID3D11Device::CreateQuery of the pipeline's statistics, and of single streams");
    return E_NOTIMPL;
  }
  if (!out) return S_FALSE;
  const Lock lock(core.lock);
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  Ref<Query> query(new (std::nothrow) Query(core, description));
  if (!query) return E_OUTOFMEMORY;
  // The numbers of the two enumerations are the same up to here.
  static_assert(static_cast<int>(D3D11_QUERY_OCCLUSION_PREDICATE) == D3D10DDI_QUERY_OCCLUSIONPREDICATE);
  static_assert(static_cast<int>(D3D11_QUERY_TIMESTAMP_DISJOINT) == D3D10DDI_QUERY_TIMESTAMPDISJOINT);
  static_assert(static_cast<int>(D3D11_QUERY_SO_STATISTICS) == D3D10DDI_QUERY_STREAMOUTPUTSTATS);
  static_assert(static_cast<int>(D3D11_QUERY_SO_OVERFLOW_PREDICATE) == D3D10DDI_QUERY_STREAMOVERFLOWPREDICATE);
  const D3D10DDIARG_CREATEQUERY argument{static_cast<D3D10DDI_QUERY>(type), description.MiscFlags};
  const HRESULT result =
      query->driver().create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateQuerySize, &D3D11DDI_DEVICEFUNCS::pfnCreateQuery>(
          argument);
  if (FAILED(result)) return result;
  *out = query.get();
  (*out)->AddRef();
  return S_OK;
}

}  // namespace

HRESULT Query::QueryInterface(REFIID id, void **out) {
  if (out && IsEqualIID(id, __uuidof(ID3D11Predicate)) && !isPredicate(m_description.Query)) {
    *out = nullptr;
    return E_NOINTERFACE;
  }
  return Child::QueryInterface(id, out);
}

UINT Query::GetDataSize() {
  return resultBytes(m_description.Query);
}

HRESULT createQuery(Core &core, const D3D11_QUERY_DESC *description, ID3D11Query **out) {
  if (out) *out = nullptr;
  return description ? create(core, *description, out) : E_INVALIDARG;
}

HRESULT createPredicate(Core &core, const D3D11_QUERY_DESC *description, ID3D11Predicate **out) {
  if (out) *out = nullptr;
  // Those of a single stream are made by CreateQuery alone.
  if (!description || !isPredicate(description->Query) || description->Query > D3D11_QUERY_SO_OVERFLOW_PREDICATE)
    return E_INVALIDARG;
  return create(core, *description, out);
}

}  // namespace aerogpu::runtime11
