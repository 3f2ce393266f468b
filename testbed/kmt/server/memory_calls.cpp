// SPDX-License-Identifier: MIT
// Allocations, resources, locks.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "d3dkmthk.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kmt/server/kernel.h"

namespace aerogpu::host {

using kmt::Call;

namespace {

constexpr uint32_t kGuestMemoryFile = 0;
constexpr NTSTATUS kApertureUnavailable =
    ntStatus(0xC01E0107);  // STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE

template <class Flags>
Flags flagsOf(uint32_t value) {
  Flags flags;
  static_assert(sizeof flags == sizeof value);
  std::memcpy(&flags, &value, sizeof value);
  return flags;
}

size_t privateBytes(const AllocationGroup& group) {
  size_t total = 0;
  for (const auto& allocation : group.allocations) total += allocation->privateData.size();
  return total;
}

}  // namespace

NTSTATUS Kernel::run(CallTag<Call::CreateAllocation>, Process& process,
                     const kmt::CreateAllocationRequest& request, TailReader& in,
                     kmt::CreateAllocationReply& reply, TailWriter& out) {
  const auto entries = in.array<kmt::NewAllocation>(request.count);
  std::vector<uint8_t> runtimeData = in.bytes(request.runtimeBytes),
                       resourceData = in.bytes(request.resourceBytes);
  std::vector<std::vector<uint8_t>> privateData;
  bool primary = false, systemMemory = false;
  for (const kmt::NewAllocation& entry : entries) {
    privateData.push_back(in.bytes(entry.privateBytes));
    D3DDDI_ALLOCATIONINFO info{};
    info.Flags.Value = entry.flags;
    primary |= info.Flags.Primary;
    systemMemory |= entry.systemMemory != 0;
    if (info.Flags.Primary && entry.vidPnSource) return kmt::kStatusInvalidVidPnSource;
  }
  const auto flags = flagsOf<D3DKMT_CREATEALLOCATIONFLAGS>(request.flags);
  if (uint64_t{request.runtimeBytes} + request.resourceBytes +
          std::accumulate(entries.begin(), entries.end(), uint64_t{0},
                          [](uint64_t sum, const auto& entry) { return sum + entry.privateBytes; }) >
      kmt::kMaxPrivateBytes)
    return kmt::kStatusInvalidParameter;  // more than an opener could receive
  if (!in.finished() || !request.count || (flags.CreateShared && !flags.CreateResource) ||
      (flags.CreateResource && request.resource))
    return kmt::kStatusInvalidParameter;
  if (systemMemory || flags.ExistingSysMem || flags.CreateProtected)
    return kmt::kStatusNotSupported;  // the caller's memory cannot be mapped here
  DeviceCalls device = enterDevice(process, request.device);
  if (!device) return kmt::kStatusInvalidParameter;
  if (isLost(*device)) return kmt::kStatusDeviceRemoved;
  std::shared_ptr<KmtResource> grows;
  if (request.resource) {
    grows = process.handles.find<KmtResource>(request.resource);
    // A shared resource does not change.
    if (!grows || grows->device != device.device.get() || !grows->creator || grows->group->globalShare ||
        grows->allocations.size() + entries.size() > kmt::kMaxAllocationsOfCall)
      return kmt::kStatusInvalidParameter;
  }

  std::vector<std::shared_ptr<AllocationGroup>> groups;
  {
    ProcessScope scope(process.id);
    const auto created =
        m_adapter.vidmm().create(resourceData, std::move(privateData), flags.CreateResource, primary,
                                 grows ? grows->group->allocations[0]->resource : nullptr);
    if (!ntSuccess(created.status)) return created.status;
    // Allocations without a resource are destroyed one by one.
    for (const auto& allocation : created.allocations) {
      if (groups.empty() || (!flags.CreateResource && !grows))
        groups.push_back(std::make_shared<AllocationGroup>());
      groups.back()->allocations.push_back(allocation);
    }
  }
  std::vector<std::shared_ptr<KmtAllocation>> opened;
  NTSTATUS status = kmt::kStatusSuccess;
  size_t done = 0;
  for (; done < groups.size() && ntSuccess(status); ++done) {
    Opened one = openGroup(process, *device, groups[done], true, flags.CreateResource);
    status = one.status;
    reply.resource = one.resource;
    opened.insert(opened.end(), one.allocations.begin(), one.allocations.end());
  }
  if (!ntSuccess(status)) {
    for (const auto& allocation : opened) closeAllocations(process, *device, {allocation->handle});
    for (size_t i = done - 1; i < groups.size(); ++i) m_adapter.vidmm().destroy(groups[i]->allocations);
    reply.resource = 0;
    return status;
  }
  if (grows) {
    reply.resource = request.resource;
    for (const auto& allocation : opened) {
      allocation->group = grows->group;
      allocation->resource = request.resource;
      grows->group->allocations.push_back(allocation->opened->allocation);
      grows->allocations.push_back(allocation->handle);
    }
  }
  if (flags.CreateResource) {
    AllocationGroup& group = *groups[0];
    group.runtimeData = std::move(runtimeData);
    group.resourceData = std::move(resourceData);
    if (flags.CreateShared) {
      std::lock_guard sharing(m_sharing);
      group.globalShare = newGlobalShare();
      m_shares[group.globalShare] = groups[0];
      reply.globalShare = group.globalShare;
    }
  }
  for (const auto& allocation : opened) out.append(allocation->handle);
  for (const auto& allocation : opened) out.append(std::span<const uint8_t>(allocation->opened->privateData));
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::DestroyAllocation>, Process& process,
                     const kmt::AllocationsRequest& request, TailReader& in, kmt::Nothing&, TailWriter&) {
  const auto handles = in.array<uint32_t>(request.count);
  DeviceCalls device = enterDevice(process, request.device);
  if (!in.finished() || !device) return kmt::kStatusInvalidParameter;
  if (request.resource) {
    const auto resource = process.handles.find<KmtResource>(request.resource);
    if (!resource || resource->device != device.device.get() || request.count)
      return kmt::kStatusInvalidParameter;
    destroyResource(process, *device, request.resource);
    return kmt::kStatusSuccess;
  }
  if (handles.empty()) return kmt::kStatusInvalidParameter;
  for (size_t i = 0; i < handles.size(); ++i) {
    const auto allocation = allocationOf(process, *device, handles[i]);
    // Those of a resource are destroyed with it.
    if (!allocation || allocation->resource ||
        std::count(handles.begin(), handles.begin() + static_cast<long>(i), handles[i]))
      return kmt::kStatusInvalidParameter;
  }
  for (const uint32_t handle : handles) closeAllocations(process, *device, {handle});
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::QueryResourceInfo>, Process& process,
                     const kmt::QueryResourceInfoRequest& request, TailReader&,
                     kmt::QueryResourceInfoReply& reply, TailWriter& out) {
  const DeviceCalls device = enterDevice(process, request.device);
  if (!device) return kmt::kStatusInvalidParameter;
  std::lock_guard sharing(m_sharing);
  const auto found = m_shares.find(request.globalShare);
  if (found == m_shares.end()) return kmt::kStatusInvalidHandle;
  const AllocationGroup& group = *found->second;
  reply.runtimeBytes = static_cast<uint32_t>(group.runtimeData.size());
  reply.totalPrivateBytes = static_cast<uint32_t>(privateBytes(group));
  reply.resourceBytes = static_cast<uint32_t>(group.resourceData.size());
  reply.count = static_cast<uint32_t>(group.allocations.size());
  if (request.runtimeBytes && request.runtimeBytes < reply.runtimeBytes) return kmt::kStatusBufferTooSmall;
  if (request.runtimeBytes) out.append(std::span<const uint8_t>(group.runtimeData));
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::OpenResource>, Process& process, const kmt::OpenResourceRequest& request,
                     TailReader&, kmt::OpenResourceReply& reply, TailWriter& out) {
  DeviceCalls device = enterDevice(process, request.device);
  if (!device) return kmt::kStatusInvalidParameter;
  if (isLost(*device)) return kmt::kStatusDeviceRemoved;
  std::shared_ptr<AllocationGroup> group;
  {
    std::lock_guard sharing(m_sharing);
    const auto found = m_shares.find(request.globalShare);
    if (found == m_shares.end()) return kmt::kStatusInvalidHandle;
    group = found->second;
  }
  if (request.count < group->allocations.size() || request.runtimeBytes < group->runtimeData.size() ||
      request.resourceBytes < group->resourceData.size() || request.totalPrivateBytes < privateBytes(*group))
    return kmt::kStatusBufferTooSmall;
  const Opened opened = openGroup(process, *device, group, false, true);
  if (!ntSuccess(opened.status)) return opened.status;
  reply.resource = opened.resource;
  reply.count = static_cast<uint32_t>(opened.allocations.size());
  reply.runtimeBytes = static_cast<uint32_t>(group->runtimeData.size());
  reply.resourceBytes = static_cast<uint32_t>(group->resourceData.size());
  for (const auto& allocation : opened.allocations) {
    const auto bytes = static_cast<uint32_t>(allocation->opened->privateData.size());
    out.append(kmt::OpenedAllocation{allocation->handle, bytes});
    reply.totalPrivateBytes += bytes;
  }
  out.append(std::span<const uint8_t>(group->runtimeData));
  out.append(std::span<const uint8_t>(group->resourceData));
  for (const auto& allocation : opened.allocations)
    out.append(std::span<const uint8_t>(allocation->opened->privateData));
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::Lock>, Process& process, const kmt::LockRequest& request, TailReader&,
                     kmt::LockReply& reply, TailWriter&) {
  const auto flags = flagsOf<D3DDDICB_LOCKFLAGS>(request.flags);
  if (flags.Reserved || (flags.ReadOnly && flags.WriteOnly) || (flags.ReadOnly && flags.Discard))
    return kmt::kStatusInvalidParameter;
  DeviceCalls device = enterDevice(process, request.device);
  if (!device) return kmt::kStatusInvalidParameter;
  auto allocation = allocationOf(process, *device, request.allocation);
  if (!allocation) return kmt::kStatusInvalidParameter;
  // Only its creator locks a shared allocation (page "pfnLockCb").
  if (!allocation->creator) return kmt::kStatusInvalidParameter;
  // The driver's MaximumRenamingListLength is 0, so Discard provides no other instance and waits like any
  // lock.
  const uint64_t number = allocation->opened->allocation->busyUntil;
  Scheduler& scheduler = m_adapter.scheduler();
  // Pages "D3DDDICB_LOCKFLAGS" and "pfnLockCb": IgnoreSync is for what an aperture can hold, and counts with
  // DonotWait.
  if (flags.IgnoreSync && !m_adapter.vidmm().mayBeInAperture(*allocation->opened->allocation))
    return kmt::kStatusInvalidParameter;
  const bool asks = !flags.IgnoreSync || !flags.DonotWait || flags.Discard;
  if (asks && !scheduler.completed(number)) {
    if (flags.DonotWait) return kmt::kStatusAllocationBusy;
    device.lock.unlock();
    scheduler.waitIdle(number);
    device.lock.lock();
    if (device->gone || allocationOf(process, *device, request.allocation) != allocation)
      return kmt::kStatusInvalidParameter;
  }
  if (isLost(*device)) return kmt::kStatusDeviceRemoved;
  Allocation& memory = *allocation->opened->allocation;
  if (flags.DonotEvict &&
      m_adapter.vidmm().residency(memory) == D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY)
    return kApertureUnavailable;
  if (allocation->locks == UINT16_MAX) return kmt::kStatusInvalidParameter;
  Vidmm::CpuRange range;
  if (const NTSTATUS status = m_adapter.vidmm().lock(memory, range); !ntSuccess(status)) return status;
  uint64_t last = 0;
  if (!m_adapter.machine().memoryFileOffset(range.gpa, reply.offset) ||
      !m_adapter.machine().memoryFileOffset(range.gpa + range.bytes - 1, last) ||
      last - reply.offset != range.bytes - 1) {
    brokenRule("locked memory at 0x%llx is in no file, or not in one piece of it",
               static_cast<unsigned long long>(range.gpa));
    m_adapter.vidmm().unlock(memory);
    return kmt::kStatusUnsuccessful;
  }
  ++allocation->locks;
  reply.allocation = request.allocation;
  reply.file = kGuestMemoryFile;
  reply.bytes = range.bytes;
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::Unlock>, Process& process, const kmt::AllocationsRequest& request,
                     TailReader& in, kmt::Nothing&, TailWriter&) {
  const auto handles = in.array<uint32_t>(request.count);
  DeviceCalls device = enterDevice(process, request.device);
  if (!in.finished() || !device || request.resource || handles.empty()) return kmt::kStatusInvalidParameter;
  // All or none.
  for (size_t i = 0; i < handles.size(); ++i) {
    const auto allocation = allocationOf(process, *device, handles[i]);
    const auto before = std::count(handles.begin(), handles.begin() + static_cast<long>(i), handles[i]);
    if (!allocation || allocation->locks <= static_cast<uint32_t>(before))
      return kmt::kStatusInvalidParameter;
  }
  for (const uint32_t handle : handles) {
    const auto allocation = allocationOf(process, *device, handle);
    --allocation->locks;
    m_adapter.vidmm().unlock(*allocation->opened->allocation);
  }
  return kmt::kStatusSuccess;
}

// Priorities determine the order of eviction; the host evicts the least recently used.
NTSTATUS Kernel::run(CallTag<Call::SetAllocationPriority>, Process& process,
                     const kmt::AllocationsRequest& request, TailReader& in, kmt::Nothing&, TailWriter&) {
  const auto handles = in.array<uint32_t>(request.count);
  const auto priorities = in.array<uint32_t>(request.resource ? 1 : request.count);
  DeviceCalls device = enterDevice(process, request.device);
  if (!in.finished() || !device || (request.resource && request.count)) return kmt::kStatusInvalidParameter;
  for (const uint32_t priority : priorities)
    if (priority < D3DDDI_ALLOCATIONPRIORITY_MINIMUM || priority > D3DDDI_ALLOCATIONPRIORITY_MAXIMUM)
      return kmt::kStatusInvalidParameter;
  std::vector<uint32_t> targets = handles;
  if (request.resource) {
    const auto resource = process.handles.find<KmtResource>(request.resource);
    if (!resource || resource->device != device.device.get()) return kmt::kStatusInvalidParameter;
    targets = resource->allocations;
  }
  if (targets.empty()) return kmt::kStatusInvalidParameter;
  for (const uint32_t handle : targets)
    if (!allocationOf(process, *device, handle)) return kmt::kStatusInvalidParameter;
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::QueryAllocationResidency>, Process& process,
                     const kmt::AllocationsRequest& request, TailReader& in, kmt::Counted& reply,
                     TailWriter& out) {
  const auto handles = in.array<uint32_t>(request.count);
  DeviceCalls device = enterDevice(process, request.device);
  if (!in.finished() || !device || (request.resource && request.count)) return kmt::kStatusInvalidParameter;
  std::vector<uint32_t> targets = handles;
  if (request.resource) {
    const auto resource = process.handles.find<KmtResource>(request.resource);
    if (!resource || resource->device != device.device.get()) return kmt::kStatusInvalidParameter;
    targets = resource->allocations;
  }
  std::vector<uint32_t> states;
  for (const uint32_t handle : targets) {
    const auto allocation = allocationOf(process, *device, handle);
    if (!allocation) return kmt::kStatusInvalidParameter;
    states.push_back(m_adapter.vidmm().residency(*allocation->opened->allocation));
  }
  if (states.empty()) return kmt::kStatusInvalidParameter;
  // For a resource, the worst state.
  if (request.resource) states = {*std::max_element(states.begin(), states.end())};
  reply.count = static_cast<uint32_t>(states.size());
  for (const uint32_t state : states) out.append(state);
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::GetSharedPrimaryHandle>, Process& process,
                     const kmt::AdapterSource& request, TailReader&, kmt::OneHandle& reply, TailWriter&) {
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  if (request.vidPnSource) return kmt::kStatusInvalidVidPnSource;
  reply.handle = m_desktop->globalShare;
  return kmt::kStatusSuccess;
}

}  // namespace aerogpu::host
