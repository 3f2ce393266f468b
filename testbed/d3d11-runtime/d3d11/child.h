// SPDX-License-Identifier: MIT
// Common parts of a device's objects. An object has two reference counts: the program's, which AddRef and Release show,
// and the runtime's, for what is bound and for views of a resource. While the program's is not 0 the object keeps the
// device alive; the runtime's keeps only the object alive. Both change under the device's lock.
#pragma once

#include <memory>
#include <utility>

#include "testbed/d3d11-runtime/driver/device.h"
#include "testbed/d3d11-runtime/dxgi/host.h"
#include "testbed/d3d11-runtime/dxgi/private_data.h"

namespace aerogpu::runtime11 {

class ChildBase;

/// The interfaces that an object has in another version of Direct3D. It shares the object's life and references.
class Facet {
public:
  Facet() = default;
  virtual ~Facet() = default;
  Facet(const Facet &) = delete;
  Facet &operator=(const Facet &) = delete;
  /// Returns one of its interfaces, with a reference, or E_NOINTERFACE.
  virtual HRESULT query(REFIID id, void **out) = 0;
};

/// Makes the facets of a device's objects.
class FacetSource {
public:
  FacetSource(const FacetSource &) = delete;
  FacetSource &operator=(const FacetSource &) = delete;
  /// `kind`: the object's interface of Direct3D 11. Null if the other version has no such object.
  virtual std::unique_ptr<Facet> makeFacet(ChildBase &object, REFIID kind) = 0;

protected:
  FacetSource() = default;
  ~FacetSource() = default;
};

/// What the objects of a device know of it.
struct Core {
  explicit Core(const DriverAdapter &adapter) : driver(adapter) { InitializeCriticalSection(&lock); }
  ~Core() { DeleteCriticalSection(&lock); }
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  CRITICAL_SECTION lock{};
  ID3D11Device *device = nullptr;  ///< without a reference
  DriverDevice driver;
  D3D_FEATURE_LEVEL level = D3D_FEATURE_LEVEL_10_0;
  FacetSource *facets = nullptr;  ///< null: Direct3D 11 alone
};

/// A pointer that owns one reference of the runtime's.
template <class T> class Ref {
public:
  Ref() = default;
  Ref(T *object) : m_object(object) {  // NOLINT(google-explicit-constructor)
    if (m_object) m_object->addPrivate();
  }
  Ref(const Ref &other) : Ref(other.m_object) {}
  Ref(Ref &&other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
  ~Ref() {
    if (m_object) m_object->releasePrivate();
  }
  Ref &operator=(Ref other) noexcept {
    std::swap(m_object, other.m_object);
    return *this;
  }
  T *get() const { return m_object; }
  T *operator->() const { return m_object; }
  explicit operator bool() const { return m_object != nullptr; }

private:
  T *m_object = nullptr;
};

class ChildBase {
public:
  ChildBase(const ChildBase &) = delete;
  ChildBase &operator=(const ChildBase &) = delete;
  void addPrivateReference();
  void releasePrivateReference();
  bool isHeldByAnyone(LONG ownPrivate) const { return m_public != 0 || m_private > ownPrivate; }
  Core &core() const { return m_core; }

protected:
  explicit ChildBase(Core &core) : m_core(core) {}
  virtual ~ChildBase() = default;
  ULONG addPublic();
  ULONG releasePublic();
  HRESULT setData(REFGUID guid, UINT size, const void *data);
  HRESULT setInterface(REFGUID guid, const IUnknown *object);
  HRESULT getData(REFGUID guid, UINT *size, void *data);
  /// Asks the facet, which is made at the first such question.
  HRESULT queryFacet(REFIID kind, REFIID id, void **out);

private:
  Core &m_core;
  LONG m_public = 0, m_private = 0;
  PrivateData m_privateData;
  std::unique_ptr<Facet> m_facet;
};

/// An object with the interface `Interface`, which derives from `Bases`.
template <class Interface, class... Bases> class Child : public Interface, public ChildBase {
public:
  using ChildInterface = Interface;
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    const bool known = IsEqualIID(id, __uuidof(IUnknown)) || IsEqualIID(id, __uuidof(ID3D11DeviceChild)) ||
                       IsEqualIID(id, __uuidof(Interface)) || (IsEqualIID(id, __uuidof(Bases)) || ...);
    if (!known) return SUCCEEDED(queryMore(id, out)) ? S_OK : queryFacet(__uuidof(Interface), id, out);
    *out = static_cast<Interface *>(this);
    this->AddRef();
    return S_OK;
  }
  ULONG STDMETHODCALLTYPE AddRef() override { return addPublic(); }
  ULONG STDMETHODCALLTYPE Release() override { return releasePublic(); }
  void STDMETHODCALLTYPE GetDevice(ID3D11Device **out) override {
    if (!out) return;
    *out = core().device;
    (*out)->AddRef();
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *size, void *data) override {
    return getData(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT size, const void *data) override {
    return setData(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *object) override {
    return setInterface(guid, object);
  }
  void addPrivate() { addPrivateReference(); }
  void releasePrivate() { releasePrivateReference(); }

protected:
  using ChildBase::ChildBase;
  /// Answers for interfaces that are not of Direct3D 11.
  virtual HRESULT queryMore(REFIID, void **) { return E_NOINTERFACE; }
};

}  // namespace aerogpu::runtime11
