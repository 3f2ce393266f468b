// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/com.h"

#include <cstring>

#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {

ULONG DeviceChild::addPublic() {
  const LONG count = InterlockedIncrement(&m_public);
  if (count == 1) {
    addPrivate();
    m_device.AddRef();
  }
  return static_cast<ULONG>(count);
}

ULONG DeviceChild::releasePublic() {
  // Programs release too often; that must not free objects that the device still uses.
  if (m_public == 0) return 0;
  const LONG count = InterlockedDecrement(&m_public);
  if (count == 0) {
    Device &device = m_device;  // outlives this object: its reference is released last
    releasePrivate();
    device.Release();
  }
  return static_cast<ULONG>(count);
}

void DeviceChild::releasePrivate() {
  if (InterlockedDecrement(&m_private) != 0) return;
  const Lock lock(m_device);  // the destructor calls the driver
  delete this;
}

IDirect3DDevice9 *publicDevice(Device &device) {
  device.AddRef();
  return &device;
}

CRITICAL_SECTION &deviceLock(Device &device) {
  return device.lock();
}

PrivateData::~PrivateData() {
  for (Entry &entry : m_entries)
    if (entry.object) entry.object->Release();
}

HRESULT PrivateData::set(REFGUID guid, const void *data, DWORD size, DWORD flags) {
  if (!data || (flags & ~D3DSPD_IUNKNOWN)) return D3DERR_INVALIDCALL;
  if ((flags & D3DSPD_IUNKNOWN) && size != sizeof(IUnknown *)) return D3DERR_INVALIDCALL;
  Entry entry{guid, nullptr, {}};
  if (flags & D3DSPD_IUNKNOWN) {
    entry.object = const_cast<IUnknown *>(static_cast<const IUnknown *>(data));
    entry.object->AddRef();
  } else {
    const BYTE *bytes = static_cast<const BYTE *>(data);
    entry.bytes.assign(bytes, bytes + size);
  }
  free(guid);
  m_entries.push_back(std::move(entry));
  return D3D_OK;
}

HRESULT PrivateData::get(REFGUID guid, void *data, DWORD *size) const {
  for (const Entry &entry : m_entries) {
    if (!IsEqualGUID(entry.guid, guid)) continue;
    if (!size) return D3DERR_INVALIDCALL;
    const DWORD needed = entry.object ? sizeof(IUnknown *) : static_cast<DWORD>(entry.bytes.size());
    const DWORD room = std::exchange(*size, needed);
    if (!data) return D3D_OK;
    if (room < needed) return D3DERR_MOREDATA;
    if (entry.object) {
      entry.object->AddRef();
      *static_cast<IUnknown **>(data) = entry.object;
    } else if (needed) {
      std::memcpy(data, entry.bytes.data(), needed);
    }
    return D3D_OK;
  }
  return D3DERR_NOTFOUND;
}

HRESULT PrivateData::free(REFGUID guid) {
  for (size_t i = 0; i < m_entries.size(); ++i) {
    if (!IsEqualGUID(m_entries[i].guid, guid)) continue;
    if (m_entries[i].object) m_entries[i].object->Release();
    m_entries.erase(m_entries.begin() + static_cast<ptrdiff_t>(i));
    return D3D_OK;
  }
  return D3DERR_NOTFOUND;
}

}  // namespace aerogpu::runtime
