// SPDX-License-Identifier: MIT
// Common parts of DXGI's objects: a reference count, private data, the parent.
#pragma once

#include "testbed/d3d11-runtime/dxgi/host.h"
#include "testbed/d3d11-runtime/dxgi/private_data.h"

namespace aerogpu::runtime11 {

template <class Interface, class... Bases> class DxgiObject : public Interface {
public:
  DxgiObject(const DxgiObject &) = delete;
  DxgiObject &operator=(const DxgiObject &) = delete;

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    const bool known = IsEqualIID(id, __uuidof(IUnknown)) || IsEqualIID(id, __uuidof(IDXGIObject)) ||
                       IsEqualIID(id, __uuidof(Interface)) || (IsEqualIID(id, __uuidof(Bases)) || ...);
    if (!known) return E_NOINTERFACE;
    *out = static_cast<Interface *>(this);
    this->AddRef();
    return S_OK;
  }
  ULONG STDMETHODCALLTYPE AddRef() override { return static_cast<ULONG>(InterlockedIncrement(&m_references)); }
  ULONG STDMETHODCALLTYPE Release() override {
    const LONG count = InterlockedDecrement(&m_references);
    if (count == 0) delete this;
    return static_cast<ULONG>(count);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, UINT size, const void *data) override {
    return m_privateData.set(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID guid, const IUnknown *object) override {
    return m_privateData.setInterface(guid, object);
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, UINT *size, void *data) override {
    return m_privateData.get(guid, size, data);
  }
  HRESULT STDMETHODCALLTYPE GetParent(REFIID id, void **out) override {
    if (m_parent) return m_parent->QueryInterface(id, out);
    if (out) *out = nullptr;
    return E_NOINTERFACE;
  }

protected:
  explicit DxgiObject(IUnknown *parent) : m_parent(parent) {
    if (m_parent) m_parent->AddRef();
  }
  virtual ~DxgiObject() {
    if (m_parent) m_parent->Release();
  }
  IUnknown *parent() const { return m_parent; }

private:
  volatile LONG m_references = 1;
  IUnknown *const m_parent;
  PrivateData m_privateData;
};

}  // namespace aerogpu::runtime11
