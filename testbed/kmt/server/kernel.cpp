// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/kernel.h"

#include <sys/random.h>

#include <algorithm>

#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

Kernel::Kernel(Adapter& adapter, UserModeDrivers drivers)
    : m_adapter(adapter), m_drivers(std::move(drivers)) {}

Kernel::~Kernel() {
  {
    std::lock_guard screen(m_screen);
    m_stopping = true;
  }
  m_flipsChanged.notify_all();
  if (m_flipThread.joinable()) m_flipThread.join();
  if (processes()) brokenRule("%zu processes outlive the kernel side", processes());
  std::vector<uint32_t> surfaces;
  for (const auto& [share, group] : m_shares)
    if (group != m_desktop) surfaces.push_back(share);
  for (const uint32_t share : surfaces) destroyWindowSurface(share);
}

bool Kernel::start(UINT width, UINT height) {
  Display& display = m_adapter.display();
  if (!display.enumerate()) return false;
  DisplayMode mode = display.preferred();
  if (width || height) {
    const DisplayMode* wanted = display.find(width, height, D3DDDIFMT_X8R8G8B8, 0, 0);
    if (!wanted) {
      std::printf("aerogpu-driver-host: error: the driver offers no mode of %ux%u\n", width, height);
      return false;
    }
    mode = *wanted;
  }
  if (!display.setMode(mode)) return false;
  m_desktop = std::make_shared<AllocationGroup>();
  m_desktop->allocations = {display.sharedPrimary()};
  m_desktop->kernels = true;
  m_desktop->globalShare = 0xC0000002;
  m_shares[m_desktop->globalShare] = m_desktop;
  m_flipThread = std::thread([this] { showFlips(); });
  return true;
}

std::shared_ptr<Process> Kernel::enter(uint32_t id, uint64_t cookie, uint32_t pointerBits) {
  std::lock_guard lock(m_mutex);
  if (id) {
    const auto found = m_processes.find(id);
    if (found == m_processes.end() || found->second->cookie != cookie) {
      note("kmt: a connection says that it is of process %u, and is not", id);
      return nullptr;
    }
    ++found->second->connections;
    return found->second;
  }
  if (pointerBits != 32 && pointerBits != 64) {
    note("kmt: a program is turned away: its pointers have %u bits", pointerBits);
    return nullptr;
  }
  if (m_processes.size() >= kMaxProcesses) {
    note("kmt: a program is turned away: there are %zu already", m_processes.size());
    return nullptr;
  }
  auto process = std::make_shared<Process>();
  process->id = m_nextProcess;
  process->pointerBits = pointerBits;
  if (getrandom(&process->cookie, sizeof process->cookie, 0) != sizeof process->cookie) return nullptr;
  if (const guest::Status status = process->memory.create(); !status.ok()) {
    note("kmt: %s", status.text().c_str());
    return nullptr;
  }
  m_nextProcess += 4;  // numbered as on Windows
  process->connections = 1;
  m_processes[process->id] = process;
  return process;
}

void Kernel::leave(const std::shared_ptr<Process>& process) {
  {
    std::lock_guard lock(m_mutex);
    if (--process->connections) return;
    m_processes.erase(process->id);
  }
  // No other thread calls for this process any more.
  for (const auto& object : process->handles.all()) {
    if (object->kind == ObjectKind::Device) destroyDevice(*process, object->handle);
    if (object->kind == ObjectKind::KeyedMutex) m_keyedMutexes.close(static_cast<KmtKeyedMutex&>(*object));
  }
  std::lock_guard lock(m_mutex);
  if (!m_processes.contains(process->id)) processEnded(process->id);
}

size_t Kernel::processes() {
  std::lock_guard lock(m_mutex);
  return m_processes.size();
}

