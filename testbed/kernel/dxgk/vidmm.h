// SPDX-License-Identifier: MIT
// A small video memory manager: segments as the driver reports them, allocations that live in a segment or in
// system memory, and the paging between the two through DxgkDdiBuildPagingBuffer. Placement is best fit from
// the bottom, eviction is least recently used. docs/windows/driver-host.md lists its simplifications against
// Windows.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "d3dkmddi.h"
#include "guest-drivers/linux/device/memory.h"
#include "testbed/kernel/dxgk/paging_queue.h"
#include "testbed/kernel/nt/nt.h"

namespace aerogpu::host {

class AdapterCore;

struct Segment {
  UINT id;  // 1...
  DXGK_SEGMENTDESCRIPTOR descriptor;
  std::map<uint64_t, uint64_t> free;  // offset -> bytes
  uint64_t freeBytes() const;
};

/// One page of system memory.
struct SystemPage {
  uint8_t* cpu;
  uint64_t gpa;
};

struct Resource {
  HANDLE driver = nullptr;  // hResource
  bool hasHandle = false;
  D3DKMT_HANDLE kmt = 0;
  unsigned opens = 0;
};

/// Existing memory from which an allocation is to be made: whole pages.
struct ExistingMemory {
  std::vector<SystemPage> pages;
  bool kernel = false;  // the kernel's memory, by ExistingKernelSysMem; else the calling process'
};

struct Allocation {
  HANDLE driver = nullptr;  // hAllocation
  DXGK_ALLOCATIONINFO info{};
  std::vector<uint8_t> privateData;  // as the driver left it at creation; openers get it
  std::shared_ptr<Resource> resource;
  D3DKMT_HANDLE kmt = 0;
  bool primary = false;
  std::atomic<unsigned> opens{0};
  // Its place. Segment 0 and no pages: nowhere yet; segment 0 with pages: system memory; an aperture segment:
  // mapped there, and the pages hold the content.
  UINT segment = 0;
  uint64_t offset = 0;
  std::vector<SystemPage> pages;
  guest::Block block{};   // the pages, if they are contiguous (Vidmm::setContiguousCpuMemory)
  bool existing = false;  // the pages have another owner, and stay
  bool pinned = false;
  unsigned locks = 0;  // locks by processes; while there are any, the pages stay
  uint64_t lastUse = 0;
  std::atomic<uint64_t> busyUntil{0};  // the scheduler's number of the last submission that uses it
  bool marked = false;
  bool contentLost = false;  // a timeout reset lost a paging operation on its content; never false again

  uint64_t size() const { return info.Size; }
  bool resident() const { return segment != 0; }
};

/// An allocation opened by a device.
struct OpenAllocation {
  std::shared_ptr<Allocation> allocation;
  HANDLE driver = nullptr;  // hDeviceSpecificAllocation
  HANDLE device = nullptr;
  D3DKMT_HANDLE kmt = 0;
  std::vector<uint8_t> privateData;  // the private data for this opener
};

class Vidmm {
public:
  explicit Vidmm(AdapterCore& adapter) : m_adapter(adapter) {}

  /// Queries the segments and makes the paging device and context.
  NTSTATUS start();
  /// Evicts everything and checks that nothing is left; destroys the paging device.
  void stop();

  const std::vector<Segment>& segments() const { return m_segments; }
  Segment& segment(UINT id) { return m_segments[id - 1]; }
  bool isAperture(UINT id) const { return id && m_segments[id - 1].descriptor.Flags.Aperture; }
  UINT pagingBufferBytes() const { return m_pagingBufferBytes; }

  // Creation. `createPrivate`, one for all allocations of a resource, and each one's private data come from
  // user mode or from DxgkDdiGetStandardAllocationDriverData.
  struct CreateResult {
    NTSTATUS status;
    std::vector<std::shared_ptr<Allocation>> allocations;
  };
  /// Creates allocations. `existing`: the resource to which they are added; an earlier call with `asResource`
  /// made it. `memory`: the memory of the only allocation of this call.
  CreateResult create(std::vector<uint8_t> createPrivate, std::vector<std::vector<uint8_t>> allocationPrivate,
                      bool asResource, bool primary = false, std::shared_ptr<Resource> existing = nullptr,
                      const ExistingMemory* memory = nullptr);
  NTSTATUS destroy(const std::vector<std::shared_ptr<Allocation>>& allocations);
  /// Creates shared primary, shadow, staging, GDI surface; `memory`, the kernel's, for
  /// D3DKMDT_GDISURFACE_EXISTINGSYSMEM.
  CreateResult createStandard(D3DKMDT_STANDARDALLOCATION_TYPE type, void* data, bool primary,
                              const ExistingMemory* memory = nullptr);

  NTSTATUS open(HANDLE device, const std::vector<std::shared_ptr<Allocation>>& allocations, bool create,
                std::vector<std::unique_ptr<OpenAllocation>>& out);
  NTSTATUS close(HANDLE device, const std::vector<OpenAllocation*>& opened);

  /// Brings all into segments that the GPU may read and, if requested, write; evicts others. Returns false if
  /// they do not fit together.
  bool makeResident(const std::vector<std::pair<Allocation*, bool>>& wanted);
  bool evict(Allocation& allocation);
  bool evictAll();

