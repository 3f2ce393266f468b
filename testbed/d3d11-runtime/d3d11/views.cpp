// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/views.h"

#include <algorithm>
#include <new>

#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

constexpr UINT kRest = ~0u;  // as a number of levels or slices: all that follow

/// True if a view of `format` may show a resource: the same format, or one of a typeless resource's family. Buffers of
/// a swap chain can be cast although they have a type.
bool canShow(const ResourceDescription &d, DXGI_FORMAT format) {
  if (d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER) return !has(format, kTypeless);
  if (has(format, kTypeless)) return false;
  if (format == d.format) return true;
  return (has(d.format, kTypeless) || d.present) && formatInfo(format).family == formatInfo(d.format).family;
}

/// Makes a range definite and checks it.
bool limit(UINT first, UINT &count, UINT total) {
  if (first >= total) return false;
  if (count == kRest) count = total - first;
  return count && count <= total - first;
}

D3D10DDIRESOURCE_TYPE dimensionOf(const ResourceDescription &d) {
  if (d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER) return D3D10DDIRESOURCE_BUFFER;
  if (d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE1D) return D3D10DDIRESOURCE_TEXTURE1D;
  if (d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE3D) return D3D10DDIRESOURCE_TEXTURE3D;
  return d.misc & D3D11_RESOURCE_MISC_TEXTURECUBE ? D3D10DDIRESOURCE_TEXTURECUBE : D3D10DDIRESOURCE_TEXTURE2D;
}

bool isBuffer(const ResourceDescription &d) {
  return d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER;
}

/// Returns the kind of resource whose views have the dimension, of an enumeration whose first 1D, first 2D and only 3D
/// dimension these are.
template <class Dimension>
D3D11_RESOURCE_DIMENSION kindOf(Dimension dimension, Dimension row, Dimension flat, Dimension volume) {
  if (dimension < row) return D3D11_RESOURCE_DIMENSION_BUFFER;
  if (dimension < flat) return D3D11_RESOURCE_DIMENSION_TEXTURE1D;
  return dimension == volume ? D3D11_RESOURCE_DIMENSION_TEXTURE3D : D3D11_RESOURCE_DIMENSION_TEXTURE2D;
}

/// Slices of a 2D view, whose place depends on its dimension.
struct Slices {
  UINT mip = 0, first = 0, count = 1;
};

template <class V, class Api> HRESULT finish(Ref<V> &view, HRESULT result, Api **out) {
  if (FAILED(result)) return result;
  *out = view.get();
  (*out)->AddRef();
  return S_OK;
}

bool fillBuffer(const ResourceDescription &resource, DXGI_FORMAT format, UINT first, UINT count) {
  const UINT bytes = formatInfo(format).blockBytes;
  return bytes && count && (UINT64{first} + count) * bytes <= resource.width;
}

}  // namespace

