// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/private_data.h"

#include <cstring>
#include <utility>

namespace aerogpu::runtime11 {

PrivateData::~PrivateData() {
  for (Entry &entry : m_entries)
    if (entry.object) entry.object->Release();
}

bool PrivateData::remove(REFGUID guid) {
  for (size_t i = 0; i < m_entries.size(); ++i) {
    if (!IsEqualGUID(m_entries[i].guid, guid)) continue;
    IUnknown *object = m_entries[i].object;
    m_entries.erase(m_entries.begin() + static_cast<ptrdiff_t>(i));
    if (object) object->Release();
    return true;
  }
  return false;
}

HRESULT PrivateData::set(REFGUID guid, UINT size, const void *data) {
  const bool removed = remove(guid);
  if (!data) return removed ? S_OK : S_FALSE;
  const BYTE *bytes = static_cast<const BYTE *>(data);
  m_entries.push_back({guid, false, nullptr, std::vector<BYTE>(bytes, bytes + size)});
  return S_OK;
}

HRESULT PrivateData::setInterface(REFGUID guid, const IUnknown *given) {
  IUnknown *object = const_cast<IUnknown *>(given);
  if (object) object->AddRef();
  remove(guid);
  m_entries.push_back({guid, true, object, {}});  // null is kept too
  return S_OK;
}

HRESULT PrivateData::get(REFGUID guid, UINT *size, void *data) const {
  if (!size) return E_INVALIDARG;
  for (const Entry &entry : m_entries) {
    if (!IsEqualGUID(entry.guid, guid)) continue;
    const UINT needed =
        entry.isInterface ? static_cast<UINT>(sizeof(IUnknown *)) : static_cast<UINT>(entry.bytes.size());
    const UINT room = std::exchange(*size, needed);
    if (!data) return S_OK;
    if (room < needed) return DXGI_ERROR_MORE_DATA;
    if (entry.isInterface) {
      if (entry.object) entry.object->AddRef();
      *static_cast<IUnknown **>(data) = entry.object;
    } else if (needed) {
      std::memcpy(data, entry.bytes.data(), needed);
    }
    return S_OK;
  }
  *size = 0;
  return DXGI_ERROR_NOT_FOUND;
}

}  // namespace aerogpu::runtime11
