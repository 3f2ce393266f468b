// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/surface.h"

#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {
bool isWholeBlocks(const RECT &rect, const RECT &bounds, const FormatLayout &layout) {
  const LONG width = static_cast<LONG>(layout.blockWidth), height = static_cast<LONG>(layout.blockHeight);
  return rect.left % width == 0 && rect.top % height == 0 && (rect.right % width == 0 || rect.right == bounds.right) &&
         (rect.bottom % height == 0 || rect.bottom == bounds.bottom);
}

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
  const D3DBOX box = rect ? boxOf(*rect) : D3DBOX{};
  D3DLOCKED_BOX locked{};
  const HRESULT result = m_image->lock(m_subresource, rect ? &box : nullptr, flags, locked);
  if (SUCCEEDED(result)) *out = {locked.RowPitch, locked.pBits};
  return result;
}

HRESULT Surface::UnlockRect() {
  const Lock lock(device());
  return m_image->unlock(m_subresource);
}

// Works as on Windows: a bitmap over the locked memory (page "D3DKMTCreateDCFromMemory").
HRESULT Surface::GetDC(HDC *out) {
  if (!out) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  switch (format()) {
  case D3DFMT_R8G8B8:
  case D3DFMT_A8R8G8B8:
  case D3DFMT_X8R8G8B8:
  case D3DFMT_R5G6B5:
  case D3DFMT_X1R5G5B5:
  case D3DFMT_A1R5G5B5:
    break;
  default:
    return D3DERR_INVALIDCALL;
  }
  if (m_image->isAnyLocked()) return D3DERR_INVALIDCALL;
  D3DLOCKED_BOX locked{};
  const HRESULT result = m_image->lock(m_subresource, nullptr, 0, locked);
  if (FAILED(result)) return result;
  const bool done = m_dc.create(locked.pBits, static_cast<D3DDDIFORMAT>(format()), width(), height(),
                                static_cast<UINT>(locked.RowPitch));
  if (!done) {
    m_image->unlock(m_subresource);
    return D3DERR_INVALIDCALL;
  }
  m_image->setHasDc(true);
  *out = m_dc.handle();
  return D3D_OK;
}

HRESULT Surface::ReleaseDC(HDC dc) {
  const Lock lock(device());
  if (!dc || dc != m_dc.handle()) return D3DERR_INVALIDCALL;
  m_dc.destroy();
  m_image->setHasDc(false);
  return m_image->unlock(m_subresource);
}

}  // namespace aerogpu::runtime