HRESULT createView(Core &core, ID3D11Resource *api, const D3D11_RENDER_TARGET_VIEW_DESC *given,
                   ID3D11RenderTargetView **out) {
  if (out) *out = nullptr;
  Resource *resource = resourceOf(api);
  if (!resource || !(resource->description().bind & D3D11_BIND_RENDER_TARGET)) return E_INVALIDARG;
  const ResourceDescription &d = resource->description();
  D3D11_RENDER_TARGET_VIEW_DESC desc{};
  if (given) {
    desc = *given;
  } else {
    const bool row = d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE1D;
    desc.ViewDimension = d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE3D ? D3D11_RTV_DIMENSION_TEXTURE3D
                         : row ? (d.slices > 1 ? D3D11_RTV_DIMENSION_TEXTURE1DARRAY : D3D11_RTV_DIMENSION_TEXTURE1D)
                         : d.samples.Count > 1
                             ? (d.slices > 1 ? D3D11_RTV_DIMENSION_TEXTURE2DMSARRAY : D3D11_RTV_DIMENSION_TEXTURE2DMS)
                         : d.slices > 1 ? D3D11_RTV_DIMENSION_TEXTURE2DARRAY
                                        : D3D11_RTV_DIMENSION_TEXTURE2D;
    desc.Texture2DArray.ArraySize = d.slices;
    if (d.slices == 1) desc.Texture2DArray = {};
    if (desc.ViewDimension == D3D11_RTV_DIMENSION_TEXTURE3D) desc.Texture3D.WSize = kRest;
  }
  if (desc.Format == DXGI_FORMAT_UNKNOWN) desc.Format = d.format;
  if (!hasFormat(core, desc.Format) || !canShow(d, desc.Format)) return E_INVALIDARG;
  Slices slices;
  D3D10DDIARG_CREATERENDERTARGETVIEW argument{};
  switch (desc.ViewDimension) {
  case D3D11_RTV_DIMENSION_BUFFER:
    if (!isBuffer(d) || !fillBuffer(d, desc.Format, desc.Buffer.FirstElement, desc.Buffer.NumElements))
      return E_INVALIDARG;
    argument.Buffer.FirstElement = desc.Buffer.FirstElement;
    argument.Buffer.NumElements = desc.Buffer.NumElements;
    break;
  case D3D11_RTV_DIMENSION_TEXTURE1D:
    slices.mip = desc.Texture1D.MipSlice;
    break;
  case D3D11_RTV_DIMENSION_TEXTURE1DARRAY:
    slices = {desc.Texture1DArray.MipSlice, desc.Texture1DArray.FirstArraySlice, desc.Texture1DArray.ArraySize};
    break;
  case D3D11_RTV_DIMENSION_TEXTURE3D:
    slices = {desc.Texture3D.MipSlice, desc.Texture3D.FirstWSlice, desc.Texture3D.WSize};
    break;
  case D3D11_RTV_DIMENSION_TEXTURE2D:
    slices.mip = desc.Texture2D.MipSlice;
    break;
  case D3D11_RTV_DIMENSION_TEXTURE2DARRAY:
    slices = {desc.Texture2DArray.MipSlice, desc.Texture2DArray.FirstArraySlice, desc.Texture2DArray.ArraySize};
    break;
  case D3D11_RTV_DIMENSION_TEXTURE2DMS:
    break;
  case D3D11_RTV_DIMENSION_TEXTURE2DMSARRAY:
    slices = {0, desc.Texture2DMSArray.FirstArraySlice, desc.Texture2DMSArray.ArraySize};
    break;
  default:
    return E_INVALIDARG;
  }
  const bool multisampled = desc.ViewDimension == D3D11_RTV_DIMENSION_TEXTURE2DMS ||
                            desc.ViewDimension == D3D11_RTV_DIMENSION_TEXTURE2DMSARRAY;
  if (kindOf(desc.ViewDimension, D3D11_RTV_DIMENSION_TEXTURE1D, D3D11_RTV_DIMENSION_TEXTURE2D,
             D3D11_RTV_DIMENSION_TEXTURE3D) != d.dimension)
    return E_INVALIDARG;
  if (!isBuffer(d)) {
    const bool volume = d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE3D;
    if ((!multisampled && d.samples.Count > 1) || slices.mip >= d.levels ||
        !limit(slices.first, slices.count, volume ? levelSize(d.depth, slices.mip) : d.slices))
      return E_INVALIDARG;
    argument.Tex2D = {slices.mip, slices.first, slices.count};  // as the others begin
    if (desc.ViewDimension == D3D11_RTV_DIMENSION_TEXTURE2DARRAY) desc.Texture2DArray.ArraySize = slices.count;
    if (desc.ViewDimension == D3D11_RTV_DIMENSION_TEXTURE1DARRAY) desc.Texture1DArray.ArraySize = slices.count;
    if (desc.ViewDimension == D3D11_RTV_DIMENSION_TEXTURE2DMSARRAY) desc.Texture2DMSArray.ArraySize = slices.count;
    if (volume) desc.Texture3D.WSize = slices.count;
  }
  if (!out) return S_FALSE;
  const Lock lock(core.lock);
  Ref<RenderTargetView> view(new (std::nothrow) RenderTargetView(core, *resource, desc));
  if (!view) return E_OUTOFMEMORY;
  view->range = {slices.mip, 1, slices.first, slices.count};
  argument.hDrvResource = resource->driver().handle();
  argument.Format = desc.Format;
  argument.ResourceDimension = dimensionOf(d);
  return finish(view,
                view->driver()
                    .create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateRenderTargetViewSize,
                            &D3D11DDI_DEVICEFUNCS::pfnCreateRenderTargetView>(argument),
                out);
}

