// SPDX-License-Identifier: MIT
// view_ddi.cpp: views, and clears of them.
#include "guest-drivers/umd-d3d10/ddi/create.h"
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"
#include "guest-drivers/umd-d3d10/views/view.h"

namespace aero::ddi {
namespace {

template <class Handle> HRESULT end(Device &device, Handle handle) {
  View::from(handle)->destroy(device.objects);
  return kOk;
}

}  // namespace

HRESULT CreateShaderResourceView(Device &device, const D3D11DDIARG_CREATESHADERRESOURCEVIEW *args,
                                 D3D10DDI_HSHADERRESOURCEVIEW handle, D3D10DDI_HRTSHADERRESOURCEVIEW) {
  return make<View>(device, handle, *args);
}

HRESULT CreateShaderResourceView(Device &device, const D3D10_1DDIARG_CREATESHADERRESOURCEVIEW *args,
                                 D3D10DDI_HSHADERRESOURCEVIEW handle, D3D10DDI_HRTSHADERRESOURCEVIEW runtime) {
  D3D11DDIARG_CREATESHADERRESOURCEVIEW newer = {};
  static_assert(sizeof newer == sizeof *args);
  memcpy(&newer, args, sizeof *args);
  return CreateShaderResourceView(device, &newer, handle, runtime);
}

HRESULT CreateShaderResourceView(Device &device, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args,
                                 D3D10DDI_HSHADERRESOURCEVIEW handle, D3D10DDI_HRTSHADERRESOURCEVIEW runtime) {
  D3D11DDIARG_CREATESHADERRESOURCEVIEW newer = {};
  static_assert(sizeof newer == sizeof *args);
  memcpy(&newer, args, sizeof *args);
  if (args->ResourceDimension == D3D10DDIRESOURCE_TEXTURECUBE)
    newer.TexCube = {args->TexCube.MostDetailedMip, args->TexCube.MipLevels, 0, 1};
  return CreateShaderResourceView(device, &newer, handle, runtime);
}

HRESULT DestroyShaderResourceView(Device &device, D3D10DDI_HSHADERRESOURCEVIEW handle) {
  return end(device, handle);
}

HRESULT CreateRenderTargetView(Device &device, const D3D10DDIARG_CREATERENDERTARGETVIEW *args,
                               D3D10DDI_HRENDERTARGETVIEW handle, D3D10DDI_HRTRENDERTARGETVIEW) {
  return make<View>(device, handle, *args);
}

HRESULT DestroyRenderTargetView(Device &device, D3D10DDI_HRENDERTARGETVIEW handle) {
  return end(device, handle);
}

HRESULT CreateDepthStencilView(Device &device, const D3D11DDIARG_CREATEDEPTHSTENCILVIEW *args,
                               D3D10DDI_HDEPTHSTENCILVIEW handle, D3D10DDI_HRTDEPTHSTENCILVIEW) {
  return make<View>(device, handle, *args);
}

HRESULT CreateDepthStencilView(Device &device, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *args,
                               D3D10DDI_HDEPTHSTENCILVIEW handle, D3D10DDI_HRTDEPTHSTENCILVIEW runtime) {
  D3D11DDIARG_CREATEDEPTHSTENCILVIEW newer = {};
  newer.hDrvResource = args->hDrvResource;
  newer.Format = args->Format;
  newer.ResourceDimension = args->ResourceDimension;
  static_assert(sizeof newer.Tex2D == sizeof newer.TexCube && sizeof newer.Tex2D == sizeof args->Tex2D);
  memcpy(&newer.Tex2D, &args->Tex2D, sizeof newer.Tex2D);
  return CreateDepthStencilView(device, &newer, handle, runtime);
}

HRESULT DestroyDepthStencilView(Device &device, D3D10DDI_HDEPTHSTENCILVIEW handle) {
  return end(device, handle);
}

HRESULT ClearRenderTargetView(Device &device, D3D10DDI_HRENDERTARGETVIEW view, FLOAT *color) {
  return clearColor(device.objects, *View::from(view), color);
}

HRESULT ClearDepthStencilView(Device &device, D3D10DDI_HDEPTHSTENCILVIEW view, UINT flags, FLOAT depth, UINT8 stencil) {
  return clearDepthStencil(device.objects, *View::from(view), flags, depth, stencil);
}

HRESULT GenMips(Device &device, D3D10DDI_HSHADERRESOURCEVIEW handle) {
  View &view = *View::from(handle);
  // The device makes all levels of all layers, and of a typeless texture as its first format.
  if (!view.isAll() || view.format().linear != view.resource().format().linear) return kNotAvailable;
  DeviceObjects &objects = device.objects;
  if (!touch(objects.context, sizeof(aerogpu_cmd_ext_generate_mips), view.resource()))
    return objects.context.result(false);
  auto *packet = objects.context.appendFitting<aerogpu_cmd_ext_generate_mips>();
  packet->texture = view.resource().identity.handle;
  packet->flags = AEROGPU_EXT_MIPS_LINEAR | (view.format().isSrgb() ? AEROGPU_EXT_MIPS_SRGB : 0);
  return kOk;
}

}  // namespace aero::ddi
