// SPDX-License-Identifier: MIT
// Shaders that stream out (pages "ID3D11Device::CreateGeometryShaderWithStreamOutput" and
// "D3D11_SO_DECLARATION_ENTRY"; D3D11.3 functional specification, 14.3). A driver gets registers in place of semantics.
#include <algorithm>
#include <bit>
#include <new>

#include "testbed/d3d11-runtime/d3d11/shaders.h"

namespace aerogpu::runtime11 {
namespace {

using DriverEntry = D3D11DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY;

constexpr UINT kGap = ~0u, kSlots = D3D11_SO_BUFFER_SLOT_COUNT, kMostOfGap = 4;

bool isNamed(const Element &row, const D3D11_SO_DECLARATION_ENTRY &entry) {
  return row.stream == entry.Stream && row.index == entry.SemanticIndex &&
         _stricmp(row.name.c_str(), entry.SemanticName) == 0;
}

/// Adds an entry as a driver gets it; false if the shader has no such output.
bool addEntry(const Container &container, const D3D11_SO_DECLARATION_ENTRY &entry, std::vector<DriverEntry> &out) {
  if (!entry.SemanticName) {  // a gap, in pieces of four components
    if (entry.SemanticIndex || entry.StartComponent) return false;
    for (UINT left = entry.ComponentCount; left; left -= (std::min)(left, kMostOfGap))
      out.push_back(
          {entry.Stream, entry.OutputSlot, kGap, static_cast<BYTE>((1u << (std::min)(left, kMostOfGap)) - 1)});
    return entry.ComponentCount != 0;
  }
  const auto row = std::find_if(container.outputs.begin(), container.outputs.end(),
                                [&](const Element &one) { return isNamed(one, entry); });
  if (row == container.outputs.end()) return false;
  const UINT components = static_cast<UINT>(std::popcount(static_cast<unsigned>(row->mask)));
  if (!entry.ComponentCount || entry.StartComponent >= components ||
      entry.ComponentCount > components - entry.StartComponent)
    return false;
  const UINT first = static_cast<UINT>(std::countr_zero(static_cast<unsigned>(row->mask))) + entry.StartComponent;
  out.push_back(
      {entry.Stream, entry.OutputSlot, row->reg, static_cast<BYTE>(((1u << entry.ComponentCount) - 1) << first)});
  return true;
}

/// Level 10 has one buffer with all elements, or several with an element each.
bool isOfLevel10(const StreamDescription &description) {
  UINT elements[kSlots] = {}, last = 0;
  for (UINT i = 0; i < description.count; ++i) {
    if (description.entries[i].Stream) return false;
    ++elements[description.entries[i].OutputSlot];
    last = (std::max)(last, UINT{description.entries[i].OutputSlot});
  }
  return !description.rasterizedStream &&
         (!last || std::all_of(elements, elements + kSlots, [](UINT count) { return count <= 1; }));
}

bool areStrides(const StreamDescription &description, const std::vector<DriverEntry> &entries) {
  if (description.strideCount > kSlots || (description.strideCount && !description.strides)) return false;
  for (UINT slot = 0; slot < description.strideCount; ++slot) {
    UINT bytes = 0;
    for (const DriverEntry &entry : entries)
      if (entry.OutputSlot == slot) bytes += static_cast<UINT>(std::popcount(unsigned{entry.RegisterMask})) * 4;
    const UINT stride = description.strides[slot];
    if (stride % 4 || stride > D3D11_SO_BUFFER_MAX_STRIDE_IN_BYTES || (stride && stride < bytes)) return false;
  }
  return true;
}

}  // namespace

HRESULT createStreamShader(Core &core, const void *code, SIZE_T size, const StreamDescription &description,
                           ID3D11GeometryShader **out) {
  if (out) *out = nullptr;
  const std::optional<Container> container = takeApart(code, size);
  if (!container || (container->stage != Stage::Geometry && container->stage != Stage::Vertex) ||
      !hasModel(core, *container))
    return E_INVALIDARG;
  constexpr UINT kMostEntries = D3D11_SO_STREAM_COUNT * D3D11_SO_OUTPUT_COMPONENT_COUNT;
  if (description.count > kMostEntries || (description.count && !description.entries)) return E_INVALIDARG;
  std::vector<DriverEntry> entries;
  for (UINT i = 0; i < description.count; ++i) {
    const D3D11_SO_DECLARATION_ENTRY &entry = description.entries[i];
    if (entry.OutputSlot >= kSlots || entry.Stream >= D3D11_SO_STREAM_COUNT || !addEntry(*container, entry, entries))
      return E_INVALIDARG;
  }
  if (!areStrides(description, entries)) return E_INVALIDARG;
  if (core.level < D3D_FEATURE_LEVEL_11_0 && !isOfLevel10(description)) return E_INVALIDARG;
  if (!out) return S_FALSE;
  Lent<D3D10DDIARG_SIGNATURE_ENTRY> inputs(entriesOf(container->inputs)), outputs(entriesOf(container->outputs));
  Lent<UINT> tokens(container->tokens);
  Lent<DriverEntry> lentEntries(entries);
  Lent<UINT> strides(description.strides, description.strideCount);
  Lent<D3D10DDIARG_STAGE_IO_SIGNATURES> signatures(
      D3D10DDIARG_STAGE_IO_SIGNATURES{inputs.data(), inputs.count(), outputs.data(), outputs.count()});
  const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT argument{
      tokens.data(),  lentEntries.data(),      lentEntries.count(),
      strides.data(), description.strideCount, description.rasterizedStream};
  const Lock lock(core.lock);
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  Ref<GeometryShader> shader(new (std::nothrow) GeometryShader(core));
  if (!shader) return E_OUTOFMEMORY;
  const HRESULT result = createStreamShader(shader->driver(), argument, signatures.data());
  if (FAILED(result)) return result;
  *out = shader.get();
  (*out)->AddRef();
  return S_OK;
}

}  // namespace aerogpu::runtime11
