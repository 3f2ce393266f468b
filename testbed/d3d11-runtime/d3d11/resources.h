// SPDX-License-Identifier: MIT
// ID3D11Buffer, ID3D11Texture1D, ID3D11Texture2D and ID3D11Texture3D.
#pragma once

#include "testbed/d3d11-runtime/d3d11/dxgi_faces.h"
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
  UINT evictionPriority() const { return m_evictionPriority; }
  void setEvictionPriority(UINT priority);

protected:
  explicit Resource(Core &core) : m_driver(core.driver) {}
  virtual ~Resource() = default;

private:
  DriverResource m_driver;
  UINT m_evictionPriority = DXGI_RESOURCE_PRIORITY_NORMAL;
};

/// Checks usage, binds and CPU access against each other (API page D3D11_USAGE). What the GPU writes may do without
/// binds (test_create_shader_resource_view in Wine's dlls/d3d11/tests/d3d11.c).
bool isUsable(D3D11_USAGE usage, UINT bind, UINT access, bool hasData);

/// Checks a map against usage and access (API page ID3D11DeviceContext::Map).
bool isMappable(const ResourceDescription &description, D3D11_MAP type);

/// Returns the runtime's object behind the API's; null for null.
Resource *resourceOf(ID3D11Resource *resource);

template <class Interface> class ResourceChild : public Child<Interface, ID3D11Resource>, public Resource {
public:
  explicit ResourceChild(Core &core)
      : Child<Interface, ID3D11Resource>(core), Resource(core), m_dxgi(*this, core, *this) {}
  void STDMETHODCALLTYPE SetEvictionPriority(UINT priority) override {
    const Lock lock(this->core().lock);
    setEvictionPriority(priority);
  }
  UINT STDMETHODCALLTYPE GetEvictionPriority() override { return evictionPriority(); }
  ID3D11Resource *api() override { return this; }
  void addPrivate() override { this->addPrivateReference(); }
  void releasePrivate() override { this->releasePrivateReference(); }

protected:
  HRESULT queryMore(REFIID id, void **out) override {
    if (!IsEqualIID(id, __uuidof(IDXGIResource)) && !IsEqualIID(id, __uuidof(IDXGIDeviceSubObject)) &&
        !IsEqualIID(id, __uuidof(IDXGIObject)))
      return E_NOINTERFACE;
    *out = static_cast<IDXGIResource *>(&m_dxgi);
    this->AddRef();
    return S_OK;
  }

private:
  ResourceFace m_dxgi;
};

class Buffer final : public ResourceChild<ID3D11Buffer> {
public:
  using ResourceChild::ResourceChild;
  void STDMETHODCALLTYPE GetType(D3D11_RESOURCE_DIMENSION *out) override {
    if (out) *out = D3D11_RESOURCE_DIMENSION_BUFFER;
  }
  void STDMETHODCALLTYPE GetDesc(D3D11_BUFFER_DESC *out) override;
};

class Texture1D final : public ResourceChild<ID3D11Texture1D> {
public:
  using ResourceChild::ResourceChild;
  void STDMETHODCALLTYPE GetType(D3D11_RESOURCE_DIMENSION *out) override {
    if (out) *out = D3D11_RESOURCE_DIMENSION_TEXTURE1D;
  }
  void STDMETHODCALLTYPE GetDesc(D3D11_TEXTURE1D_DESC *out) override;
};

class Texture3D final : public ResourceChild<ID3D11Texture3D> {
public:
  using ResourceChild::ResourceChild;
  void STDMETHODCALLTYPE GetType(D3D11_RESOURCE_DIMENSION *out) override {
    if (out) *out = D3D11_RESOURCE_DIMENSION_TEXTURE3D;
  }
  void STDMETHODCALLTYPE GetDesc(D3D11_TEXTURE3D_DESC *out) override;
};

class Texture2D final : public ResourceChild<ID3D11Texture2D>, public BackBuffer {
public:
  explicit Texture2D(Core &core)
      : ResourceChild(core), m_surface(*this, core, *this), m_keyedMutex(*this, core, *this) {}
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

  SurfaceFace m_surface;
  KeyedMutexFace m_keyedMutex;
};

/// Creations, after the API's checks.
HRESULT createBuffer(Core &core, const D3D11_BUFFER_DESC *description, const D3D11_SUBRESOURCE_DATA *initial,
                     ID3D11Buffer **out);
HRESULT createTexture2D(Core &core, const D3D11_TEXTURE2D_DESC *description, const D3D11_SUBRESOURCE_DATA *initial,
                        ID3D11Texture2D **out);
/// True if the interface has the format at all.
bool hasFormat(const Core &core, DXGI_FORMAT format);

}  // namespace aerogpu::runtime11
