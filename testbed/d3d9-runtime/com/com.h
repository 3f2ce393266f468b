// SPDX-License-Identifier: MIT
// Common parts of COM objects: reference counts, private data, and the calls of IDirect3DResource9 that are the same
// for all resources.
#pragma once

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

class Device;

/// Another version's interface of an object, which lives as long as the object does and shares its reference count
/// (testbed/d3d8-runtime). Its destructor may not use the object.
class Front {
public:
  Front() = default;
  Front(const Front &) = delete;
  Front &operator=(const Front &) = delete;
  virtual ~Front() = default;
};

/// A pointer that owns one reference, of the kind that `T::addPrivate()` counts.
template <class T> class Ref {
public:
  Ref() = default;
  Ref(T *object) : m_object(object) {  // NOLINT(google-explicit-constructor)
    if (m_object) m_object->addPrivate();
  }
  Ref(const Ref &other) : Ref(other.m_object) {}
  Ref(Ref &&other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
  ~Ref() { reset(); }
  Ref &operator=(Ref other) noexcept {
    std::swap(m_object, other.m_object);
    return *this;
  }
  void reset() {
    if (T *object = std::exchange(m_object, nullptr)) object->releasePrivate();
  }
  T *get() const { return m_object; }
  T *operator->() const { return m_object; }
  T &operator*() const { return *m_object; }
  explicit operator bool() const { return m_object != nullptr; }

private:
  T *m_object = nullptr;
};

/// An object that belongs to a device. It has two reference counts: the program's, which AddRef and Release show, and
/// the runtime's, for bound textures and back buffers of a swap chain. While the program's is not 0 the object keeps
/// the device alive; the runtime's keeps only the object alive. Any thread changes either; the destructor runs with the
/// device alive and takes its lock if it calls the driver.
class DeviceChild {
public:
  DeviceChild(const DeviceChild &) = delete;
  DeviceChild &operator=(const DeviceChild &) = delete;

  ULONG addPublic();
  ULONG releasePublic();
  void addPrivate() { InterlockedIncrement(&m_private); }
  void releasePrivate();
  Device &device() const { return m_device; }
  /// True if the program holds a reference.
  bool isHeld() const { return m_public != 0; }
  Front *front() const { return m_front.get(); }
  void setFront(std::unique_ptr<Front> front) { m_front = std::move(front); }

protected:
  explicit DeviceChild(Device &device) : m_device(device) {}
  virtual ~DeviceChild() = default;

private:
  Device &m_device;
  volatile LONG m_public = 0, m_private = 0;
  std::unique_ptr<Front> m_front;
};

/// The private data of an object, for SetPrivateData and its like. Called under the device's lock.
class PrivateData {
public:
  PrivateData() = default;
  PrivateData(const PrivateData &) = delete;
  PrivateData &operator=(const PrivateData &) = delete;
  ~PrivateData();
  HRESULT set(REFGUID guid, const void *data, DWORD size, DWORD flags);
  HRESULT get(REFGUID guid, void *data, DWORD *size) const;
  HRESULT free(REFGUID guid);

private:
  struct Entry {
    GUID guid;
    IUnknown *object;  ///< the object, with a reference, if D3DSPD_IUNKNOWN is set
    std::vector<BYTE> bytes;
  };
  std::vector<Entry> m_entries;
};

IDirect3DDevice9 *publicDevice(Device &device);  ///< adds a reference
CRITICAL_SECTION &deviceLock(Device &device);

/// Holds the device's lock. Every entry point that touches the device's state or calls the driver has one.
class Lock {
public:
  explicit Lock(Device &device) : m_section(deviceLock(device)) { EnterCriticalSection(&m_section); }
  ~Lock() { LeaveCriticalSection(&m_section); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  CRITICAL_SECTION &m_section;
};

/// An object of a device with the interface `Interface`, which derives from `Bases`.
template <class Interface, class... Bases> class Child : public Interface, public DeviceChild {
public:
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override {
    if (!out) return E_POINTER;
    *out = nullptr;
    const bool known = IsEqualIID(id, __uuidof(IUnknown)) || IsEqualIID(id, __uuidof(Interface)) ||
                       (IsEqualIID(id, __uuidof(Bases)) || ...);
    if (!known) return E_NOINTERFACE;
    *out = static_cast<Interface *>(this);
    this->AddRef();
    return S_OK;
  }
  ULONG STDMETHODCALLTYPE AddRef() override { return addPublic(); }
  ULONG STDMETHODCALLTYPE Release() override { return releasePublic(); }
  HRESULT STDMETHODCALLTYPE GetDevice(IDirect3DDevice9 **out) override {
    if (!out) return D3DERR_INVALIDCALL;
    *out = publicDevice(device());
    return D3D_OK;
  }

protected:
  using DeviceChild::DeviceChild;
};

/// A resource: also has private data and a priority.
template <class Interface, class... Bases> class ResourceChild : public Child<Interface, IDirect3DResource9, Bases...> {
public:
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID guid, const void *data, DWORD size, DWORD flags) override {
    const Lock lock(this->device());
    return m_privateData.set(guid, data, size, flags);
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID guid, void *data, DWORD *size) override {
    const Lock lock(this->device());
    return m_privateData.get(guid, data, size);
  }
  HRESULT STDMETHODCALLTYPE FreePrivateData(REFGUID guid) override {
    const Lock lock(this->device());
    return m_privateData.free(guid);
  }
  /// Keeps the priority, which has no effect: it is a hint about managed resources, all of which are resident here.
  DWORD STDMETHODCALLTYPE SetPriority(DWORD priority) override {
    return std::exchange(m_priority, isManaged() ? priority : m_priority);
  }
  DWORD STDMETHODCALLTYPE GetPriority() override { return m_priority; }
  void STDMETHODCALLTYPE PreLoad() override {
    const Lock lock(this->device());
    upload();
  }

protected:
  explicit ResourceChild(Device &device) : Child<Interface, IDirect3DResource9, Bases...>(device) {}
  virtual bool isManaged() const { return false; }
  /// Sends the written parts of a managed resource to the driver. Under the device's lock.
  virtual HRESULT upload() { return D3D_OK; }

private:
  PrivateData m_privateData;
  DWORD m_priority = 0;
};

}  // namespace aerogpu::runtime
