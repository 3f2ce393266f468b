// SPDX-License-Identifier: MIT
// States, state blocks, palettes.
#include "testbed/d3d8-runtime/device8.h"

namespace aerogpu::runtime {
namespace {

/// Returns the sampler state of Direct3D 9 that a texture stage state of Direct3D 8 is, 0 for others. The driver's
/// interface has kept the numbers of Direct3D 8.
UINT samplerStateOf(const ApiStates &states, UINT stageState) {
  for (const d3d9::StateInfo &state : states.sampler())
    if (stageStateOfSampler(state.number) == stageState) return state.number;
  return 0;
}

}  // namespace

HRESULT Device8::SetTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) {
  return m_object.SetTransform(state, matrix);
}

HRESULT Device8::GetTransform(D3DTRANSFORMSTATETYPE state, D3DMATRIX *out) {
  return m_object.GetTransform(state, out);
}

HRESULT Device8::MultiplyTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) {
  return m_object.MultiplyTransform(state, matrix);
}

// Unlike in Direct3D 9 it must lie in the target.
HRESULT Device8::SetViewport(const D3DVIEWPORT8 *viewport) {
  const Lock lock(m_object);
  const Surface *target = currentTarget();
  if (!viewport || !target || UINT64{viewport->X} + viewport->Width > target->width() ||
      UINT64{viewport->Y} + viewport->Height > target->height())
    return D3DERR_INVALIDCALL;
  return m_object.SetViewport(viewport);
}

HRESULT Device8::GetViewport(D3DVIEWPORT8 *out) {
  return m_object.GetViewport(out);
}

HRESULT Device8::SetMaterial(const D3DMATERIAL8 *material) {
  return m_object.SetMaterial(material);
}

HRESULT Device8::GetMaterial(D3DMATERIAL8 *out) {
  return m_object.GetMaterial(out);
}

HRESULT Device8::SetLight(DWORD index, const D3DLIGHT8 *light) {
  return m_object.SetLight(index, light);
}

HRESULT Device8::GetLight(DWORD index, D3DLIGHT8 *out) {
  return m_object.GetLight(index, out);
}

HRESULT Device8::LightEnable(DWORD index, BOOL enable) {
  return m_object.LightEnable(index, enable);
}

HRESULT Device8::GetLightEnable(DWORD index, BOOL *out) {
  return m_object.GetLightEnable(index, out);
}

HRESULT Device8::SetClipPlane(DWORD index, const float *plane) {
  return m_object.SetClipPlane(index, plane);
}

HRESULT Device8::GetClipPlane(DWORD index, float *out) {
  return m_object.GetClipPlane(index, out);
}

HRESULT Device8::SetClipStatus(const D3DCLIPSTATUS8 *status) {
  return m_object.SetClipStatus(status);
}

HRESULT Device8::GetClipStatus(D3DCLIPSTATUS8 *out) {
  return m_object.GetClipStatus(out);
}

HRESULT Device8::SetRenderState(D3DRENDERSTATETYPE state, DWORD value) {
  return m_object.SetRenderState(state, value);
}

HRESULT Device8::GetRenderState(D3DRENDERSTATETYPE state, DWORD *out) {
  return m_object.GetRenderState(state, out);
}

HRESULT Device8::SetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD value) {
  const ApiStates &states = m_object.pipeline().states();
  if (stage >= states.samplers()) return D3D_OK;  // accepted and dropped
  const UINT sampler = samplerStateOf(states, state);
  if (!sampler) return m_object.SetTextureStageState(stage, state, value);
  return m_object.SetSamplerState(stage, static_cast<D3DSAMPLERSTATETYPE>(sampler), value);
}

HRESULT Device8::GetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD *out) {
  const ApiStates &states = m_object.pipeline().states();
  if (stage >= states.samplers()) return D3DERR_INVALIDCALL;
  const UINT sampler = samplerStateOf(states, state);
  if (!sampler) return m_object.GetTextureStageState(stage, state, out);
  return m_object.GetSamplerState(stage, static_cast<D3DSAMPLERSTATETYPE>(sampler), out);
}

HRESULT Device8::SetPaletteEntries(UINT palette, const PALETTEENTRY *entries) {
  return m_object.SetPaletteEntries(palette, entries);
}

HRESULT Device8::GetPaletteEntries(UINT palette, PALETTEENTRY *out) {
  return m_object.GetPaletteEntries(palette, out);
}

HRESULT Device8::SetCurrentTexturePalette(UINT palette) {
  return m_object.SetCurrentTexturePalette(palette);
}

HRESULT Device8::GetCurrentTexturePalette(UINT *out) {
  return m_object.GetCurrentTexturePalette(out);
}

/// Keeps a state block under a new number; unlike an object of the program it does not keep the device.
DWORD Device8::addBlock(IDirect3DStateBlock9 *block) {
  m_blocks.emplace(++m_lastBlock, Ref<StateBlock>(static_cast<StateBlock *>(block)));
  block->Release();
  return m_lastBlock;
}

HRESULT Device8::BeginStateBlock() {
  return m_object.BeginStateBlock();
}

HRESULT Device8::EndStateBlock(DWORD *out) {
  const Lock lock(m_object);
  IDirect3DStateBlock9 *block = nullptr;
  if (!out) return D3DERR_INVALIDCALL;
  const HRESULT result = m_object.EndStateBlock(&block);
  if (SUCCEEDED(result)) *out = addBlock(block);
  return result;
}

HRESULT Device8::CreateStateBlock(D3DSTATEBLOCKTYPE type, DWORD *out) {
  const Lock lock(m_object);
  IDirect3DStateBlock9 *block = nullptr;
  if (!out) return D3DERR_INVALIDCALL;
  const HRESULT result = m_object.CreateStateBlock(type, &block);
  if (SUCCEEDED(result)) *out = addBlock(block);
  return result;
}

HRESULT Device8::ApplyStateBlock(DWORD number) {
  const Lock lock(m_object);
  if (!number) return D3D_OK;  // nothing changes (test_ApplyStateBlock in Wine's dlls/d3d8/tests/device.c)
  const auto found = m_blocks.find(number);
  return found == m_blocks.end() ? D3DERR_INVALIDCALL : found->second->Apply();
}

HRESULT Device8::CaptureStateBlock(DWORD number) {
  const Lock lock(m_object);
  const auto found = m_blocks.find(number);
  return found == m_blocks.end() ? D3DERR_INVALIDCALL : found->second->Capture();
}

HRESULT Device8::DeleteStateBlock(DWORD number) {
  const Lock lock(m_object);
  return m_blocks.erase(number) ? D3D_OK : D3DERR_INVALIDCALL;
}

}  // namespace aerogpu::runtime
