// SPDX-License-Identifier: MIT
// Direct3D 11.1's descriptions of states, which have a logic operation and a forced count of samples more.
#include <cstring>

#include "testbed/d3d11-runtime/d3d11/states.h"

namespace aerogpu::runtime11 {

void BlendState::GetDesc1(D3D11_BLEND_DESC1 *out) {
  if (!out) return;
  const D3D11_BLEND_DESC &d = description();
  out->AlphaToCoverageEnable = d.AlphaToCoverageEnable;
  out->IndependentBlendEnable = d.IndependentBlendEnable;
  for (int i = 0; i < D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT; ++i) {
    const D3D11_RENDER_TARGET_BLEND_DESC &from = d.RenderTarget[i];
    out->RenderTarget[i] = {from.BlendEnable,    FALSE,
                            from.SrcBlend,       from.DestBlend,
                            from.BlendOp,        from.SrcBlendAlpha,
                            from.DestBlendAlpha, from.BlendOpAlpha,
                            D3D11_LOGIC_OP_NOOP, from.RenderTargetWriteMask};
  }
}

void RasterizerState::GetDesc1(D3D11_RASTERIZER_DESC1 *out) {
  if (!out) return;
  static_assert(offsetof(D3D11_RASTERIZER_DESC1, ForcedSampleCount) == sizeof(D3D11_RASTERIZER_DESC));
  std::memcpy(static_cast<void *>(out), &description(), sizeof(D3D11_RASTERIZER_DESC));
  out->ForcedSampleCount = 0;
}

HRESULT createState(Core &core, StateSets &sets, const D3D11_BLEND_DESC1 *given, ID3D11BlendState1 **out) {
  if (out) *out = nullptr;
  if (!given) return E_INVALIDARG;
  D3D11_BLEND_DESC d;
  std::memset(static_cast<void *>(&d), 0, sizeof d);
  d.AlphaToCoverageEnable = given->AlphaToCoverageEnable;
  d.IndependentBlendEnable = given->IndependentBlendEnable;
  for (int i = 0; i < D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT; ++i) {
    const D3D11_RENDER_TARGET_BLEND_DESC1 &from = given->RenderTarget[i];
    if (from.LogicOpEnable && (i == 0 || d.IndependentBlendEnable)) return E_INVALIDARG;
    d.RenderTarget[i] = {from.BlendEnable,   from.SrcBlend,       from.DestBlend,    from.BlendOp,
                         from.SrcBlendAlpha, from.DestBlendAlpha, from.BlendOpAlpha, from.RenderTargetWriteMask};
  }
  ID3D11BlendState *made = nullptr;
  const HRESULT result = createState(core, sets, &d, out ? &made : nullptr);
  if (out) *out = static_cast<BlendState *>(made);
  return result;
}

HRESULT createState(Core &core, StateSets &sets, const D3D11_RASTERIZER_DESC1 *given, ID3D11RasterizerState1 **out) {
  if (out) *out = nullptr;
  if (!given || given->ForcedSampleCount) return E_INVALIDARG;
  D3D11_RASTERIZER_DESC d;
  std::memcpy(static_cast<void *>(&d), given, sizeof d);
  ID3D11RasterizerState *made = nullptr;
  const HRESULT result = createState(core, sets, &d, out ? &made : nullptr);
  if (out) *out = static_cast<RasterizerState *>(made);
  return result;
}

}  // namespace aerogpu::runtime11