HRESULT createView(Core &core, ID3D11Resource *api, const D3D11_DEPTH_STENCIL_VIEW_DESC *given,
                   ID3D11DepthStencilView **out) {
  if (out) *out = nullptr;
  Resource *resource = resourceOf(api);
  if (!resource || !(resource->description().bind & D3D11_BIND_DEPTH_STENCIL)) return E_INVALIDARG;
  const ResourceDescription &d = resource->description();
  D3D11_DEPTH_STENCIL_VIEW_DESC desc{};
  if (given) {
    desc = *given;
  } else {
    desc.ViewDimension = d.samples.Count > 1
                             ? (d.slices > 1 ? D3D11_DSV_DIMENSION_TEXTURE2DMSARRAY : D3D11_DSV_DIMENSION_TEXTURE2DMS)
                         : d.slices > 1 ? D3D11_DSV_DIMENSION_TEXTURE2DARRAY
                                        : D3D11_DSV_DIMENSION_TEXTURE2D;
    if (d.slices > 1) desc.Texture2DArray.ArraySize = d.slices;
  }
  if (desc.Format == DXGI_FORMAT_UNKNOWN) desc.Format = d.format;
  if (!has(desc.Format, kDepth) || !canShow(d, desc.Format)) return E_INVALIDARG;
  constexpr UINT kFlags = D3D11_DSV_READ_ONLY_DEPTH | D3D11_DSV_READ_ONLY_STENCIL;
  if ((desc.Flags & ~kFlags) || (desc.Flags && core.level < D3D_FEATURE_LEVEL_11_0)) return E_INVALIDARG;
  Slices slices;
  switch (desc.ViewDimension) {
  case D3D11_DSV_DIMENSION_TEXTURE2D:
    slices.mip = desc.Texture2D.MipSlice;
    break;
  case D3D11_DSV_DIMENSION_TEXTURE2DARRAY:
    slices = {desc.Texture2DArray.MipSlice, desc.Texture2DArray.FirstArraySlice, desc.Texture2DArray.ArraySize};
    break;
  case D3D11_DSV_DIMENSION_TEXTURE2DMS:
    break;
  case D3D11_DSV_DIMENSION_TEXTURE2DMSARRAY:
    slices = {0, desc.Texture2DMSArray.FirstArraySlice, desc.Texture2DMSArray.ArraySize};
    break;
  default:
    return E_INVALIDARG;
  }
  const bool multisampled = desc.ViewDimension == D3D11_DSV_DIMENSION_TEXTURE2DMS ||
                            desc.ViewDimension == D3D11_DSV_DIMENSION_TEXTURE2DMSARRAY;
  if ((!multisampled && d.samples.Count > 1) || slices.mip >= d.levels || !limit(slices.first, slices.count, d.slices))
    return E_INVALIDARG;
  if (desc.ViewDimension == D3D11_DSV_DIMENSION_TEXTURE2DARRAY) desc.Texture2DArray.ArraySize = slices.count;
  if (desc.ViewDimension == D3D11_DSV_DIMENSION_TEXTURE2DMSARRAY) desc.Texture2DMSArray.ArraySize = slices.count;
  if (!out) return S_FALSE;
  const Lock lock(core.lock);
  Ref<DepthStencilView> view(new (std::nothrow) DepthStencilView(core, *resource, desc));
  if (!view) return E_OUTOFMEMORY;
  view->range = {slices.mip, 1, slices.first, slices.count};
  D3D11DDIARG_CREATEDEPTHSTENCILVIEW argument{};
  argument.hDrvResource = resource->driver().handle();
  argument.Format = desc.Format;
  argument.ResourceDimension = dimensionOf(d);
  argument.Flags = desc.Flags;
  argument.Tex2D = {slices.mip, slices.first, slices.count};
  return finish(view, createDepthStencilView(view->driver(), argument), out);
}

