// SPDX-License-Identifier: MIT
// Shaders, which drivers get as tokens and rows of registers, and input layouts.
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

HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11VertexShader **out);
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11GeometryShader **out);
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11PixelShader **out);
HRESULT createInputLayout(Core &core, const D3D11_INPUT_ELEMENT_DESC *elements, UINT count, const void *code,
                          SIZE_T size, ID3D11InputLayout **out);

}  // namespace aerogpu::runtime11
