// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/texture.h"

#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

AnyTexture::AnyTexture(DeviceChild &child, IDirect3DBaseTexture9 *api, std::shared_ptr<Image> image)
    : m_child(child), m_api(api), m_image(std::move(image)) {
  child.device().textures().emplace(api, this);
}

AnyTexture::~AnyTexture() {
  m_child.device().textures().erase(m_api);
  m_child.device().textures().erase(m_alias);
}

void AnyTexture::setAlias(const void *alias) {
  m_alias = alias;
  m_child.device().textures().emplace(alias, this);
}

AnyTexture *AnyTexture::of(const Device &device, IDirect3DBaseTexture9 *texture) {
  return of(device, static_cast<const void *>(texture));
}

AnyTexture *AnyTexture::of(const Device &device, const void *texture) {
  if (!texture) return nullptr;
  const auto found = device.textures().find(texture);
  return found == device.textures().end() ? nullptr : found->second;
}

template <class Interface, D3DRESOURCETYPE kType> DWORD TextureOf<Interface, kType>::SetLOD(DWORD lod) {
  if (!isManaged()) return 0;
  const DWORD clamped = lod < m_image->levels() ? lod : m_image->levels() - 1;
  return std::exchange(m_lod, clamped);
}

template <class Interface, D3DRESOURCETYPE kType>
HRESULT TextureOf<Interface, kType>::SetAutoGenFilterType(D3DTEXTUREFILTERTYPE filter) {
  if (filter == D3DTEXF_NONE) return D3DERR_INVALIDCALL;
  m_filter = filter;
  return D3D_OK;
}

template <class Interface, D3DRESOURCETYPE kType> void TextureOf<Interface, kType>::GenerateMipSubLevels() {
  const Lock lock(this->device());
  if (!(m_image->description().usage & D3DUSAGE_AUTOGENMIPMAP) || !m_image->handle()) return;
  m_image->upload();
  m_image->generateLevels(m_filter);
}

template <class Interface, D3DRESOURCETYPE kType>
HRESULT TextureOf<Interface, kType>::addDirtyRect(UINT layer, const RECT *rect) {
  if (!rect) {
    m_image->markDirty(layer);
    return D3D_OK;
  }
  return rect->left < 0 || rect->top < 0 ? D3DERR_INVALIDCALL : m_image->markDirty(layer, boxOf(*rect));
}

template <class Interface, D3DRESOURCETYPE kType>
HRESULT TextureOf<Interface, kType>::lockRect(UINT subresource, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) {
  if (!out) return D3DERR_INVALIDCALL;
  const Lock lock(this->device());
  const D3DBOX box = rect ? boxOf(*rect) : D3DBOX{};
  D3DLOCKED_BOX locked{};
  const HRESULT result = m_image->lock(subresource, rect ? &box : nullptr, flags, locked);
  if (SUCCEEDED(result)) *out = {locked.RowPitch, locked.pBits};
  return result;
}

Texture::Texture(Device &device, std::shared_ptr<Image> image) : TextureOf(device, std::move(image)) {
  for (UINT i = 0; i < m_image->levels(); ++i)
    m_surfaces.push_back(std::make_unique<Surface>(device, m_image, i, this, static_cast<IDirect3DTexture9 *>(this)));
}

HRESULT Texture::GetLevelDesc(UINT level, D3DSURFACE_DESC *out) {
  if (level >= m_image->levels() || !out) return D3DERR_INVALIDCALL;
  *out = surfaceDescription(*m_image, level);
  return D3D_OK;
}

HRESULT Texture::GetSurfaceLevel(UINT level, IDirect3DSurface9 **out) {
  if (out) *out = nullptr;
  if (level >= m_surfaces.size() || !out) return D3DERR_INVALIDCALL;
  *out = m_surfaces[level].get();
  (*out)->AddRef();
  return D3D_OK;
}

HRESULT Texture::LockRect(UINT level, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) {
  return lockRect(level, out, rect, flags);
}

HRESULT Texture::UnlockRect(UINT level) {
  const Lock lock(device());
  return m_image->unlock(level);
}

HRESULT Texture::AddDirtyRect(const RECT *rect) {
  const Lock lock(device());
  return addDirtyRect(0, rect);
}

CubeTexture::CubeTexture(Device &device, std::shared_ptr<Image> image) : TextureOf(device, std::move(image)) {
  for (UINT i = 0; i < 6 * m_image->levels(); ++i)
    m_surfaces.push_back(
        std::make_unique<Surface>(device, m_image, i, this, static_cast<IDirect3DCubeTexture9 *>(this)));
}

bool CubeTexture::isValid(D3DCUBEMAP_FACES face, UINT level) const {
  return static_cast<UINT>(face) < 6 && level < m_image->levels();
}