Kernel::Holdings Kernel::holdings() {
  Holdings holdings{};
  {
    std::lock_guard lock(m_mutex);
    holdings.processes = m_processes.size();
    for (const auto& [id, process] : m_processes) holdings.handles += process->handles.all().size();
  }
  {
    std::lock_guard lock(m_sharing);
    holdings.shares = m_shares.size();
  }
  holdings.allocations = m_adapter.vidmm().liveAllocations();
  holdings.poolBytes = poolBytes();
  return holdings;
}

uint32_t Kernel::newGlobalShare() {
  uint32_t share;
  do share = 0xC0000002 + (++m_nextShare << 6);
  while (m_shares.contains(share) || share < 0xC0000000);
  return share;
}

uint32_t Kernel::createWindowSurface(UINT width, UINT height, D3DDDIFORMAT format) {
  D3DKMDT_GDISURFACEDATA data{};
  data.Width = width;
  data.Height = height;
  data.Format = format;
  data.Type = D3DKMDT_GDISURFACE_TEXTURE;
  auto created = m_adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_GDISURFACE, &data, false);
  if (!ntSuccess(created.status)) {
    note("kmt: no window surface of %ux%u in format %d: 0x%08x", width, height, format, created.status);
    return 0;
  }
  auto group = std::make_shared<AllocationGroup>();
  group->allocations = std::move(created.allocations);
  group->kernels = true;
  std::lock_guard sharing(m_sharing);
  group->globalShare = newGlobalShare();
  m_shares[group->globalShare] = group;
  return group->globalShare;
}

bool Kernel::destroyWindowSurface(uint32_t globalShare) {
  std::shared_ptr<AllocationGroup> group;
  {
    std::lock_guard sharing(m_sharing);
    const auto found = m_shares.find(globalShare);
    if (found == m_shares.end() || !found->second->kernels || found->second == m_desktop) return false;
    group = found->second;
    m_shares.erase(found);
    group->kernels = false;
    if (std::any_of(group->allocations.begin(), group->allocations.end(),
                    [](const auto& allocation) { return allocation->opens != 0; }))
      return true;  // the last one to close it destroys it
    group->ended = true;
  }
  waitFor(*group);
  m_adapter.vidmm().destroy(group->allocations);
  return true;
}

Kernel::DeviceCalls Kernel::enterDevice(Process& process, uint32_t handle) {
  auto device = process.handles.find<KmtDevice>(handle);
  if (!device) return {};
  std::unique_lock lock(device->calls);
  if (device->gone) return {};
  return {std::move(device), std::move(lock)};
}

std::shared_ptr<KmtAllocation> Kernel::allocationOf(Process& process, const KmtDevice& device,
                                                    uint32_t handle) {
  auto allocation = process.handles.find<KmtAllocation>(handle);
  return allocation && allocation->device == &device ? allocation : nullptr;
}

bool Kernel::isLost(const KmtDevice& device) const {
  return m_adapter.scheduler().resets() != device.resetsBefore || m_adapter.removed();
}

void Kernel::waitFor(const AllocationGroup& group) {
  for (const auto& allocation : group.allocations) m_adapter.scheduler().waitIdle(allocation->busyUntil);
}

void Kernel::destroyContext(Process& process, KmtDevice& device, uint32_t handle) {
  const auto context = process.handles.remove<KmtContext>(handle);
  if (!context) return;
  device.contexts.erase(handle);
  context->context.reset();
  context->buffers.reset();
  --process.contexts;
}

