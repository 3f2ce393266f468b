// SPDX-License-Identifier: MIT
#include "renderer/trace/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::trace {

SparseMemory::Page* SparseMemory::page(uint64_t gpa) {
  Lock lock(m_mutex);
  std::unique_ptr<Page>& page = m_pages[gpa / kPageBytes];
  if (!page) {
    if (m_pages.size() * kPageBytes > m_cap) {
      m_pages.erase(gpa / kPageBytes);
      return nullptr;
    }
    page = std::make_unique<Page>();
    page->fill(0);
  }
  return page.get();
}

int SparseMemory::map(uint64_t gpa, uint64_t size, aerogpu_guest_mapping* out) {
  Page* p = page(gpa);
  if (!p) return -1;
  const uint64_t offset = gpa % kPageBytes;
  out->host = p->data() + offset;
  out->size = std::min(size, kPageBytes - offset);
  out->cookie = nullptr;
  return 0;
}

bool SparseMemory::write(uint64_t gpa, const void* src, uint64_t size) {
  const auto* in = static_cast<const uint8_t*>(src);
  if (gpa + size < gpa) return false;
  while (size != 0) {
    aerogpu_guest_mapping m;
    if (map(gpa, size, &m) != 0) return false;
    std::memcpy(m.host, in, m.size);
    gpa += m.size;
    in += m.size;
    size -= m.size;
  }
  return true;
}

bool SparseMemory::read(uint64_t gpa, void* dst, uint64_t size) {
  auto* out = static_cast<uint8_t*>(dst);
  if (gpa + size < gpa) return false;
  while (size != 0) {
    aerogpu_guest_mapping m;
    if (map(gpa, size, &m) != 0) return false;
    std::memcpy(out, m.host, m.size);
    gpa += m.size;
    out += m.size;
    size -= m.size;
  }
  return true;
}

}  // namespace aerogpu::trace
