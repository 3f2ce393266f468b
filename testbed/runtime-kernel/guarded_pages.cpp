// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/guarded_pages.h"

#include <windows.h>

namespace aerogpu::runtime {

static constexpr size_t kPage = 4096;

void GuardedPages::release() {
  if (m_base) VirtualFree(m_base, 0, MEM_RELEASE);
  if (m_previous) VirtualFree(m_previous, 0, MEM_RELEASE);
  m_base = m_previous = nullptr;
}

void *GuardedPages::renew(size_t bytes, size_t alignment) {
  const size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  const size_t pages = (rounded + kPage - 1) / kPage * kPage;
  void *fresh = VirtualAlloc(nullptr, pages + kPage, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (!fresh) return nullptr;
  DWORD old = 0;
  BYTE *end = static_cast<BYTE *>(fresh) + pages;
  VirtualProtect(end, kPage, PAGE_NOACCESS, &old);
  if (m_previous) VirtualFree(m_previous, 0, MEM_RELEASE);
  m_previous = m_base;
  if (m_previous) VirtualProtect(m_previous, kPage, PAGE_NOACCESS, &old);
  m_previousBytes = m_bytes;
  m_base = fresh;
  m_bytes = pages;
  return end - rounded;
}

bool GuardedPages::guards(const void *address) const {
  const BYTE *at = static_cast<const BYTE *>(address);
  if (m_previous) {
    const BYTE *old = static_cast<const BYTE *>(m_previous);
    if (at >= old && at < old + m_previousBytes + kPage) return true;
  }
  if (!m_base) return false;
  const BYTE *guard = static_cast<const BYTE *>(m_base) + m_bytes;
  return at >= guard && at < guard + kPage;
}

}  // namespace aerogpu::runtime
