// SPDX-License-Identifier: MIT
// Lists of objects between the two versions.
#pragma once

#include <algorithm>
#include <iterator>

#include "testbed/d3d11-runtime/d3d10core/facets.h"

namespace aerogpu::runtime11 {

/// The Direct3D 11 objects behind a program's list, which may be null.
template <class Eleven, class Ten> class ObjectList {
public:
  ObjectList(Ten *const *given, UINT count) : m_given(given != nullptr) {
    // A longer list is for more slots than any stage has: who takes it refuses it by its count.
    if (given)
      std::transform(given, given + std::min<size_t>(count, std::size(m_objects)), m_objects,
                     [](Ten *one) { return objectOf(one); });
  }
  Eleven *const *data() const { return m_given ? m_objects : nullptr; }

private:
  const bool m_given;
  Eleven *m_objects[D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT]{};
};

/// Returns an object as Direct3D 10 shows it, and takes over the reference of `object`, which may be null.
template <class Ten, class Eleven> HRESULT give(Eleven *object, Ten **out) {
  *out = nullptr;
  if (!object) return S_OK;
  const HRESULT result = object->QueryInterface(__uuidof(Ten), reinterpret_cast<void **>(out));
  object->Release();
  return result;
}

/// Fills a program's list, which may be null. `get`: returns the object of one slot.
template <class Eleven, class Ten, class Get> void giveList(Ten **out, UINT count, Get get) {
  for (UINT i = 0; out && i < count; ++i) {
    Eleven *object = nullptr;
    get(i, &object);
    give(object, &out[i]);
  }
}

}  // namespace aerogpu::runtime11
