// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/client.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include "testbed/kernel/dxgk/adapter.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

namespace {
std::atomic<uint64_t> s_runtimeHandle{0x5E000000};
}

ProcessScope::ProcessScope(uint64_t processId) : m_old(currentThread()->processId) {
  currentThread()->processId = processId;
}
ProcessScope::~ProcessScope() {
  currentThread()->processId = m_old;
}

std::unique_ptr<Client> Client::create(Adapter& adapter, uint64_t processId, bool gdi) {
  ProcessScope process(processId);
  DXGKARG_CREATEDEVICE args{};
  args.hDevice = pointerTo(++s_runtimeHandle);
  args.Flags.GdiDevice = gdi;
  std::shared_lock exclusion(adapter.exclusion());
  const NTSTATUS status = callDdi("DxgkDdiCreateDevice", kPassiveLevel, adapter.ddi.DxgkDdiCreateDevice,
                                  adapter.context(), &args);
  if (!ntSuccess(status)) return nullptr;
  std::unique_ptr<Client> client(new Client(adapter));
  client->m_device = args.hDevice;
  client->m_process = processId;
  return client;
}

Client::~Client() {
  ProcessScope process(m_process);
  closeAll();
  m_adapter.scheduler().waitIdle();
  std::shared_lock exclusion(m_adapter.exclusion());
  const NTSTATUS status =
      callDdi("DxgkDdiDestroyDevice", kPassiveLevel, m_adapter.ddi.DxgkDdiDestroyDevice, m_device);
  if (!ntSuccess(status)) brokenRule("DxgkDdiDestroyDevice returned 0x%08x", status);
}

void Client::terminate(std::unique_ptr<Client> client, std::vector<std::unique_ptr<Context>> contexts) {
  contexts.clear();
  std::vector<std::shared_ptr<Allocation>> opened;
  for (const auto& o : client->m_open)
    if (std::find(opened.begin(), opened.end(), o->allocation) == opened.end())
      opened.push_back(o->allocation);
  client->closeAll();
  // The OS owns the desktop's primary.
  for (const auto& allocation : opened)
    if (!allocation->opens && allocation != client->m_adapter.display().sharedPrimary())
      client->m_adapter.vidmm().destroy({allocation});
}

std::unique_ptr<Context> Client::createContext(bool gdi) {
  return Context::create(m_adapter, m_device, m_process, gdi);
}

std::vector<OpenAllocation*> Client::open(const std::vector<std::shared_ptr<Allocation>>& allocations,
                                          bool create) {
  ProcessScope process(m_process);
  std::vector<std::unique_ptr<OpenAllocation>> opened;
  if (!ntSuccess(m_adapter.vidmm().open(m_device, allocations, create, opened))) return {};
  std::vector<OpenAllocation*> result;
  for (auto& o : opened) {
    result.push_back(o.get());
    m_open.push_back(std::move(o));
  }
  return result;
}

void Client::close(OpenAllocation* opened) {
  ProcessScope process(m_process);
  m_adapter.vidmm().close(m_device, {opened});
  std::erase_if(m_open, [&](const auto& o) { return o.get() == opened; });
}

void Client::closeAll() {
  if (m_open.empty()) return;
  ProcessScope process(m_process);
  std::vector<OpenAllocation*> all;
  for (const auto& o : m_open) all.push_back(o.get());
  m_adapter.vidmm().close(m_device, all);
  m_open.clear();
}

