// SPDX-License-Identifier: MIT
// ID3D11Buffer and ID3D11Texture2D.
#pragma once

#include "testbed/d3d11-runtime/d3d11/child.h"
#include "testbed/d3d11-runtime/driver/resource.h"

namespace aerogpu::runtime11 {

/// The part of a resource that does not depend on its kind.
class Resource {
public:
  Resource(const Resource &) = delete;
  Resource &operator=(const Resource &) = delete;
  DriverResource &driver() { return m_driver; }
  const ResourceDescription &description() const { return m_driver.description(); }
  virtual ID3D11Resource *api() = 0;
  virtual void addPrivate() = 0;
  virtual void releasePrivate() = 0;
  UINT evictionPriority = DXGI_RESOURCE_PRIORITY_NORMAL;

protected:
  explicit Resource(Core &core) : m_driver(core.driver) {}
  virtual ~Resource() = default;

private:
  DriverResource m_driver;
};

/// Checks a map against usage and access (API page ID3D11DeviceContext::Map).
bool isMappable(const ResourceDescription &description, D3D11_MAP type);

/// Returns the runtime's object behind the API's; null for null.
Resource *resourceOf(ID3D11Resource *resource);

template <class Interface> class ResourceChild : public Child<Interface, ID3D11Resource>, public Resource {
public:
  explicit ResourceChild(Core &core) : Child<Interface, ID3D11Resource>(core), Resource(core) {}
  void STDMETHODCALLTYPE SetEvictionPriority(UINT priority) override { evictionPriority = priority; }
  UINT STDMETHODCALLTYPE GetEvictionPriority() override { return evictionPriority; }
  ID3D11Resource *api() override { return this; }
  void addPrivate() override { this->addPrivateReference(); }
  void releasePrivate() override { this->releasePrivateReference(); }
};

class Buffer final : public ResourceChild<ID3D11Buffer> {
public:
  using ResourceChild::ResourceChild;
  void STDMETHODCALLTYPE GetType(D3D11_RESOURCE_DIMENSION *out) override {
    if (out) *out = D3D11_RESOURCE_DIMENSION_BUFFER;
  }
  void STDMETHODCALLTYPE GetDesc(D3D11_BUFFER_DESC *out) override;
};

class Texture2D final : public ResourceChild<ID3D11Texture2D>, public BackBuffer {
public:
  explicit Texture2D(Core &core) : ResourceChild(core), m_surface(*this) {}
  void STDMETHODCALLTYPE GetType(D3D11_RESOURCE_DIMENSION *out) override {
    if (out) *out = D3D11_RESOURCE_DIMENSION_TEXTURE2D;
  }
  void STDMETHODCALLTYPE GetDesc(D3D11_TEXTURE2D_DESC *out) override;

  // Of a swap chain's buffer.
  HRESULT query(REFIID id, void **out) override { return QueryInterface(id, out); }
  DriverResource &resource() override { return driver(); }
  void addPrivate() override { addPrivateReference(); }
  void releasePrivate() override { releasePrivateReference(); }
  bool isHeld() override { return isHeldByAnyone(1); }

private:
  HRESULT queryMore(REFIID id, void **out) override;

  /// The texture as DXGI shows it.
  class Surface final : public IDXGISurface1 {
  public:
    explicit Surface(Texture2D &texture) : m_texture(texture) {}
    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override {
      return m_texture.QueryInterface(id, out);
    }
    ULONG STDMETHODCALLTYPE AddRef() override { return m_texture.AddRef(); }
    ULONG STDMETHODCALLTYPE Release() override { return m_texture.Release(); }
    HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT size, const void *data) override {
      return m_texture.SetPrivateData(guid, size, data);
    }
    HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *object) override {
      return m_texture.SetPrivateDataInterface(guid, object);
    }
    HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *size, void *data) override {
      return m_texture.GetPrivateData(guid, size, data);
    }
    HRESULT STDMETHODCALLTYPE GetParent(REFIID id, void **out) override { return GetDevice(id, out); }
    HRESULT STDMETHODCALLTYPE GetDevice(REFIID id, void **out) override {
      return m_texture.core().device->QueryInterface(id, out);
    }
    HRESULT STDMETHODCALLTYPE GetDesc(DXGI_SURFACE_DESC *out) override;
    HRESULT STDMETHODCALLTYPE Map(DXGI_MAPPED_RECT *out, UINT flags) override;
    HRESULT STDMETHODCALLTYPE Unmap() override;
    HRESULT STDMETHODCALLTYPE GetDC(WINBOOL discard, HDC *out) override;
    HRESULT STDMETHODCALLTYPE ReleaseDC(RECT *dirty) override;

  private:
    Texture2D &m_texture;
  };

  Surface m_surface;
};

/// Creations, after the API's checks.
HRESULT createBuffer(Core &core, const D3D11_BUFFER_DESC *description, const D3D11_SUBRESOURCE_DATA *initial,
                     ID3D11Buffer **out);
HRESULT createTexture2D(Core &core, const D3D11_TEXTURE2D_DESC *description, const D3D11_SUBRESOURCE_DATA *initial,
                        ID3D11Texture2D **out);
/// True if the interface has the format at all.
bool hasFormat(const Core &core, DXGI_FORMAT format);

}  // namespace aerogpu::runtime11
