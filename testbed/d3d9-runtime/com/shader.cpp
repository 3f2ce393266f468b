// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/shader.h"

#include <algorithm>
#include <cstring>

#include "aerogpu/d3d9/tokens.h"
#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {
namespace {

constexpr size_t kMostTokens = 1u << 20;

}  // namespace

size_t parametersOfModel1(const DWORD *at, d3d9::Opcode opcode) {
  switch (opcode) {
  case d3d9::Opcode::Def:
  case d3d9::Opcode::DefI:
    return 5;
  case d3d9::Opcode::DefB:
    return 2;
  default:
    break;
  }
  size_t count = 0;
  while (at[count] & d3d9::kParameterBit) ++count;
  return count;
}

size_t shaderTokens(const DWORD *code, WORD tag) {
  if (HIWORD(code[0]) != tag) return 0;
  const UINT major = LOBYTE(LOWORD(code[0]) >> 8);
  if (major < 1 || major > 3) return 0;
  for (size_t at = 1; at < kMostTokens;) {
    const DWORD token = code[at];
    if (token == d3d9::kEndToken) return at + 1;
    const auto opcode = static_cast<d3d9::Opcode>(token & d3d9::kOpcodeMask);
    ++at;
    if (opcode == d3d9::Opcode::Comment)
      at += (token & d3d9::kCommentLengthMask) >> d3d9::kCommentLengthShift;
    else if (major >= 2)
      at += (token & d3d9::kLengthMask) >> d3d9::kLengthShift;
    else
      at += parametersOfModel1(code + at, opcode);
  }
  return 0;
}

bool hasValidRegisters(const DWORD *code, const ShaderLimits &limits) {
  const UINT major = LOBYTE(LOWORD(code[0]) >> 8);
  const bool pixel = HIWORD(code[0]) == 0xFFFF;
  for (size_t at = 1; code[at] != d3d9::kEndToken;) {
    const DWORD token = code[at];
    const auto opcode = static_cast<d3d9::Opcode>(token & d3d9::kOpcodeMask);
    ++at;
    if (opcode == d3d9::Opcode::Comment) {
      at += (token & d3d9::kCommentLengthMask) >> d3d9::kCommentLengthShift;
      continue;
    }
    const size_t count =
        major >= 2 ? (token & d3d9::kLengthMask) >> d3d9::kLengthShift : parametersOfModel1(code + at, opcode);
    const bool defines = opcode == d3d9::Opcode::Def || opcode == d3d9::Opcode::DefI || opcode == d3d9::Opcode::DefB;
    // The first position goes to the rasterizer; only further ones reach a pixel shader of model 3.
    if (opcode == d3d9::Opcode::Dcl && pixel && major == 3 && count == 2 &&
        d3d9::registerTypeOf(code[at + 1]) == static_cast<uint32_t>(d3d9::RegisterType::Input) &&
        !(code[at] & (d3d9::kDclUsageMask | d3d9::kDclUsageIndexMask)))
      return false;
    for (size_t i = opcode == d3d9::Opcode::Dcl ? 1 : 0; i < (defines ? std::min<size_t>(1, count) : count); ++i) {
      const DWORD number = code[at + i] & d3d9::kRegisterNumberMask;
      switch (static_cast<d3d9::RegisterType>(d3d9::registerTypeOf(code[at + i]))) {
      case d3d9::RegisterType::Const:
        if (number >= limits.floats) return false;
        break;
      case d3d9::RegisterType::Const2:
      case d3d9::RegisterType::Const3:
      case d3d9::RegisterType::Const4:
        if (limits.floats <= 2048) return false;
        break;
      case d3d9::RegisterType::ConstInt:
        if (number >= limits.integers) return false;
        break;
      case d3d9::RegisterType::ConstBool:
        if (number >= limits.booleans) return false;
        break;
      default:
        break;
      }
    }
    at += count;
  }
  return true;
}

template <class Interface> HRESULT ShaderOf<Interface>::GetFunction(void *out, UINT *size) {
  if (!size) return D3DERR_INVALIDCALL;
  const UINT bytes = static_cast<UINT>(m_code.size() * sizeof(DWORD));
  if (!out) {
    *size = bytes;
    return D3D_OK;
  }
  if (*size < bytes) return D3DERR_INVALIDCALL;
  std::memcpy(out, m_code.data(), bytes);
  return D3D_OK;
}

template class ShaderOf<IDirect3DVertexShader9>;
template class ShaderOf<IDirect3DPixelShader9>;

HRESULT VertexShader::create() {
  if (m_softwareOnly) return D3D_OK;
  D3DDDIARG_CREATEVERTEXSHADERFUNC argument{};
  argument.Size = static_cast<UINT>(m_code.size() * sizeof(DWORD));
  std::vector<DWORD> code = m_code;  // the driver has to copy it
  const HRESULT result = device().driver().call<&D3DDDI_DEVICEFUNCS::pfnCreateVertexShaderFunc>(
      &argument, reinterpret_cast<const UINT *>(code.data()));
  std::memset(code.data(), 0xDB, argument.Size);
  if (SUCCEEDED(result)) m_handle = argument.ShaderHandle;
  return result;
}

VertexShader::~VertexShader() {
  if (!m_handle) return;
  device().pipeline().forget(m_handle);
  device().driver().call<&D3DDDI_DEVICEFUNCS::pfnDeleteVertexShaderFunc>(m_handle);
}

HRESULT PixelShader::create() {
  D3DDDIARG_CREATEPIXELSHADER argument{};
  argument.CodeSize = static_cast<UINT>(m_code.size() * sizeof(DWORD));
  std::vector<DWORD> code = m_code;
  const HRESULT result = device().driver().call<&D3DDDI_DEVICEFUNCS::pfnCreatePixelShader>(
      &argument, reinterpret_cast<const UINT *>(code.data()));
  std::memset(code.data(), 0xDB, argument.CodeSize);
  if (SUCCEEDED(result)) m_handle = argument.ShaderHandle;
  return result;
}

PixelShader::~PixelShader() {
  if (m_handle) device().driver().call<&D3DDDI_DEVICEFUNCS::pfnDeletePixelShader>(m_handle);
}

}  // namespace aerogpu::runtime
