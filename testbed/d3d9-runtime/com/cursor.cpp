// SPDX-License-Identifier: MIT
// The device's cursor. Bitmaps of 32x32 become the window system's cursor, as on Windows; others would be drawn into
// the presented picture.
#include <cstring>

#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

constexpr UINT kSystemCursor = 32;

bool isPowerOfTwo(UINT value) {
  return value && !(value & (value - 1));
}

/// Makes a cursor from the pixels of a locked A8R8G8B8 image of kSystemCursor.
HCURSOR makeCursor(const BYTE *bits, INT pitch, UINT x, UINT y) {
  BITMAPV4HEADER header{};
  header.bV4Size = sizeof header;
  header.bV4Width = static_cast<LONG>(kSystemCursor);
  header.bV4Height = -static_cast<LONG>(kSystemCursor);  // the first row on top
  header.bV4Planes = 1;
  header.bV4BitCount = 32;
  header.bV4V4Compression = BI_BITFIELDS;
  header.bV4RedMask = 0xFF0000;
  header.bV4GreenMask = 0xFF00;
  header.bV4BlueMask = 0xFF;
  header.bV4AlphaMask = 0xFF000000;
  void *pixels = nullptr;
  ICONINFO info{};
  info.xHotspot = x;
  info.yHotspot = y;
  info.hbmColor =
      CreateDIBSection(nullptr, reinterpret_cast<const BITMAPINFO *>(&header), DIB_RGB_COLORS, &pixels, nullptr, 0);
  if (!info.hbmColor) return nullptr;
  for (UINT row = 0; row < kSystemCursor; ++row)
    std::memcpy(static_cast<BYTE *>(pixels) + size_t{row} * kSystemCursor * 4, bits + ptrdiff_t{pitch} * row,
                size_t{kSystemCursor} * 4);
  const BYTE mask[kSystemCursor * kSystemCursor / 8]{};
  info.hbmMask = CreateBitmap(kSystemCursor, kSystemCursor, 1, 1, mask);
  const HCURSOR cursor = info.hbmMask ? CreateIconIndirect(&info) : nullptr;
  DeleteObject(info.hbmColor);
  if (info.hbmMask) DeleteObject(info.hbmMask);
  return cursor;
}

}  // namespace

HRESULT Device::SetCursorProperties(UINT x, UINT y, IDirect3DSurface9 *bitmap) {
  const Lock lock(*this);
  if (!bitmap) return D3DERR_INVALIDCALL;
  Surface &surface = *static_cast<Surface *>(bitmap);
  D3DKMT_DISPLAYMODE mode{};
  if (!m_driver.adapter().currentMode(mode)) return D3DERR_NOTAVAILABLE;
  if (surface.format() != D3DFMT_A8R8G8B8 || !isPowerOfTwo(surface.width()) || !isPowerOfTwo(surface.height()) ||
      surface.width() > mode.Width || surface.height() > mode.Height)
    return D3DERR_INVALIDCALL;
  D3DLOCKED_BOX locked{};
  const HRESULT result = surface.image().lock(surface.subresource(), nullptr, D3DLOCK_READONLY, locked);
  if (FAILED(result)) return result;
  HCURSOR made = nullptr;
  if (surface.width() == kSystemCursor && surface.height() == kSystemCursor)
    made = makeCursor(static_cast<const BYTE *>(locked.pBits), locked.RowPitch, x, y);
  else
    notImplemented("IDirect3DDevice9::SetCursorProperties of another size than 32x32");
  surface.image().unlock(surface.subresource());
  const HCURSOR before = std::exchange(m_cursor, made);
  m_hasCursor = true;
  if (m_showsCursor) SetCursor(m_cursor);
  if (before) DestroyCursor(before);
  return D3D_OK;
}

void Device::SetCursorPosition(int x, int y, DWORD) {
  POINT now{};
  // The cursor is not set to its current position: programs would see a move.
  if (GetCursorPos(&now) && now.x == x && now.y == y) return;
  SetCursorPos(x, y);
}

BOOL Device::ShowCursor(BOOL show) {
  const Lock lock(*this);
  if (!m_hasCursor) return FALSE;
  const BOOL before = std::exchange(m_showsCursor, show ? TRUE : FALSE);
  if (m_cursor) SetCursor(show ? m_cursor : nullptr);
  return before;
}

}  // namespace aerogpu::runtime
