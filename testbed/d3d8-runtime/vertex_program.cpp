// SPDX-License-Identifier: MIT
#include "testbed/d3d8-runtime/vertex_program.h"

#include <algorithm>
#include <bitset>
#include <cstring>

#include "aerogpu/d3d9/declaration.h"
#include "aerogpu/d3d9/tokens.h"
#include "testbed/d3d9-runtime/com/shader.h"

namespace aerogpu::runtime {
namespace {

// D3DVSD_TOKENTYPE, in the upper three bits.
enum TokenType : DWORD { Nop, StreamSelect, StreamData, Tessellator, ConstantMemory, Extension, Reserved, End };
constexpr UINT kTypeShift = 29, kMostTokens = 4096;
constexpr DWORD kEnd = 0xFFFFFFFF, kSkip = 0x10000000;

/// The usage of each input register, as fixed as in vertices of the fixed function (D3DVSDE_REGISTER).
constexpr struct {
  D3DDECLUSAGE usage;
  BYTE index;
} kUsages[kInputs8] = {
    {D3DDECLUSAGE_POSITION, 0}, {D3DDECLUSAGE_BLENDWEIGHT, 0}, {D3DDECLUSAGE_BLENDINDICES, 0},
    {D3DDECLUSAGE_NORMAL, 0},   {D3DDECLUSAGE_PSIZE, 0},       {D3DDECLUSAGE_COLOR, 0},
    {D3DDECLUSAGE_COLOR, 1},    {D3DDECLUSAGE_TEXCOORD, 0},    {D3DDECLUSAGE_TEXCOORD, 1},
    {D3DDECLUSAGE_TEXCOORD, 2}, {D3DDECLUSAGE_TEXCOORD, 3},    {D3DDECLUSAGE_TEXCOORD, 4},
    {D3DDECLUSAGE_TEXCOORD, 5}, {D3DDECLUSAGE_TEXCOORD, 6},    {D3DDECLUSAGE_TEXCOORD, 7},
    {D3DDECLUSAGE_POSITION, 1}, {D3DDECLUSAGE_NORMAL, 1},
};

/// Calls `visit(opcode, parameters, count)` for each instruction of a stream of shaderTokens() of model 1.
template <class Visit> void forEachInstruction(const DWORD *code, const Visit &visit) {
  for (size_t at = 1; code[at] != d3d9::kEndToken;) {
    const DWORD token = code[at++];
    const auto opcode = static_cast<d3d9::Opcode>(token & d3d9::kOpcodeMask);
    if (opcode == d3d9::Opcode::Comment) {
      at += (token & d3d9::kCommentLengthMask) >> d3d9::kCommentLengthShift;
      continue;
    }
    const size_t count = parametersOfModel1(code + at, opcode);
    visit(opcode, code + at, count);
    at += count;
  }
}

/// Returns the number of an input register, kInputs8 for other registers.
UINT inputOf(DWORD parameter) {
  const bool input = d3d9::registerTypeOf(parameter) == static_cast<uint32_t>(d3d9::RegisterType::Input);
  return input ? parameter & d3d9::kRegisterNumberMask : kInputs8;
}

}  // namespace

bool readDeclaration(const DWORD *tokens, Declaration8 &out) {
  WORD stream = 0, offset = 0;
  for (size_t at = 0; at < kMostTokens;) {
    const DWORD token = tokens[at++];
    if (token == kEnd) {
      out.tokens.assign(tokens, tokens + at);
      return true;
    }
    switch (token >> kTypeShift) {
    case Nop:
    case Tessellator:  // for patches
      break;
    case StreamSelect:
      stream = static_cast<WORD>(token & 0xF);
      offset = 0;
      break;
    case StreamData: {
      if (token & kSkip) {
        offset = static_cast<WORD>(offset + (token >> 16 & 0xF) * sizeof(DWORD));
        break;
      }
      // D3DVSDT_FLOAT1 to D3DVSDT_SHORT4 have the numbers of D3DDECLTYPE.
      const UINT number = token & 0x1F, type = token >> 16 & 0xF;
      if (number >= kInputs8 || type > D3DDECLTYPE_SHORT4) return false;
      out.elements.push_back({stream, offset, static_cast<BYTE>(type), D3DDECLMETHOD_DEFAULT,
                              static_cast<BYTE>(kUsages[number].usage), kUsages[number].index});
      out.registers.push_back(number);
      offset = static_cast<WORD>(offset + d3d9::kDeclTypes[type].bytes);
      break;
    }
    case ConstantMemory: {
      const UINT count = token >> 25 & 0xF;
      std::vector<float> values(size_t{count} * 4);
      std::memcpy(values.data(), tokens + at, values.size() * sizeof(float));
      out.constants.push_back({token & 0x7F, std::move(values)});
      at += size_t{count} * 4;
      break;
    }
    case Extension:
      at += token >> 24 & 0x1F;
      break;
    default:
      return false;
    }
  }
  return false;
}

bool fitsFixedFunction(const Declaration8 &declaration) {
  return std::all_of(declaration.elements.begin(), declaration.elements.end(), [](const D3DVERTEXELEMENT9 &e) {
    return e.Usage != D3DDECLUSAGE_NORMAL || e.Type == D3DDECLTYPE_FLOAT3;
  });
}

bool declaresInputs(const Declaration8 &declaration, const DWORD *code) {
  bool all = true;
  forEachInstruction(code, [&](d3d9::Opcode opcode, const DWORD *parameters, size_t count) {
    if (opcode == d3d9::Opcode::Def || opcode == d3d9::Opcode::Dcl) return;
    for (size_t i = 0; i < count; ++i) {
      const UINT input = inputOf(parameters[i]);
      if (input != kInputs8 &&
          std::find(declaration.registers.begin(), declaration.registers.end(), input) == declaration.registers.end())
        all = false;
    }
  });
  return all;
}

std::vector<DWORD> withInputs(const Declaration8 &declaration, const DWORD *code, size_t tokens) {
  std::bitset<kInputs8 + 1> declared;
  declared.set(16);  // shaders have v0 to v15
  forEachInstruction(code, [&](d3d9::Opcode opcode, const DWORD *parameters, size_t count) {
    if (opcode == d3d9::Opcode::Dcl && count == 2) declared.set(std::min(inputOf(parameters[1]), kInputs8));
  });
  std::vector<DWORD> out{code[0]};
  for (const UINT number : declaration.registers) {
    if (declared[number]) continue;
    declared.set(number);
    constexpr DWORD kAllOfInput = 0x900F0000;
    out.insert(out.end(),
               {static_cast<DWORD>(d3d9::Opcode::Dcl),
                d3d9::kParameterBit | static_cast<DWORD>(kUsages[number].usage) | DWORD{kUsages[number].index} << 16,
                kAllOfInput | number});
  }
  out.insert(out.end(), code + 1, code + tokens);
  return out;
}

}  // namespace aerogpu::runtime