std::unique_ptr<Context> Context::create(Adapter& adapter, HANDLE device, uint64_t processId, bool gdi) {
  ProcessScope process(processId);
  DXGKARG_CREATECONTEXT args{};
  args.hContext = pointerTo(++s_runtimeHandle);
  args.EngineAffinity = 1;
  args.Flags.GdiContext = gdi;
  std::shared_lock exclusion(adapter.exclusion());
  const NTSTATUS status =
      callDdi("DxgkDdiCreateContext", kPassiveLevel, adapter.ddi.DxgkDdiCreateContext, device, &args);
  if (!ntSuccess(status)) return nullptr;
  std::unique_ptr<Context> context(new Context(adapter));
  context->m_handle = args.hContext;
  context->m_info = args.ContextInfo;
  context->m_process = processId;
  const DXGK_CONTEXTINFO& info = args.ContextInfo;
  if (info.DmaBufferSize == 0 || info.AllocationListSize == 0 || info.PatchLocationListSize == 0)
    brokenRule("DXGK_CONTEXTINFO: %u bytes, %u allocations, %u patch locations", info.DmaBufferSize,
               info.AllocationListSize, info.PatchLocationListSize);
  // Page "DXGK_CONTEXTINFO".
  constexpr UINT kGdiAllocations = 256;
  if (gdi && info.AllocationListSize != kGdiAllocations)
    brokenRule("AllocationListSize %u of a GDI context", info.AllocationListSize);
  // Page "Splitting a DMA Buffer": the memory manager has an entry for each slot, and clears it for each
  // buffer.
  if (!gdi && adapter.caps.MaxAllocationListSlotId >= info.AllocationListSize)
    brokenRule("MaxAllocationListSlotId %u for lists of %u allocations", adapter.caps.MaxAllocationListSlotId,
               info.AllocationListSize);
  if (info.DmaBufferSegmentSet)
    brokenRule("DMA buffers in a segment (0x%x) are not in the host", info.DmaBufferSegmentSet);
  context->m_userBytes = info.DmaBufferSize;
  context->m_user = static_cast<uint8_t*>(allocateUserMemory(info.DmaBufferSize));
  if (!context->m_user) return nullptr;
  return context;
}

Context::~Context() {
  ProcessScope process(m_process);
  m_adapter.scheduler().waitIdle();
  {
    std::shared_lock exclusion(m_adapter.exclusion());
    const NTSTATUS status =
        callDdi("DxgkDdiDestroyContext", kPassiveLevel, m_adapter.ddi.DxgkDdiDestroyContext, m_handle);
    if (!ntSuccess(status)) brokenRule("DxgkDdiDestroyContext returned 0x%08x", status);
  }
  for (const auto& buffer : m_buffers) releaseDmaMemory(m_adapter, buffer->memory);
  if (m_user) freeUserMemory(m_user, m_userBytes);
}

DmaBuffer* Context::freeBuffer() {
  for (const auto& buffer : m_buffers)
    if (!buffer->held && m_adapter.scheduler().completed(buffer->busyUntil)) return buffer.get();
  if (m_buffers.size() >= 8) {
    DmaBuffer* oldest = nullptr;
    for (const auto& buffer : m_buffers)
      if (!buffer->held && (!oldest || buffer->busyUntil < oldest->busyUntil)) oldest = buffer.get();
    if (!oldest) return nullptr;
    m_adapter.scheduler().waitIdle(oldest->busyUntil);
    return oldest;
  }
  auto buffer = std::make_unique<DmaBuffer>();
  std::lock_guard lock(m_adapter.scheduler().preparation());  // guest::Memory is not thread-safe
  if (!allocateDmaMemory(m_adapter, m_info.DmaBufferSize, buffer->memory)) return nullptr;
  buffer->privateData.assign(m_info.DmaBufferPrivateDataSize, 0);
  m_buffers.push_back(std::move(buffer));
  return m_buffers.back().get();
}

bool Context::submit(Built& built, uint64_t* number) {
  std::lock_guard prepared(m_adapter.scheduler().preparation());
  if (built.edit) built.edit({built.dma->memory.block.cpu, built.end});
  std::vector<std::pair<Allocation*, bool>> wanted;
  for (const auto& [opened, written] : built.list)
    if (opened) wanted.push_back({opened->allocation.get(), written});
  // A buffer that a reset has overtaken, before or during the paging, is dropped.
  const auto old = [&] { return m_adapter.scheduler().resets() != built.resets; };
  if (!old() && !m_adapter.vidmm().makeResident(wanted) && !old()) return submitSplit(built, number);
  if (old()) {
    if (number) *number = m_adapter.scheduler().submitted();
    return true;
  }
  const uint64_t n = submitPart(built, 0, built.end, 0, built.patches.size());
  if (number) *number = n;
  return true;
}

