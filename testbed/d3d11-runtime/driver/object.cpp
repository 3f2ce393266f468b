// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/object.h"

#include <cstddef>
#include <vector>

namespace aerogpu::runtime11 {

HRESULT createBlendState(DriverBlendState &object, const D3D10_1_DDI_BLEND_DESC &description) {
  if (object.device().shape() != Shape::Ten)
    return object
        .create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateBlendStateSize, &D3D11DDI_DEVICEFUNCS::pfnCreateBlendState>(
            description);
  // Level 10_0 has one function for all targets.
  const D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &first = description.RenderTarget[0];
  D3D10_DDI_BLEND_DESC ten{};
  ten.AlphaToCoverageEnable = description.AlphaToCoverageEnable;
  ten.SrcBlend = first.SrcBlend;
  ten.DestBlend = first.DestBlend;
  ten.BlendOp = first.BlendOp;
  ten.SrcBlendAlpha = first.SrcBlendAlpha;
  ten.DestBlendAlpha = first.DestBlendAlpha;
  ten.BlendOpAlpha = first.BlendOpAlpha;
  for (int i = 0; i < 8; ++i) {
    const auto &target = description.RenderTarget[description.IndependentBlendEnable ? i : 0];
    ten.BlendEnable[i] = target.BlendEnable;
    ten.RenderTargetWriteMask[i] = target.RenderTargetWriteMask;
  }
  return object.create<&D3D10DDI_DEVICEFUNCS::pfnCalcPrivateBlendStateSize, &D3D10DDI_DEVICEFUNCS::pfnCreateBlendState>(
      ten);
}

HRESULT createShaderResourceView(DriverShaderResourceView &object,
                                 const D3D11DDIARG_CREATESHADERRESOURCEVIEW &description) {
  switch (object.device().shape()) {
  case Shape::Eleven:
    return object.create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateShaderResourceViewSize,
                         &D3D11DDI_DEVICEFUNCS::pfnCreateShaderResourceView>(description);
  case Shape::TenOne: {
    D3D10_1DDIARG_CREATESHADERRESOURCEVIEW view{};
    static_assert(offsetof(D3D10_1DDIARG_CREATESHADERRESOURCEVIEW, Tex2D) ==
                  offsetof(D3D11DDIARG_CREATESHADERRESOURCEVIEW, Tex2D));
    std::memcpy(&view, &description, sizeof view);
    return object.create<&D3D10_1DDI_DEVICEFUNCS::pfnCalcPrivateShaderResourceViewSize,
                         &D3D10_1DDI_DEVICEFUNCS::pfnCreateShaderResourceView>(view);
  }
  case Shape::Ten:
    break;
  }
  // Its cube has two members, which are the first two of the others'.
  D3D10DDIARG_CREATESHADERRESOURCEVIEW view{};
  std::memcpy(&view, &description, sizeof view);
  return object.create<&D3D10DDI_DEVICEFUNCS::pfnCalcPrivateShaderResourceViewSize,
                       &D3D10DDI_DEVICEFUNCS::pfnCreateShaderResourceView>(view);
}

HRESULT createStreamShader(DriverShader &object, const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT &description,
                           const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures) {
  if (object.device().shape() == Shape::Eleven) {
    Lent<D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT> lent(description);
    return object.createShader<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateGeometryShaderWithStreamOutput,
                               &D3D11DDI_DEVICEFUNCS::pfnCreateGeometryShaderWithStreamOutput>(
        static_cast<const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *>(lent.data()), signatures);
  }
  // Entries have no stream, and there is one stride, of the first buffer.
  std::vector<D3D10DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY> entries;
  for (UINT i = 0; i < description.NumEntries; ++i) {
    const D3D11DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY &entry = description.pOutputStreamDecl[i];
    entries.push_back({entry.OutputSlot, entry.RegisterIndex, entry.RegisterMask});
  }
  Lent<D3D10DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY> lentEntries(entries);
  Lent<D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT> lent(D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT{
      description.pShaderCode, lentEntries.data(), description.NumEntries,
      description.NumStrides ? description.BufferStridesInBytes[0] : 0});
  return object.createShader<&D3D10DDI_DEVICEFUNCS::pfnCalcPrivateGeometryShaderWithStreamOutput,
                             &D3D10DDI_DEVICEFUNCS::pfnCreateGeometryShaderWithStreamOutput>(
      static_cast<const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *>(lent.data()), signatures);
}

HRESULT createDepthStencilView(DriverDepthStencilView &object, const D3D11DDIARG_CREATEDEPTHSTENCILVIEW &description) {
  if (object.device().shape() == Shape::Eleven)
    return object.create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateDepthStencilViewSize,
                         &D3D11DDI_DEVICEFUNCS::pfnCreateDepthStencilView>(description);
  D3D10DDIARG_CREATEDEPTHSTENCILVIEW view{};
  view.hDrvResource = description.hDrvResource;
  view.Format = description.Format;
  view.ResourceDimension = description.ResourceDimension;
  view.Tex2D = description.Tex2D;
  return object.create<&D3D10DDI_DEVICEFUNCS::pfnCalcPrivateDepthStencilViewSize,
                       &D3D10DDI_DEVICEFUNCS::pfnCreateDepthStencilView>(view);
}

}  // namespace aerogpu::runtime11
