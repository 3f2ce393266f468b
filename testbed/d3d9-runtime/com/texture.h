// SPDX-License-Identifier: MIT
// IDirect3DTexture9, IDirect3DCubeTexture9, IDirect3DVolumeTexture9 and IDirect3DVolume9.
#pragma once

#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/com/image.h"
#include "testbed/d3d9-runtime/com/surface.h"

namespace aerogpu::runtime {

/// A texture of any kind, as the device sees it.
class AnyTexture {
public:
  /// `api`: the pointer that programs know the texture by.
  AnyTexture(DeviceChild &child, IDirect3DBaseTexture9 *api, std::shared_ptr<Image> image);
  AnyTexture(const AnyTexture &) = delete;
  AnyTexture &operator=(const AnyTexture &) = delete;

  /// Returns the texture of a pointer that a program passed, null for null and for a foreign pointer. Calls none of its
  /// methods: programs replace them, and Windows' runtime does not need them. Under the device's lock.
  static AnyTexture *of(const Device &device, IDirect3DBaseTexture9 *texture);
  static AnyTexture *of(const Device &device, const void *texture);
  IDirect3DBaseTexture9 *api() const { return m_api; }
  /// Makes of() find the texture by another pointer too.
  void setAlias(const void *alias);
  DeviceChild &child() const { return m_child; }
  D3DTEXTUREFILTERTYPE filter() const { return m_filter; }
  /// Returns the largest level that draws may use.
  DWORD lod() const { return m_lod; }
  Image &image() const { return *m_image; }
  void addPrivate() { m_child.addPrivate(); }
  void releasePrivate() { m_child.releasePrivate(); }

protected:
  ~AnyTexture();

  DeviceChild &m_child;
  IDirect3DBaseTexture9 *m_api;
  const void *m_alias = nullptr;
  std::shared_ptr<Image> m_image;
  DWORD m_lod = 0;
  D3DTEXTUREFILTERTYPE m_filter = D3DTEXF_LINEAR;
};

/// The methods of IDirect3DBaseTexture9.
template <class Interface, D3DRESOURCETYPE kType>
class TextureOf : public ResourceChild<Interface, IDirect3DBaseTexture9>, public AnyTexture {
public:
  D3DRESOURCETYPE STDMETHODCALLTYPE GetType() override { return kType; }
  DWORD STDMETHODCALLTYPE SetLOD(DWORD lod) override;
  DWORD STDMETHODCALLTYPE GetLOD() override { return m_lod; }
  DWORD STDMETHODCALLTYPE GetLevelCount() override { return m_image->levels(); }
  HRESULT STDMETHODCALLTYPE SetAutoGenFilterType(D3DTEXTUREFILTERTYPE filter) override;
  D3DTEXTUREFILTERTYPE STDMETHODCALLTYPE GetAutoGenFilterType() override { return m_filter; }
  void STDMETHODCALLTYPE GenerateMipSubLevels() override;

protected:
  TextureOf(Device &device, std::shared_ptr<Image> image)
      : ResourceChild<Interface, IDirect3DBaseTexture9>(device),
        AnyTexture(*static_cast<DeviceChild *>(this), this, std::move(image)) {}
  bool isManaged() const override { return m_image->description().pool == D3DPOOL_MANAGED; }
  HRESULT upload() override { return m_image->upload(); }
  /// Marks a rectangle of a layer as dirty; null: all of the layer. Under the device's lock.
  HRESULT addDirtyRect(UINT layer, const RECT *rect);
  HRESULT lockRect(UINT subresource, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags);
};

class Texture final : public TextureOf<IDirect3DTexture9, D3DRTYPE_TEXTURE> {
public:
  Texture(Device &device, std::shared_ptr<Image> image);
  HRESULT STDMETHODCALLTYPE GetLevelDesc(UINT level, D3DSURFACE_DESC *out) override;
  HRESULT STDMETHODCALLTYPE GetSurfaceLevel(UINT level, IDirect3DSurface9 **out) override;
  HRESULT STDMETHODCALLTYPE LockRect(UINT level, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockRect(UINT level) override;
  HRESULT STDMETHODCALLTYPE AddDirtyRect(const RECT *rect) override;

private:
  std::vector<std::unique_ptr<Surface>> m_surfaces;
};

class CubeTexture final : public TextureOf<IDirect3DCubeTexture9, D3DRTYPE_CUBETEXTURE> {
public:
  CubeTexture(Device &device, std::shared_ptr<Image> image);
  HRESULT STDMETHODCALLTYPE GetLevelDesc(UINT level, D3DSURFACE_DESC *out) override;
  HRESULT STDMETHODCALLTYPE GetCubeMapSurface(D3DCUBEMAP_FACES face, UINT level, IDirect3DSurface9 **out) override;
  HRESULT STDMETHODCALLTYPE LockRect(D3DCUBEMAP_FACES face, UINT level, D3DLOCKED_RECT *out, const RECT *rect,
                                     DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockRect(D3DCUBEMAP_FACES face, UINT level) override;
  HRESULT STDMETHODCALLTYPE AddDirtyRect(D3DCUBEMAP_FACES face, const RECT *rect) override;

private:
  bool isValid(D3DCUBEMAP_FACES face, UINT level) const;
  std::vector<std::unique_ptr<Surface>> m_surfaces;
};

class VolumeTexture;

/// A level of a volume texture, with the texture's reference count.
class Volume final : public IDirect3DVolume9 {
public:
  Volume(VolumeTexture &texture, UINT level) : m_texture(texture), m_level(level) {}
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  ULONG STDMETHODCALLTYPE AddRef() override;
  ULONG STDMETHODCALLTYPE Release() override;
  HRESULT STDMETHODCALLTYPE GetDevice(IDirect3DDevice9 **out) override;
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, const void *data, DWORD size, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, void *data, DWORD *size) override;
  HRESULT STDMETHODCALLTYPE FreePrivateData(REFGUID guid) override;
  HRESULT STDMETHODCALLTYPE GetContainer(REFIID id, void **out) override;
  HRESULT STDMETHODCALLTYPE GetDesc(D3DVOLUME_DESC *out) override;
  HRESULT STDMETHODCALLTYPE LockBox(D3DLOCKED_BOX *out, const D3DBOX *box, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockBox() override;

private:
  VolumeTexture &m_texture;
  UINT m_level;
  PrivateData m_privateData;
};

class VolumeTexture final : public TextureOf<IDirect3DVolumeTexture9, D3DRTYPE_VOLUMETEXTURE> {
public:
  VolumeTexture(Device &device, std::shared_ptr<Image> image);
  HRESULT STDMETHODCALLTYPE GetLevelDesc(UINT level, D3DVOLUME_DESC *out) override;
  HRESULT STDMETHODCALLTYPE GetVolumeLevel(UINT level, IDirect3DVolume9 **out) override;
  HRESULT STDMETHODCALLTYPE LockBox(UINT level, D3DLOCKED_BOX *out, const D3DBOX *box, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockBox(UINT level) override;
  HRESULT STDMETHODCALLTYPE AddDirtyBox(const D3DBOX *box) override;

private:
  std::vector<std::unique_ptr<Volume>> m_volumes;
};

}  // namespace aerogpu::runtime
