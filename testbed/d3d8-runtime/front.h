// SPDX-License-Identifier: MIT
// The common parts of Direct3D 8's objects. Each is the front of an object of testbed/d3d9-runtime/com: it lives as
// long as that object, shares its reference count, and forwards to it.
#pragma once

#include "testbed/d3d8-runtime/d3d8_headers.h"
#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {

/// The usages that Direct3D 8 has: up to D3DUSAGE_DYNAMIC. Later bits came with Direct3D 9.
inline constexpr DWORD kUsages8 = 0x3FF;

class Front8 : public Front {
public:
  /// Returns the pointer that programs know the object by.
  virtual IUnknown *api() = 0;
};

/// Returns the front of an object, made if it has none; null for null.
template <class Made, class Object> Made *frontOf(Object *object) {
  if (!object) return nullptr;
  if (!object->front()) object->setFront(std::make_unique<Made>(*object));
  return static_cast<Made *>(object->front());
}

/// Returns the object behind an interface of a program; null for null.
template <class Made, class Interface> auto *objectOf(Interface *interface8) {
  return interface8 ? &static_cast<Made *>(interface8)->object() : nullptr;
}

/// Implements IUnknown; `kIds`: the interfaces besides it.
template <class Interface, class Object, const IID &...kIds> class UnknownFront : public Interface, public Front8 {
public:
  explicit UnknownFront(Object &object) : m_object(object) {}
  Object &object() const { return m_object; }
  IUnknown *api() override { return static_cast<Interface *>(this); }
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    if (!IsEqualIID(id, IID_IUnknown) && !(IsEqualIID(id, kIds) || ...)) return E_NOINTERFACE;
    *out = static_cast<Interface *>(this);
    this->AddRef();
    return S_OK;
  }
  ULONG STDMETHODCALLTYPE AddRef() override { return m_object.AddRef(); }
  ULONG STDMETHODCALLTYPE Release() override { return m_object.Release(); }

protected:
  Object &m_object;
};

/// Returns the device of an object, with a new reference.
inline HRESULT answerDevice(Device &device, IDirect3DDevice8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = static_cast<IDirect3DDevice8 *>(static_cast<Front8 *>(device.front())->api());
  (*out)->AddRef();
  return D3D_OK;
}

/// An object of a device that keeps private data.
template <class Interface, class Object, const IID &...kIds>
class ChildFront : public UnknownFront<Interface, Object, kIds...> {
public:
  using UnknownFront<Interface, Object, kIds...>::UnknownFront;
  HRESULT STDMETHODCALLTYPE GetDevice(IDirect3DDevice8 **out) override {
    return answerDevice(this->m_object.device(), out);
  }
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, const void *data, DWORD size, DWORD flags) override {
    return this->m_object.SetPrivateData(guid, data, size, flags);
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, void *data, DWORD *size) override {
    return this->m_object.GetPrivateData(guid, data, size);
  }
  HRESULT STDMETHODCALLTYPE FreePrivateData(REFGUID guid) override { return this->m_object.FreePrivateData(guid); }
};

template <class Interface, class Object, const IID &...kIds>
class ResourceFront : public ChildFront<Interface, Object, IID_IDirect3DResource8, kIds...> {
public:
  using ChildFront<Interface, Object, IID_IDirect3DResource8, kIds...>::ChildFront;
  DWORD STDMETHODCALLTYPE SetPriority(DWORD priority) override { return this->m_object.SetPriority(priority); }
  DWORD STDMETHODCALLTYPE GetPriority() override { return this->m_object.GetPriority(); }
  void STDMETHODCALLTYPE PreLoad() override { this->m_object.PreLoad(); }
  D3DRESOURCETYPE STDMETHODCALLTYPE GetType() override { return this->m_object.GetType(); }
};

}  // namespace aerogpu::runtime
