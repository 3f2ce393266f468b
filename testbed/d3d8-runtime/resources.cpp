// SPDX-License-Identifier: MIT
#include "testbed/d3d8-runtime/resources.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::runtime {
namespace {

/// Returns the bytes of a level, which Direct3D 9 does not tell.
UINT bytesOf(const Image &image, UINT level) {
  FormatLayout layout;
  formatLayout(image.device().driver().adapter(), image.description().format, layout);
  return static_cast<UINT>(imageBytes(layout, image.width(level), image.height(level), image.depth(level)));
}

HRESULT describe(const Image &image, UINT level, D3DSURFACE_DESC8 *out) {
  const D3DSURFACE_DESC d = surfaceDescription(image, level);
  *out = {d.Format, d.Type, d.Usage, d.Pool, bytesOf(image, level), d.MultiSampleType, d.Width, d.Height};
  return D3D_OK;
}

/// Returns a lock's answer: one that fails clears the pointer, except of 2D textures (test_lockrect_invalid in Wine's
/// dlls/d3d8/tests/device.c).
HRESULT answerLock(HRESULT result, const Image &image, D3DLOCKED_RECT *out) {
  if (FAILED(result) && out && image.description().type != D3DRTYPE_TEXTURE) *out = {};
  return result;
}

HRESULT answerSurface(HRESULT result, IDirect3DSurface9 *surface, IDirect3DSurface8 **out) {
  if (SUCCEEDED(result)) *out = frontOf<Surface8>(static_cast<Surface *>(surface));
  return result;
}

}  // namespace

HRESULT Surface8::GetContainer(REFIID id, void **out) {
  if (!out) return D3DERR_INVALIDCALL;
  const DeviceChild *parent = m_object.parent();
  Front *container = parent ? parent->front() : m_object.device().front();
  return static_cast<Front8 *>(container)->api()->QueryInterface(id, out);
}

HRESULT Surface8::GetDesc(D3DSURFACE_DESC8 *out) {
  if (!out) return D3DERR_INVALIDCALL;
  const Image &image = m_object.image();
  describe(image, image.level(m_object.subresource()), out);
  if (!m_object.isTextureLevel() && out->Pool == D3DPOOL_SCRATCH) out->Pool = D3DPOOL_SYSTEMMEM;  // CreateImageSurface
  return D3D_OK;
}

HRESULT Surface8::LockRect(D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) {
  return answerLock(m_object.LockRect(out, rect, flags), m_object.image(), out);
}

HRESULT Surface8::UnlockRect() {
  return m_object.UnlockRect();
}

HRESULT Texture8::GetLevelDesc(UINT level, D3DSURFACE_DESC8 *out) {
  if (!out || level >= m_object.image().levels()) return D3DERR_INVALIDCALL;
  return describe(m_object.image(), level, out);
}

HRESULT Texture8::GetSurfaceLevel(UINT level, IDirect3DSurface8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  IDirect3DSurface9 *surface = nullptr;
  const HRESULT result = m_object.GetSurfaceLevel(level, &surface);
  return answerSurface(result, surface, out);
}

HRESULT Texture8::LockRect(UINT level, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) {
  return m_object.LockRect(level, out, rect, flags);
}

HRESULT CubeTexture8::GetLevelDesc(UINT level, D3DSURFACE_DESC8 *out) {
  if (!out || level >= m_object.image().levels()) return D3DERR_INVALIDCALL;
  return describe(m_object.image(), level, out);
}

HRESULT CubeTexture8::GetCubeMapSurface(D3DCUBEMAP_FACES face, UINT level, IDirect3DSurface8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  IDirect3DSurface9 *surface = nullptr;
  const HRESULT result = m_object.GetCubeMapSurface(face, level, &surface);
  return answerSurface(result, surface, out);
}

HRESULT CubeTexture8::LockRect(D3DCUBEMAP_FACES face, UINT level, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) {
  return answerLock(m_object.LockRect(face, level, out, rect, flags), m_object.image(), out);
}

HRESULT Volume8::QueryInterface(REFIID id, void **out) {
  if (!out) return E_POINTER;
  *out = nullptr;
  if (!IsEqualIID(id, IID_IUnknown) && !IsEqualIID(id, IID_IDirect3DVolume8)) return E_NOINTERFACE;
  *out = this;
  AddRef();
  return S_OK;
}

HRESULT Volume8::GetDevice(IDirect3DDevice8 **out) {
  return m_texture.GetDevice(out);
}

HRESULT Volume8::GetContainer(REFIID id, void **out) {
  return m_texture.QueryInterface(id, out);
}

HRESULT Volume8::GetDesc(D3DVOLUME_DESC8 *out) {
  return m_texture.GetLevelDesc(m_level, out);
}

VolumeTexture8::VolumeTexture8(VolumeTexture &object) : TextureFront(object) {
  for (UINT level = 0; level < object.image().levels(); ++level) {
    IDirect3DVolume9 *volume = nullptr;
    object.GetVolumeLevel(level, &volume);
    m_volumes.push_back(std::make_unique<Volume8>(*this, *static_cast<Volume *>(volume), level));
    volume->Release();
  }
}

HRESULT VolumeTexture8::GetLevelDesc(UINT level, D3DVOLUME_DESC8 *out) {
  if (!out || level >= m_volumes.size()) return D3DERR_INVALIDCALL;
  D3DVOLUME_DESC d{};
  m_object.GetLevelDesc(level, &d);
  *out = {d.Format, d.Type, d.Usage, d.Pool, bytesOf(m_object.image(), level), d.Width, d.Height, d.Depth};
  return D3D_OK;
}

