// SPDX-License-Identifier: MIT
// IDirect3DSurface9: a subresource of an image. A texture's levels share the texture's reference count; other surfaces
// have their own.
#pragma once

#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/com/image.h"
#include "testbed/runtime-kernel/memory_dc.h"

namespace aerogpu::runtime {

/// True if a rectangle is not empty and lies within another one.
inline bool isInside(const RECT &rect, const RECT &bounds) {
  return rect.left >= bounds.left && rect.top >= bounds.top && rect.right <= bounds.right &&
         rect.bottom <= bounds.bottom && rect.left < rect.right && rect.top < rect.bottom;
}

/// True if no edge of a rectangle splits a block, except where the surface ends.
bool isWholeBlocks(const RECT &rect, const RECT &bounds, const FormatLayout &layout);

class Surface final : public ResourceChild<IDirect3DSurface9> {
public:
  /// `parent`: the texture, which owns the surface; null for others. `container`: returned by GetContainer instead of
  /// the device, not counted, cleared by the swap chain when that is destroyed.
  Surface(Device &device, std::shared_ptr<Image> image, UINT subresource, DeviceChild *parent, IUnknown *container)
      : ResourceChild(device),
        m_image(std::move(image)),
        m_subresource(subresource),
        m_parent(parent),
        m_container(container) {}
  ~Surface() override = default;

  Image &image() const { return *m_image; }
  HANDLE handle() const { return m_image->handle(); }
  UINT subresource() const { return m_subresource; }
  /// Moves a swap chain's buffer to another subresource, since contents go from one to the next.
  void setSubresource(UINT subresource) { m_subresource = subresource; }
  void setContainer(IUnknown *container) { m_container = container; }
  UINT width() const { return m_image->width(m_image->level(m_subresource)); }
  UINT height() const { return m_image->height(m_image->level(m_subresource)); }
  D3DFORMAT format() const { return m_image->description().format; }
  DWORD usage() const { return m_image->description().usage; }
  D3DPOOL pool() const { return m_image->description().pool; }
  bool isTextureLevel() const { return m_parent != nullptr; }
  /// Returns the texture that owns the surface, or null.
  DeviceChild *parent() const { return m_parent; }
  RECT bounds() const { return {0, 0, static_cast<LONG>(width()), static_cast<LONG>(height())}; }

  void addPrivate() { m_parent ? m_parent->addPrivate() : DeviceChild::addPrivate(); }
  void releasePrivate() { m_parent ? m_parent->releasePrivate() : DeviceChild::releasePrivate(); }

  ULONG STDMETHODCALLTYPE AddRef() override { return m_parent ? m_parent->addPublic() : addPublic(); }
  ULONG STDMETHODCALLTYPE Release() override { return m_parent ? m_parent->releasePublic() : releasePublic(); }
  D3DRESOURCETYPE STDMETHODCALLTYPE GetType() override { return D3DRTYPE_SURFACE; }
  HRESULT STDMETHODCALLTYPE GetContainer(REFIID id, void **out) override;
  HRESULT STDMETHODCALLTYPE GetDesc(D3DSURFACE_DESC *out) override;
  HRESULT STDMETHODCALLTYPE LockRect(D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockRect() override;
  HRESULT STDMETHODCALLTYPE GetDC(HDC *out) override;
  HRESULT STDMETHODCALLTYPE ReleaseDC(HDC dc) override;

private:
  std::shared_ptr<Image> m_image;
  UINT m_subresource;
  DeviceChild *m_parent;
  IUnknown *m_container;
  MemoryDc m_dc;  ///< between GetDC and ReleaseDC
};

/// Copies a rectangle between surfaces at the driver, by the handles of their resources.
HRESULT bltSubresource(DriverDevice &driver, HANDLE source, UINT sourceIndex, const RECT &from, HANDLE destination,
                       UINT destinationIndex, const RECT &to, D3DDDI_BLTFLAGS flags);

/// Returns the description of a level of a 2D or cube texture, or of a surface.
D3DSURFACE_DESC surfaceDescription(const Image &image, UINT level);

}  // namespace aerogpu::runtime
