// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/api_states.h"

#include <algorithm>

namespace aerogpu::runtime {
namespace {

using d3d9::StateInfo;
using d3d9::StateKind;
using d3d9::StatePart;

constexpr UINT kLastRender8 = D3DRS_NORMALDEGREE;      // named NORMALORDER
constexpr UINT kLastSampler8 = D3DSAMP_MAXANISOTROPY;  // texture stage states there
constexpr UINT kLastStage8 = D3DTSS_RESULTARG;
constexpr uint32_t kFloat1 = 0x3F800000;

/// The render states that Direct3D 9 has not. PATCHSEGMENTS is a float.
constexpr StateInfo kOnly8[] = {
    {10, "D3DRS_LINEPATTERN", StateKind::Dword, StatePart::Rasterizer, 0, 0, 0},
    {30, "D3DRS_ZVISIBLE", StateKind::Bool, StatePart::DepthStencil, 0, 0, 0},
    {40, "D3DRS_EDGEANTIALIAS", StateKind::Bool, StatePart::Blending, 0, 0, 0},
    {47, "D3DRS_ZBIAS", StateKind::Dword, StatePart::DepthStencil, 0, 0, 0},
    {153, "D3DRS_SOFTWAREVERTEXPROCESSING", StateKind::Bool, StatePart::VertexProcessing, 0, 0, 0},
    {164, "D3DRS_PATCHSEGMENTS", StateKind::Float, StatePart::Tessellation, kFloat1, 0, 0},
};

/// Returns the default of a render state in Direct3D 8: two differ from Direct3D 9.
uint32_t default8(const StateInfo &state) {
  if (state.number == D3DRS_POINTSIZE_MIN) return 0;
  if (state.number == D3DRS_DEBUGMONITORTOKEN) return D3DDMT_DISABLE;
  return state.defaultValue;
}

}  // namespace

ApiStates::ApiStates(bool isDirect3D8) : m_isDirect3D8(isDirect3D8) {
  for (StateInfo state : d3d9::kRenderStates) {
    if (isDirect3D8 && state.number > kLastRender8) continue;
    if (isDirect3D8) state.defaultValue = default8(state);
    m_render.push_back(state);
  }
  if (isDirect3D8) m_render.insert(m_render.end(), std::begin(kOnly8), std::end(kOnly8));
  std::sort(m_render.begin(), m_render.end(),
            [](const StateInfo &a, const StateInfo &b) { return a.number < b.number; });
  for (const StateInfo &state : d3d9::kSamplerStates)
    if (!isDirect3D8 || state.number <= kLastSampler8) m_sampler.push_back(state);
  for (const StateInfo &state : d3d9::kTextureStageStates)
    if (!isDirect3D8 || state.number <= kLastStage8) m_stage.push_back(state);
  for (const StateInfo &state : m_render) m_hasRender.set(state.number);
  for (const StateInfo &state : m_stage) m_hasStage.set(state.number);
}

const ApiStates &ApiStates::of(UINT version) {
  static const ApiStates eight(true), nine(false);
  return version == 8 ? eight : nine;
}

UINT ApiStates::constants(Constants kind) const {
  constexpr UINT kVertex8 = 96, kPixel8 = 8;  // pages "vs_1_1 Registers" and "ps_1_4 Registers"
  switch (kind) {
  case Constants::VertexFloat:
    return m_isDirect3D8 ? kVertex8 : kVertexFloats;
  case Constants::PixelFloat:
    return m_isDirect3D8 ? kPixel8 : kPixelFloats;
  default:
    return m_isDirect3D8 ? 0 : kIntegers;  // and as many booleans
  }
}

}  // namespace aerogpu::runtime
