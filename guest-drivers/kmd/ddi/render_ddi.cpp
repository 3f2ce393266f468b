// SPDX-License-Identifier: MIT
// render_ddi.cpp: DxgkDdiRender, DxgkDdiPatch, DxgkDdiSubmitCommand and what else moves DMA buffers. A user-mode
// command buffer is read once: user mode can change its own at any time.
#include "guest-drivers/kmd/adapter.h"
#include "guest-drivers/kmd/ddi/entry_points.h"
#include "guest-drivers/kmd/ddi/stream_rights.h"
#include "guest-drivers/kmd/logic/command_check.h"
#include "guest-drivers/kmd/os/user_copy.h"
#include "guest-drivers/kmd/submit/dma_builder.h"

namespace aero {
namespace {

/** The runtime's command buffers are as large as DMA buffers; several passes may split a larger one. */
constexpr UINT kMaxCommandBytes = 64 * 1024 * 1024;

/** What was built is `bytes` of `left`. */
NTSTATUS passed(DXGKARG_RENDER &args, uint32_t bytes, uint32_t left) {
  args.MultipassOffset += bytes;
  return bytes < left ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
}

/** The device keeps processes apart (docs/abi/spaces.md): the `left` bytes at `rest`, which is user memory, are copied,
 *  once, and nobody looks at them. Of more than the buffer holds as many whole packets as fit. */
NTSTATUS renderUnread(AeroContext &context, DXGKARG_RENDER &args, DmaBuilder &dma, const uint8_t *rest, uint32_t left) {
  uint32_t bytes = left;
  if (left <= dma.packetRoom()) {
    if (!NT_SUCCESS(copyFromUserRange(dma.packetData(), rest, left))) return STATUS_INVALID_USER_BUFFER;
  } else {
    const uint32_t room = dma.packetRoom() & ~3u;
    const ScratchScope scratch(context.scratch, room);
    if (!scratch.data()) return STATUS_NO_MEMORY;
    if (!NT_SUCCESS(copyFromUser(scratch.data(), rest, room))) return STATUS_INVALID_USER_BUFFER;
    bytes = wholePackets(scratch.data(), room);
    // One packet that no DMA buffer holds cannot be split: the user-mode driver must not make it (page
    // "DxgkDdiRender").
    if (!bytes) return STATUS_INVALID_USER_BUFFER;
    RtlCopyMemory(dma.packetData(), scratch.data(), bytes);
  }
  dma.finish(args, bytes, AEROGPU_SUBMIT_RENDER, 0);
  return passed(args, bytes, left);
}

/** The driver keeps processes apart: nothing reaches the DMA buffer of a stream that it refuses. */
NTSTATUS renderChecked(AeroContext &context, DXGKARG_RENDER &args, DmaBuilder &dma, const uint8_t *rest,
                       uint32_t left) {
  AeroAdapter &adapter = *context.adapter;
  const uint32_t copied = left < dma.packetRoom() ? left : dma.packetRoom() & ~3u;
  const ScratchScope scratch(context.scratch, copied);
  const uint8_t *packets = scratch.data();
  if (!packets) return STATUS_NO_MEMORY;
  if (!NT_SUCCESS(copyFromUser(scratch.data(), rest, copied))) return STATUS_INVALID_USER_BUFFER;
  CheckedStream stream;
  const NTSTATUS status = checkStream(adapter, context.device, args, packets, copied, copied < left, stream);
  if (!NT_SUCCESS(status)) return status;
  // As above: one packet that no DMA buffer holds.
  if (copied < left && !stream.bytes) return STATUS_INVALID_USER_BUFFER;
  RtlCopyMemory(dma.packetData(), packets, stream.bytes);
  if (stream.ends) InterlockedIncrement(&context.device->unsubmittedEnds);
  dma.finish(args, stream.bytes, stream.present ? AEROGPU_SUBMIT_PRESENT : AEROGPU_SUBMIT_RENDER,
             (stream.present ? uint32_t{kDmaPresent} : 0) | (stream.ends ? uint32_t{kDmaEnds} : 0));
  return passed(args, stream.bytes, left);
}

/** The submission is in the ring, of a device without a handle space. It counts once: after a preemption or a reset it
 *  comes again. */
void countEnds(const AeroContext &context, const DXGKARG_SUBMITCOMMAND &args) {
  auto *at = static_cast<uint8_t *>(args.pDmaBufferPrivateData) + args.DmaBufferPrivateDataSubmissionStartOffset;
  AEROGPU_DMA_PRIV priv;
  RtlCopyMemory(&priv, at, sizeof priv);
  if (!(priv.Reserved0 & kDmaEnds)) return;
  priv.Reserved0 &= ~uint32_t{kDmaEnds};
  RtlCopyMemory(at, &priv, sizeof priv);
  InterlockedDecrement(&context.device->unsubmittedEnds);
}

/** The private data of what is patched, or null; they stay with the buffer from one submission of it to the next. */
AEROGPU_DMA_PRIV *privateOf(const DXGKARG_PATCH &args) {
  const UINT start = args.DmaBufferPrivateDataSubmissionStartOffset;
  if (!args.pDmaBufferPrivateData || start > args.DmaBufferPrivateDataSize ||
      args.DmaBufferPrivateDataSize - start < sizeof(AEROGPU_DMA_PRIV))
    return nullptr;
  return reinterpret_cast<AEROGPU_DMA_PRIV *>(static_cast<uint8_t *>(args.pDmaBufferPrivateData) + start);
}

/** Writes the entry of an allocation of the list that may have moved. False: the OS' lists make no sense. */
bool patchEntry(const AeroAdapter &adapter, const DXGKARG_PATCH &args, const D3DDDI_PATCHLOCATIONLIST &patch) {
  const DXGK_ALLOCATIONLIST &listed = args.pAllocationList[patch.AllocationIndex];
  const AeroOpenAllocation *open = AeroOpenAllocation::from(listed.hDeviceSpecificAllocation);
  if (!open || args.DmaBufferSize < sizeof(aerogpu_alloc_entry) ||
      patch.PatchOffset > args.DmaBufferSize - sizeof(aerogpu_alloc_entry))
    return false;
  const aerogpu_alloc_entry entry =
      tableEntry(adapter.segments, *open->allocation, listed,
                 patch.DriverId & kPatchWritten ? AEROGPU_ALLOC_FLAG_NONE : AEROGPU_ALLOC_FLAG_READONLY);
  RtlCopyMemory(static_cast<uint8_t *>(args.pDmaBuffer) + patch.PatchOffset, &entry, sizeof entry);
  return true;
}

/** Patches what moved since the entries were written, or all where nobody knows. */
[[gnu::noinline]] NTSTATUS patchMoved(const AeroAdapter &adapter, const DXGKARG_PATCH &args, AEROGPU_DMA_PRIV *priv) {
  const bool all = !priv || priv->Reserved0 & kDmaMoved;
  const D3DDDI_PATCHLOCATIONLIST *patch = args.pPatchLocationList + args.PatchLocationListSubmissionStart;
  const D3DDDI_PATCHLOCATIONLIST *end = patch + args.PatchLocationListSubmissionLength;
  for (; patch != end; patch++) {
    if (patch->AllocationIndex >= args.AllocationListSize) return STATUS_INVALID_PARAMETER;
    const uint64_t changed = patch->DriverId ^ patchId(args.pAllocationList[patch->AllocationIndex]);
    // An entry may be writable though this row of the list does not say so.
    if (!all && !(changed & ~uint64_t{kPatchWritten})) continue;
    if (!patchEntry(adapter, args, *patch)) return STATUS_INVALID_PARAMETER;
    if (priv) priv->Reserved0 |= kDmaMoved;
  }
  return STATUS_SUCCESS;
}

/** Whether nothing moved since the entries were written; false when that takes a closer look. Each allocation of each
 *  submission is looked at here: how many instructions that takes is tested ('instructions' of the driver host). */
bool allWhereTheyWere(const DXGKARG_PATCH &args, const AEROGPU_DMA_PRIV *priv) {
  const UINT count = args.PatchLocationListSubmissionLength;
  if (!count) return true;
  if (!priv || (priv->Reserved0 & (kDmaInOrder | kDmaMoved)) != kDmaInOrder) return false;
  const D3DDDI_PATCHLOCATIONLIST *patch = args.pPatchLocationList + args.PatchLocationListSubmissionStart;
  const D3DDDI_PATCHLOCATIONLIST *end = patch + count;
  const UINT index = patch->AllocationIndex;
  if (index >= args.AllocationListSize || count > args.AllocationListSize - index) return false;
  const DXGK_ALLOCATIONLIST *listed = args.pAllocationList + index;
  for (; end - patch >= 4; patch += 4, listed += 4)
    if (patchId(listed[0]) != patch[0].DriverId || patchId(listed[1]) != patch[1].DriverId ||
        patchId(listed[2]) != patch[2].DriverId || patchId(listed[3]) != patch[3].DriverId)
      return false;
  for (; patch != end; patch++, listed++)
    if (patchId(*listed) != patch->DriverId) return false;
  return true;
}

}  // namespace

NTSTATUS APIENTRY AeroDdiRender(const HANDLE hContext, DXGKARG_RENDER *args) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  AeroContext *context = AeroContext::from(hContext);
  if (!context || !args) return STATUS_INVALID_PARAMETER;
  AeroAdapter &adapter = *context->adapter;
  if (adapter.isLost(*context)) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  if (adapter.internal.owes()) adapter.internal.sendOwed();

