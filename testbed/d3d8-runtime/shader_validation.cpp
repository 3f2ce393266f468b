// SPDX-License-Identifier: MIT
#include "testbed/d3d8-runtime/shader_validation.h"

#include <cstddef>
#include <cstring>

#include "testbed/d3d8-runtime/vertex_program.h"
#include "testbed/d3d9-runtime/com/shader.h"

namespace aerogpu::runtime {
namespace {

/// Returns a member of D3DCAPS8, by its place in D3DCAPS9.
DWORD capOf(const D3DCAPS8 &caps, size_t offset) {
  return caps.words[offset / sizeof(DWORD)];
}

/// Returns what is wrong with a vertex shader, null for nothing.
const char *faultOf(const DWORD *code, const DWORD *tokens, const D3DCAPS8 *caps) {
  if (!code) return "There is no code.\n";
  if (*code != D3DVS_VERSION(1, 0) && *code != D3DVS_VERSION(1, 1)) return "The version is not vs_1_0 or vs_1_1.\n";
  if (caps && *code > capOf(*caps, offsetof(D3DCAPS9, VertexShaderVersion))) return "The version is above the caps.\n";
  if (!shaderTokens(code, 0xFFFE)) return "The code does not end.\n";
  if (caps && !hasValidRegisters(code, {capOf(*caps, offsetof(D3DCAPS9, MaxVertexShaderConst)), 0, 0}))
    return "A constant is above the caps.\n";
  Declaration8 declaration;
  if (tokens && (!readDeclaration(tokens, declaration) || !declaresInputs(declaration, code)))
    return "The declaration lacks an input.\n";
  return nullptr;
}

HRESULT answerFault(const char *fault, BOOL wantsErrors, char **errors) {
  if (errors) {
    const char *text = fault && wantsErrors ? fault : "";
    *errors = static_cast<char *>(HeapAlloc(GetProcessHeap(), 0, std::strlen(text) + 1));
    if (*errors) std::strcpy(*errors, text);
  }
  return fault ? E_FAIL : S_OK;
}

}  // namespace

HRESULT validateVertexShader(const DWORD *code, const DWORD *declaration, const D3DCAPS8 *caps, BOOL wantsErrors,
                             char **errors) {
  return answerFault(faultOf(code, declaration, caps), wantsErrors, errors);
}

HRESULT validatePixelShader(const DWORD *code, const D3DCAPS8 *caps, BOOL wantsErrors, char **errors) {
  if (!code) return E_FAIL;
  const char *fault = nullptr;
  if (*code < D3DPS_VERSION(1, 0) || *code > D3DPS_VERSION(1, 4))
    fault = "The version is not one of ps_1_0 to ps_1_4.\n";
  else if (caps && *code > capOf(*caps, offsetof(D3DCAPS9, PixelShaderVersion)))
    fault = "The version is above the caps.\n";
  else if (!shaderTokens(code, 0xFFFF))
    fault = "The code does not end.\n";
  return answerFault(fault, wantsErrors, errors);
}

}  // namespace aerogpu::runtime
