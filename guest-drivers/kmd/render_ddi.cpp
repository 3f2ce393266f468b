// SPDX-License-Identifier: MIT
// render_ddi.cpp: DxgkDdiRender, DxgkDdiPatch, DxgkDdiSubmitCommand and what else moves DMA buffers. A user-mode
// command buffer is copied first and checked in the copy: user mode can change its own at any time.
#include "adapter.h"
#include "command_check.h"
#include "dma_builder.h"
#include "entry_points.h"
#include "user_copy.h"

namespace aero {
namespace {

/** The runtime's command buffers are as large as DMA buffers; several passes may split a larger one. */
constexpr UINT kMaxCommandBytes = 64 * 1024 * 1024;

NTSTATUS statusOf(StreamFault fault) {
  switch (fault) {
  case StreamFault::None:
    return STATUS_SUCCESS;
  case StreamFault::Header:
    return STATUS_ILLEGAL_INSTRUCTION;  // not STATUS_GRAPHICS_DRIVER_MISMATCH, which NT_SUCCESS takes for success
  case StreamFault::Framing:
    return STATUS_INVALID_USER_BUFFER;
  case StreamFault::Unknown:
    return STATUS_ILLEGAL_INSTRUCTION;  // page "DxgkDdiRender": instructions that the hardware does not support
  case StreamFault::Privileged:
    return STATUS_PRIVILEGED_INSTRUCTION;
  }
  return STATUS_ILLEGAL_INSTRUCTION;
}

/** The allocation of this submission with the id, or null. */
AeroAllocation *listedAllocation(const DXGKARG_RENDER &args, uint32_t id) {
  for (UINT i = 0; i < args.AllocationListSize; i++)
    if (const auto *open = AeroOpenAllocation::from(args.pAllocationList[i].hDeviceSpecificAllocation))
      if (open->allocation->id == id) return open->allocation;
  return nullptr;
}

/** Whether `device` may do this. Handles belong to the device that made them or has them in a range, tokens to whoever
 *  has their allocation open; another handle that nobody made is an error that the device reports. */
bool mayDo(const AeroAdapter &adapter, const AeroDevice *device, const DXGKARG_RENDER &args, const StreamEvent &event) {
  if (event.kind == StreamEvent::Exported || event.kind == StreamEvent::Imported) {
    const ShareToken *token = adapter.allocations.tokens.find(event.token);
    if (!token || !CONTAINING_RECORD(token, AeroAllocation, token)->isOpenOn(device)) return false;
  }
  // EX-45: a texture over what is shared has one level and one layer.
  if (event.kind == StreamEvent::Created && event.allocId && !event.single) {
    const AeroAllocation *allocation = listedAllocation(args, event.allocId);
    if (allocation && allocation->isShared()) return false;
  }
  return adapter.allocations.mayName(device, event.handle);
}

/** Whether the driver remembers such an event: those that make or end a handle. */
bool isRemembered(const StreamEvent &event) {
  return event.kind != StreamEvent::Used && event.kind != StreamEvent::Exported;
}

bool remember(AeroAdapter &adapter, AeroDevice *device, const DXGKARG_RENDER &args, const StreamEvent &event) {
  if (!isRemembered(event)) return true;
  if (event.kind == StreamEvent::Destroyed) {
    adapter.allocations.removeHandle(event.handle);
    return true;
  }
  AeroAllocation *texture = event.allocId ? listedAllocation(args, event.allocId) : nullptr;
  if (!adapter.allocations.addHandle(event.handle, event.object, device, texture)) return false;
  if (texture) texture->surface = {event.width, event.height, event.format, event.rowPitch};
  return true;
}

/** The submission is in the ring. It counts once: after a preemption or a reset it comes again. */
void countEnds(const AeroContext &context, const DXGKARG_SUBMITCOMMAND &args) {
  auto *at = static_cast<uint8_t *>(args.pDmaBufferPrivateData) + args.DmaBufferPrivateDataSubmissionStartOffset;
  AEROGPU_DMA_PRIV priv;
  RtlCopyMemory(&priv, at, sizeof priv);
  if (!(priv.Reserved0 & kDmaEnds)) return;
  priv.Reserved0 &= ~uint32_t{kDmaEnds};
  RtlCopyMemory(at, &priv, sizeof priv);
  InterlockedDecrement(&context.device->unsubmittedEnds);
}

}  // namespace

NTSTATUS APIENTRY AeroDdiRender(const HANDLE hContext, DXGKARG_RENDER *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *context->adapter;
  if (adapter.isLost(*context)) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  if (adapter.scheduler.owes()) adapter.scheduler.sendOwed();

  NTSTATUS status = giveNumber(*context);
  if (!NT_SUCCESS(status)) return status;
  // The stream's header says how long it is; each pass reads it again from user memory, but only to learn the length.
  aerogpu_cmd_stream_header header;
  if (args->CommandLength < sizeof header || args->CommandLength > kMaxCommandBytes) return STATUS_INVALID_USER_BUFFER;
  status = copyFromUser(&header, args->pCommand, sizeof header);
  if (!NT_SUCCESS(status)) return STATUS_INVALID_USER_BUFFER;
  uint32_t total;
  const StreamFault headerFault = checkStreamHeader(header, args->CommandLength, total);
  if (headerFault != StreamFault::None) {
    adapter.counters.refusedStreams++;
    return statusOf(headerFault);
  }
  const uint32_t done = args->MultipassOffset;
  if (done > total) return STATUS_INVALID_PARAMETER;

  DmaBuilder dma(
      adapter.allocations, adapter.segments, adapter.counters,
      {args->pDmaBuffer, args->DmaSize, args->pDmaBufferPrivateData, args->DmaBufferPrivateDataSize,
       args->pAllocationList, args->AllocationListSize, args->pPatchLocationListOut, args->PatchLocationListOutSize});
  status = dma.begin(0, args->AllocationListSize);
  // Each pass has a whole DMA buffer: a list that is too long for one stays too long.
  if (!NT_SUCCESS(status)) return STATUS_INVALID_USER_BUFFER;

  const uint32_t left = total - done;
  const uint32_t copied = left < dma.packetRoom() ? left : dma.packetRoom() & ~3u;
  const ScratchScope scratch(context->scratch, copied);
  const uint8_t *packets = scratch.data();
  if (!packets) return STATUS_NO_MEMORY;
  status = copyFromUser(scratch.data(), static_cast<const uint8_t *>(args->pCommand) + sizeof header + done, copied);
  if (!NT_SUCCESS(status)) return STATUS_INVALID_USER_BUFFER;

  StreamCheck check;
  bool ends = false;
  {
    TableLock lock(adapter.allocations);
    bool remembers = false;
    check = checkPackets(packets, copied, copied < left, adapter.features.high, [&](const StreamEvent &event) {
      remembers |= isRemembered(event);
      ends |= event.kind == StreamEvent::Destroyed;
      return mayDo(adapter, context->device, *args, event);
    });
    if (check.fault == StreamFault::None && remembers) {
      // Nothing was refused: now it is remembered. Most streams only draw and need no second walk.
      bool room = true;
      checkPackets(packets, check.acceptedBytes, false, adapter.features.high, [&](const StreamEvent &event) {
        room &= remember(adapter, context->device, *args, event);
        return true;
      });
      if (!room) return STATUS_NO_MEMORY;
    }
  }
  if (check.fault != StreamFault::None) {
    adapter.counters.refusedStreams++;
    return statusOf(check.fault);
  }
  // One packet that no DMA buffer holds cannot be split: the user-mode driver must not make it (page "DxgkDdiRender").
  if (copied < left && !check.acceptedBytes) return STATUS_INVALID_USER_BUFFER;

  RtlCopyMemory(dma.packetData(), packets, check.acceptedBytes);
  if (ends) InterlockedIncrement(&context->device->unsubmittedEnds);
  dma.finish(check.acceptedBytes, check.present ? AEROGPU_SUBMIT_PRESENT : AEROGPU_SUBMIT_RENDER,
             (check.present ? uint32_t{kDmaPresent} : 0) | (ends ? uint32_t{kDmaEnds} : 0));
  args->MultipassOffset = done + check.acceptedBytes;
  return args->MultipassOffset < total ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiPatch(const HANDLE hAdapter, const DXGKARG_PATCH *args) {
  AERO_ASSERT_IRQL_MAX(DISPATCH_LEVEL);
  const AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  const UINT first = args->PatchLocationListSubmissionStart;
  const UINT count = args->PatchLocationListSubmissionLength;
  if (first > args->PatchLocationListSize || count > args->PatchLocationListSize - first)
    return STATUS_INVALID_PARAMETER;
  for (UINT i = first; i < first + count; i++) {
    const D3DDDI_PATCHLOCATIONLIST &patch = args->pPatchLocationList[i];
    if (patch.AllocationIndex >= args->AllocationListSize || args->DmaBufferSize < sizeof(aerogpu_alloc_entry) ||
        patch.PatchOffset > args->DmaBufferSize - sizeof(aerogpu_alloc_entry))
      return STATUS_INVALID_PARAMETER;
    const DXGK_ALLOCATIONLIST &listed = args->pAllocationList[patch.AllocationIndex];
    const AeroOpenAllocation *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
    if (!open) return STATUS_INVALID_PARAMETER;
    const aerogpu_alloc_entry entry = tableEntry(adapter->segments, *open->allocation, listed, patch.DriverId);
    RtlCopyMemory(static_cast<uint8_t *>(args->pDmaBuffer) + patch.PatchOffset, &entry, sizeof entry);
  }
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiSubmitCommand(const HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND *args) {
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  const AeroContext *context = AeroContext::from(args->hContext);  // paging buffers have none
  bool runs = false;
  const NTSTATUS status = adapter->scheduler.submit(*args, context ? context->id : kInternalContext, &runs);
  if (context && runs) countEnds(*context, *args);
  return status;
}

NTSTATUS APIENTRY AeroDdiPreemptCommand(const HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND *args) {
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  return adapter && args ? adapter->scheduler.preempt(*args) : STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiQueryCurrentFence(const HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE *args) {
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  args->CurrentFence = adapter->scheduler.currentFence();
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AeroDdiResetFromTimeout(const HANDLE hAdapter) {
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  return adapter ? adapter->resetFromTimeout() : STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY AeroDdiRestartFromTimeout(const HANDLE hAdapter) {
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  return adapter ? adapter->restartFromTimeout() : STATUS_INVALID_PARAMETER;
}

}  // namespace aero
