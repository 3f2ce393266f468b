// SPDX-License-Identifier: MIT
// Setting and reading states. Pure devices return them too.
#include <algorithm>
#include <cstring>

#include "aerogpu/d3d9/states.h"
#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/d3d9-runtime/com/state_block.h"

namespace aerogpu::runtime {
namespace {

bool isStageState(const ApiStates &states, UINT stage, UINT state) {
  return stage < kStages && states.hasStage(state);
}

}  // namespace

HRESULT Device::SetRenderState(D3DRENDERSTATETYPE state, DWORD value) {
  const Lock lock(*this);
  // Numbers that are no state are accepted and dropped: programs use such numbers.
  if (!m_pipeline.states().hasRender(state)) return D3D_OK;
  return sink().setRender(state, value);
}

HRESULT Device::GetRenderState(D3DRENDERSTATETYPE state, DWORD *value) {
  const Lock lock(*this);
  if (!value || static_cast<UINT>(state) >= kRenderStates) return D3DERR_INVALIDCALL;
  *value = m_pipeline.values().render[state];
  return D3D_OK;
}

HRESULT Device::SetSamplerState(DWORD sampler, D3DSAMPLERSTATETYPE state, DWORD value) {
  const Lock lock(*this);
  const UINT slot = samplerSlot(sampler);
  if (slot == kSamplers || !d3d9::findSamplerState(state)) return D3DERR_INVALIDCALL;
  return sink().setSampler(slot, state, value);
}

HRESULT Device::GetSamplerState(DWORD sampler, D3DSAMPLERSTATETYPE state, DWORD *value) {
  const Lock lock(*this);
  const UINT slot = samplerSlot(sampler);
  if (slot == kSamplers || !value || !d3d9::findSamplerState(state)) return D3DERR_INVALIDCALL;
  *value = m_pipeline.values().sampler[slot][state];
  return D3D_OK;
}

HRESULT Device::SetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD value) {
  const Lock lock(*this);
  if (!isStageState(m_pipeline.states(), stage, state)) return D3D_OK;  // accepted and dropped
  return sink().setStage(stage, state, value);
}

HRESULT Device::GetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD *value) {
  const Lock lock(*this);
  if (!value || !isStageState(m_pipeline.states(), stage, state)) return D3DERR_INVALIDCALL;
  *value = m_pipeline.values().stage[stage][state];
  return D3D_OK;
}

HRESULT Device::SetViewport(const D3DVIEWPORT9 *viewport) {
  const Lock lock(*this);
  if (!viewport) return D3DERR_INVALIDCALL;
  return sink().setViewport(*viewport);
}

HRESULT Device::GetViewport(D3DVIEWPORT9 *viewport) {
  const Lock lock(*this);
  if (!viewport) return D3DERR_INVALIDCALL;
  *viewport = m_pipeline.values().viewport;
  return D3D_OK;
}

HRESULT Device::SetScissorRect(const RECT *rect) {
  const Lock lock(*this);
  if (!rect) return D3DERR_INVALIDCALL;
  return sink().setScissor(*rect);
}

HRESULT Device::GetScissorRect(RECT *rect) {
  const Lock lock(*this);
  if (!rect) return D3DERR_INVALIDCALL;
  *rect = m_pipeline.values().scissor;
  return D3D_OK;
}

HRESULT Device::SetClipPlane(DWORD index, const float *plane) {
  const Lock lock(*this);
  if (!plane) return D3DERR_INVALIDCALL;
  return sink().setClipPlane(std::min<DWORD>(index, kClipPlanes - 1), plane);  // indices past the end set the last one
}

HRESULT Device::GetClipPlane(DWORD index, float *plane) {
  const Lock lock(*this);
  if (!plane) return D3DERR_INVALIDCALL;
  std::memcpy(plane, m_pipeline.values().clipPlane[std::min<DWORD>(index, kClipPlanes - 1)], 4 * sizeof(float));
  return D3D_OK;
}

HRESULT Device::SetTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) {
  const Lock lock(*this);
  const UINT slot = transformSlot(state);
  if (slot == kTransforms || !matrix) return D3DERR_INVALIDCALL;
  return sink().setTransform(slot, *matrix);
}

HRESULT Device::GetTransform(D3DTRANSFORMSTATETYPE state, D3DMATRIX *matrix) {
  const Lock lock(*this);
  const UINT slot = transformSlot(state);
  if (slot == kTransforms || !matrix) return D3DERR_INVALIDCALL;
  *matrix = m_pipeline.values().transform[slot];
  return D3D_OK;
}