HRESULT createView(Core &core, ID3D11Resource *api, const D3D11_SHADER_RESOURCE_VIEW_DESC *given,
                   ID3D11ShaderResourceView **out) {
  if (out) *out = nullptr;
  Resource *resource = resourceOf(api);
  if (!resource || !(resource->description().bind & D3D11_BIND_SHADER_RESOURCE)) return E_INVALIDARG;
  const ResourceDescription &d = resource->description();
  const bool cube = d.misc & D3D11_RESOURCE_MISC_TEXTURECUBE;
  D3D11_SHADER_RESOURCE_VIEW_DESC desc{};
  if (given) {
    desc = *given;
  } else if (isBuffer(d)) {
    return E_INVALIDARG;  // a buffer has no format of its own
  } else {
    const bool row = d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE1D;
    desc.ViewDimension =
        d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE3D ? D3D11_SRV_DIMENSION_TEXTURE3D
        : row                 ? (d.slices > 1 ? D3D11_SRV_DIMENSION_TEXTURE1DARRAY : D3D11_SRV_DIMENSION_TEXTURE1D)
        : cube                ? (d.slices > 6 ? D3D11_SRV_DIMENSION_TEXTURECUBEARRAY : D3D11_SRV_DIMENSION_TEXTURECUBE)
        : d.samples.Count > 1 ? (d.slices > 1 ? D3D11_SRV_DIMENSION_TEXTURE2DMSARRAY : D3D11_SRV_DIMENSION_TEXTURE2DMS)
        : d.slices > 1        ? D3D11_SRV_DIMENSION_TEXTURE2DARRAY
                              : D3D11_SRV_DIMENSION_TEXTURE2D;
    desc.Texture2DArray.MipLevels = kRest;
    if (d.slices > 1) desc.Texture2DArray.ArraySize = kRest;
    if (desc.ViewDimension == D3D11_SRV_DIMENSION_TEXTURECUBEARRAY) desc.TextureCubeArray.NumCubes = d.slices / 6;
    if (d.samples.Count > 1) desc.Texture2DMSArray = {0, d.slices};
  }
  if (desc.Format == DXGI_FORMAT_UNKNOWN) desc.Format = d.format;
  if (!hasFormat(core, desc.Format) || !canShow(d, desc.Format) || has(desc.Format, kDepth)) return E_INVALIDARG;
  UINT firstLevel = 0, levels = kRest;
  Slices slices;
  D3D11DDIARG_CREATESHADERRESOURCEVIEW argument{};
  argument.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
  bool multisampled = false;
  switch (desc.ViewDimension) {
  case D3D11_SRV_DIMENSION_BUFFER:
    if (!isBuffer(d) || !fillBuffer(d, desc.Format, desc.Buffer.FirstElement, desc.Buffer.NumElements))
      return E_INVALIDARG;
    argument.ResourceDimension = D3D10DDIRESOURCE_BUFFER;
    argument.Buffer.FirstElement = desc.Buffer.FirstElement;
    argument.Buffer.NumElements = desc.Buffer.NumElements;
    levels = 1;
    break;
  case D3D11_SRV_DIMENSION_TEXTURE1D:
    firstLevel = desc.Texture1D.MostDetailedMip;
    levels = desc.Texture1D.MipLevels;
    break;
  case D3D11_SRV_DIMENSION_TEXTURE1DARRAY:
    firstLevel = desc.Texture1DArray.MostDetailedMip;
    levels = desc.Texture1DArray.MipLevels;
    slices = {0, desc.Texture1DArray.FirstArraySlice, desc.Texture1DArray.ArraySize};
    break;
  case D3D11_SRV_DIMENSION_TEXTURE3D:
    firstLevel = desc.Texture3D.MostDetailedMip;
    levels = desc.Texture3D.MipLevels;
    break;
  case D3D11_SRV_DIMENSION_TEXTURE2D:
    firstLevel = desc.Texture2D.MostDetailedMip;
    levels = desc.Texture2D.MipLevels;
    break;
  case D3D11_SRV_DIMENSION_TEXTURE2DARRAY:
    firstLevel = desc.Texture2DArray.MostDetailedMip;
    levels = desc.Texture2DArray.MipLevels;
    slices = {0, desc.Texture2DArray.FirstArraySlice, desc.Texture2DArray.ArraySize};
    break;
  case D3D11_SRV_DIMENSION_TEXTURE2DMS:
    multisampled = true;
    break;
  case D3D11_SRV_DIMENSION_TEXTURE2DMSARRAY:
    multisampled = true;
    slices = {0, desc.Texture2DMSArray.FirstArraySlice, desc.Texture2DMSArray.ArraySize};
    break;
  case D3D11_SRV_DIMENSION_TEXTURECUBE:
    firstLevel = desc.TextureCube.MostDetailedMip;
    levels = desc.TextureCube.MipLevels;
    slices.count = 6;
    break;
  case D3D11_SRV_DIMENSION_TEXTURECUBEARRAY:
    if (core.level < D3D_FEATURE_LEVEL_10_1) return E_INVALIDARG;
    firstLevel = desc.TextureCubeArray.MostDetailedMip;
    levels = desc.TextureCubeArray.MipLevels;
    slices = {0, desc.TextureCubeArray.First2DArrayFace, desc.TextureCubeArray.NumCubes * 6};
    break;
  case D3D11_SRV_DIMENSION_BUFFEREX:
    runtime::notImplemented("ID3D11Device::CreateShaderResourceView of raw buffers");
    return E_NOTIMPL;
  default:
    return E_INVALIDARG;
  }
  const bool asCube = desc.ViewDimension == D3D11_SRV_DIMENSION_TEXTURECUBE ||
                      desc.ViewDimension == D3D11_SRV_DIMENSION_TEXTURECUBEARRAY;
  if (kindOf(desc.ViewDimension, D3D11_SRV_DIMENSION_TEXTURE1D, D3D11_SRV_DIMENSION_TEXTURE2D,
             D3D11_SRV_DIMENSION_TEXTURE3D) != d.dimension)
    return E_INVALIDARG;
  if (!isBuffer(d)) {
    if (multisampled) levels = 1;
    if ((!multisampled && d.samples.Count > 1) || (asCube && !cube) || !limit(firstLevel, levels, d.levels) ||
        !limit(slices.first, slices.count, d.slices))
      return E_INVALIDARG;
    if (asCube) {
      argument.ResourceDimension = D3D10DDIRESOURCE_TEXTURECUBE;
      argument.TexCube = {firstLevel, levels, slices.first, slices.count / 6};
    } else if (d.dimension == D3D11_RESOURCE_DIMENSION_TEXTURE3D) {
      argument.ResourceDimension = D3D10DDIRESOURCE_TEXTURE3D;
      argument.Tex3D = {firstLevel, levels};
    } else {
      argument.ResourceDimension =
          dimensionOf(d) == D3D10DDIRESOURCE_TEXTURE1D ? D3D10DDIRESOURCE_TEXTURE1D : D3D10DDIRESOURCE_TEXTURE2D;
      argument.Tex2D.MostDetailedMip = firstLevel;
      argument.Tex2D.FirstArraySlice = slices.first;
      argument.Tex2D.MipLevels = levels;
      argument.Tex2D.ArraySize = slices.count;
    }
    const bool ranged = desc.ViewDimension == D3D11_SRV_DIMENSION_TEXTURE2DARRAY ||
                        desc.ViewDimension == D3D11_SRV_DIMENSION_TEXTURE1DARRAY;
    // Descriptions of one dimension or three have their levels and slices in the same places.
    if (!multisampled && !ranged) desc.Texture2D.MipLevels = levels;
    if (desc.ViewDimension == D3D11_SRV_DIMENSION_TEXTURE2DMSARRAY) desc.Texture2DMSArray.ArraySize = slices.count;
    if (ranged) {
      desc.Texture2DArray.MipLevels = levels;
      desc.Texture2DArray.ArraySize = slices.count;
    }
  }
  if (!out) return S_FALSE;
  const Lock lock(core.lock);
  Ref<ShaderResourceView> view(new (std::nothrow) ShaderResourceView(core, *resource, desc));
  if (!view) return E_OUTOFMEMORY;
  view->range = {firstLevel, levels, slices.first, slices.count};
  argument.hDrvResource = resource->driver().handle();
  argument.Format = desc.Format;
  return finish(view, createShaderResourceView(view->driver(), argument), out);
}

}  // namespace aerogpu::runtime11
