// SPDX-License-Identifier: MIT
// The private data of an object, for SetPrivateData and its like of DXGI and Direct3D 11.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/base/headers.h"

namespace aerogpu::runtime11 {

/// Callers hold a lock.
class PrivateData {
public:
  PrivateData() = default;
  PrivateData(const PrivateData &) = delete;
  PrivateData &operator=(const PrivateData &) = delete;
  ~PrivateData();
  HRESULT set(REFGUID guid, UINT size, const void *data);
  HRESULT setInterface(REFGUID guid, const IUnknown *object);
  HRESULT get(REFGUID guid, UINT *size, void *data) const;

private:
  struct Entry {
    GUID guid;
    bool isInterface;
    IUnknown *object;  ///< with a reference; may be null
    std::vector<BYTE> bytes;
  };
  bool remove(REFGUID guid);
  std::vector<Entry> m_entries;
};

}  // namespace aerogpu::runtime11