HRESULT Device::MultiplyTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) {
  const Lock lock(*this);
  const UINT slot = transformSlot(state);
  if (slot == kTransforms || !matrix) return D3DERR_INVALIDCALL;
  const D3DMATRIX &old = m_pipeline.values().transform[slot];
  D3DMATRIX product{};
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      for (int i = 0; i < 4; ++i) product.m[row][column] += matrix->m[row][i] * old.m[i][column];
  return m_pipeline.setTransform(slot, product);  // never recorded
}

HRESULT Device::SetMaterial(const D3DMATERIAL9 *material) {
  const Lock lock(*this);
  if (!material) return D3DERR_INVALIDCALL;
  return sink().setMaterial(*material);
}

HRESULT Device::GetMaterial(D3DMATERIAL9 *material) {
  const Lock lock(*this);
  if (!material) return D3DERR_INVALIDCALL;
  *material = m_pipeline.values().material;
  return D3D_OK;
}

HRESULT Device::SetLight(DWORD index, const D3DLIGHT9 *light) {
  const Lock lock(*this);
  if (!light || light->Type < D3DLIGHT_POINT || light->Type > D3DLIGHT_DIRECTIONAL) return D3DERR_INVALIDCALL;
  return sink().setLight(index, *light);
}

HRESULT Device::GetLight(DWORD index, D3DLIGHT9 *light) {
  const Lock lock(*this);
  const auto &lights = m_pipeline.values().lights;
  const auto found = lights.find(index);
  if (!light || found == lights.end()) return D3DERR_INVALIDCALL;
  *light = found->second.light;
  return D3D_OK;
}

HRESULT Device::LightEnable(DWORD index, BOOL enable) {
  const Lock lock(*this);
  return sink().enableLight(index, enable);
}

HRESULT Device::GetLightEnable(DWORD index, BOOL *enable) {
  const Lock lock(*this);
  const auto &lights = m_pipeline.values().lights;
  const auto found = lights.find(index);
  if (!enable || found == lights.end()) return D3DERR_INVALIDCALL;
  *enable = found->second.enabled ? 128 : 0;  // the API's answer for TRUE
  return D3D_OK;
}

HRESULT Device::setConstants(Constants kind, UINT first, UINT count, const void *data) {
  const Lock lock(*this);
  const bool software =
      m_creation.BehaviorFlags & (D3DCREATE_SOFTWARE_VERTEXPROCESSING | D3DCREATE_MIXED_VERTEXPROCESSING);
  if (data && kind == Constants::VertexFloat && software && UINT64{first} + count > kVertexFloats &&
      UINT64{first} + count <= kSoftwareFloats) {
    const UINT kept = first < kVertexFloats ? kVertexFloats - first : 0;
    m_pipeline.setSoftwareFloats(first + kept, count - kept, static_cast<const float *>(data) + size_t{kept} * 4);
    count = kept;
  }
  if (!data || (count && UINT64{first} + count > constantCount(kind))) return D3DERR_INVALIDCALL;
  return count ? sink().setConstants(kind, first, count, data) : D3D_OK;
}

HRESULT Device::getConstants(Constants kind, UINT first, UINT count, void *data) const {
  if (!data || UINT64{first} + count > constantCount(kind)) return D3DERR_INVALIDCALL;
  const UINT words = constantWords(kind);
  std::memcpy(data, m_pipeline.values().constants(kind) + size_t{first} * words, sizeof(DWORD) * count * words);
  return D3D_OK;
}

HRESULT Device::SetVertexShaderConstantF(UINT first, const float *data, UINT count) {
  return setConstants(Constants::VertexFloat, first, count, data);
}
HRESULT Device::GetVertexShaderConstantF(UINT first, float *data, UINT count) {
  return getConstants(Constants::VertexFloat, first, count, data);
}
HRESULT Device::SetVertexShaderConstantI(UINT first, const int *data, UINT count) {
  return setConstants(Constants::VertexInteger, first, count, data);
}
HRESULT Device::GetVertexShaderConstantI(UINT first, int *data, UINT count) {
  return getConstants(Constants::VertexInteger, first, count, data);
}
HRESULT Device::SetVertexShaderConstantB(UINT first, const BOOL *data, UINT count) {
  return setConstants(Constants::VertexBoolean, first, count, data);
}
HRESULT Device::GetVertexShaderConstantB(UINT first, BOOL *data, UINT count) {
  return getConstants(Constants::VertexBoolean, first, count, data);
}
HRESULT Device::SetPixelShaderConstantF(UINT first, const float *data, UINT count) {
  return setConstants(Constants::PixelFloat, first, count, data);
}
HRESULT Device::GetPixelShaderConstantF(UINT first, float *data, UINT count) {
  return getConstants(Constants::PixelFloat, first, count, data);
}
HRESULT Device::SetPixelShaderConstantI(UINT first, const int *data, UINT count) {
  return setConstants(Constants::PixelInteger, first, count, data);
}
HRESULT Device::GetPixelShaderConstantI(UINT first, int *data, UINT count) {
  return getConstants(Constants::PixelInteger, first, count, data);
}
HRESULT Device::SetPixelShaderConstantB(UINT first, const BOOL *data, UINT count) {
  return setConstants(Constants::PixelBoolean, first, count, data);
}
HRESULT Device::GetPixelShaderConstantB(UINT first, BOOL *data, UINT count) {
  return getConstants(Constants::PixelBoolean, first, count, data);
}