void Kernel::closeAllocations(Process& process, KmtDevice& device, const std::vector<uint32_t>& handles) {
  std::shared_ptr<AllocationGroup> group;
  std::vector<std::shared_ptr<KmtAllocation>> closing;
  for (const uint32_t handle : handles)
    if (auto allocation = process.handles.remove<KmtAllocation>(handle)) {
      device.allocations.erase(handle);
      group = allocation->group;
      closing.push_back(std::move(allocation));
    }
  if (closing.empty()) return;
  for (const auto& allocation : closing) hide(*allocation->opened->allocation);
  waitFor(*group);
  bool last = false;
  {
    std::lock_guard sharing(m_sharing);
    for (const auto& allocation : closing) {
      for (; allocation->locks; --allocation->locks)
        m_adapter.vidmm().unlock(*allocation->opened->allocation);
      device.client->close(allocation->opened);
    }
    last = !group->kernels && !group->ended &&
           std::all_of(group->allocations.begin(), group->allocations.end(),
                       [](const auto& allocation) { return allocation->opens == 0; });
    if (last) {
      group->ended = true;
      if (group->globalShare) m_shares.erase(group->globalShare);
    }
  }
  if (last) m_adapter.vidmm().destroy(group->allocations);
}

void Kernel::destroyResource(Process& process, KmtDevice& device, uint32_t handle) {
  const auto resource = process.handles.remove<KmtResource>(handle);
  if (!resource) return;
  device.resources.erase(handle);
  closeAllocations(process, device, resource->allocations);
}

void Kernel::destroyDevice(Process& process, uint32_t handle) {
  DeviceCalls device = enterDevice(process, handle);
  if (!device) return;
  process.handles.remove<KmtDevice>(handle);
  device->gone = true;
  for (const uint32_t context : std::set(device->contexts)) destroyContext(process, *device, context);
  releaseScreen(*device);
  if (device->countsRefreshes) useVsync(false);
  for (const uint32_t resource : std::set(device->resources)) destroyResource(process, *device, resource);
  for (const uint32_t allocation : std::set(device->allocations))
    closeAllocations(process, *device, {allocation});
  device->client.reset();  // also closes the desktop's primary
  --process.devices;
}

Kernel::Opened Kernel::openGroup(Process& process, KmtDevice& device,
                                 const std::shared_ptr<AllocationGroup>& group, bool create,
                                 bool asResource) {
  Opened result{kmt::kStatusSuccess, {}, 0};
  std::shared_ptr<KmtResource> resource;
  std::vector<OpenAllocation*> opened;
  {
    std::lock_guard sharing(m_sharing);
    if (group->ended) return {kmt::kStatusInvalidParameter, {}, 0};
    opened = device.client->open(group->allocations, create);
  }
  if (opened.size() != group->allocations.size()) return {kmt::kStatusNoMemory, {}, 0};
  bool room = true;
  for (OpenAllocation* open : opened) {
    auto allocation = std::make_shared<KmtAllocation>();
    allocation->device = &device;
    allocation->group = group;
    allocation->opened = open;
    allocation->creator = create;
    room = room && process.handles.add(allocation);
    if (allocation->handle) device.allocations.insert(allocation->handle);
    result.allocations.push_back(std::move(allocation));
  }
  if (room && asResource) {
    resource = std::make_shared<KmtResource>();
    resource->device = &device;
    resource->group = group;
    resource->creator = create;
    room = process.handles.add(resource) != 0;
    result.resource = resource->handle;
    if (room) device.resources.insert(result.resource);
    for (const auto& allocation : result.allocations) {
      allocation->resource = result.resource;
      resource->allocations.push_back(allocation->handle);
    }
  }
  if (room) return result;
  // No handles are left: undo the opening.
  for (const auto& allocation : result.allocations) {
    if (allocation->handle) process.handles.remove<KmtAllocation>(allocation->handle);
    device.allocations.erase(allocation->handle);
    std::lock_guard sharing(m_sharing);
    device.client->close(allocation->opened);
  }
  return {kmt::kStatusNoMemory, {}, 0};
}

NTSTATUS Kernel::run(CallTag<kmt::Call::Hello>, Process& process, const kmt::HelloRequest&, TailReader&,
                     kmt::HelloReply&, TailWriter&) {
  note("kmt: process %u greets twice on one connection", process.id);
  return kmt::kStatusInvalidParameter;
}

}  // namespace aerogpu::host