  NTSTATUS status = context->id ? STATUS_SUCCESS : giveNumber(*context);
  if (!NT_SUCCESS(status)) return status;
  // The stream's header says how long it is; each pass reads it again from user memory, but only to learn the length.
  aerogpu_cmd_stream_header header;
  if (args->CommandLength < sizeof header || args->CommandLength > kMaxCommandBytes) return STATUS_INVALID_USER_BUFFER;
  if (!isUserRange(args->pCommand, args->CommandLength)) return STATUS_INVALID_USER_BUFFER;
  status = copyFromUserRange(&header, args->pCommand, sizeof header);
  if (!NT_SUCCESS(status)) return STATUS_INVALID_USER_BUFFER;
  uint32_t total;
  const StreamFault headerFault = checkStreamHeader(header, args->CommandLength, total);
  if (headerFault != StreamFault::None) {
    adapter.counters.refusedStreams++;
    return statusOf(headerFault);
  }
  const uint32_t done = args->MultipassOffset;
  if (done > total) return STATUS_INVALID_PARAMETER;

  DmaBuilder dma(adapter.allocations, adapter.segments, adapter.counters, *args);
  status = dma.begin(args->AllocationListSize);
  // Each pass has a whole DMA buffer: a list that is too long for one stays too long.
  if (!NT_SUCCESS(status)) return STATUS_INVALID_USER_BUFFER;
  const uint8_t *rest = static_cast<const uint8_t *>(args->pCommand) + sizeof header + done;
  return context->device->space ? renderUnread(*context, *args, dma, rest, total - done)
                                : renderChecked(*context, *args, dma, rest, total - done);
}