// Page "Splitting a DMA Buffer": patch locations are processed in order, and each puts its allocation into a
// row of a table. The allocations in the table must be resident; at the first that does not fit, the buffer
// runs up to its SplitOffset.
bool Context::submitSplit(Built& built, uint64_t* number) {
  std::map<UINT, UINT> table;  // slot -> entry of the allocation list
  const auto resident = [&](const std::map<UINT, UINT>& rows) {
    std::vector<std::pair<Allocation*, bool>> wanted;
    for (const auto& [slot, index] : rows)
      if (index < built.list.size() && built.list[index].first)
        wanted.push_back({built.list[index].first->allocation.get(), built.list[index].second});
    return m_adapter.vidmm().makeResident(wanted);
  };
  UINT start = 0;
  size_t first = 0;
  const auto run = [&](UINT end, size_t endPatch) {
    // The allocations whose addresses are in the part itself must be in the table.
    for (const auto& patch : built.patches)
      if (patch.PatchOffset >= start && patch.PatchOffset < end) {
        const auto row = table.find(patch.SlotId);
        if (row == table.end() || row->second != patch.AllocationIndex)
          bugCheck(0x10E, {0x27, patch.AllocationIndex, patch.SlotId, end},
                   "#   an allocation is used, but not programmed at the split point\n");
      }
    const uint64_t n = submitPart(built, start, end, first, endPatch);
    m_adapter.scheduler().waitIdle(n);
    if (number) *number = n;
    start = end;
    first = endPatch;
  };
  for (size_t i = 0; i < built.patches.size(); ++i) {
    const auto& patch = built.patches[i];
    auto with = table;
    with[patch.SlotId] = patch.AllocationIndex;
    if (!resident(with)) {
      if (patch.SplitOffset <= start) return false;  // no part before it can run
      run(patch.SplitOffset, i);
      if (!resident(with)) return false;
    }
    table = std::move(with);
  }
  run(built.end, built.patches.size());
  return true;
}

uint64_t Context::submitPart(Built& built, UINT start, UINT end, size_t firstPatch, size_t endPatch) {
  Scheduler& scheduler = m_adapter.scheduler();
  for (size_t i = 0; i < built.list.size(); ++i) {
    if (!built.list[i].first) continue;
    Allocation& a = *built.list[i].first->allocation;
    built.allocations[i].SegmentId = a.segment;
    built.allocations[i].PhysicalAddress.QuadPart = 0;
    if (a.resident())
      built.allocations[i].PhysicalAddress.QuadPart =
          m_adapter.vidmm().segment(a.segment).descriptor.BaseAddress.QuadPart +
          static_cast<LONGLONG>(a.offset);
    a.busyUntil = scheduler.submitted() + 1;  // before the submission: its completion must find the mark
  }
  DmaBuffer& dma = *built.dma;
  dma.busyUntil = scheduler.submitted() + 1;
  Submission submission;
  submission.context = m_handle;
  submission.buffer = dma.memory.block;
  submission.view = dma.memory.view;
  submission.bufferBytes = m_info.DmaBufferSize;
  submission.start = start;
  submission.end = end;
  submission.privateData = dma.privateData.data();
  submission.privateBytes = static_cast<UINT>(dma.privateData.size());
  submission.privateEnd = built.privateEnd;
  submission.allocations = built.allocations.data();
  submission.allocationCount = static_cast<UINT>(built.allocations.size());
  submission.patches = built.patches.data() + firstPatch;
  submission.patchCount = static_cast<UINT>(endPatch - firstPatch);
  submission.present = built.present;
  submission.nullRendering = built.nullRendering;
  submission.resets = built.resets;
  ++m_passes;
  return scheduler.submit(submission);
}

bool Context::releaseHeld() {
  m_holds = false;
  bool fits = true;
  for (Built& built : m_held) {
    built.dma->held = false;
    fits = submit(built, nullptr) && fits;
  }
  m_held.clear();
  return fits;
}

