// SPDX-License-Identifier: MIT
// IDXGISurface1::GetDC: GDI draws to a copy of the surface in system memory, which ReleaseDC writes back. On Windows
// the kernel driver gives GDI the allocation itself, or, with the software path of a shared surface, a copy as here.
#include <cstring>

#include "testbed/d3d11-runtime/d3d11/resources.h"

namespace aerogpu::runtime11 {
namespace {

constexpr size_t kPixelBytes = 4;  // of B8G8R8A8, which a bitmap of 32 bits a pixel is

/// Copies the texture to `bits`, rows without gaps.
HRESULT readTo(BYTE *bits, Core &core, DriverResource &texture) {
  const ResourceDescription &from = texture.description();
  ResourceDescription description;
  description.dimension = from.dimension;
  description.width = from.width;
  description.height = from.height;
  description.format = from.format;
  description.usage = D3D11_USAGE_STAGING;
  description.cpuAccess = D3D11_CPU_ACCESS_READ;
  DriverResource staging(core.driver);
  D3D11_MAPPED_SUBRESOURCE mapped{};
  HRESULT result = staging.create(description, nullptr);
  if (SUCCEEDED(result))
    result = core.driver.call<&D3D11DDI_DEVICEFUNCS::pfnResourceCopy>(staging.handle(), texture.handle());
  if (SUCCEEDED(result)) result = staging.map(0, D3D11_MAP_READ, false, mapped);
  if (FAILED(result)) return result;
  const size_t row = from.width * kPixelBytes;
  for (UINT y = 0; y < from.height; ++y)
    std::memcpy(bits + y * row, static_cast<const BYTE *>(mapped.pData) + size_t{y} * mapped.RowPitch, row);
  staging.unmap(0);
  return S_OK;
}

}  // namespace

HRESULT SurfaceFace::GetDC(WINBOOL discard, HDC *out) {
  if (!out) return E_INVALIDARG;
  const Lock lock(core().lock);
  const ResourceDescription &d = m_texture.description();
  if (!(d.misc & D3D11_RESOURCE_MISC_GDI_COMPATIBLE) || m_dc.handle()) return DXGI_ERROR_INVALID_CALL;
  if (core().driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  m_bits.assign(size_t{d.width} * d.height * kPixelBytes, 0);
  const HRESULT result = discard ? S_OK : readTo(m_bits.data(), core(), m_texture.driver());
  if (FAILED(result)) return result;
  if (!m_dc.create(m_bits.data(), D3DDDIFMT_A8R8G8B8, d.width, d.height, d.width * UINT{kPixelBytes})) return E_FAIL;
  *out = m_dc.handle();
  return S_OK;
}

HRESULT SurfaceFace::ReleaseDC(RECT *dirty) {
  const Lock lock(core().lock);
  if (!m_dc.handle()) return DXGI_ERROR_INVALID_CALL;
  const ResourceDescription &d = m_texture.description();
  const RECT whole{0, 0, static_cast<LONG>(d.width), static_cast<LONG>(d.height)};
  RECT part = whole;
  if (dirty) IntersectRect(&part, dirty, &whole);  // an empty one: nothing was drawn
  if (!IsRectEmpty(&part) && !core().driver.isLost()) {
    GdiFlush();
    const D3D11_BOX box = {static_cast<UINT>(part.left),  static_cast<UINT>(part.top),    0,
                           static_cast<UINT>(part.right), static_cast<UINT>(part.bottom), 1};
    const UINT row = d.width * UINT{kPixelBytes};
    m_texture.driver().update(0, &box, m_bits.data() + size_t{box.top} * row + box.left * kPixelBytes, row, 0);
  }
  m_dc.destroy();
  m_bits.clear();
  return S_OK;
}

}  // namespace aerogpu::runtime11
