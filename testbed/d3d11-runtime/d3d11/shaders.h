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

/// Returns the rows of a signature as a driver gets them.
std::vector<D3D10DDIARG_SIGNATURE_ENTRY> entriesOf(const std::vector<Element> &rows);
/// True if the device's level has the shader's model.
bool hasModel(const Core &core, const Container &container);

HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11VertexShader **out);
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11GeometryShader **out);
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11PixelShader **out);
/// A geometry shader that streams out, or the outputs of a vertex shader that do.
struct StreamDescription {
  const D3D11_SO_DECLARATION_ENTRY *entries;
  UINT count;
  const UINT *strides;
  UINT strideCount;
  UINT rasterizedStream;
};
HRESULT createStreamShader(Core &core, const void *code, SIZE_T size, const StreamDescription &description,
                           ID3D11GeometryShader **out);
HRESULT createInputLayout(Core &core, const D3D11_INPUT_ELEMENT_DESC *elements, UINT count, const void *code,
                          SIZE_T size, ID3D11InputLayout **out);

}  // namespace aerogpu::runtime11
