// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/multithread.h"

#include <utility>

#include "testbed/d3d11-runtime/dxgi/host.h"

namespace aerogpu::runtime11 {

void Multithread::Enter() {
  EnterCriticalSection(&m_lock);
  if (m_protected)
    ++m_entered;
  else
    LeaveCriticalSection(&m_lock);
}

void Multithread::Leave() {
  // Without an Enter before, or with one that did nothing, there is nothing to leave.
  const Lock lock(m_lock);
  if (!m_entered) return;
  --m_entered;
  LeaveCriticalSection(&m_lock);
}

WINBOOL Multithread::SetMultithreadProtected(WINBOOL protect) {
  const Lock lock(m_lock);
  return std::exchange(m_protected, protect != FALSE) ? TRUE : FALSE;
}

WINBOOL Multithread::GetMultithreadProtected() {
  const Lock lock(m_lock);
  return m_protected ? TRUE : FALSE;
}

}  // namespace aerogpu::runtime11
