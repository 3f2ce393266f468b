// SPDX-License-Identifier: MIT
// A device context of GDI over a surface's memory (page "D3DKMTCreateDCFromMemory").
#pragma once

#include "testbed/runtime-kernel/windows_headers.h"

namespace aerogpu::runtime {

class MemoryDc {
public:
  MemoryDc() = default;
  ~MemoryDc() { destroy(); }
  MemoryDc(const MemoryDc &) = delete;
  MemoryDc &operator=(const MemoryDc &) = delete;
  /// `pitch`: bytes from row to row.
  bool create(void *memory, D3DDDIFORMAT format, UINT width, UINT height, UINT pitch);
  void destroy();
  /// Null before create() and after destroy().
  HDC handle() const { return m_made.hDc; }

private:
  D3DKMT_DESTROYDCFROMMEMORY m_made{};
};

}  // namespace aerogpu::runtime