void Context::dropHeld() {
  m_holds = false;
  for (const Built& built : m_held) built.dma->held = false;
  m_held.clear();
}

// Runs the passes of one Render or Present: the driver fills a DMA buffer; the remainder comes in the next
// one.
template <class Args>
NTSTATUS Context::passesOf(const char* ddi, NTSTATUS(HOST_API* function)(HANDLE, Args*), Args args,
                           const List& list, const Passes& passes, uint64_t* number) {
  for (unsigned pass = 0; pass < 100000; ++pass) {
    DmaBuffer* dma = freeBuffer();
    if (!dma) return kNoMemory;
    std::memset(dma->memory.block.cpu, 0xCC, std::min<uint64_t>(m_info.DmaBufferSize, 4096));
    std::copy(passes.privateData.begin(), passes.privateData.end(), dma->privateData.begin());
    std::vector<DXGK_ALLOCATIONLIST> allocations(std::max<size_t>(list.size(), passes.fixedEntries));
    for (size_t i = 0; i < list.size(); ++i) {
      if (!list[i].first) continue;
      allocations[i].hDeviceSpecificAllocation = list[i].first->driver;
      allocations[i].WriteOperation = list[i].second;
      const Allocation& a = *list[i].first->allocation;
      if (a.resident()) {  // pre-patching: its last place
        allocations[i].SegmentId = a.segment;
        allocations[i].PhysicalAddress.QuadPart =
            m_adapter.vidmm().segment(a.segment).descriptor.BaseAddress.QuadPart +
            static_cast<LONGLONG>(a.offset);
      }
    }
    std::vector<D3DDDI_PATCHLOCATIONLIST> patches(m_info.PatchLocationListSize);
    args.pDmaBuffer = dma->memory.view;
    args.DmaSize = m_info.DmaBufferSize;
    args.pDmaBufferPrivateData = dma->privateData.data();
    args.DmaBufferPrivateDataSize = static_cast<UINT>(dma->privateData.size());
    args.pAllocationList = allocations.data();
    if constexpr (requires { args.AllocationListSize; })
      args.AllocationListSize = static_cast<UINT>(allocations.size());
    args.pPatchLocationListOut = patches.data();
    args.PatchLocationListOutSize = static_cast<UINT>(patches.size());
    args.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(dma->memory.block.gpa);
    NTSTATUS status;
    unsigned resets;
    {
      ProcessScope process(m_process);
      std::shared_lock exclusion(m_adapter.exclusion());
      resets = m_adapter.scheduler().resets();
      status = callDdi(ddi, kPassiveLevel, function, m_handle, &args);
    }
    const auto* begin = dma->memory.view;
    const auto* end = static_cast<uint8_t*>(args.pDmaBuffer);
    if (status != kSuccess && status != kInsufficientDmaBuffer) return status;
    if (end < begin || end > begin + m_info.DmaBufferSize) {
      brokenRule("pDmaBuffer leaves the DMA buffer");
      return kUnsuccessful;
    }
    const auto* patchEnd = args.pPatchLocationListOut;
    if (patchEnd < patches.data() || patchEnd > patches.data() + patches.size()) {
      brokenRule("pPatchLocationListOut leaves the list");
      return kUnsuccessful;
    }
    const auto patchCount = static_cast<UINT>(patchEnd - patches.data());
    std::map<UINT, UINT> slots;
    for (UINT i = 0; i < patchCount; ++i) {
      const auto& patch = patches[i];
      if (patch.AllocationIndex >= allocations.size())
        brokenRule("a patch location for allocation %u of %zu", patch.AllocationIndex, allocations.size());
      else if (!allocations[patch.AllocationIndex].hDeviceSpecificAllocation)
        brokenRule("a patch location for the empty entry %u", patch.AllocationIndex);
      if (patch.PatchOffset >= static_cast<UINT>(end - begin) ||
          patch.SplitOffset > static_cast<UINT>(end - begin))
        brokenRule("a patch location at %u, split %u of %u bytes", patch.PatchOffset, patch.SplitOffset,
                   static_cast<UINT>(end - begin));
      if (patch.Reserved) brokenRule("reserved bits of a patch location");
      if (i && patch.SplitOffset < patches[i - 1].SplitOffset)
        brokenRule("SplitOffset %u after %u", patch.SplitOffset, patches[i - 1].SplitOffset);
      // Page "Splitting a DMA Buffer": reusing a slot removes its earlier allocation from the buffer.
      if (patch.SlotId > m_adapter.caps.MaxAllocationListSlotId)
        brokenRule("slot %u of %u", patch.SlotId, m_adapter.caps.MaxAllocationListSlotId + 1u);
      if (const auto [at, isNew] = slots.try_emplace(patch.SlotId, patch.AllocationIndex);
          !isNew && at->second != patch.AllocationIndex)
        brokenRule("slot %u is of allocations %u and %u", patch.SlotId, at->second, patch.AllocationIndex);
    }
    const auto* privateBegin = dma->privateData.data();
    const auto* privateAt = static_cast<uint8_t*>(args.pDmaBufferPrivateData);
    if (privateAt < privateBegin || privateAt > privateBegin + dma->privateData.size())
      brokenRule("pDmaBufferPrivateData leaves the private data");
    if (end != begin) {
      patches.resize(patchCount);
      Built built{dma,
                  static_cast<UINT>(end - begin),
                  static_cast<UINT>(privateAt - privateBegin),
                  list,
                  std::move(allocations),
                  std::move(patches),
                  passes.present,
                  passes.nullRendering,
                  passes.edit,
                  resets};
      if (m_holds) {
        dma->held = true;
        m_held.push_back(std::move(built));
      } else if (!submit(built, number)) {
        return ntStatus(0xC01E0100);  // STATUS_GRAPHICS_NO_VIDEO_MEMORY
      }
    }
    if (status == kSuccess) return kSuccess;
    if (end == begin && pass && args.MultipassOffset == 0) {
      brokenRule("no progress with a DMA buffer of %u bytes", m_info.DmaBufferSize);
      return kUnsuccessful;
    }
  }
  brokenRule("a render that never ends");
  return kUnsuccessful;
}

