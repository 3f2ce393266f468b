// SPDX-License-Identifier: MIT
// Vertex shaders of Direct3D 8: a declaration of tokens and, unless vertices go to the fixed function, code of vs_1_x
// without dcl instructions. The driver's interface has elements with usages instead, and Microsoft's own driver of it
// finds the inputs of a shader by their dcl alone (D3D9On12, ShaderConverter/ShaderConv/context.cpp), so the runtime
// makes both. Pages "Vertex Shader Declarators" and "D3DVSD_REG" of the Direct3D 8 reference, d3d8types.h.
#pragma once

#include <vector>

#include "testbed/d3d8-runtime/d3d8_headers.h"

namespace aerogpu::runtime {

inline constexpr UINT kInputs8 = 17;  ///< D3DVSDE_POSITION to D3DVSDE_NORMAL2

/// A declaration, read from its tokens.
struct Declaration8 {
  /// Constants that the declaration holds: set with the shader.
  struct Constants {
    UINT first;
    std::vector<float> values;  ///< four for each register
  };
  std::vector<DWORD> tokens;  ///< with D3DVSD_END
  std::vector<D3DVERTEXELEMENT9> elements;
  std::vector<UINT> registers;  ///< the input of each element
  std::vector<Constants> constants;
};

/// Reads a declaration. Returns false for tokens and types that do not exist.
bool readDeclaration(const DWORD *tokens, Declaration8 &out);
/// True if the fixed function takes the elements' types: normals have three floats.
bool fitsFixedFunction(const Declaration8 &declaration);
/// True if `code`, of shaderTokens(), reads only inputs of the declaration.
bool declaresInputs(const Declaration8 &declaration, const DWORD *code);
/// Returns the code with a dcl for each input of the declaration that it does not declare itself.
std::vector<DWORD> withInputs(const Declaration8 &declaration, const DWORD *code, size_t tokens);

}  // namespace aerogpu::runtime
