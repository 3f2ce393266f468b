// SPDX-License-Identifier: MIT
// Queries, some of which are predicates.
#pragma once

#include "testbed/d3d11-runtime/d3d11/child.h"
#include "testbed/d3d11-runtime/driver/object.h"

namespace aerogpu::runtime11 {

/// A query; ID3D11Predicate only if its type is one of a predicate.
class Query final : public Child<ID3D11Predicate, ID3D11Query, ID3D11Asynchronous> {
public:
  Query(Core &core, const D3D11_QUERY_DESC &description)
      : Child(core), m_description(description), m_driver(core.driver) {}
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  UINT STDMETHODCALLTYPE GetDataSize() override;
  void STDMETHODCALLTYPE GetDesc(D3D11_QUERY_DESC *out) override {
    if (out) *out = m_description;
  }
  DriverQuery &driver() { return m_driver; }
  bool isEvent() const { return m_description.Query == D3D11_QUERY_EVENT; }
  /// False if it only ends.
  bool hasBegin() const { return !isEvent() && m_description.Query != D3D11_QUERY_TIMESTAMP; }
  enum class Stage { New, Begun, Ended } stage = Stage::New;

private:
  const D3D11_QUERY_DESC m_description;
  DriverQuery m_driver;
};

HRESULT createQuery(Core &core, const D3D11_QUERY_DESC *description, ID3D11Query **out);
HRESULT createPredicate(Core &core, const D3D11_QUERY_DESC *description, ID3D11Predicate **out);

}  // namespace aerogpu::runtime11
