// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/surface.h"

#include <cstring>

#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {
namespace {

/// Returns a D3DKMT function for bitmaps: the window system's, even if another DLL plays the kernel side.
template <class Function> Function gdiFunction(const char *name) {
  const FARPROC symbol = GetProcAddress(GetModuleHandleW(L"gdi32.dll"), name);
  Function function = nullptr;
  static_assert(sizeof symbol == sizeof function);
  std::memcpy(&function, &symbol, sizeof symbol);
  return function;
}

}  // namespace

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
  const auto create = gdiFunction<PFND3DKMT_CREATEDCFROMMEMORY>("D3DKMTCreateDCFromMemory");
  if (m_image->isAnyLocked() || !create) return D3DERR_INVALIDCALL;
  D3DLOCKED_BOX locked{};
  const HRESULT result = m_image->lock(m_subresource, nullptr, 0, locked);
  if (FAILED(result)) return result;
  D3DKMT_CREATEDCFROMMEMORY made{};
  made.pMemory = locked.pBits;
  made.Format = static_cast<D3DDDIFORMAT>(format());
  made.Width = width();
  made.Height = height();
  made.Pitch = static_cast<UINT>(locked.RowPitch);
  made.hDeviceDc = CreateCompatibleDC(nullptr);
  const bool done = create(&made) >= 0;
  DeleteDC(made.hDeviceDc);
  if (!done) {
    m_image->unlock(m_subresource);
    return D3DERR_INVALIDCALL;
  }
  m_bitmap = {made.hDc, made.hBitmap};
  m_image->setHasDc(true);
  *out = made.hDc;
  return D3D_OK;
}

HRESULT Surface::ReleaseDC(HDC dc) {
  const Lock lock(device());
  const auto destroy = gdiFunction<PFND3DKMT_DESTROYDCFROMMEMORY>("D3DKMTDestroyDCFromMemory");
  if (!dc || dc != m_bitmap.hDc || !destroy) return D3DERR_INVALIDCALL;
  destroy(&m_bitmap);
  m_bitmap = {};
  m_image->setHasDc(false);
  return m_image->unlock(m_subresource);
}

}  // namespace aerogpu::runtime
