// SPDX-License-Identifier: MIT
// state_ddi.cpp: state objects, targets, viewports and scissors.
#include "guest-drivers/umd-d3d10/ddi/create.h"
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"

namespace aero::ddi {

HRESULT CreateBlendState(Device &device, const D3D10_1_DDI_BLEND_DESC *desc, D3D10DDI_HBLENDSTATE handle,
                         D3D10DDI_HRTBLENDSTATE) {
  return make<BlendState>(device, handle, *desc);
}

HRESULT CreateBlendState(Device &device, const D3D10_DDI_BLEND_DESC *desc, D3D10DDI_HBLENDSTATE handle,
                         D3D10DDI_HRTBLENDSTATE runtime) {
  D3D10_1_DDI_BLEND_DESC newer = {};
  newer.AlphaToCoverageEnable = desc->AlphaToCoverageEnable;
  newer.IndependentBlendEnable = TRUE;
  for (UINT i = 0; i < kTargets; i++)
    newer.RenderTarget[i] = {
        desc->BlendEnable[i], desc->SrcBlend,       desc->DestBlend,    desc->BlendOp,
        desc->SrcBlendAlpha,  desc->DestBlendAlpha, desc->BlendOpAlpha, desc->RenderTargetWriteMask[i]};
  return CreateBlendState(device, &newer, handle, runtime);
}

HRESULT CreateDepthStencilState(Device &device, const D3D10_DDI_DEPTH_STENCIL_DESC *desc,
                                D3D10DDI_HDEPTHSTENCILSTATE handle, D3D10DDI_HRTDEPTHSTENCILSTATE) {
  return make<DepthStencilState>(device, handle, *desc);
}

HRESULT CreateRasterizerState(Device &device, const D3D10_DDI_RASTERIZER_DESC *desc, D3D10DDI_HRASTERIZERSTATE handle,
                              D3D10DDI_HRTRASTERIZERSTATE) {
  return make<RasterizerState>(device, handle, *desc);
}

HRESULT CreateSampler(Device &device, const D3D10_DDI_SAMPLER_DESC *desc, D3D10DDI_HSAMPLER handle,
                      D3D10DDI_HRTSAMPLER) {
  return make<SamplerState>(device, handle, *desc);
}

HRESULT SetBlendState(Device &device, D3D10DDI_HBLENDSTATE state, const FLOAT *factor, UINT sampleMask) {
  device.pipeline.output.setBlend(static_cast<const BlendState *>(state.pDrvPrivate), factor, sampleMask);
  return kOk;
}

HRESULT SetDepthStencilState(Device &device, D3D10DDI_HDEPTHSTENCILSTATE state, UINT reference) {
  device.pipeline.output.setDepthStencil(static_cast<const DepthStencilState *>(state.pDrvPrivate), reference);
  return kOk;
}

HRESULT SetRasterizerState(Device &device, D3D10DDI_HRASTERIZERSTATE state) {
  device.pipeline.output.setRasterizer(static_cast<const RasterizerState *>(state.pDrvPrivate));
  return kOk;
}

HRESULT SetViewports(Device &device, UINT count, UINT, const D3D10_DDI_VIEWPORT *viewports) {
  device.pipeline.output.setViewports(viewports, count);
  return kOk;
}

HRESULT SetScissorRects(Device &device, UINT count, UINT, const D3D10_DDI_RECT *rects) {
  device.pipeline.output.setScissors(rects, count);
  return kOk;
}

HRESULT SetRenderTargets(Device &device, const D3D10DDI_HRENDERTARGETVIEW *targets, UINT count, UINT,
                         D3D10DDI_HDEPTHSTENCILVIEW depth) {
  View *colors[kTargets] = {};
  if (count > kTargets) return kInvalidArgument;
  for (UINT i = 0; i < count; i++) colors[i] = View::from(targets[i]);
  device.pipeline.output.setTargets(colors, count, View::from(depth));
  return kOk;
}

HRESULT SetRenderTargets(Device &device, const D3D10DDI_HRENDERTARGETVIEW *targets, UINT count, UINT cleared,
                         D3D10DDI_HDEPTHSTENCILVIEW depth, const D3D11DDI_HUNORDEREDACCESSVIEW *unordered, const UINT *,
                         UINT, UINT unorderedCount, UINT, UINT) {
  for (UINT i = 0; i < unorderedCount; i++)
    if (unordered[i].pDrvPrivate) return kNotAvailable;
  return SetRenderTargets(device, targets, count, cleared, depth);
}

}  // namespace aero::ddi
