// SPDX-License-Identifier: MIT
// What resources show of themselves as objects of DXGI. A face shares the life and the private data of its object.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/d3d11/child.h"
#include "testbed/runtime-kernel/memory_dc.h"

namespace aerogpu::runtime11 {

class Resource;
class Texture2D;

/// The common part of the faces. `Interface`: one that derives from IDXGIDeviceSubObject.
template <class Interface> class DxgiFace : public Interface {
public:
  DxgiFace(ID3D11DeviceChild &object, Core &core) : m_object(object), m_core(core) {}
  DxgiFace(const DxgiFace &) = delete;
  DxgiFace &operator=(const DxgiFace &) = delete;

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override { return m_object.QueryInterface(id, out); }
  ULONG STDMETHODCALLTYPE AddRef() override { return m_object.AddRef(); }
  ULONG STDMETHODCALLTYPE Release() override { return m_object.Release(); }
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT size, const void *data) override {
    return m_object.SetPrivateData(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *object) override {
    return m_object.SetPrivateDataInterface(guid, object);
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *size, void *data) override {
    return m_object.GetPrivateData(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE GetParent(REFIID id, void **out) override { return GetDevice(id, out); }
  HRESULT STDMETHODCALLTYPE GetDevice(REFIID id, void **out) override { return m_core.device->QueryInterface(id, out); }

protected:
  ~DxgiFace() = default;
  Core &core() const { return m_core; }

private:
  ID3D11DeviceChild &m_object;
  Core &m_core;
};

/// Every resource has this one.
class ResourceFace final : public DxgiFace<IDXGIResource> {
public:
  ResourceFace(ID3D11DeviceChild &object, Core &core, Resource &resource)
      : DxgiFace(object, core), m_resource(resource) {}
  HRESULT STDMETHODCALLTYPE GetSharedHandle(HANDLE *out) override;
  HRESULT STDMETHODCALLTYPE GetUsage(DXGI_USAGE *out) override;
  HRESULT STDMETHODCALLTYPE SetEvictionPriority(UINT priority) override;
  HRESULT STDMETHODCALLTYPE GetEvictionPriority(UINT *out) override;

private:
  Resource &m_resource;
};

/// Of a texture that is shared with a keyed mutex.
class KeyedMutexFace final : public DxgiFace<IDXGIKeyedMutex> {
public:
  KeyedMutexFace(ID3D11DeviceChild &object, Core &core, Resource &resource)
      : DxgiFace(object, core), m_resource(resource) {}
  HRESULT STDMETHODCALLTYPE AcquireSync(UINT64 key, DWORD milliseconds) override;
  HRESULT STDMETHODCALLTYPE ReleaseSync(UINT64 key) override;

private:
  Resource &m_resource;
};

/// Of a texture with one image.
class SurfaceFace final : public DxgiFace<IDXGISurface1> {
public:
  SurfaceFace(ID3D11DeviceChild &object, Core &core, Texture2D &texture) : DxgiFace(object, core), m_texture(texture) {}
  HRESULT STDMETHODCALLTYPE GetDesc(DXGI_SURFACE_DESC *out) override;
  HRESULT STDMETHODCALLTYPE Map(DXGI_MAPPED_RECT *out, UINT flags) override;
  HRESULT STDMETHODCALLTYPE Unmap() override;
  HRESULT STDMETHODCALLTYPE GetDC(WINBOOL discard, HDC *out) override;
  HRESULT STDMETHODCALLTYPE ReleaseDC(RECT *dirty) override;

private:
  Texture2D &m_texture;
  // What GDI draws to (surface_dc.cpp), from GetDC to ReleaseDC.
  std::vector<BYTE> m_bits;
  runtime::MemoryDc m_dc;
};

}  // namespace aerogpu::runtime11
