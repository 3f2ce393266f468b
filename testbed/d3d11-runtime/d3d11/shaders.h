// SPDX-License-Identifier: MIT
// Shaders, which drivers get as tokens and rows of registers, input layouts, and queries.
#pragma once

#include "testbed/d3d11-runtime/container/container.h"
#include "testbed/d3d11-runtime/d3d11/child.h"
#include "testbed/d3d11-runtime/driver/object.h"

namespace aerogpu::runtime11 {

template <class Interface> class Shader final : public Child<Interface> {
public:
  explicit Shader(Core &core) : Child<Interface>(core), m_driver(core.driver) {}
  DriverShader &driver() { return m_driver; }

private:
  DriverShader m_driver;
};

using VertexShader = Shader<ID3D11VertexShader>;
using GeometryShader = Shader<ID3D11GeometryShader>;
using PixelShader = Shader<ID3D11PixelShader>;

class InputLayout final : public Child<ID3D11InputLayout> {
public:
  explicit InputLayout(Core &core) : Child(core), m_driver(core.driver) {}
  DriverElementLayout &driver() { return m_driver; }

private:
  DriverElementLayout m_driver;
};

class Query final : public Child<ID3D11Query, ID3D11Asynchronous> {
public:
  Query(Core &core, const D3D11_QUERY_DESC &description)
      : Child(core), m_description(description), m_driver(core.driver) {}
  UINT STDMETHODCALLTYPE GetDataSize() override;
  void STDMETHODCALLTYPE GetDesc(D3D11_QUERY_DESC *out) override {
    if (out) *out = m_description;
  }
  DriverQuery &driver() { return m_driver; }
  bool hasBegin() const { return m_description.Query == D3D11_QUERY_OCCLUSION; }
  enum class Stage { New, Begun, Ended } stage = Stage::New;

private:
  const D3D11_QUERY_DESC m_description;
  DriverQuery m_driver;
};

HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11VertexShader **out);
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11GeometryShader **out);
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11PixelShader **out);
HRESULT createInputLayout(Core &core, const D3D11_INPUT_ELEMENT_DESC *elements, UINT count, const void *code,
                          SIZE_T size, ID3D11InputLayout **out);
HRESULT createQuery(Core &core, const D3D11_QUERY_DESC *description, ID3D11Query **out);

}  // namespace aerogpu::runtime11
