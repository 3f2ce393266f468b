// SPDX-License-Identifier: MIT
// Memory that ends at a page without access.
#pragma once

#include <cstddef>

namespace aerogpu::runtime {

class GuardedPages {
public:
  GuardedPages() = default;
  ~GuardedPages() { release(); }
  GuardedPages(const GuardedPages &) = delete;
  GuardedPages &operator=(const GuardedPages &) = delete;
  /// Returns where `bytes` bytes, rounded up to `alignment`, begin; null without memory. The previous memory becomes
  /// unreadable, but its addresses are not reused before the next call.
  void *renew(size_t bytes, size_t alignment = 16);
  /// True if `address` is in the page without access, or in the memory before the last renewal.
  bool guards(const void *address) const;

private:
  void release();

  void *m_base = nullptr, *m_previous = nullptr;
  size_t m_bytes = 0, m_previousBytes = 0;  ///< before the pages without access
};

}  // namespace aerogpu::runtime
