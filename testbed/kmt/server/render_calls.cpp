// SPDX-License-Identifier: MIT
// D3DKMTRender.
#include <cstring>

#include "d3dkmthk.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kmt/server/kernel.h"

namespace aerogpu::host {

using kmt::Call;

NTSTATUS Kernel::run(CallTag<Call::Render>, Process& process, const kmt::RenderRequest& request,
                     TailReader& in, kmt::RenderReply& reply, TailWriter&) {
  const auto privateData = in.take(request.privateBytes);
  const auto context = process.handles.find<KmtContext>(request.context);
  if (!in.finished() || !context) return kmt::kStatusInvalidParameter;
  KmtDevice& device = *context->device;
  std::unique_lock calls(device.calls);
  if (device.gone || !device.contexts.contains(request.context)) return kmt::kStatusInvalidParameter;

  D3DKMT_RENDERFLAGS flags;
  static_assert(sizeof flags == sizeof request.flags);
  std::memcpy(&flags, &request.flags, sizeof flags);
  CommandBufferSets& buffers = *context->buffers;
  const auto render = [&]() -> NTSTATUS {
    const kmt::CommandBuffers& current = buffers.current();
    if (uint64_t{request.commandOffset} + request.commandBytes > current.commandBytes ||
        request.allocationCount > current.allocationEntries || request.patchCount > current.patchEntries)
      return kmt::kStatusInvalidParameter;
    // Tokens for the compositor are not supported, and RenderKm is the kernel's own.
    if (flags.PresentRedirected || flags.RenderKm) return kmt::kStatusNotSupported;
    if (isLost(device)) return kmt::kStatusDeviceRemoved;
    // The program can change its list at any time, so a copy is used.
    std::vector<D3DDDI_ALLOCATIONLIST> listed(request.allocationCount);
    if (!listed.empty())
      std::memcpy(listed.data(), buffers.allocations(), listed.size() * sizeof(D3DDDI_ALLOCATIONLIST));
    Context::List list;
    std::vector<std::shared_ptr<KmtAllocation>> used;
    std::vector<const Allocation*> written;
    do {
      if (!device.contexts.contains(request.context)) return kmt::kStatusInvalidParameter;
      list.clear();
      used.clear();
      written.clear();
      for (const D3DDDI_ALLOCATIONLIST& entry : listed) {
        if (!entry.hAllocation) {
          list.push_back({nullptr, false});
          continue;
        }
        auto allocation = allocationOf(process, device, entry.hAllocation);
        if (!allocation) return kmt::kStatusInvalidHandle;
        if (m_adapter.vidmm().lockedOut(*allocation->opened->allocation)) return kmt::kStatusCantRenderLocked;
        list.push_back({allocation->opened, entry.WriteOperation});
        if (entry.WriteOperation) written.push_back(allocation->opened->allocation.get());
        used.push_back(std::move(allocation));
      }
    } while (!written.empty() && waitForFrames(written, calls));
    uint64_t number = 0;
    const NTSTATUS status = context->context->renderUser(
        buffers.commands() + request.commandOffset, request.commandBytes, list, buffers.patches(),
        request.patchCount, privateData, flags.NullRendering, &number);
    if (number) device.lastNumber = number;
    return status;
  };
  const NTSTATUS status = render();
  if (!device.contexts.contains(request.context)) return status;  // it went while the call waited
  buffers.turn(request.commandOffset + request.commandBytes,
               {flags.ResizeCommandBuffer ? request.newCommandBytes : 0,
                flags.ResizeAllocationList ? request.newAllocationEntries : 0,
                flags.ResizePatchLocationList ? request.newPatchEntries : 0});
  reply.buffers = buffers.current();
  reply.queuedBuffers = m_adapter.scheduler().queued();
  return status;
}

}  // namespace aerogpu::host
