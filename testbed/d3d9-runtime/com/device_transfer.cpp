// SPDX-License-Identifier: MIT
// Copies between resources. The API's pages say what each may copy; pfnd3dddi_blt and pfnd3dddi_texblt say what the
// driver gets.
#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

HRESULT blt(DriverDevice &driver, const Surface &source, const RECT &from, const Surface &destination, const RECT &to,
            D3DDDI_BLTFLAGS flags) {
  return bltSubresource(driver, source.handle(), source.subresource(), from, destination.handle(),
                        destination.subresource(), to, flags);
}

}  // namespace

HRESULT bltSubresource(DriverDevice &driver, HANDLE source, UINT sourceIndex, const RECT &from, HANDLE destination,
                       UINT destinationIndex, const RECT &to, D3DDDI_BLTFLAGS flags) {
  D3DDDIARG_BLT argument{};
  argument.hSrcResource = source;
  argument.SrcSubResourceIndex = sourceIndex;
  argument.SrcRect = from;
  argument.hDstResource = destination;
  argument.DstSubResourceIndex = destinationIndex;
  argument.DstRect = to;
  argument.Flags = flags;
  return driver.call<&D3DDDI_DEVICEFUNCS::pfnBlt>(&argument);
}

HRESULT Device::UpdateSurface(IDirect3DSurface9 *sourceSurface, const RECT *sourceRect,
                              IDirect3DSurface9 *destinationSurface, const POINT *point) {
  const Lock lock(*this);
  if (!sourceSurface || !destinationSurface) return D3DERR_INVALIDCALL;
  const Surface &source = *static_cast<Surface *>(sourceSurface);
  const Surface &destination = *static_cast<Surface *>(destinationSurface);
  if (source.pool() != D3DPOOL_SYSTEMMEM || destination.pool() != D3DPOOL_DEFAULT ||
      source.format() != destination.format() || (destination.usage() & D3DUSAGE_DEPTHSTENCIL))
    return D3DERR_INVALIDCALL;
  if (source.image().isLocked(source.subresource()) || destination.image().isLocked(destination.subresource()))
    return D3DERR_INVALIDCALL;
  const RECT from = sourceRect ? *sourceRect : source.bounds();
  RECT to = from;
  OffsetRect(&to, (point ? point->x : 0) - from.left, (point ? point->y : 0) - from.top);
  if (!isInside(from, source.bounds()) || !isInside(to, destination.bounds())) return D3DERR_INVALIDCALL;
  FormatLayout layout;
  formatLayout(m_driver.adapter(), source.format(), layout);
  if (!isWholeBlocks(from, source.bounds(), layout) || !isWholeBlocks(to, destination.bounds(), layout))
    return D3DERR_INVALIDCALL;
  return blt(m_driver, source, from, destination, to, {});
}

HRESULT Device::UpdateTexture(IDirect3DBaseTexture9 *source, IDirect3DBaseTexture9 *destination) {
  const Lock lock(*this);
  AnyTexture *from = AnyTexture::of(*this, source), *to = AnyTexture::of(*this, destination);
  if (!from || !to) return D3DERR_INVALIDCALL;
  Image &fromImage = from->image(), &toImage = to->image();
  const ImageDescription &a = fromImage.description(), &b = toImage.description();
  if (a.pool != D3DPOOL_SYSTEMMEM || b.pool != D3DPOOL_DEFAULT || a.type != b.type || a.format != b.format)
    return D3DERR_INVALIDCALL;
  // The destination may begin at a lower level of the source; levels that only one of them has are left out.
  UINT skipped = 0;
  while (skipped < a.levels && (fromImage.width(skipped) != b.width || fromImage.height(skipped) != b.height))
    ++skipped;
  if (skipped == a.levels) return D3DERR_INVALIDCALL;
  HRESULT result = D3D_OK;
  for (UINT layer = 0; layer < a.layers && SUCCEEDED(result); ++layer) {
    for (const D3DBOX &box : fromImage.takeDirty(layer))
      if (SUCCEEDED(result)) result = transferLevels(m_driver, fromImage, toImage, layer, box);
    if (FAILED(result)) fromImage.markDirty(layer);
  }
  if (SUCCEEDED(result) && (b.usage & D3DUSAGE_AUTOGENMIPMAP)) return toImage.generateLevels(to->filter());
  return result;
}

