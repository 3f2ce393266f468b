// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/kernel_context.h"

#include <algorithm>
#include <cstring>

#include "testbed/runtime-kernel/settings.h"

namespace aerogpu::runtime {
namespace {

constexpr UINT kLeastCommandBytes = 8192, kLeastEntries = 64;

bool isHostile() {
  static const bool hostile = !settingBegins("HOSTILE", '0');
  return hostile;
}

/// Returns a size that differs from one submission to the next: all, three quarters or half of the maximum.
UINT varied(UINT most, UINT least, unsigned generation) {
  const UINT quarters = 4 - generation % 3;
  return std::min(most, std::max(least, most / 4 * quarters));
}

}  // namespace

bool KernelContext::renew() {
  if (!isHostile()) {
    commands = kernelCommands;
    allocations = kernelAllocations;
    patches = kernelPatches;
    commandBytes = kernelCommandBytes;
    allocationCount = kernelAllocationCount;
    patchCount = kernelPatchCount;
    return true;
  }
  ++m_generation;
  commandBytes = varied(kernelCommandBytes, kLeastCommandBytes, m_generation) & ~15u;
  allocationCount = varied(kernelAllocationCount, kLeastEntries, m_generation);
  patchCount = varied(kernelPatchCount, kLeastEntries, m_generation);
  commands = m_commandPages.renew(commandBytes);
  allocations = static_cast<D3DDDI_ALLOCATIONLIST *>(m_allocationPages.renew(sizeof *allocations * allocationCount));
  patches = static_cast<D3DDDI_PATCHLOCATIONLIST *>(m_patchPages.renew(sizeof *patches * patchCount));
  return commands && allocations && patches;
}

void KernelContext::copyToKernel(UINT offset, UINT length, UINT allocationsUsed, UINT patchesUsed) {
  if (commands == kernelCommands) return;
  std::memcpy(static_cast<BYTE *>(kernelCommands) + offset, static_cast<const BYTE *>(commands) + offset, length);
  if (allocationsUsed) std::memcpy(kernelAllocations, allocations, sizeof *allocations * allocationsUsed);
  if (patchesUsed) std::memcpy(kernelPatches, patches, sizeof *patches * patchesUsed);
}

}  // namespace aerogpu::runtime
