// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/driver_context.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace aerogpu::runtime {
namespace {

constexpr size_t kPage = 4096;
constexpr UINT kLeastCommandBytes = 8192, kLeastEntries = 64;

bool isHostile() {
  static const bool hostile = [] {
    const char *value = std::getenv("AEROGPU_D3D9_HOSTILE");
    return !value || *value != '0';
  }();
  return hostile;
}

/// Returns a size that differs from one submission to the next: all, three quarters or half of the maximum.
UINT varied(UINT most, UINT least, unsigned generation) {
  const UINT quarters = 4 - generation % 3;
  return std::min(most, std::max(least, most / 4 * quarters));
}

}  // namespace

void GuardedPages::release() {
  if (m_base) VirtualFree(m_base, 0, MEM_RELEASE);
  if (m_previous) VirtualFree(m_previous, 0, MEM_RELEASE);
  m_base = m_previous = nullptr;
}

void *GuardedPages::renew(size_t bytes) {
  const size_t rounded = (bytes + 15) & ~size_t{15};
  const size_t pages = (rounded + kPage - 1) / kPage * kPage;
  void *fresh = VirtualAlloc(nullptr, pages + kPage, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (!fresh) return nullptr;
  DWORD old = 0;
  BYTE *end = static_cast<BYTE *>(fresh) + pages;
  VirtualProtect(end, kPage, PAGE_NOACCESS, &old);
  if (m_previous) VirtualFree(m_previous, 0, MEM_RELEASE);
  m_previous = m_base;
  if (m_previous) VirtualProtect(m_previous, kPage, PAGE_NOACCESS, &old);
  m_base = fresh;
  return end - rounded;
}

bool DriverContext::renew() {
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

void DriverContext::copyToKernel(UINT offset, UINT length, UINT allocationsUsed, UINT patchesUsed) {
  if (commands == kernelCommands) return;
  std::memcpy(static_cast<BYTE *>(kernelCommands) + offset, static_cast<const BYTE *>(commands) + offset, length);
  if (allocationsUsed) std::memcpy(kernelAllocations, allocations, sizeof *allocations * allocationsUsed);
  if (patchesUsed) std::memcpy(kernelPatches, patches, sizeof *patches * patchesUsed);
}

}  // namespace aerogpu::runtime
