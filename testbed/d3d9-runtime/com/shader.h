// SPDX-License-Identifier: MIT
// IDirect3DVertexShader9 and IDirect3DPixelShader9: token streams that go to the driver unchanged.
#pragma once

#include <vector>

#include "aerogpu/d3d9/tokens.h"
#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/driver/driver_device.h"

namespace aerogpu::runtime {

/// Returns the number of tokens of a stream with its end token, 0 if it is no stream of the stage (`tag`: 0xFFFE
/// vertex, 0xFFFF pixel) or does not end within the limit for programs.
size_t shaderTokens(const DWORD *code, WORD tag);

/// Returns the parameter tokens of an instruction of shader model 1, which does not encode its length: they have the
/// top bit, except the constants of DEF.
size_t parametersOfModel1(const DWORD *at, d3d9::Opcode opcode);

/// Registers that constants may use.
struct ShaderLimits {
  UINT floats, integers, booleans;
};
/// True if a stream of shaderTokens() names only existing registers, and declares only possible inputs.
bool hasValidRegisters(const DWORD *code, const ShaderLimits &limits);

template <class Interface> class ShaderOf : public Child<Interface> {
public:
  HANDLE handle() const { return m_handle; }
  DWORD version() const { return m_code.front(); }
  const std::vector<DWORD> &code() const { return m_code; }
  HRESULT STDMETHODCALLTYPE GetFunction(void *out, UINT *size) override;

protected:
  ShaderOf(Device &device, const DWORD *code, size_t tokens) : Child<Interface>(device), m_code(code, code + tokens) {}

  std::vector<DWORD> m_code;
  HANDLE m_handle = nullptr;
};

class VertexShader final : public ShaderOf<IDirect3DVertexShader9> {
public:
  /// `softwareOnly`: it uses more registers than the hardware has, so the driver does not get it.
  VertexShader(Device &device, const DWORD *code, size_t tokens, bool softwareOnly)
      : ShaderOf(device, code, tokens), m_softwareOnly(softwareOnly) {}
  ~VertexShader() override;
  HRESULT create();
  bool isSoftwareOnly() const { return m_softwareOnly; }

private:
  bool m_softwareOnly;
};

class PixelShader final : public ShaderOf<IDirect3DPixelShader9> {
public:
  PixelShader(Device &device, const DWORD *code, size_t tokens) : ShaderOf(device, code, tokens) {}
  ~PixelShader() override;
  HRESULT create();
};

}  // namespace aerogpu::runtime
