// SPDX-License-Identifier: MIT
// entry_points.h: what the functions of a device do (*_ddi.cpp). They take the arguments of version 11; where an older
// version has other ones, an overload converts them. The runtime calls one function of a device at a time, except for
// those of Category::Free. They return the result that is to be reported; errors of submissions are added to it.
#pragma once

#include "guest-drivers/umd-d3d10/ddi/function_list.h"
#include "guest-drivers/umd-d3d10/device/device.h"

namespace aero::ddi {

template <class Type> struct BodyOf;
template <class... Arguments> struct BodyOf<VOID(APIENTRY *)(D3D10DDI_HDEVICE, Arguments...)> {
  using Type = HRESULT(Device &, Arguments...);
};
template <class Result, class... Arguments> struct BodyOf<Result(APIENTRY *)(D3D10DDI_HDEVICE, Arguments...)> {
  using Type = Result(Device &, Arguments...);
};

// NOLINTNEXTLINE(bugprone-macro-parentheses): what is declared has no parentheses
#define AERO_DECLARE_Done(NAME) BodyOf<decltype(D3D11DDI_DEVICEFUNCS::pfn##NAME)>::Type NAME;
#define AERO_DECLARE_Size(NAME)
#define AERO_DECLARE_Nothing(NAME)
#define AERO_DECLARE_Refused(NAME)
#define AERO_DECLARE_Null(NAME)
#define AERO_DECLARE(NAME, SINCE, ANSWER, CATEGORY) AERO_DECLARE_##ANSWER(NAME)
AERO_DEVICE_FUNCTIONS(AERO_DECLARE)
#undef AERO_DECLARE

HRESULT RelocateDeviceFuncs(Device &device, D3D10DDI_DEVICEFUNCS *functions);
HRESULT RelocateDeviceFuncs(Device &device, D3D10_1DDI_DEVICEFUNCS *functions);
HRESULT CreateResource(Device &device, const D3D10DDIARG_CREATERESOURCE *args, D3D10DDI_HRESOURCE handle,
                       D3D10DDI_HRTRESOURCE runtime);
HRESULT CreateShaderResourceView(Device &device, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args,
                                 D3D10DDI_HSHADERRESOURCEVIEW handle, D3D10DDI_HRTSHADERRESOURCEVIEW runtime);
HRESULT CreateShaderResourceView(Device &device, const D3D10_1DDIARG_CREATESHADERRESOURCEVIEW *args,
                                 D3D10DDI_HSHADERRESOURCEVIEW handle, D3D10DDI_HRTSHADERRESOURCEVIEW runtime);
HRESULT CreateDepthStencilView(Device &device, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *args,
                               D3D10DDI_HDEPTHSTENCILVIEW handle, D3D10DDI_HRTDEPTHSTENCILVIEW runtime);

HRESULT CreateGeometryShaderWithStreamOutput(Device &device,
                                             const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *args,
                                             D3D10DDI_HSHADER handle, D3D10DDI_HRTSHADER runtime,
                                             const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures);
HRESULT CreateBlendState(Device &device, const D3D10_DDI_BLEND_DESC *desc, D3D10DDI_HBLENDSTATE handle,
                         D3D10DDI_HRTBLENDSTATE runtime);
HRESULT SetRenderTargets(Device &device, const D3D10DDI_HRENDERTARGETVIEW *targets, UINT count, UINT cleared,
                         D3D10DDI_HDEPTHSTENCILVIEW depth);

}  // namespace aero::ddi

/** Open an adapter; the DLL's only exports. */
extern "C" HRESULT APIENTRY OpenAdapter10(D3D10DDIARG_OPENADAPTER *args);
extern "C" HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER *args);