  /// Access an allocation as the CPU does under a lock: wait until the GPU is done with it. Content is
  /// undefined until first written.
  bool write(Allocation& allocation, uint64_t offset, const void* data, uint64_t bytes);
  bool read(Allocation& allocation, uint64_t offset, void* data, uint64_t bytes);
  /// Gives allocations that the CPU may map contiguous system memory from now on, at multiples of
  /// kCpuAlignment: other processes map it as a range of a file. Called before the first allocation.
  void setContiguousCpuMemory() { m_contiguous = true; }
  static constexpr uint64_t kCpuAlignment = 64 << 10;
  /// Where other processes may map a locked allocation: guest-physical.
  struct CpuRange {
    uint64_t gpa, bytes;
  };
  /// Locks for the CPU: from now on the content lies in contiguous system memory, which the GPU may still use
  /// through an aperture. The caller has waited for the GPU as far as the lock requires. Returns
  /// STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION for a scanned-out allocation, STATUS_INVALID_PARAMETER for
  /// one that the driver did not make visible to the CPU, or STATUS_NO_MEMORY.
  NTSTATUS lock(Allocation& allocation, CpuRange& out);
  void unlock(Allocation& allocation);
  /// True if the driver lets the allocation be in an aperture. The segments do not change while there are
  /// allocations.
  bool mayBeInAperture(const Allocation& allocation) const;
  /// True if the GPU cannot use the allocation because it is locked and may not be in an aperture.
  bool lockedOut(const Allocation& allocation);
  /// Returns the allocation's D3DKMT_ALLOCATIONRESIDENCYSTATUS.
  UINT residency(const Allocation& allocation);
  /// Forces the next placement into this segment (0 = the driver's preference).
  void preferSegment(UINT id) { m_forced = id; }

  uint64_t evictions() const { return m_evictions; }
  /// Builds one paging operation and runs it; returns the bytes of a paging buffer that it took.
  UINT buildPaging(const DXGKARG_BUILDPAGINGBUFFER& operation);
  /// Returns paging buffers and their statistics. Only while no thread pages.
  const PagingQueue& paging() const { return m_paging; }
  PagingQueue& paging() { return m_paging; }
  /// Checks the page lists of the apertures against the operations so far. Returns false after a broken rule.
  bool checkApertures(const char* when);
  HANDLE systemContext() const { return m_systemContext; }
  /// Checks that free pages were not written to.
  void checkFreePages();
  size_t liveAllocations() const { return m_allocations.size(); }
  /// Limits segments to `bytes` (for tests that must page), before start().
  void limitSegments(uint64_t bytes) { m_limit = bytes; }
  /// Limits the segments of all adapters of this process, before the first.
  static void limitAllSegments(uint64_t bytes) { s_limit = bytes; }
  /// Limits paging buffers to `bytes`.
  void limitPagingBuffer(UINT bytes) { m_pagingLimit = bytes; }

private:
  bool place(Allocation& allocation, bool write);
  bool allocateIn(Segment& segment, Allocation& allocation, uint64_t& offset);
  void releaseFrom(Segment& segment, uint64_t offset, uint64_t bytes);
  bool makeRoom(Segment& segment, Allocation& forWhom);
  bool givePages(Allocation& allocation);
  void dropPages(Allocation& allocation);
  bool pageIn(Allocation& allocation, UINT segmentId, uint64_t offset);
  bool pageOut(Allocation& allocation);
  bool finishPaging();
  bool addOperation(Allocation& allocation, const DXGKARG_BUILDPAGINGBUFFER& operation);
  void batchLost();
  bool transfer(Allocation& allocation, bool toSegment);
  template <class Memory, class Video>
  void forEachPiece(Allocation& allocation, uint64_t offset, uint64_t bytes, Memory memory, Video video);
  /// Destroys the allocations of `args` before any code could use them.
  void takeBack(const DXGKARG_CREATEALLOCATION& args);
  void checkInfo(const DXGK_ALLOCATIONINFO& info, bool primary, const ExistingMemory* memory);
  void checkGdiSurface(const DXGK_ALLOCATIONINFO& info, const D3DKMDT_GDISURFACEDATA& data);
  uint64_t bytesOf(const Allocation& a) const { return (a.size() + 4095) & ~uint64_t{4095}; }

  AdapterCore& m_adapter;
  std::recursive_mutex m_mutex;
  std::vector<Segment> m_segments;
  UINT m_pagingBufferSegment = 0, m_pagingBufferBytes = 0, m_pagingPrivateBytes = 0, m_pagingLimit = 0;
  PagingQueue m_paging{m_adapter};
  std::vector<Allocation*> m_dropAfterPaging;  // paged in from pages that the GPU still reads
  std::vector<Allocation*> m_batch;            // the waiting operations copy or fill their content
  HANDLE m_systemDevice = nullptr, m_systemContext = nullptr;
  std::vector<std::shared_ptr<Allocation>> m_allocations;
  std::vector<SystemPage> m_freePages;
  std::vector<guest::Block> m_pageBlocks;
  uint64_t m_clock = 0, m_evictions = 0, m_limit = s_limit;
  static inline uint64_t s_limit = 0;
  UINT m_forced = 0;
  bool m_contiguous = false;
};

}  // namespace aerogpu::host
