// SPDX-License-Identifier: MIT
// A context and the command buffer and lists that the driver fills for it. The driver gets memory that belongs to the
// runtime, not to the kernel side. After each submission that memory is at another place, has another size and ends at
// a page without access: a driver that keeps a pointer or writes too far stops there. The setting HOSTILE=0 hands out
// the kernel side's memory instead.
#pragma once

#include "testbed/runtime-kernel/guarded_pages.h"
#include "testbed/runtime-kernel/windows_headers.h"

namespace aerogpu::runtime {

struct KernelContext {
  D3DKMT_HANDLE kernelHandle = 0;
  // The kernel side's memory.
  void *kernelCommands = nullptr;
  D3DDDI_ALLOCATIONLIST *kernelAllocations = nullptr;
  D3DDDI_PATCHLOCATIONLIST *kernelPatches = nullptr;
  UINT kernelCommandBytes = 0, kernelAllocationCount = 0, kernelPatchCount = 0;
  // The driver's memory.
  void *commands = nullptr;
  D3DDDI_ALLOCATIONLIST *allocations = nullptr;
  D3DDDI_PATCHLOCATIONLIST *patches = nullptr;
  UINT commandBytes = 0, allocationCount = 0, patchCount = 0;

  /// Gives the driver memory for the next submission. Returns false without memory.
  bool renew();
  /// Copies what the driver wrote to the kernel side's memory. The counts have been checked.
  void copyToKernel(UINT offset, UINT length, UINT allocationsUsed, UINT patchesUsed);

private:
  GuardedPages m_commandPages, m_allocationPages, m_patchPages;
  unsigned m_generation = 0;
};

}  // namespace aerogpu::runtime
