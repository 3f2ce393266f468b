// SPDX-License-Identifier: MIT
// The video memory manager's locks: allocations that a process reads and writes. Pages "D3DKMTLock" and
// "pfnLockCb".
#include <cstring>

#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"

namespace aerogpu::host {

namespace {
constexpr NTSTATUS kCantEvictPinned = ntStatus(0xC01E0109);  // STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION
}

NTSTATUS Vidmm::lock(Allocation& allocation, CpuRange& out) {
  if (!m_contiguous || !allocation.info.Flags.CpuVisible) return kInvalidParameter;
  const auto take = [&] {
    ++allocation.locks;
    out = {allocation.block.gpa, bytesOf(allocation)};
    return kSuccess;
  };
  {
    std::lock_guard lock(m_mutex);
    if (allocation.block.size && (!allocation.segment || isAperture(allocation.segment))) return take();
  }
  std::lock_guard prepared(m_adapter.scheduler().preparation());  // always before the manager's own lock
  std::lock_guard lock(m_mutex);
  if (allocation.segment && !isAperture(allocation.segment)) {
    if (allocation.pinned) return kCantEvictPinned;
    if (!evict(allocation)) return kNoMemory;
  } else if (allocation.pages.empty()) {
    if (!givePages(allocation)) return kNoMemory;
    std::memset(allocation.block.cpu, 0, allocation.block.size);
  }
  return take();
}

void Vidmm::unlock(Allocation& allocation) {
  std::lock_guard lock(m_mutex);
  if (allocation.locks) --allocation.locks;
}

bool Vidmm::mayBeInAperture(const Allocation& allocation) const {
  for (UINT id = 1; id <= m_segments.size(); ++id)
    if ((allocation.info.SupportedReadSegmentSet >> (id - 1) & 1) && isAperture(id)) return true;
  return false;
}

bool Vidmm::lockedOut(const Allocation& allocation) {
  std::lock_guard lock(m_mutex);
  return allocation.locks && !mayBeInAperture(allocation);
}

UINT Vidmm::residency(const Allocation& allocation) {
  constexpr UINT kGpuMemory = 1, kSharedMemory = 2, kNotResident = 3;
  std::lock_guard lock(m_mutex);
  if (!allocation.segment) return kNotResident;
  return isAperture(allocation.segment) ? kSharedMemory : kGpuMemory;
}

}  // namespace aerogpu::host
