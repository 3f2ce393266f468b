// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/vidmm.h"

#include <algorithm>
#include <cstring>

#include "testbed/kernel/core/page.h"
#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/dxgk/kmt_handles.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

namespace {}

uint64_t Segment::freeBytes() const {
  uint64_t sum = 0;
  for (const auto& [offset, bytes] : free) sum += bytes;
  return sum;
}

// Page "DXGKQAITYPE_QUERYSEGMENT": first with pSegmentDescriptor NULL for the number, then with an array.
NTSTATUS Vidmm::start() {
  DXGK_QUERYSEGMENTIN in{};
  DXGK_QUERYSEGMENTOUT out{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_QUERYSEGMENT;
  query.pInputData = &in;
  query.InputDataSize = sizeof in;
  query.pOutputData = &out;
  query.OutputDataSize = sizeof out;
  const auto ask = [&] {
    return callDdi("DxgkDdiQueryAdapterInfo", kPassiveLevel, m_adapter.ddi.DxgkDdiQueryAdapterInfo,
                   m_adapter.context(), &query);
  };
  NTSTATUS status = ask();
  if (!ntSuccess(status)) return status;
  if (out.NbSegment == 0 || out.NbSegment > 32) brokenRule("%u segments", out.NbSegment);
  std::vector<DXGK_SEGMENTDESCRIPTOR> descriptors(out.NbSegment);
  const UINT count = out.NbSegment;
  out.pSegmentDescriptor = descriptors.data();
  status = ask();
  if (!ntSuccess(status)) return status;
  if (out.NbSegment != count)
    brokenRule("the number of segments changes from %u to %u", count, out.NbSegment);
  m_pagingBufferSegment = out.PagingBufferSegmentId;
  m_pagingBufferBytes = out.PagingBufferSize;
  if (m_pagingLimit) m_pagingBufferBytes = std::min(m_pagingBufferBytes, m_pagingLimit);
  m_pagingPrivateBytes = out.PagingBufferPrivateDataSize;
  if (m_pagingBufferBytes == 0) brokenRule("PagingBufferSize is 0");
  if (m_pagingBufferSegment > count)
    brokenRule("PagingBufferSegmentId %u of %u segments", m_pagingBufferSegment, count);
  if (m_pagingBufferSegment) brokenRule("paging buffers in a segment are not in the host");
  m_segments.clear();
  for (UINT i = 0; i < count; ++i) {
    DXGK_SEGMENTDESCRIPTOR& d = descriptors[i];
    if (d.Size == 0 || d.Size % kPage)
      brokenRule("segment %u has %llu bytes", i + 1, static_cast<unsigned long long>(d.Size));
    const auto base = static_cast<uint64_t>(d.BaseAddress.QuadPart),
               cpu = static_cast<uint64_t>(d.CpuTranslatedAddress.QuadPart);
    if (!d.Flags.Aperture && d.Flags.CpuVisible) {
      const BarInfo& bar = m_adapter.bar(1);
      if (cpu < bar.address || cpu + d.Size > bar.address + bar.bytes)
        brokenRule("segment %u lies at 0x%llx, outside of BAR1", i + 1, static_cast<unsigned long long>(cpu));
    }
    // WDK sample render-only, RosKmdAdapter.cpp: the address at which an aperture is announced as visible
    // must be unused.
    constexpr uint64_t kAboveMemory = uint64_t{1} << 40;
    if (d.Flags.Aperture && d.Flags.CpuVisible && cpu < kAboveMemory)
      brokenRule("aperture segment %u is said to be visible at 0x%llx, where memory may be", i + 1,
                 static_cast<unsigned long long>(cpu));
    for (UINT k = 0; k < i; ++k) {
      const auto other = static_cast<uint64_t>(descriptors[k].BaseAddress.QuadPart);
      if (base < other + descriptors[k].Size && other < base + d.Size)
        brokenRule("segments %u and %u overlap", k + 1, i + 1);
    }
    if (d.CommitLimit == 0) brokenRule("segment %u has a CommitLimit of 0", i + 1);
    Segment segment{i + 1, d, {}};
    segment.free[0] = m_limit ? std::min<uint64_t>(m_limit, d.Size) : d.Size;
    m_segments.push_back(segment);
    note("segment %u: %s, %llu MiB at 0x%llx%s", i + 1, d.Flags.Aperture ? "aperture" : "memory",
         static_cast<unsigned long long>(d.Size >> 20), static_cast<unsigned long long>(base),
         d.Flags.CpuVisible ? ", visible to the CPU" : "");
  }
  // The system device and its context, in which paging runs.
  DXGKARG_CREATEDEVICE device{};
  device.hDevice = pointerTo(0x5D000001);
  device.Flags.SystemDevice = 1;
  status = callDdi("DxgkDdiCreateDevice", kPassiveLevel, m_adapter.ddi.DxgkDdiCreateDevice,
                   m_adapter.context(), &device);
  if (!ntSuccess(status)) return status;
  m_systemDevice = device.hDevice;
  DXGKARG_CREATECONTEXT context{};
  context.hContext = pointerTo(0x5C000001);
  context.EngineAffinity = 1;
  context.Flags.SystemContext = 1;
  status = callDdi("DxgkDdiCreateContext", kPassiveLevel, m_adapter.ddi.DxgkDdiCreateContext, m_systemDevice,
                   &context);
  if (!ntSuccess(status)) return status;
  m_systemContext = context.hContext;
  for (const Segment& one : m_segments)
    if (one.descriptor.Flags.Aperture) m_paging.watch(one.id, one.descriptor.Size / kPage);
  return m_paging.start(m_systemContext, m_pagingBufferBytes, m_pagingPrivateBytes) ? kSuccess : kNoMemory;
}

void Vidmm::stop() {
  std::lock_guard lock(m_mutex);
  if (!m_allocations.empty()) brokenRule("the test leaves %zu allocations", m_allocations.size());
  m_allocations.clear();
  checkApertures("at the end");
  if (m_systemContext)
    callDdi("DxgkDdiDestroyContext", kPassiveLevel, m_adapter.ddi.DxgkDdiDestroyContext, m_systemContext);
  if (m_systemDevice)
    callDdi("DxgkDdiDestroyDevice", kPassiveLevel, m_adapter.ddi.DxgkDdiDestroyDevice, m_systemDevice);
  m_systemContext = m_systemDevice = nullptr;
  m_paging.stop();
  checkFreePages();
  for (const guest::Block& block : m_pageBlocks) m_adapter.memory().release(block);
  m_pageBlocks.clear();
  m_freePages.clear();
}

// Checks pages "DXGK_ALLOCATIONINFO", "DXGK_ALLOCATIONINFOFLAGS" and, for primaries, "D3DDDI_ALLOCATIONINFO".
void Vidmm::checkInfo(const DXGK_ALLOCATIONINFO& info, bool primary, const ExistingMemory* memory) {
  const UINT all = m_segments.size() >= 31 ? UINT32_MAX : (1u << m_segments.size()) - 1;
  if (!info.hAllocation) brokenRule("an allocation without a handle");
  if (info.Size == 0) brokenRule("an allocation of 0 bytes");
  if (info.Alignment & (info.Alignment - 1)) brokenRule("Alignment %u", info.Alignment);
  if (info.PitchAlignedSize && info.PitchAlignedSize < info.Size) brokenRule("PitchAlignedSize below Size");
  if ((info.SupportedReadSegmentSet & ~all) || (info.SupportedWriteSegmentSet & ~all) ||
      (info.EvictionSegmentSet & ~all))
    brokenRule("segment sets 0x%x, 0x%x, 0x%x of %zu segments", info.SupportedReadSegmentSet,
               info.SupportedWriteSegmentSet, info.EvictionSegmentSet, m_segments.size());
  if (info.SupportedReadSegmentSet == 0 && info.SupportedWriteSegmentSet == 0)
    brokenRule("an allocation that no segment supports");
  for (unsigned i = 0; i < 32 && i < m_segments.size(); ++i)
    if (((info.EvictionSegmentSet >> i) & 1) && !m_segments[i].descriptor.Flags.Aperture)
      brokenRule("EvictionSegmentSet names segment %u, which is no aperture", i + 1);
  const UINT preferred[5] = {info.PreferredSegment.SegmentId0, info.PreferredSegment.SegmentId1,
                             info.PreferredSegment.SegmentId2, info.PreferredSegment.SegmentId3,
                             info.PreferredSegment.SegmentId4};
  for (const UINT id : preferred) {
    if (id > m_segments.size()) brokenRule("PreferredSegment %u of %zu", id, m_segments.size());
    if (id && !(((info.SupportedReadSegmentSet & info.SupportedWriteSegmentSet) >> (id - 1)) & 1))
      brokenRule("PreferredSegment %u is not in both supported sets, 0x%x and 0x%x", id,
                 info.SupportedReadSegmentSet, info.SupportedWriteSegmentSet);
  }
  const auto& flags = info.Flags;
  if ((flags.Cached || flags.PermanentSysMem) && !flags.CpuVisible)
    brokenRule("allocation flags 0x%x: Cached or PermanentSysMem, but the CPU does not see it", flags.Value);
  if (flags.PermanentSysMem + flags.ExistingSysMem + flags.ExistingKernelSysMem > 1 ||
      (flags.Protected && (flags.PermanentSysMem || flags.ExistingSysMem || flags.ExistingKernelSysMem)))
    brokenRule("allocation flags 0x%x exclude each other", flags.Value);
  const bool ofKernel = memory && memory->kernel, ofProcess = memory && !memory->kernel;
  if (flags.ExistingKernelSysMem != ofKernel || flags.ExistingSysMem != ofProcess)
    brokenRule("allocation flags 0x%x of %s", flags.Value,
               ofKernel    ? "memory of the kernel's that exists"
               : ofProcess ? "memory of a process that exists"
                           : "memory that does not exist");
  if (memory) {
    // The pages are mapped for the CPU as cached memory.
    if (!flags.Cached) brokenRule("allocation flags 0x%x of cached memory", flags.Value);
    if (info.Size > memory->pages.size() * kPage)
      brokenRule("an allocation of %llu bytes over %zu pages", static_cast<unsigned long long>(info.Size),
                 memory->pages.size());
    for (unsigned i = 0; i < m_segments.size(); ++i)
      if ((((info.SupportedReadSegmentSet | info.SupportedWriteSegmentSet) >> i) & 1) && !isAperture(i + 1))
        brokenRule("memory that exists in segment %u, which is no aperture, is not in the host", i + 1);
  }
  if (primary) {
    if (info.Flags.PermanentSysMem || info.Flags.Cached || info.Flags.Protected ||
        info.Flags.ExistingSysMem || info.Flags.ExistingKernelSysMem)
      brokenRule("allocation flags 0x%x of a primary", info.Flags.Value);
    for (unsigned i = 0; i < m_segments.size(); ++i)
      if (((info.SupportedWriteSegmentSet >> i) & 1) && !m_segments[i].descriptor.Flags.CpuVisible)
        brokenRule("a primary may lie in segment %u, which the CPU does not see", i + 1);
  }
  if (info.Flags.Reserved) brokenRule("reserved allocation flags");
  if (info.AllocationPriority == 0) brokenRule("AllocationPriority is 0");
}

// Checks pages "D3DKMDT_GDISURFACETYPE" and "D3DKMDT_GDISURFACEDATA"; formats of the second.
void Vidmm::checkGdiSurface(const DXGK_ALLOCATIONINFO& info, const D3DKMDT_GDISURFACEDATA& data) {
  const bool forCpu =
      data.Type == D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE || data.Type == D3DKMDT_GDISURFACE_EXISTINGSYSMEM;
  const uint64_t rowBytes = uint64_t{data.Width} * (data.Format == D3DDDIFMT_A8 ? 1 : 4);
  const UINT alignment = 1u << m_adapter.caps.PresentationCaps.AlignmentShift;
  if (forCpu && (data.Pitch < rowBytes || data.Pitch % alignment))
    brokenRule("GDI surface of type %d, %u pixels of format %d wide: Pitch %u", data.Type, data.Width,
               data.Format, data.Pitch);
  if (forCpu && info.Size < uint64_t{data.Pitch} * data.Height)
    brokenRule("GDI surface of type %d: %llu bytes for %u rows of %u", data.Type,
               static_cast<unsigned long long>(info.Size), data.Height, data.Pitch);
  // Own rule: an allocation that only the GPU sees lives on the host, and takes one page of guest memory.
  if (!forCpu && info.Size != kPage)
    brokenRule("GDI surface of type %d, which the CPU does not see: %llu bytes", data.Type,
               static_cast<unsigned long long>(info.Size));
  if (info.Flags.CpuVisible != forCpu)
    brokenRule("GDI surface of type %d: allocation flags 0x%x", data.Type, info.Flags.Value);
  for (unsigned i = 0; forCpu && i < m_segments.size(); ++i) {
    const auto& segment = m_segments[i].descriptor.Flags;
    if ((((info.SupportedReadSegmentSet | info.SupportedWriteSegmentSet) >> i) & 1) &&
        !(segment.Aperture && segment.CacheCoherent))
      brokenRule("GDI surface of type %d in segment %u, which is no cache-coherent aperture", data.Type,
                 i + 1);
  }
}

bool Vidmm::checkApertures(const char* when) {
  std::lock_guard lock(m_mutex);
  bool right = true;
  for (const ApertureList& list : m_paging.apertures()) right = list.check(when) && right;
  return right;
}

Vidmm::CreateResult Vidmm::create(std::vector<uint8_t> createPrivate,
                                  std::vector<std::vector<uint8_t>> allocationPrivate, bool asResource,
                                  bool primary, std::shared_ptr<Resource> existing,
                                  const ExistingMemory* memory) {
  CreateResult result{};
  std::vector<DXGK_ALLOCATIONINFO> infos(allocationPrivate.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    infos[i].pPrivateDriverData = allocationPrivate[i].empty() ? nullptr : allocationPrivate[i].data();
    infos[i].PrivateDriverDataSize = static_cast<UINT>(allocationPrivate[i].size());
    infos[i].AllocationPriority = 0x78000000;  // D3DDDI_ALLOCATIONPRIORITY_NORMAL, the default
  }
  DXGKARG_CREATEALLOCATION args{};
  args.pPrivateDriverData = createPrivate.empty() ? nullptr : createPrivate.data();
  args.PrivateDriverDataSize = static_cast<UINT>(createPrivate.size());
  args.NumAllocations = static_cast<UINT>(infos.size());
  args.pAllocationInfo = infos.data();
  args.Flags.Resource = asResource || existing;
  if (existing) args.hResource = existing->driver;
  {
    std::shared_lock exclusion(m_adapter.exclusion());
    result.status = callDdi("DxgkDdiCreateAllocation", kPassiveLevel, m_adapter.ddi.DxgkDdiCreateAllocation,
                            m_adapter.context(), &args);
  }
  if (!ntSuccess(result.status)) return result;
  // The driver knows of a program's memory only from private data, which any program may write: the OS has to
  // refuse data that names memory which was not given.
  const bool promised = std::any_of(
      infos.begin(), infos.end(), [](const DXGK_ALLOCATIONINFO& info) { return info.Flags.ExistingSysMem; });
  if (promised && !memory && !existing) {
    takeBack(args);
    result.status = kInvalidParameter;
    return result;
  }
  std::shared_ptr<Resource> resource = std::move(existing);
  if (!resource && asResource) {
    resource = std::make_shared<Resource>();
    resource->driver = args.hResource;
    resource->hasHandle = true;
    resource->kmt = makeKmtHandle(DXGK_HANDLE_RESOURCE, args.hResource, nullptr, 0);
  }
  std::lock_guard lock(m_mutex);
  for (size_t i = 0; i < infos.size(); ++i) {
    checkInfo(infos[i], primary, memory);
    auto allocation = std::make_shared<Allocation>();
    allocation->driver = infos[i].hAllocation;
    allocation->info = infos[i];
    allocation->privateData = allocationPrivate[i];
    allocation->resource = resource;
    allocation->primary = primary;
    if (memory) {
      allocation->existing = true;
      allocation->pages = memory->pages;
      allocation->pages.resize(std::min<uint64_t>(allocation->pages.size(), bytesOf(*allocation) / kPage));
    }
    allocation->kmt =
        makeKmtHandle(DXGK_HANDLE_ALLOCATION, infos[i].hAllocation, nullptr, resource ? resource->kmt : 0);
    m_allocations.push_back(allocation);
    result.allocations.push_back(allocation);
  }
  return result;
}

void Vidmm::takeBack(const DXGKARG_CREATEALLOCATION& made) {
  std::vector<HANDLE> handles;
  for (UINT i = 0; i < made.NumAllocations; ++i) handles.push_back(made.pAllocationInfo[i].hAllocation);
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = made.NumAllocations;
  args.pAllocationList = handles.data();
  args.hResource = made.hResource;
  args.Flags.DestroyResource = made.Flags.Resource;
  std::shared_lock exclusion(m_adapter.exclusion());
  const NTSTATUS status = callDdi("DxgkDdiDestroyAllocation", kPassiveLevel,
                                  m_adapter.ddi.DxgkDdiDestroyAllocation, m_adapter.context(), &args);
  if (!ntSuccess(status)) brokenRule("DxgkDdiDestroyAllocation returned 0x%08x", status);
}

NTSTATUS Vidmm::destroy(const std::vector<std::shared_ptr<Allocation>>& allocations) {
  if (allocations.empty()) return kSuccess;
  std::vector<HANDLE> handles;
  for (const auto& allocation : allocations) {
    m_adapter.scheduler().waitIdle(allocation->busyUntil);
    if (allocation->opens) brokenRule("the test destroys an allocation that is open");
    std::lock_guard prepared(m_adapter.scheduler().preparation());
    std::lock_guard lock(m_mutex);
    // Mappings in an aperture are undone before; memory itself is simply given up.
    if (isAperture(allocation->segment)) {
      evict(*allocation);
    } else if (allocation->segment) {
      releaseFrom(segment(allocation->segment), allocation->offset, bytesOf(*allocation));
      allocation->segment = 0;
    }
    dropPages(*allocation);
    handles.push_back(allocation->driver);
    dropKmtHandle(allocation->kmt);
    std::erase(m_allocations, allocation);
  }
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.pAllocationList = handles.data();
  const auto& resource = allocations[0]->resource;
  if (resource && resource->hasHandle) {
    args.hResource = resource->driver;
    args.Flags.DestroyResource = 1;
    dropKmtHandle(resource->kmt);
    resource->hasHandle = false;
  }
  std::shared_lock exclusion(m_adapter.exclusion());
  const NTSTATUS status = callDdi("DxgkDdiDestroyAllocation", kPassiveLevel,
                                  m_adapter.ddi.DxgkDdiDestroyAllocation, m_adapter.context(), &args);
  if (!ntSuccess(status)) brokenRule("DxgkDdiDestroyAllocation returned 0x%08x", status);
  return status;
}

// Page "DxgkDdiGetStandardAllocationDriverData": first for the sizes, then for the data.
Vidmm::CreateResult Vidmm::createStandard(D3DKMDT_STANDARDALLOCATION_TYPE type, void* data, bool primary,
                                          const ExistingMemory* memory) {
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = type;
  args.pCreateSharedPrimarySurfaceData = static_cast<D3DKMDT_SHAREDPRIMARYSURFACEDATA*>(data);
  std::shared_lock exclusion(m_adapter.exclusion());
  const auto ask = [&] {
    return callDdi("DxgkDdiGetStandardAllocationDriverData", kPassiveLevel,
                   m_adapter.ddi.DxgkDdiGetStandardAllocationDriverData, m_adapter.context(), &args);
  };
  NTSTATUS status = ask();
  if (!ntSuccess(status)) return {status, {}};
  std::vector<uint8_t> allocation(args.AllocationPrivateDriverDataSize),
      resource(args.ResourcePrivateDriverDataSize);
  args.pAllocationPrivateDriverData = allocation.empty() ? nullptr : allocation.data();
  args.pResourcePrivateDriverData = resource.empty() ? nullptr : resource.data();
  status = ask();
  if (!ntSuccess(status)) return {status, {}};
  if (args.AllocationPrivateDriverDataSize != allocation.size() ||
      args.ResourcePrivateDriverDataSize != resource.size())
    brokenRule("DxgkDdiGetStandardAllocationDriverData changes the sizes");
  exclusion.unlock();
  CreateResult result = create(std::move(resource), {std::move(allocation)}, true, primary, nullptr, memory);
  if (ntSuccess(result.status) && type == D3DKMDT_STANDARDALLOCATION_GDISURFACE)
    checkGdiSurface(result.allocations[0]->info, *static_cast<D3DKMDT_GDISURFACEDATA*>(data));
  return result;
}

NTSTATUS Vidmm::open(HANDLE device, const std::vector<std::shared_ptr<Allocation>>& allocations, bool create,
                     std::vector<std::unique_ptr<OpenAllocation>>& out) {
  std::vector<DXGK_OPENALLOCATIONINFO> infos(allocations.size());
  std::vector<std::vector<uint8_t>> data;
  data.reserve(allocations.size());
  std::vector<std::unique_ptr<OpenAllocation>> made;
  for (size_t i = 0; i < infos.size(); ++i) {
    data.push_back(allocations[i]->privateData);
    auto opened = std::make_unique<OpenAllocation>();
    opened->allocation = allocations[i];
    opened->device = device;
    opened->kmt = create && allocations[i]->opens == 0
                      ? allocations[i]->kmt
                      : makeKmtHandle(DXGK_HANDLE_ALLOCATION, allocations[i]->driver, nullptr, 0);
    infos[i].hAllocation = opened->kmt;
    infos[i].pPrivateDriverData = data.back().empty() ? nullptr : data.back().data();
    infos[i].PrivateDriverDataSize = static_cast<UINT>(data.back().size());
    made.push_back(std::move(opened));
  }
  DXGKARG_OPENALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(infos.size());
  args.pOpenAllocation = infos.data();
  args.Flags.Create = create;
  std::shared_lock exclusion(m_adapter.exclusion());
  const NTSTATUS status =
      callDdi("DxgkDdiOpenAllocation", kPassiveLevel, m_adapter.ddi.DxgkDdiOpenAllocation, device, &args);
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!ntSuccess(status)) {
      if (made[i]->kmt != allocations[i]->kmt) dropKmtHandle(made[i]->kmt);
      continue;
    }
    if (!infos[i].hDeviceSpecificAllocation) brokenRule("DxgkDdiOpenAllocation succeeds without a handle");
    // The driver's changes at the creating open become the private data of all openers.
    if (create)
      allocations[i]->privateData = data[i];
    else if (data[i] != allocations[i]->privateData)
      brokenRule("DxgkDdiOpenAllocation changes private data of an allocation that is there already");
    made[i]->privateData = std::move(data[i]);
    made[i]->driver = infos[i].hDeviceSpecificAllocation;
    setKmtHandleData(made[i]->kmt, allocations[i]->driver, made[i]->driver);
    ++allocations[i]->opens;
    out.push_back(std::move(made[i]));
  }
  return status;
}

NTSTATUS Vidmm::close(HANDLE device, const std::vector<OpenAllocation*>& opened) {
  std::vector<HANDLE> handles;
  for (const OpenAllocation* o : opened) {
    m_adapter.scheduler().waitIdle(o->allocation->busyUntil);
    handles.push_back(o->driver);
    --o->allocation->opens;
    if (o->kmt != o->allocation->kmt) dropKmtHandle(o->kmt);
  }
  DXGKARG_CLOSEALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.pOpenHandleList = handles.data();
  std::shared_lock exclusion(m_adapter.exclusion());
  const NTSTATUS status =
      callDdi("DxgkDdiCloseAllocation", kPassiveLevel, m_adapter.ddi.DxgkDdiCloseAllocation, device, &args);
  if (!ntSuccess(status)) brokenRule("DxgkDdiCloseAllocation returned 0x%08x", status);
  return status;
}

}  // namespace aerogpu::host
