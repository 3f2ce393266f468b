// SPDX-License-Identifier: MIT
// render_calls.cpp: D3DKMTRender and D3DKMTPresent.
#include "testbed/kmt/client/connection.h"
#include "testbed/kmt/client/shared_buffers.h"

using namespace aerogpu::kmt;

namespace {

WireRect toWire(const RECT &rect) {
  return {rect.left, rect.top, rect.right, rect.bottom};
}

/** Returns the window's client area on the screen. */
bool clientArea(HWND window, WireRect &out) {
  RECT client;
  POINT origin = {0, 0};
  if (!GetClientRect(window, &client) || !ClientToScreen(window, &origin)) return false;
  out = {origin.x, origin.y, origin.x + client.right, origin.y + client.bottom};
  return true;
}

}  // namespace

extern "C" NTSTATUS APIENTRY D3DKMTRender(D3DKMT_RENDER *data) {
  if (!data) return kStatusInvalidParameter;
  if (data->BroadcastContextCount) return kStatusNotSupported;  // linked adapters
  uint32_t flags;
  static_assert(sizeof data->Flags == sizeof flags);
  __builtin_memcpy(&flags, &data->Flags, sizeof flags);
  KernelCall<Call::Render> call({data->hContext, data->CommandOffset, data->CommandLength, data->AllocationCount,
                                 data->PatchLocationCount, flags, data->NewCommandBufferSize,
                                 data->NewAllocationListSize, data->NewPatchLocationListSize,
                                 data->PrivateDriverDataSize});
  call.append(data->pPrivateDriverData, data->PrivateDriverDataSize);
  const NTSTATUS status = call.send();
  // A failure also returns the next buffers, unless there is no such context.
  const RenderReply reply = call.reply();
  MappedBuffers mapped;
  if (!reply.buffers.commandBytes) return status;
  if (!adoptBuffers(reply.buffers, mapped)) return kStatusNoMemory;
  data->pNewCommandBuffer = mapped.commands;
  data->NewCommandBufferSize = reply.buffers.commandBytes;
  data->pNewAllocationList = mapped.allocations;
  data->NewAllocationListSize = reply.buffers.allocationEntries;
  data->pNewPatchLocationList = mapped.patches;
  data->NewPatchLocationListSize = reply.buffers.patchEntries;
  data->QueuedBufferCount = reply.queuedBuffers;
  data->NewCommandBuffer = 0;
  return status;
}

// On Windows win32k knows the window; here the call carries its position on the screen.
extern "C" NTSTATUS APIENTRY D3DKMTPresent(D3DKMT_PRESENT *data) {
  if (!data || data->SubRectCnt > kMaxSubRects) return kStatusInvalidParameter;
  if (data->BroadcastContextCount) return kStatusNotSupported;
  PresentRequest request{};
  request.context = data->hContext;
  request.vidPnSource = data->VidPnSourceId;
  request.source = data->hSource;
  request.destination = data->hDestination;
  request.color = data->Color;
  request.to = toWire(data->DstRect);
  request.from = toWire(data->SrcRect);
  request.subRects = data->SubRectCnt;
  request.presentCount = data->PresentCount;
  request.flipInterval = static_cast<uint32_t>(data->FlipInterval);
  request.flags = data->Flags.Value;
  if (data->hWindow) {
    if (!clientArea(data->hWindow, request.window)) return kStatusInvalidParameter;
    request.hasWindow = 1;
  }
  KernelCall<Call::Present> call(request);
  static_assert(sizeof(RECT) == sizeof(WireRect));
  call.append(data->pSrcSubRects, size_t{data->SubRectCnt} * sizeof(RECT));
  return call.send();
}
