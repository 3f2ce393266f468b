// SPDX-License-Identifier: MIT
// A context and the command buffer and lists that the driver fills for it. The driver is not given the kernel side's
// memory but some of the runtime's, which after each submission lies elsewhere, has another size and ends where a page
// without access begins: a driver that keeps a pointer or writes too far stops at that place. AEROGPU_D3D9_HOSTILE=0
// hands out the kernel side's memory instead.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

/// Pages that end at one without access.
class GuardedPages {
public:
  GuardedPages() = default;
  ~GuardedPages() { release(); }
  GuardedPages(const GuardedPages &) = delete;
  GuardedPages &operator=(const GuardedPages &) = delete;
  /// Where `bytes` bytes, rounded up to 16, begin. Null without memory. What was there before becomes unreadable, but
  /// its addresses are not used again before the next call.
  void *renew(size_t bytes);

private:
  void release();

  void *m_base = nullptr, *m_previous = nullptr;
};

struct DriverContext {
  D3DKMT_HANDLE kernelHandle = 0;
  // The kernel side's memory.
  void *kernelCommands = nullptr;
  D3DDDI_ALLOCATIONLIST *kernelAllocations = nullptr;
  D3DDDI_PATCHLOCATIONLIST *kernelPatches = nullptr;
  UINT kernelCommandBytes = 0, kernelAllocationCount = 0, kernelPatchCount = 0;
  // What the driver has.
  void *commands = nullptr;
  D3DDDI_ALLOCATIONLIST *allocations = nullptr;
  D3DDDI_PATCHLOCATIONLIST *patches = nullptr;
  UINT commandBytes = 0, allocationCount = 0, patchCount = 0;

  /// Gives the driver memory for the next submission. False without memory.
  bool renew();
  /// Copies what the driver wrote to the kernel side's memory. The counts have been checked.
  void copyToKernel(UINT offset, UINT length, UINT allocationsUsed, UINT patchesUsed);

private:
  GuardedPages m_commandPages, m_allocationPages, m_patchPages;
  unsigned m_generation = 0;
};

}  // namespace aerogpu::runtime
