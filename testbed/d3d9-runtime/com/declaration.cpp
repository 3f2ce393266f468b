// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/declaration.h"

#include <cstring>

#include "aerogpu/d3d9/declaration.h"
#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {

std::vector<D3DVERTEXELEMENT9> declarationOfFvf(DWORD fvf) {
  std::vector<D3DVERTEXELEMENT9> elements;
  WORD offset = 0;
  const auto add = [&](D3DDECLTYPE type, D3DDECLUSAGE usage, UINT index) {
    elements.push_back({0, offset, static_cast<BYTE>(type), D3DDECLMETHOD_DEFAULT, static_cast<BYTE>(usage),
                        static_cast<BYTE>(index)});
    offset = static_cast<WORD>(offset + d3d9::kDeclTypes[type].bytes);
  };
  constexpr D3DDECLTYPE kFloats[] = {D3DDECLTYPE_FLOAT1, D3DDECLTYPE_FLOAT2, D3DDECLTYPE_FLOAT3, D3DDECLTYPE_FLOAT4};
  const DWORD position = fvf & D3DFVF_POSITION_MASK;
  switch (position) {
  case D3DFVF_XYZ:
    add(D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_POSITION, 0);
    break;
  case D3DFVF_XYZRHW:
    add(D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_POSITIONT, 0);
    break;
  case D3DFVF_XYZW:
    add(D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_POSITION, 0);
    break;
  case D3DFVF_XYZB1:
  case D3DFVF_XYZB2:
  case D3DFVF_XYZB3:
  case D3DFVF_XYZB4:
  case D3DFVF_XYZB5: {
    add(D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_POSITION, 0);
    UINT betas = 1 + (position - D3DFVF_XYZB1) / 2;
    const bool indices = betas == 5 || (fvf & (D3DFVF_LASTBETA_UBYTE4 | D3DFVF_LASTBETA_D3DCOLOR));
    if (indices) --betas;
    if (betas == 1 && (fvf & D3DFVF_LASTBETA_D3DCOLOR)) {  // Windows' runtime swaps the two types
      add(D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_BLENDWEIGHT, 0);
      add(D3DDECLTYPE_UBYTE4, D3DDECLUSAGE_BLENDINDICES, 0);
      break;
    }
    if (betas) add(kFloats[betas - 1], D3DDECLUSAGE_BLENDWEIGHT, 0);
    if (indices)
      add(fvf & D3DFVF_LASTBETA_D3DCOLOR ? D3DDECLTYPE_D3DCOLOR
          : fvf & D3DFVF_LASTBETA_UBYTE4 ? D3DDECLTYPE_UBYTE4
                                         : D3DDECLTYPE_FLOAT1,
          D3DDECLUSAGE_BLENDINDICES, 0);
    break;
  }
  default:  // no position at all
    break;
  }
  if (fvf & D3DFVF_NORMAL) add(D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_NORMAL, 0);
  if (fvf & D3DFVF_PSIZE) add(D3DDECLTYPE_FLOAT1, D3DDECLUSAGE_PSIZE, 0);
  if (fvf & D3DFVF_DIFFUSE) add(D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 0);
  if (fvf & D3DFVF_SPECULAR) add(D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 1);
  const UINT textures = (fvf & D3DFVF_TEXCOUNT_MASK) >> D3DFVF_TEXCOUNT_SHIFT;
  if (textures > 8) return {};
  for (UINT i = 0; i < textures; ++i) {
    // Two bits each: 0 two floats, 1 three, 2 four, 3 one.
    constexpr D3DDECLTYPE kSizes[] = {D3DDECLTYPE_FLOAT2, D3DDECLTYPE_FLOAT3, D3DDECLTYPE_FLOAT4, D3DDECLTYPE_FLOAT1};
    add(kSizes[fvf >> (16 + 2 * i) & 3], D3DDECLUSAGE_TEXCOORD, i);
  }
  return elements;
}

