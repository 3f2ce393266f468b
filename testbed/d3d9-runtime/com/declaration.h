// SPDX-License-Identifier: MIT
// IDirect3DVertexDeclaration9, and the declaration of an FVF code: drivers know declarations only.
#pragma once

#include <vector>

#include "aerogpu/d3d9/fixed_function.h"
#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/driver/driver_device.h"

namespace aerogpu::runtime {

/// Returns the FVF code of elements, 0 if there is none.
DWORD fvfOf(const std::vector<D3DVERTEXELEMENT9> &elements);

class Declaration final : public Child<IDirect3DVertexDeclaration9> {
public:
  /// `elements` without D3DDECL_END.
  Declaration(Device &device, std::vector<D3DVERTEXELEMENT9> elements)
      : Child(device), m_elements(std::move(elements)), m_fixedInputs(inputsOf(m_elements)), m_fvf(fvfOf(m_elements)) {}
  ~Declaration() override;
  HRESULT create();
  HANDLE handle() const { return m_handle; }
  /// True if vertices come transformed: D3DDECLUSAGE_POSITIONT.
  bool isTransformed() const { return m_fixedInputs.transformed; }
  /// Returns the vertex inputs of the fixed function.
  const d3d9::FixedVertexInputs &fixedInputs() const { return m_fixedInputs; }
  /// Returns the elements without D3DDECL_END.
  const std::vector<D3DVERTEXELEMENT9> &elements() const { return m_elements; }
  /// Returns the FVF code that makes this declaration, 0 if there is none.
  DWORD fvf() const { return m_fvf; }
  HRESULT STDMETHODCALLTYPE GetDeclaration(D3DVERTEXELEMENT9 *out, UINT *count) override;

private:
  static d3d9::FixedVertexInputs inputsOf(const std::vector<D3DVERTEXELEMENT9> &elements);

  std::vector<D3DVERTEXELEMENT9> m_elements;
  d3d9::FixedVertexInputs m_fixedInputs;
  DWORD m_fvf;
  HANDLE m_handle = nullptr;
};

/// Returns the elements of an FVF code (page "D3DFVF"), without D3DDECL_END; empty for an invalid code.
std::vector<D3DVERTEXELEMENT9> declarationOfFvf(DWORD fvf);

}  // namespace aerogpu::runtime