HRESULT VolumeTexture8::GetVolumeLevel(UINT level, IDirect3DVolume8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  if (level >= m_volumes.size()) return D3DERR_INVALIDCALL;
  *out = m_volumes[level].get();
  (*out)->AddRef();
  return D3D_OK;
}

HRESULT SwapChain8::GetBackBuffer(UINT index, D3DBACKBUFFER_TYPE type, IDirect3DSurface8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  IDirect3DSurface9 *surface = nullptr;
  const HRESULT result = m_object.GetBackBuffer(index, type, &surface);
  return answerSurface(result, surface, out);
}

namespace {

/// Copies in the memory of the process: neither surface is the driver's.
HRESULT copyInMemory(const Surface &source, const RECT &from, const Surface &destination, const RECT &to,
                     const FormatLayout &layout) {
  const D3DBOX fromBox = boxOf(from), toBox = boxOf(to);
  D3DLOCKED_BOX read{}, written{};
  HRESULT result = source.image().lock(source.subresource(), &fromBox, D3DLOCK_READONLY, read);
  if (FAILED(result)) return result;
  result = destination.image().lock(destination.subresource(), &toBox, 0, written);
  if (SUCCEEDED(result)) {
    const UINT bytes = rowBytes(layout, static_cast<UINT>(from.right - from.left));
    const UINT rows = rowCount(layout, static_cast<UINT>(from.bottom - from.top));
    for (UINT row = 0; row < rows; ++row)
      std::memcpy(static_cast<BYTE *>(written.pBits) + size_t{row} * static_cast<UINT>(written.RowPitch),
                  static_cast<const BYTE *>(read.pBits) + size_t{row} * static_cast<UINT>(read.RowPitch), bytes);
    destination.image().unlock(destination.subresource());
  }
  source.image().unlock(source.subresource());
  return result;
}

/// Returns the resource that holds a surface's content: for a managed one that over system memory.
HANDLE contentOf(const Surface &surface) {
  const DriverResource *system = surface.image().system();
  return system ? system->handle() : surface.handle();
}

/// Copies by the driver; `source` has one sample.
HRESULT copyAtDriver(Device &device, HANDLE source, UINT sourceIndex, const RECT &from, const Surface &destination,
                     const RECT &to) {
  const HRESULT result = bltSubresource(device.driver(), source, sourceIndex, from, contentOf(destination),
                                        destination.subresource(), to, {});
  if (SUCCEEDED(result) && destination.pool() == D3DPOOL_MANAGED)
    destination.image().markDirty(destination.subresource() / destination.image().levels());
  return result;
}

/// Reads a multisampled target back: the samples are combined on the way, as a copy between targets does.
HRESULT copyCombined(Device &device, const Surface &source, const RECT &from, const Surface &destination,
                     const RECT &to) {
  ImageDescription description;
  description.format = source.format();
  description.width = source.width();
  description.height = source.height();
  description.usage = D3DUSAGE_RENDERTARGET;
  description.implicit = true;
  HRESULT result = D3D_OK;
  const std::shared_ptr<Image> combined = Image::create(device, description, nullptr, result);
  if (!combined) return result;
  result = bltSubresource(device.driver(), source.handle(), source.subresource(), source.bounds(), combined->handle(),
                          0, source.bounds(), {});
  return FAILED(result) ? result : copyAtDriver(device, combined->handle(), 0, from, destination, to);
}

HRESULT copyRect(Device &device, const Surface &source, const RECT &from, const Surface &destination, const POINT &at) {
  RECT to = from;
  OffsetRect(&to, at.x - from.left, at.y - from.top);
  if (!isInside(from, source.bounds()) || !isInside(to, destination.bounds())) return D3DERR_INVALIDCALL;
  FormatLayout layout;
  formatLayout(device.driver().adapter(), source.format(), layout);
  if (!isWholeBlocks(from, source.bounds(), layout) || !isWholeBlocks(to, destination.bounds(), layout))
    return D3DERR_INVALIDCALL;
  if (source.pool() != D3DPOOL_DEFAULT && destination.pool() != D3DPOOL_DEFAULT)
    return copyInMemory(source, from, destination, to, layout);
  // The driver knows nothing of D3DPOOL_SCRATCH.
  if (!contentOf(source) || !contentOf(destination)) return D3DERR_INVALIDCALL;
  if (source.image().description().multisample && destination.pool() != D3DPOOL_DEFAULT)
    return copyCombined(device, source, from, destination, to);
  return copyAtDriver(device, contentOf(source), source.subresource(), from, destination, to);
}

}  // namespace

HRESULT copyRects(Device &device, Surface &source, const RECT *rects, UINT count, Surface &destination,
                  const POINT *points) {
  if (source.format() != destination.format() || &source == &destination) return D3DERR_INVALIDCALL;
  if ((source.usage() | destination.usage()) & D3DUSAGE_DEPTHSTENCIL) return D3DERR_INVALIDCALL;
  if (source.image().isLocked(source.subresource()) || destination.image().isLocked(destination.subresource()))
    return D3DERR_INVALIDCALL;
  if (!rects || !count) return copyRect(device, source, source.bounds(), destination, {0, 0});
  HRESULT result = D3D_OK;
  for (UINT i = 0; i < count && SUCCEEDED(result); ++i)
    result = copyRect(device, source, rects[i], destination, points ? points[i] : POINT{rects[i].left, rects[i].top});
  return result;
}

}  // namespace aerogpu::runtime