DWORD fvfOf(const std::vector<D3DVERTEXELEMENT9> &elements) {
  DWORD fvf = 0, betas = 0, textures = 0;
  bool transformed = false, positioned = false;
  for (const D3DVERTEXELEMENT9 &e : elements) {
    switch (e.Usage) {
    case D3DDECLUSAGE_POSITION:
      fvf |= e.Type == D3DDECLTYPE_FLOAT4 ? D3DFVF_XYZW : D3DFVF_XYZ;
      positioned = true;
      break;
    case D3DDECLUSAGE_POSITIONT:
      transformed = positioned = true;
      break;
    case D3DDECLUSAGE_BLENDWEIGHT:
      betas += e.Type - D3DDECLTYPE_FLOAT1 + 1u;
      break;
    case D3DDECLUSAGE_BLENDINDICES:
      ++betas;
      if (e.Type == D3DDECLTYPE_UBYTE4) fvf |= D3DFVF_LASTBETA_UBYTE4;
      if (e.Type == D3DDECLTYPE_D3DCOLOR) fvf |= D3DFVF_LASTBETA_D3DCOLOR;
      break;
    case D3DDECLUSAGE_NORMAL:
      fvf |= D3DFVF_NORMAL;
      break;
    case D3DDECLUSAGE_PSIZE:
      fvf |= D3DFVF_PSIZE;
      break;
    case D3DDECLUSAGE_COLOR:
      fvf |= e.UsageIndex ? D3DFVF_SPECULAR : D3DFVF_DIFFUSE;
      break;
    case D3DDECLUSAGE_TEXCOORD:
      if (e.Type > D3DDECLTYPE_FLOAT4 || textures >= 8) return 0;
      fvf |= DWORD{e.Type == D3DDECLTYPE_FLOAT1 ? 3u : e.Type - D3DDECLTYPE_FLOAT2 + 0u} << (16 + 2 * textures++);
      break;
    default:
      return 0;
    }
  }
  if (transformed) fvf |= D3DFVF_XYZRHW;
  if (betas > 5 || !positioned) return 0;
  if (betas) fvf = (fvf & ~DWORD{D3DFVF_POSITION_MASK}) | (D3DFVF_XYZB1 + 2 * (betas - 1));
  fvf |= textures << D3DFVF_TEXCOUNT_SHIFT;
  // Compares order, offsets and types with the declaration that the code makes.
  const std::vector<D3DVERTEXELEMENT9> made = declarationOfFvf(fvf);
  const bool same = made.size() == elements.size() &&
                    (made.empty() || !std::memcmp(made.data(), elements.data(), made.size() * sizeof made[0]));
  return same ? fvf : 0;
}

HRESULT Declaration::create() {
  D3DDDIARG_CREATEVERTEXSHADERDECL argument{};
  argument.NumVertexElements = static_cast<UINT>(m_elements.size());
  std::vector<D3DDDIVERTEXELEMENT> elements(m_elements.size() + 1);
  static_assert(sizeof(D3DDDIVERTEXELEMENT) == sizeof(D3DVERTEXELEMENT9));
  std::memcpy(elements.data(), m_elements.data(), m_elements.size() * sizeof(D3DVERTEXELEMENT9));
  const HRESULT result =
      device().driver().call<&D3DDDI_DEVICEFUNCS::pfnCreateVertexShaderDecl>(&argument, elements.data());
  std::memset(elements.data(), 0xDB, elements.size() * sizeof elements[0]);  // the driver must have copied it
  if (SUCCEEDED(result)) m_handle = argument.ShaderHandle;
  return result;
}

Declaration::~Declaration() {
  if (!m_handle) return;
  device().pipeline().forget(m_handle);
  device().driver().call<&D3DDDI_DEVICEFUNCS::pfnDeleteVertexShaderDecl>(m_handle);
}

d3d9::FixedVertexInputs Declaration::inputsOf(const std::vector<D3DVERTEXELEMENT9> &elements) {
  std::vector<d3d9::VertexElement> copy(elements.size());
  for (size_t i = 0; i < copy.size(); ++i) {
    const D3DVERTEXELEMENT9 &e = elements[i];
    copy[i] = {e.Stream,
               e.Offset,
               static_cast<d3d9::DeclType>(e.Type),
               static_cast<d3d9::DeclMethod>(e.Method),
               static_cast<d3d9::Usage>(e.Usage),
               e.UsageIndex};
  }
  return d3d9::fixedVertexInputs(copy.data(), copy.size());
}

HRESULT Declaration::GetDeclaration(D3DVERTEXELEMENT9 *out, UINT *count) {
  if (!count) return D3DERR_INVALIDCALL;
  *count = static_cast<UINT>(m_elements.size() + 1);
  if (!out) return D3D_OK;
  std::memcpy(out, m_elements.data(), m_elements.size() * sizeof *out);
  out[m_elements.size()] = D3DDECL_END();
  return D3D_OK;
}

}  // namespace aerogpu::runtime