HRESULT CubeTexture::GetLevelDesc(UINT level, D3DSURFACE_DESC *out) {
  if (level >= m_image->levels() || !out) return D3DERR_INVALIDCALL;
  *out = surfaceDescription(*m_image, level);
  return D3D_OK;
}

HRESULT CubeTexture::GetCubeMapSurface(D3DCUBEMAP_FACES face, UINT level, IDirect3DSurface9 **out) {
  if (out) *out = nullptr;
  if (!isValid(face, level) || !out) return D3DERR_INVALIDCALL;
  *out = m_surfaces[face * m_image->levels() + level].get();
  (*out)->AddRef();
  return D3D_OK;
}

HRESULT CubeTexture::LockRect(D3DCUBEMAP_FACES face, UINT level, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) {
  if (!isValid(face, level)) return D3DERR_INVALIDCALL;
  return lockRect(face * m_image->levels() + level, out, rect, flags);
}

HRESULT CubeTexture::UnlockRect(D3DCUBEMAP_FACES face, UINT level) {
  if (!isValid(face, level)) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  return m_image->unlock(face * m_image->levels() + level);
}

HRESULT CubeTexture::AddDirtyRect(D3DCUBEMAP_FACES face, const RECT *rect) {
  if (!isValid(face, 0)) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  return addDirtyRect(face, rect);
}

HRESULT Volume::QueryInterface(REFIID id, void **out) {
  if (!out) return E_POINTER;
  *out = nullptr;
  if (!IsEqualIID(id, __uuidof(IUnknown)) && !IsEqualIID(id, __uuidof(IDirect3DVolume9))) return E_NOINTERFACE;
  *out = this;
  AddRef();
  return S_OK;
}

ULONG Volume::AddRef() {
  return m_texture.AddRef();
}
ULONG Volume::Release() {
  return m_texture.Release();
}
HRESULT Volume::GetDevice(IDirect3DDevice9 **out) {
  return m_texture.GetDevice(out);
}

HRESULT Volume::SetPrivateData(REFGUID guid, const void *data, DWORD size, DWORD flags) {
  const Lock lock(m_texture.device());
  return m_privateData.set(guid, data, size, flags);
}

HRESULT Volume::GetPrivateData(REFGUID guid, void *data, DWORD *size) {
  const Lock lock(m_texture.device());
  return m_privateData.get(guid, data, size);
}

HRESULT Volume::FreePrivateData(REFGUID guid) {
  const Lock lock(m_texture.device());
  return m_privateData.free(guid);
}

HRESULT Volume::GetContainer(REFIID id, void **out) {
  return m_texture.QueryInterface(id, out);
}
HRESULT Volume::GetDesc(D3DVOLUME_DESC *out) {
  return m_texture.GetLevelDesc(m_level, out);
}

HRESULT Volume::LockBox(D3DLOCKED_BOX *out, const D3DBOX *box, DWORD flags) {
  return m_texture.LockBox(m_level, out, box, flags);
}

HRESULT Volume::UnlockBox() {
  return m_texture.UnlockBox(m_level);
}

VolumeTexture::VolumeTexture(Device &device, std::shared_ptr<Image> image) : TextureOf(device, std::move(image)) {
  for (UINT i = 0; i < m_image->levels(); ++i) m_volumes.push_back(std::make_unique<Volume>(*this, i));
}

HRESULT VolumeTexture::GetLevelDesc(UINT level, D3DVOLUME_DESC *out) {
  if (level >= m_image->levels() || !out) return D3DERR_INVALIDCALL;
  const ImageDescription &d = m_image->description();
  *out = {
      d.format, D3DRTYPE_VOLUME, d.usage, d.pool, m_image->width(level), m_image->height(level), m_image->depth(level)};
  return D3D_OK;
}

HRESULT VolumeTexture::GetVolumeLevel(UINT level, IDirect3DVolume9 **out) {
  if (out) *out = nullptr;
  if (level >= m_volumes.size() || !out) return D3DERR_INVALIDCALL;
  *out = m_volumes[level].get();
  (*out)->AddRef();
  return D3D_OK;
}

HRESULT VolumeTexture::LockBox(UINT level, D3DLOCKED_BOX *out, const D3DBOX *box, DWORD flags) {
  if (!out) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  const HRESULT result = m_image->lock(level, box, flags, *out);
  if (FAILED(result)) *out = {};
  return result;
}

HRESULT VolumeTexture::UnlockBox(UINT level) {
  const Lock lock(device());
  return m_image->unlock(level);
}

HRESULT VolumeTexture::AddDirtyBox(const D3DBOX *box) {
  const Lock lock(device());
  if (box) return m_image->markDirty(0, *box);
  m_image->markDirty();
  return D3D_OK;
}

}  // namespace aerogpu::runtime
