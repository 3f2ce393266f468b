// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/child.h"

namespace aerogpu::runtime11 {

ULONG ChildBase::addPublic() {
  const Lock lock(m_core.lock);
  if (++m_public == 1) {
    ++m_private;
    m_core.device->AddRef();
  }
  return static_cast<ULONG>(m_public);
}

ULONG ChildBase::releasePublic() {
  ID3D11Device *device = nullptr;
  LONG count = 0;
  {
    const Lock lock(m_core.lock);
    if (m_public == 0) return 0;  // a program that releases too often
    count = --m_public;
    if (count == 0) {
      device = m_core.device;
      releasePrivateReference();
    }
  }
  if (device) device->Release();
  return static_cast<ULONG>(count);
}

void ChildBase::addPrivateReference() {
  const Lock lock(m_core.lock);
  ++m_private;
}

void ChildBase::releasePrivateReference() {
  const Lock lock(m_core.lock);
  if (--m_private == 0) delete this;
}

HRESULT ChildBase::setData(REFGUID guid, UINT size, const void *data) {
  const Lock lock(m_core.lock);
  return m_privateData.set(guid, size, data);
}

HRESULT ChildBase::setInterface(REFGUID guid, const IUnknown *object) {
  const Lock lock(m_core.lock);
  return m_privateData.setInterface(guid, object);
}

HRESULT ChildBase::getData(REFGUID guid, UINT *size, void *data) {
  const Lock lock(m_core.lock);
  return m_privateData.get(guid, size, data);
}

HRESULT ChildBase::queryFacet(REFIID kind, REFIID id, void **out) {
  const Lock lock(m_core.lock);
  if (!m_facet && m_core.facets) m_facet = m_core.facets->makeFacet(*this, kind);
  return m_facet ? m_facet->query(id, out) : E_NOINTERFACE;
}

}  // namespace aerogpu::runtime11
