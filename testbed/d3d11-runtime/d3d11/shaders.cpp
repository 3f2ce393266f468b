// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/shaders.h"

#include <algorithm>
#include <new>

#include "testbed/d3d11-runtime/container/layout.h"

namespace aerogpu::runtime11 {

std::vector<D3D10DDIARG_SIGNATURE_ENTRY> entriesOf(const std::vector<Element> &rows) {
  std::vector<D3D10DDIARG_SIGNATURE_ENTRY> out;
  for (const DriverElement &row : driverElements(rows))
    out.push_back({static_cast<D3D10_SB_NAME>(row.name), row.reg, row.mask});
  return out;
}

bool hasModel(const Core &core, const Container &container) {
  const UINT model = container.major * 10 + container.minor;
  const UINT most = core.level >= D3D_FEATURE_LEVEL_11_0 ? 50 : core.level >= D3D_FEATURE_LEVEL_10_1 ? 41 : 40;
  return model <= most;
}

namespace {

/// True if a shader writes the layer or the viewport, which takes a geometry shader
/// (D3D11_FEATURE_DATA_D3D11_OPTIONS3::VPAndRTArrayIndexFromAnyShaderFeedingRasterizer: not on Windows 7).
bool choosesTarget(const Container &container) {
  return std::any_of(container.outputs.begin(), container.outputs.end(), [](const Element &e) {
    return e.systemValue == D3D_NAME_RENDER_TARGET_ARRAY_INDEX || e.systemValue == D3D_NAME_VIEWPORT_ARRAY_INDEX;
  });
}

template <auto kCreate, class Interface>
HRESULT create(Core &core, Stage stage, const void *code, SIZE_T size, Interface **out) {
  if (out) *out = nullptr;
  const std::optional<Container> container = takeApart(code, size);
  if (!container || container->stage != stage || !hasModel(core, *container)) return E_INVALIDARG;
  // Compute is not offered on level 10 (D3D11_FEATURE_D3D10_X_HARDWARE_OPTIONS).
  if (container->major < 5 && declaresBuffersOf11(container->tokens)) return E_INVALIDARG;
  if (stage != Stage::Geometry && choosesTarget(*container)) return E_INVALIDARG;
  if (!out) return S_FALSE;
  Lent<D3D10DDIARG_SIGNATURE_ENTRY> inputs(entriesOf(container->inputs)), outputs(entriesOf(container->outputs));
  Lent<UINT> tokens(container->tokens);
  D3D10DDIARG_STAGE_IO_SIGNATURES signatures{inputs.data(), inputs.count(), outputs.data(), outputs.count()};
  Lent<D3D10DDIARG_STAGE_IO_SIGNATURES> lent(signatures);
  const Lock lock(core.lock);
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  Ref<Shader<Interface>> shader(new (std::nothrow) Shader<Interface>(core));
  if (!shader) return E_OUTOFMEMORY;
  const HRESULT result =
      shader->driver().template createShader<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateShaderSize, kCreate>(
          static_cast<const UINT *>(tokens.data()), static_cast<const D3D10DDIARG_STAGE_IO_SIGNATURES *>(lent.data()));
  if (FAILED(result)) return result;
  *out = shader.get();
  (*out)->AddRef();
  return S_OK;
}

}  // namespace

HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11VertexShader **out) {
  return create<&D3D11DDI_DEVICEFUNCS::pfnCreateVertexShader>(core, Stage::Vertex, code, size, out);
}
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11GeometryShader **out) {
  return create<&D3D11DDI_DEVICEFUNCS::pfnCreateGeometryShader>(core, Stage::Geometry, code, size, out);
}
HRESULT createShader(Core &core, const void *code, SIZE_T size, ID3D11PixelShader **out) {
  return create<&D3D11DDI_DEVICEFUNCS::pfnCreatePixelShader>(core, Stage::Pixel, code, size, out);
}

HRESULT createInputLayout(Core &core, const D3D11_INPUT_ELEMENT_DESC *given, UINT count, const void *code, SIZE_T size,
                          ID3D11InputLayout **out) {
  if (out) *out = nullptr;
  const UINT slots = core.level >= D3D_FEATURE_LEVEL_10_1 ? 32 : 16;
  if (!given || count > slots) return E_INVALIDARG;
  const std::optional<Container> container = takeApart(code, size, false);
  if (!container) return E_INVALIDARG;
  std::vector<LayoutElement> elements;
  elements.reserve(count);
  for (UINT i = 0; i < count; ++i)
    elements.push_back({given[i].SemanticName, given[i].SemanticIndex, static_cast<uint32_t>(given[i].Format),
                        given[i].InputSlot, given[i].AlignedByteOffset,
                        given[i].InputSlotClass == D3D11_INPUT_PER_INSTANCE_DATA, given[i].InstanceDataStepRate});
  std::vector<DriverLayoutElement> matched;
  if (!matchLayout(elements, container->inputs, slots, matched)) return E_INVALIDARG;
  if (!out) return S_FALSE;
  std::vector<D3D10DDIARG_INPUT_ELEMENT_DESC> rows;
  rows.reserve(matched.size());
  for (const DriverLayoutElement &row : matched)
    rows.push_back({row.slot, row.offset, static_cast<DXGI_FORMAT>(row.format),
                    row.perInstance ? D3D10_DDI_INPUT_PER_INSTANCE_DATA : D3D10_DDI_INPUT_PER_VERTEX_DATA, row.step,
                    row.reg});
  Lent<D3D10DDIARG_INPUT_ELEMENT_DESC> lent(rows);
  D3D10DDIARG_CREATEELEMENTLAYOUT argument{lent.data(), lent.count()};
  const Lock lock(core.lock);
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  Ref<InputLayout> layout(new (std::nothrow) InputLayout(core));
  if (!layout) return E_OUTOFMEMORY;
  const HRESULT result = layout->driver()
                             .create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateElementLayoutSize,
                                     &D3D11DDI_DEVICEFUNCS::pfnCreateElementLayout>(argument);
  if (FAILED(result)) return result;
  *out = layout.get();
  (*out)->AddRef();
  return S_OK;
}

}  // namespace aerogpu::runtime11