NTSTATUS Context::renderRaw(const void* commands, UINT length, const List& list,
                            std::span<const D3DDDI_PATCHLOCATIONLIST> patchesIn, uint64_t* number) {
  return renderFrom(commands, length, list, patchesIn, {}, number);
}

NTSTATUS Context::renderUser(const void* commands, UINT length, const List& list,
                             D3DDDI_PATCHLOCATIONLIST* patches, UINT patchCount,
                             std::span<const uint8_t> privateData, bool nullRendering, uint64_t* number) {
  if (privateData.size() > m_info.DmaBufferPrivateDataSize) return kInvalidParameter;
  DXGKARG_RENDER args{};
  args.pCommand = commands;
  args.CommandLength = length;
  args.pPatchLocationListIn = patchCount ? patches : nullptr;
  args.PatchLocationListInSize = patchCount;
  Passes passes;
  passes.nullRendering = nullRendering;
  passes.privateData = privateData;
  return passesOf("DxgkDdiRender", m_adapter.ddi.DxgkDdiRender, args, list, passes, number);
}

NTSTATUS Context::renderFrom(const void* commands, UINT length, const List& list,
                             std::span<const D3DDDI_PATCHLOCATIONLIST> patchesIn, const Passes& passes,
                             uint64_t* number) {
  // The list of patch locations also comes from user memory.
  const uint64_t patchBytes = patchesIn.size_bytes();
  auto* userPatches =
      patchBytes ? static_cast<D3DDDI_PATCHLOCATIONLIST*>(allocateUserMemory(patchBytes)) : nullptr;
  if (userPatches) std::memcpy(userPatches, patchesIn.data(), patchBytes);
  DXGKARG_RENDER args{};
  args.pCommand = commands;
  args.CommandLength = length;
  args.pPatchLocationListIn = userPatches;
  args.PatchLocationListInSize = static_cast<UINT>(patchesIn.size());
  const NTSTATUS status = passesOf("DxgkDdiRender", m_adapter.ddi.DxgkDdiRender, args, list, passes, number);
  if (userPatches) freeUserMemory(userPatches, patchBytes);
  return status;
}

