// SPDX-License-Identifier: MIT
// Surfaces, textures, volumes, buffers and swap chains of Direct3D 8.
#pragma once

#include <memory>
#include <vector>

#include "testbed/d3d8-runtime/front.h"

namespace aerogpu::runtime {

class Surface8 final : public ChildFront<IDirect3DSurface8, Surface, IID_IDirect3DSurface8> {
public:
  using ChildFront::ChildFront;
  HRESULT STDMETHODCALLTYPE GetContainer(REFIID id, void **out) override;
  HRESULT STDMETHODCALLTYPE GetDesc(D3DSURFACE_DESC8 *out) override;
  HRESULT STDMETHODCALLTYPE LockRect(D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockRect() override;
};

/// The methods of IDirect3DBaseTexture8.
template <class Interface, class Object, const IID &kId>
class TextureFront : public ResourceFront<Interface, Object, IID_IDirect3DBaseTexture8, kId> {
public:
  explicit TextureFront(Object &object) : ResourceFront<Interface, Object, IID_IDirect3DBaseTexture8, kId>(object) {
    object.setAlias(static_cast<IDirect3DBaseTexture8 *>(this));
  }
  DWORD STDMETHODCALLTYPE SetLOD(DWORD lod) override { return this->m_object.SetLOD(lod); }
  DWORD STDMETHODCALLTYPE GetLOD() override { return this->m_object.GetLOD(); }
  DWORD STDMETHODCALLTYPE GetLevelCount() override { return this->m_object.GetLevelCount(); }
};

class Texture8 final : public TextureFront<IDirect3DTexture8, Texture, IID_IDirect3DTexture8> {
public:
  using TextureFront::TextureFront;
  HRESULT STDMETHODCALLTYPE GetLevelDesc(UINT level, D3DSURFACE_DESC8 *out) override;
  HRESULT STDMETHODCALLTYPE GetSurfaceLevel(UINT level, IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE LockRect(UINT level, D3DLOCKED_RECT *out, const RECT *rect, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockRect(UINT level) override { return m_object.UnlockRect(level); }
  HRESULT STDMETHODCALLTYPE AddDirtyRect(const RECT *rect) override { return m_object.AddDirtyRect(rect); }
};

class CubeTexture8 final : public TextureFront<IDirect3DCubeTexture8, CubeTexture, IID_IDirect3DCubeTexture8> {
public:
  using TextureFront::TextureFront;
  HRESULT STDMETHODCALLTYPE GetLevelDesc(UINT level, D3DSURFACE_DESC8 *out) override;
  HRESULT STDMETHODCALLTYPE GetCubeMapSurface(D3DCUBEMAP_FACES face, UINT level, IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE LockRect(D3DCUBEMAP_FACES face, UINT level, D3DLOCKED_RECT *out, const RECT *rect,
                                     DWORD flags) override;
  HRESULT STDMETHODCALLTYPE UnlockRect(D3DCUBEMAP_FACES face, UINT level) override {
    return m_object.UnlockRect(face, level);
  }
  HRESULT STDMETHODCALLTYPE AddDirtyRect(D3DCUBEMAP_FACES face, const RECT *rect) override {
    return m_object.AddDirtyRect(face, rect);
  }
};

class VolumeTexture8;

/// A level of a volume texture, with the texture's reference count.
class Volume8 final : public IDirect3DVolume8 {
public:
  Volume8(VolumeTexture8 &texture, Volume &volume, UINT level) : m_texture(texture), m_object(volume), m_level(level) {}
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  ULONG STDMETHODCALLTYPE AddRef() override { return m_object.AddRef(); }
  ULONG STDMETHODCALLTYPE Release() override { return m_object.Release(); }
  HRESULT STDMETHODCALLTYPE GetDevice(IDirect3DDevice8 **out) override;
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, const void *data, DWORD size, DWORD flags) override {
    return m_object.SetPrivateData(guid, data, size, flags);
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, void *data, DWORD *size) override {
    return m_object.GetPrivateData(guid, data, size);
  }
  HRESULT STDMETHODCALLTYPE FreePrivateData(REFGUID guid) override { return m_object.FreePrivateData(guid); }
  HRESULT STDMETHODCALLTYPE GetContainer(REFIID id, void **out) override;
  HRESULT STDMETHODCALLTYPE GetDesc(D3DVOLUME_DESC8 *out) override;
  HRESULT STDMETHODCALLTYPE LockBox(D3DLOCKED_BOX *out, const D3DBOX *box, DWORD flags) override {
    return m_object.LockBox(out, box, flags);
  }
  HRESULT STDMETHODCALLTYPE UnlockBox() override { return m_object.UnlockBox(); }

private:
  VolumeTexture8 &m_texture;
  Volume &m_object;
  UINT m_level;
};

class VolumeTexture8 final : public TextureFront<IDirect3DVolumeTexture8, VolumeTexture, IID_IDirect3DVolumeTexture8> {
public:
  explicit VolumeTexture8(VolumeTexture &object);
  HRESULT STDMETHODCALLTYPE GetLevelDesc(UINT level, D3DVOLUME_DESC8 *out) override;
  HRESULT STDMETHODCALLTYPE GetVolumeLevel(UINT level, IDirect3DVolume8 **out) override;
  HRESULT STDMETHODCALLTYPE LockBox(UINT level, D3DLOCKED_BOX *out, const D3DBOX *box, DWORD flags) override {
    return m_object.LockBox(level, out, box, flags);
  }
  HRESULT STDMETHODCALLTYPE UnlockBox(UINT level) override { return m_object.UnlockBox(level); }
  HRESULT STDMETHODCALLTYPE AddDirtyBox(const D3DBOX *box) override { return m_object.AddDirtyBox(box); }

private:
  std::vector<std::unique_ptr<Volume8>> m_volumes;
};

template <class Interface, class Object, const IID &kId, class Description>
class BufferFront final : public ResourceFront<Interface, Object, kId> {
public:
  using ResourceFront<Interface, Object, kId>::ResourceFront;
  HRESULT STDMETHODCALLTYPE Lock(UINT offset, UINT size, BYTE **out, DWORD flags) override {
    return this->m_object.Lock(offset, size, reinterpret_cast<void **>(out), flags);
  }
  HRESULT STDMETHODCALLTYPE Unlock() override { return this->m_object.Unlock(); }
  HRESULT STDMETHODCALLTYPE GetDesc(Description *out) override { return this->m_object.GetDesc(out); }
};
using VertexBuffer8 =
    BufferFront<IDirect3DVertexBuffer8, VertexBuffer, IID_IDirect3DVertexBuffer8, D3DVERTEXBUFFER_DESC>;
using IndexBuffer8 = BufferFront<IDirect3DIndexBuffer8, IndexBuffer, IID_IDirect3DIndexBuffer8, D3DINDEXBUFFER_DESC>;

class SwapChain8 final : public UnknownFront<IDirect3DSwapChain8, SwapChain, IID_IDirect3DSwapChain8> {
public:
  using UnknownFront::UnknownFront;
  HRESULT STDMETHODCALLTYPE Present(const RECT *source, const RECT *destination, HWND window,
                                    const RGNDATA *dirty) override {
    return m_object.Present(source, destination, window, dirty, 0);
  }
  HRESULT STDMETHODCALLTYPE GetBackBuffer(UINT index, D3DBACKBUFFER_TYPE type, IDirect3DSurface8 **out) override;
};

/// Copies rectangles between surfaces of a format, in any pools; without `rects` whole surfaces (page
/// "IDirect3DDevice8::CopyRects"). Under the device's lock.
HRESULT copyRects(Device &device, Surface &source, const RECT *rects, UINT count, Surface &destination,
                  const POINT *points);

}  // namespace aerogpu::runtime
