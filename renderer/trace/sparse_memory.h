// SPDX-License-Identifier: MIT
// Guest memory without a guest: pages exist once they are written, and read zero before. Bounded. For replay
// and tests. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "aerogpu/renderer.h"
#include "renderer/base/mutex.h"

namespace aerogpu::trace {

class SparseMemory {
public:
  static constexpr uint64_t kPageBytes = 1 << 16;

  explicit SparseMemory(uint64_t capBytes) : m_cap(capBytes) {}

  /// Both fail (false) past the cap or if addresses wrap.
  bool write(uint64_t gpa, const void* src, uint64_t size);
  bool read(uint64_t gpa, void* dst, uint64_t size);

  // The callbacks of aerogpu_renderer_callbacks, without `opaque`, which this class cannot interpret: the
  // embedder forwards.
  int map(uint64_t gpa, uint64_t size, aerogpu_guest_mapping* out);

private:
  using Page = std::array<uint8_t, kPageBytes>;
  Page* page(uint64_t gpa);

  Mutex m_mutex;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> m_pages GUARDED_BY(m_mutex);
  const uint64_t m_cap;
};

}  // namespace aerogpu::trace