HRESULT Device::ValidateDevice(DWORD *passes) {
  const Lock lock(*this);
  if (!passes) return D3DERR_INVALIDCALL;
  D3DDDIARG_VALIDATETEXTURESTAGESTATE argument{};
  const HRESULT result = m_driver.call<&D3DDDI_DEVICEFUNCS::pfnValidateDevice>(&argument);
  *passes = argument.NumPasses;
  return result;
}

HRESULT Device::SetClipStatus(const D3DCLIPSTATUS9 *status) {
  const Lock lock(*this);
  if (!status) return D3DERR_INVALIDCALL;
  m_clipStatus = *status;
  return D3D_OK;
}

HRESULT Device::GetClipStatus(D3DCLIPSTATUS9 *status) {
  const Lock lock(*this);
  if (!status) return D3DERR_INVALIDCALL;
  *status = m_clipStatus;
  return D3D_OK;
}

// Palettes are stored for the program; only formats of 8-bit indices would use them, which the driver's table has to
// offer.
HRESULT Device::SetPaletteEntries(UINT palette, const PALETTEENTRY *entries) {
  const Lock lock(*this);
  constexpr UINT kMostPalettes = 1u << 16;
  if (palette >= kMostPalettes || !entries) return D3DERR_INVALIDCALL;
  constexpr BYTE kOpaque = 0xFF;
  if (!(m_driver.adapter().caps().TextureCaps & D3DPTEXTURECAPS_ALPHAPALETTE) &&
      std::any_of(entries, entries + 256, [](const PALETTEENTRY &entry) { return entry.peFlags != kOpaque; }))
    return D3DERR_INVALIDCALL;
  std::copy(entries, entries + 256, m_palettes[palette].begin());
  return D3D_OK;
}

HRESULT Device::GetPaletteEntries(UINT palette, PALETTEENTRY *entries) {
  const Lock lock(*this);
  const auto found = m_palettes.find(palette);
  if (!entries || found == m_palettes.end()) return D3DERR_INVALIDCALL;
  std::copy(found->second.begin(), found->second.end(), entries);
  return D3D_OK;
}

HRESULT Device::SetCurrentTexturePalette(UINT palette) {
  const Lock lock(*this);
  if (!m_palettes.contains(palette)) return D3DERR_INVALIDCALL;
  m_palette = palette;
  return D3D_OK;
}

HRESULT Device::GetCurrentTexturePalette(UINT *palette) {
  const Lock lock(*this);
  if (!palette) return D3DERR_INVALIDCALL;
  *palette = m_palette;
  return D3D_OK;
}

HRESULT Device::SetSoftwareVertexProcessing(BOOL software) {
  const Lock lock(*this);
  if (!(m_creation.BehaviorFlags & D3DCREATE_MIXED_VERTEXPROCESSING)) return D3DERR_INVALIDCALL;
  m_softwareVertices = software;
  return D3D_OK;
}

BOOL Device::softwareVertices() const {
  if (m_creation.BehaviorFlags & D3DCREATE_SOFTWARE_VERTEXPROCESSING) return TRUE;
  // A state of Direct3D 8.
  if (version() == 8 && (m_creation.BehaviorFlags & D3DCREATE_MIXED_VERTEXPROCESSING))
    return m_pipeline.values().render[D3DDDIRS_SOFTWAREVERTEXPROCESSING] != 0;
  return m_softwareVertices;
}

BOOL Device::GetSoftwareVertexProcessing() {
  return softwareVertices();
}

}  // namespace aerogpu::runtime