NTSTATUS APIENTRY AeroDdiPatch(const HANDLE hAdapter, const DXGKARG_PATCH *args) {
  AERO_ASSERT_IRQL_MAX(DISPATCH_LEVEL);
  const AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  const UINT first = args->PatchLocationListSubmissionStart;
  const UINT count = args->PatchLocationListSubmissionLength;
  if (first > args->PatchLocationListSize || count > args->PatchLocationListSize - first)
    return STATUS_INVALID_PARAMETER;
  AEROGPU_DMA_PRIV *priv = privateOf(*args);
  return allWhereTheyWere(*args, priv) ? STATUS_SUCCESS : patchMoved(*adapter, *args, priv);
}

NTSTATUS APIENTRY AeroDdiSubmitCommand(const HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND *args) {
  AeroAdapter *adapter = AeroAdapter::from(hAdapter);
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  // Paging buffers have the system context or, around changes of power, none (page "DXGKARG_SUBMITCOMMAND"). They are
  // the kernel's in either case: a share of memory, or an error, of a program's device has nothing to do with them.
  const AeroContext *context = args->Flags.Paging ? nullptr : AeroContext::from(args->hContext);
  if (!context) return adapter->scheduler.submit(*args, {});
  const DeviceContext place = context->place();
  if (context->device->space) return adapter->scheduler.submit(*args, place);
  bool runs = false;
  const NTSTATUS status = adapter->scheduler.submit(*args, place, &runs);
  if (runs) countEnds(*context, *args);
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
