// SPDX-License-Identifier: MIT
// Shaders and draws.
#include <cstring>

#include "testbed/d3d8-runtime/device8.h"
#include "testbed/d3d8-runtime/resources.h"

namespace aerogpu::runtime {
namespace {

/// Answers a question for tokens: without `out` only their bytes.
HRESULT answerTokens(const std::vector<DWORD> &tokens, void *out, DWORD *size) {
  if (!size) return D3DERR_INVALIDCALL;
  const DWORD bytes = static_cast<DWORD>(tokens.size() * sizeof(DWORD));
  if (!out) {
    *size = bytes;
    return D3D_OK;
  }
  if (*size < bytes) return D3DERR_INVALIDCALL;
  if (bytes) std::memcpy(out, tokens.data(), bytes);
  *size = bytes;
  return D3D_OK;
}

}  // namespace

const Device8::VertexProgram *Device8::program(DWORD handle) const {
  const auto found = m_vertexPrograms.find(handle);
  return found == m_vertexPrograms.end() ? nullptr : &found->second;
}

HRESULT Device8::CreateVertexShader(const DWORD *declaration, const DWORD *code, DWORD *out, DWORD) {
  if (!declaration || !out) return D3DERR_INVALIDCALL;
  const Lock lock(m_object);
  VertexProgram made;
  if (!readDeclaration(declaration, made.tokens)) return D3DERR_INVALIDCALL;
  if (!code && !fitsFixedFunction(made.tokens)) return D3DERR_INVALIDCALL;
  if (code) {
    const size_t tokens = shaderTokens(code, 0xFFFE);
    if (!tokens || *code > caps8().VertexShaderVersion ||
        !hasValidRegisters(code, {caps8().MaxVertexShaderConst, 0, 0}))
      return D3DERR_INVALIDCALL;
    made.code.assign(code, code + tokens);
    IDirect3DVertexShader9 *shader = nullptr;
    const HRESULT result = m_object.CreateVertexShader(withInputs(made.tokens, code, tokens).data(), &shader);
    if (FAILED(result)) return result;
    made.shader = Ref<VertexShader>(static_cast<VertexShader *>(shader));
    shader->Release();
  }
  made.tokens.elements.push_back(D3DDECL_END());
  IDirect3DVertexDeclaration9 *object = nullptr;
  const HRESULT result = m_object.CreateVertexDeclaration(made.tokens.elements.data(), &object);
  if (FAILED(result)) return D3DERR_INVALIDCALL;
  made.declaration = Ref<Declaration>(static_cast<Declaration *>(object));
  object->Release();
  // Codes of vertices have no bit 0 (D3DFVF_RESERVED0), so the handles of shaders have.
  *out = (m_lastHandle += 2) | 1;
  made.declaration->setFront(std::make_unique<HandleFront>(*out));
  m_vertexPrograms.emplace(*out, std::move(made));
  return D3D_OK;
}

HRESULT Device8::SetVertexShader(DWORD handle) {
  const Lock lock(m_object);
  if (!handle || !(handle & D3DFVF_RESERVED0)) {
    HRESULT result = handle ? m_object.SetFVF(handle) : m_object.SetVertexDeclaration(nullptr);
    if (SUCCEEDED(result)) result = m_object.SetVertexShader(nullptr);
    return result;
  }
  const VertexProgram *found = program(handle);
  if (!found) return D3DERR_INVALIDCALL;
  m_object.SetVertexDeclaration(found->declaration.get());
  m_object.SetVertexShader(found->shader.get());
  for (const Declaration8::Constants &constants : found->tokens.constants)
    m_object.SetVertexShaderConstantF(constants.first, constants.values.data(),
                                      static_cast<UINT>(constants.values.size() / 4));
  return D3D_OK;
}

HRESULT Device8::GetVertexShader(DWORD *out) {
  const Lock lock(m_object);
  if (!out) return D3DERR_INVALIDCALL;
  const StateValues &values = m_object.pipeline().values();
  const Front *front = values.declaration ? values.declaration->front() : nullptr;
  *out = front ? static_cast<const HandleFront *>(front)->handle : values.fvf;
  return D3D_OK;
}

HRESULT Device8::DeleteVertexShader(DWORD handle) {
  const Lock lock(m_object);
  if (!program(handle)) return D3DERR_INVALIDCALL;
  DWORD current = 0;
  GetVertexShader(&current);
  if (current == handle) SetVertexShader(0);
  m_vertexPrograms.erase(handle);
  return D3D_OK;
}

HRESULT Device8::SetVertexShaderConstant(DWORD first, const void *data, DWORD count) {
  if (UINT64{first} + count > caps8().MaxVertexShaderConst) return D3DERR_INVALIDCALL;
  return m_object.SetVertexShaderConstantF(first, static_cast<const float *>(data), count);
}

HRESULT Device8::GetVertexShaderConstant(DWORD first, void *out, DWORD count) {
  if (UINT64{first} + count > caps8().MaxVertexShaderConst) return D3DERR_INVALIDCALL;
  return m_object.GetVertexShaderConstantF(first, static_cast<float *>(out), count);
}

HRESULT Device8::GetVertexShaderDeclaration(DWORD handle, void *out, DWORD *size) {
  const Lock lock(m_object);
  const VertexProgram *found = program(handle);
  return found ? answerTokens(found->tokens.tokens, out, size) : D3DERR_INVALIDCALL;
}

HRESULT Device8::GetVertexShaderFunction(DWORD handle, void *out, DWORD *size) {
  const Lock lock(m_object);
  const VertexProgram *found = program(handle);
  return found ? answerTokens(found->code, out, size) : D3DERR_INVALIDCALL;
}

HRESULT Device8::CreatePixelShader(const DWORD *code, DWORD *out) {
  if (!code || !out) return D3DERR_INVALIDCALL;
  const Lock lock(m_object);
  if (!shaderTokens(code, 0xFFFF) || *code > caps8().PixelShaderVersion) return D3DERR_INVALIDCALL;
  IDirect3DPixelShader9 *made = nullptr;
  const HRESULT result = m_object.CreatePixelShader(code, &made);
  if (FAILED(result)) return result;
  PixelShader *shader = static_cast<PixelShader *>(made);
  *out = m_lastHandle += 2;
  shader->setFront(std::make_unique<HandleFront>(*out));
  m_pixelShaders.emplace(*out, Ref<PixelShader>(shader));
  made->Release();
  return D3D_OK;
}

HRESULT Device8::SetPixelShader(DWORD handle) {
  const Lock lock(m_object);
  if (!handle) return m_object.SetPixelShader(nullptr);
  const auto found = m_pixelShaders.find(handle);
  return found == m_pixelShaders.end() ? D3DERR_INVALIDCALL : m_object.SetPixelShader(found->second.get());
}

HRESULT Device8::GetPixelShader(DWORD *out) {
  const Lock lock(m_object);
  if (!out) return D3DERR_INVALIDCALL;
  const PixelShader *shader = m_object.pipeline().values().pixelShader.get();
  *out = shader ? static_cast<const HandleFront *>(shader->front())->handle : 0;
  return D3D_OK;
}

HRESULT Device8::DeletePixelShader(DWORD handle) {
  const Lock lock(m_object);
  if (!m_pixelShaders.contains(handle)) return D3DERR_INVALIDCALL;
  DWORD current = 0;
  GetPixelShader(&current);
  if (current == handle) SetPixelShader(0);
  m_pixelShaders.erase(handle);
  return D3D_OK;
}

HRESULT Device8::SetPixelShaderConstant(DWORD first, const void *data, DWORD count) {
  if (UINT64{first} + count > m_object.pipeline().states().constants(Constants::PixelFloat)) return D3DERR_INVALIDCALL;
  return m_object.SetPixelShaderConstantF(first, static_cast<const float *>(data), count);
}

HRESULT Device8::GetPixelShaderConstant(DWORD first, void *out, DWORD count) {
  if (UINT64{first} + count > m_object.pipeline().states().constants(Constants::PixelFloat)) return D3DERR_INVALIDCALL;
  return m_object.GetPixelShaderConstantF(first, static_cast<float *>(out), count);
}

HRESULT Device8::GetPixelShaderFunction(DWORD handle, void *out, DWORD *size) {
  const Lock lock(m_object);
  const auto found = m_pixelShaders.find(handle);
  return found == m_pixelShaders.end() ? D3DERR_INVALIDCALL : answerTokens(found->second->code(), out, size);
}

// Draws of nothing succeed, and so do those that lack indices or a stride (test_draw_primitive in Wine's
// dlls/d3d8/tests/device.c).
HRESULT Device8::DrawPrimitive(D3DPRIMITIVETYPE type, UINT first, UINT primitives) {
  return primitives ? m_object.DrawPrimitive(type, first, primitives) : D3D_OK;
}

HRESULT Device8::DrawIndexedPrimitive(D3DPRIMITIVETYPE type, UINT least, UINT vertices, UINT first, UINT primitives) {
  const Lock lock(m_object);
  const StateValues &values = m_object.pipeline().values();
  if (!primitives || !values.indices) return D3D_OK;
  return m_object.DrawIndexedPrimitive(type, static_cast<INT>(values.baseVertex), least, vertices, first, primitives);
}

HRESULT Device8::DrawPrimitiveUP(D3DPRIMITIVETYPE type, UINT primitives, const void *data, UINT stride) {
  return primitives && stride ? m_object.DrawPrimitiveUP(type, primitives, data, stride) : D3D_OK;
}

HRESULT Device8::DrawIndexedPrimitiveUP(D3DPRIMITIVETYPE type, UINT least, UINT vertices, UINT primitives,
                                        const void *indices, D3DFORMAT format, const void *data, UINT stride) {
  if (!primitives || !stride) return D3D_OK;
  return m_object.DrawIndexedPrimitiveUP(type, least, vertices, primitives, indices, format, data, stride);
}

HRESULT Device8::ProcessVertices(UINT from, UINT to, UINT count, IDirect3DVertexBuffer8 *buffer, DWORD flags) {
  return m_object.ProcessVertices(from, to, count, objectOf<VertexBuffer8>(buffer), nullptr, flags);
}

HRESULT Device8::DrawRectPatch(UINT handle, const float *segments, const D3DRECTPATCH_INFO *patch) {
  return m_object.DrawRectPatch(handle, segments, patch);
}

HRESULT Device8::DrawTriPatch(UINT handle, const float *segments, const D3DTRIPATCH_INFO *patch) {
  return m_object.DrawTriPatch(handle, segments, patch);
}

HRESULT Device8::DeletePatch(UINT handle) {
  return m_object.DeletePatch(handle);
}

}  // namespace aerogpu::runtime