const void* Context::copyToProcess(std::span<const uint8_t> commands) {
  if (commands.size() > m_userBytes) {
    freeUserMemory(m_user, m_userBytes);
    m_userBytes = commands.size();
    m_user = static_cast<uint8_t*>(allocateUserMemory(m_userBytes));
  }
  std::memcpy(m_user, commands.data(), commands.size());
  return m_user;
}

NTSTATUS Context::render(std::span<const uint8_t> commands, const List& list, uint64_t* number) {
  return renderRaw(copyToProcess(commands), static_cast<UINT>(commands.size()), list, {}, number);
}

NTSTATUS Context::renderPastDriver(std::span<const uint8_t> shown, std::span<const uint8_t> sent,
                                   uint64_t* number) {
  Passes passes;
  passes.edit = [&](std::span<uint8_t> buffer) {
    const auto at = std::search(buffer.begin(), buffer.end(), shown.begin(), shown.end());
    if (shown.size() != sent.size() || at == buffer.end())
      brokenRule("the stream is not in the DMA buffer as it was rendered");
    else
      std::copy(sent.begin(), sent.end(), at);
  };
  return renderFrom(copyToProcess(shown), static_cast<UINT>(shown.size()), {}, {}, passes, number);
}

NTSTATUS Context::renderUnseen(std::span<const uint8_t> commands, uint64_t* number) {
  Passes passes;
  passes.nullRendering = true;
  return renderFrom(copyToProcess(commands), static_cast<UINT>(commands.size()), {}, {}, passes, number);
}

NTSTATUS Context::renderKm(std::span<const uint8_t> commands, const List& list, uint64_t* number) {
  std::vector<uint8_t> kernel(commands.begin(), commands.end());
  DXGKARG_RENDER args{};
  args.pCommand = kernel.data();
  args.CommandLength = static_cast<UINT>(kernel.size());
  return passesOf("DxgkDdiRenderKm", m_adapter.ddi.DxgkDdiRenderKm, args, list, {}, number);
}

NTSTATUS Context::present(OpenAllocation* source, OpenAllocation* destination, const RECT& from,
                          const RECT& to, std::span<const RECT> subRects, DXGK_PRESENTFLAGS flags, UINT color,
                          uint64_t* number) {
  DXGKARG_PRESENT args{};
  args.Color = color;
  args.DstRect = to;
  args.SrcRect = from;
  args.SubRectCnt = static_cast<UINT>(subRects.size());
  args.pDstSubRects = subRects.data();
  args.Flags = flags;
  Passes passes;
  passes.present = true;
  passes.fixedEntries = DXGK_PRESENT_MAX_INDEX + 1;
  return passesOf("DxgkDdiPresent", m_adapter.ddi.DxgkDdiPresent, args,
                  {{nullptr, false}, {source, false}, {destination, true}}, passes, number);
}

NTSTATUS Context::presentFlip(OpenAllocation& source) {
  DXGK_ALLOCATIONLIST list[DXGK_PRESENT_MAX_INDEX + 1]{};
  list[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation = source.driver;
  DXGKARG_PRESENT args{};
  args.pAllocationList = list;
  args.Flags.Flip = 1;
  args.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
  const NTSTATUS status =
      callDdi("DxgkDdiPresent", kPassiveLevel, m_adapter.ddi.DxgkDdiPresent, m_handle, &args);
  if (args.pDmaBuffer || args.pDmaBufferPrivateData || args.pPatchLocationListOut || args.MultipassOffset)
    brokenRule("DxgkDdiPresent of a memory-mapped flip makes a DMA buffer out of none");
  return status;
}

}  // namespace aerogpu::host
