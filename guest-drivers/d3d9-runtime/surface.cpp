// SPDX-License-Identifier: MIT
#include "surface.h"

#include "device.h"
#include "log.h"

namespace aerogpu::runtime {

D3DSURFACE_DESC surfaceDescription(const Image &image, UINT level) {
  const ImageDescription &d = image.description();
  return {d.format,           D3DRTYPE_SURFACE,   d.usage, d.pool, d.multisample, d.quality,
          image.width(level), image.height(level)};
}

HRESULT Surface::GetContainer(REFIID id, void **out) {
  if (!out) return D3DERR_INVALIDCALL;
  if (m_container) return m_container->QueryInterface(id, out);
  return device().QueryInterface(id, out);
}

HRESULT Surface::GetDesc(D3DSURFACE_DESC *out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = surfaceDescription(*m_image, m_image->level(m_subresource));
  return D3D_OK;
}

HRESULT Surface::LockRect(D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) {
  if (!out) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  *out = {};
  if (rect && (rect->left < 0 || rect->top < 0)) return D3DERR_INVALIDCALL;
  const D3DBOX box = rect ? boxOf(*rect) : D3DBOX{};
  D3DLOCKED_BOX locked{};
  const HRESULT result = m_image->lock(m_subresource, rect ? &box : nullptr, flags, locked);
  *out = {locked.RowPitch, locked.pBits};
  return result;
}

HRESULT Surface::UnlockRect() {
  const Lock lock(device());
  return m_image->unlock(m_subresource);
}

HRESULT Surface::GetDC(HDC *) {
  notImplemented("IDirect3DSurface9::GetDC");
  return D3DERR_NOTAVAILABLE;
}

HRESULT Surface::ReleaseDC(HDC) {
  notImplemented("IDirect3DSurface9::ReleaseDC");
  return D3DERR_NOTAVAILABLE;
}

}  // namespace aerogpu::runtime