HRESULT Device::GetRenderTargetData(IDirect3DSurface9 *renderTarget, IDirect3DSurface9 *destinationSurface) {
  const Lock lock(*this);
  if (!renderTarget || !destinationSurface) return D3DERR_INVALIDCALL;
  const Surface &source = *static_cast<Surface *>(renderTarget);
  const Surface &destination = *static_cast<Surface *>(destinationSurface);
  if (!(source.usage() & D3DUSAGE_RENDERTARGET) || destination.pool() != D3DPOOL_SYSTEMMEM ||
      source.format() != destination.format() || source.width() != destination.width() ||
      source.height() != destination.height() || source.image().description().multisample != D3DMULTISAMPLE_NONE)
    return D3DERR_INVALIDCALL;
  if (m_driver.isRemoved()) return D3DERR_DEVICELOST;
  return blt(m_driver, source, source.bounds(), destination, destination.bounds(), {});
}

HRESULT Device::GetFrontBufferData(UINT swapChain, IDirect3DSurface9 *destination) {
  return chain(swapChain) ? chain(swapChain)->GetFrontBufferData(destination) : D3DERR_INVALIDCALL;
}

HRESULT Device::StretchRect(IDirect3DSurface9 *sourceSurface, const RECT *sourceRect,
                            IDirect3DSurface9 *destinationSurface, const RECT *destinationRect,
                            D3DTEXTUREFILTERTYPE filter) {
  const Lock lock(*this);
  if (!sourceSurface || !destinationSurface || sourceSurface == destinationSurface) return D3DERR_INVALIDCALL;
  if (filter != D3DTEXF_NONE && filter != D3DTEXF_POINT && filter != D3DTEXF_LINEAR) return D3DERR_INVALIDCALL;
  const Surface &source = *static_cast<Surface *>(sourceSurface);
  const Surface &destination = *static_cast<Surface *>(destinationSurface);
  if (source.pool() != D3DPOOL_DEFAULT || destination.pool() != D3DPOOL_DEFAULT) return D3DERR_INVALIDCALL;
  const RECT from = sourceRect ? *sourceRect : source.bounds(),
             to = destinationRect ? *destinationRect : destination.bounds();
  if (!isInside(from, source.bounds()) || !isInside(to, destination.bounds())) return D3DERR_INVALIDCALL;
  const bool stretched = from.right - from.left != to.right - to.left || from.bottom - from.top != to.bottom - to.top;
  const bool depth = source.usage() & D3DUSAGE_DEPTHSTENCIL;
  if (depth != ((destination.usage() & D3DUSAGE_DEPTHSTENCIL) != 0)) return D3DERR_INVALIDCALL;
  // Depth: whole surfaces, without conversion, outside a scene.
  const RECT wholeSource = source.bounds(), wholeDestination = destination.bounds();
  const bool whole = EqualRect(&from, &wholeSource) && EqualRect(&to, &wholeDestination);
  if (depth && (m_inScene || stretched || !whole || source.format() != destination.format())) return D3DERR_INVALIDCALL;
  // The table of the page: any render target may be the destination; a plain surface takes plain ones only, stretched
  // or not.
  const bool drawnTo = destination.usage() & D3DUSAGE_RENDERTARGET;
  const bool plainSource = !source.isTextureLevel() && !(source.usage() & D3DUSAGE_RENDERTARGET);
  if (!depth && !drawnTo && (destination.isTextureLevel() || !plainSource)) return D3DERR_INVALIDCALL;
  if (!depth && source.format() != destination.format() &&
      FAILED(checkConversion(m_driver.adapter(), source.format(), destination.format())))
    return D3DERR_INVALIDCALL;
  D3DDDI_BLTFLAGS flags{};
  flags.Point = filter == D3DTEXF_POINT;
  flags.Linear = filter == D3DTEXF_LINEAR;
  return blt(m_driver, source, from, destination, to, flags);
}

HRESULT Device::ColorFill(IDirect3DSurface9 *surface, const RECT *rect, D3DCOLOR color) {
  const Lock lock(*this);
  if (!surface) return D3DERR_INVALIDCALL;
  const Surface &target = *static_cast<Surface *>(surface);
  const bool plain = !target.isTextureLevel() && !(target.usage() & D3DUSAGE_DEPTHSTENCIL);
  if (target.pool() != D3DPOOL_DEFAULT || !(plain || (target.usage() & D3DUSAGE_RENDERTARGET)))
    return D3DERR_INVALIDCALL;
  D3DDDIARG_COLORFILL argument{};
  argument.hResource = target.handle();
  argument.SubResourceIndex = target.subresource();
  argument.DstRect = rect ? *rect : target.bounds();
  argument.Color = color;
  FormatLayout layout;
  formatLayout(m_driver.adapter(), target.format(), layout);
  if (!isInside(argument.DstRect, target.bounds()) || !isWholeBlocks(argument.DstRect, target.bounds(), layout))
    return D3DERR_INVALIDCALL;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnColorFill>(&argument);
}

}  // namespace aerogpu::runtime
