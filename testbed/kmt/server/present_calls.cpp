// SPDX-License-Identifier: MIT
// D3DKMTPresent: blits and fills to the desktop or to a surface, flips.
#include <algorithm>
#include <cstring>

#include "d3dkmthk.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kmt/server/kernel.h"
#include "testbed/kmt/server/present_geometry.h"

namespace aerogpu::host {

using kmt::Call;

namespace {

RECT toRect(const kmt::WireRect& r) {
  return {r.left, r.top, r.right, r.bottom};
}

D3DKMT_PRESENTFLAGS presentFlagsOf(uint32_t value) {
  D3DKMT_PRESENTFLAGS flags{};
  flags.Value = value;
  return flags;
}

}  // namespace

bool Kernel::describe(const Allocation& allocation, DXGKARG_DESCRIBEALLOCATION& out) {
  out = {};
  out.hAllocation = allocation.driver;
  std::shared_lock exclusion(m_adapter.exclusion());
  return ntSuccess(callDdi("DxgkDdiDescribeAllocation", kPassiveLevel,
                           m_adapter.ddi.DxgkDdiDescribeAllocation, m_adapter.context(), &out));
}

NTSTATUS Kernel::presentBlt(KmtDevice& device, KmtContext& context, const kmt::PresentRequest& request,
                            KmtAllocation* source, KmtAllocation* destination,
                            const std::vector<RECT>& subRects, uint32_t count) {
  const D3DKMT_PRESENTFLAGS flags = presentFlagsOf(request.flags);
  OpenAllocation* target = destination ? destination->opened : nullptr;
  {
    std::lock_guard screen(m_screen);
    if (!target && m_owner && m_owner != &device) return kmt::kStatusPresentOccluded;
    // To the screen: the device's own frame there, or the desktop.
    if (!target && m_shown)
      for (const uint32_t handle : device.allocations) {
        const auto allocation = context.process->handles.find<KmtAllocation>(handle);
        if (allocation && allocation->opened->allocation.get() == m_shown) target = allocation->opened;
      }
  }
  if (!target) {
    if (!device.desktop) {
      const auto opened = device.client->open(m_desktop->allocations, false);
      if (opened.empty()) return kmt::kStatusNoMemory;
      device.desktop = opened[0];
    }
    target = device.desktop;
  }
  DXGKARG_DESCRIBEALLOCATION to{}, from{};
  if (!describe(*target->allocation, to) || (source && !describe(*source->opened->allocation, from)))
    return kmt::kStatusInvalidParameter;
  PresentShape shape{};
  shape.width = static_cast<LONG>(to.Width);
  shape.height = static_cast<LONG>(to.Height);
  shape.window =
      request.hasWindow && !destination ? toRect(request.window) : RECT{0, 0, shape.width, shape.height};
  if (flags.DstRectValid) shape.to = toRect(request.to);
  if (source) {
    shape.sourceWidth = static_cast<LONG>(from.Width);
    shape.sourceHeight = static_cast<LONG>(from.Height);
    if (flags.SrcRectValid) shape.from = toRect(request.from);
    shape.subRects = subRects;
  } else {  // a fill has the size of its destination
    const RECT filled = shape.to.value_or(
        RECT{0, 0, shape.window.right - shape.window.left, shape.window.bottom - shape.window.top});
    shape.sourceWidth = filled.right - filled.left;
    shape.sourceHeight = filled.bottom - filled.top;
  }
  // A window without an area shows nothing.
  if (shape.window.left == shape.window.right || shape.window.top == shape.window.bottom)
    return kmt::kStatusPresentOccluded;
  const auto area = presentArea(shape);
  if (!area) return kmt::kStatusInvalidParameter;
  if (area->subRects.empty()) {  // outside the screen
    device.blits.push_back({0, count});
    return kmt::kStatusSuccess;
  }
  for (const OpenAllocation* one : {target, source ? source->opened : nullptr})
    if (one && m_adapter.vidmm().lockedOut(*one->allocation)) return kmt::kStatusCantRenderLocked;
  DXGK_PRESENTFLAGS driverFlags{};
  driverFlags.Blt = flags.Blt;
  driverFlags.ColorFill = flags.ColorFill;
  driverFlags.SrcColorKey = flags.SrcColorKey;
  uint64_t number = 0;
  const NTSTATUS status =
      context.context->present(source ? source->opened : nullptr, target, area->from, area->to,
                               area->subRects, driverFlags, request.color, &number);
  if (number) device.lastNumber = number;
  if (ntSuccess(status)) device.blits.push_back({number, count});
  return status;
}

NTSTATUS Kernel::presentFlip(DeviceCalls& device, KmtContext& context, const kmt::PresentRequest& request,
                             KmtAllocation& source, uint32_t count) {
  if (request.flipInterval > D3DDDI_FLIPINTERVAL_FOUR) return kmt::kStatusInvalidParameter;
  // Page "D3DKMTPresent": no interval that the driver does not support.
  if (request.flipInterval > D3DDDI_FLIPINTERVAL_ONE && !m_adapter.caps.FlipCaps.FlipInterval)
    return kmt::kStatusInvalidParameter;
  const std::shared_ptr<Allocation> frame = source.opened->allocation;
  {
    std::lock_guard screen(m_screen);
    if (m_owner != device.device.get()) return kmt::kStatusPresentOccluded;
    if (const NTSTATUS status = checkFrame(*frame, m_adapter.display().mode()); !ntSuccess(status))
      return status;
  }
  {
    ProcessScope scope(context.process->id);
    std::shared_lock exclusion(m_adapter.exclusion());
    const NTSTATUS status = context.context->presentFlip(*source.opened);
    if (!ntSuccess(status)) return status;
  }
  std::lock_guard screen(m_screen);
  if (m_owner != device.device.get()) return kmt::kStatusPresentOccluded;
  // In order with all that the device has submitted, as it is in the queue of its context.
  const uint64_t number = std::max<uint64_t>(frame->busyUntil, device->lastNumber);
  m_flips.push_back({device.device, frame, number, request.flipInterval, count});
  m_flipsChanged.notify_all();
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::Present>, Process& process, const kmt::PresentRequest& request,
                     TailReader& in, kmt::Nothing&, TailWriter&) {
  std::vector<RECT> subRects;
  for (const kmt::WireRect& r : in.array<kmt::WireRect>(request.subRects)) subRects.push_back(toRect(r));
  const D3DKMT_PRESENTFLAGS flags = presentFlagsOf(request.flags);
  const auto context = process.handles.find<KmtContext>(request.context);
  if (!in.finished() || !context || flags.Blt + flags.ColorFill + flags.Flip != 1)
    return kmt::kStatusInvalidParameter;
  if (request.vidPnSource) return kmt::kStatusInvalidVidPnSource;
  if (flags.DstColorKey || flags.LinearToSrgb || flags.Rotate || flags.PresentToBitmap ||
      flags.RedirectedFlip || flags.RedirectedBlt || flags.FlipDoNotFlip || flags.FlipRestart)
    return kmt::kStatusNotSupported;
  // Page "D3DKMTPresent": these are for flips alone.
  if (!flags.Flip && flags.FlipDoNotWait) return kmt::kStatusInvalidParameter;
  DeviceCalls device = enterDevice(process, context->device->handle);
  if (!device || !device->contexts.contains(request.context)) return kmt::kStatusInvalidParameter;
  if (const NTSTATUS turn = waitForPresents(device, flags.FlipDoNotWait); !ntSuccess(turn)) return turn;
  if (!device->contexts.contains(request.context)) return kmt::kStatusInvalidParameter;
  std::shared_ptr<KmtAllocation> source, destination;
  if (!flags.ColorFill && !(source = allocationOf(process, *device, request.source)))
    return kmt::kStatusInvalidHandle;
  if (request.destination && !(destination = allocationOf(process, *device, request.destination)))
    return kmt::kStatusInvalidHandle;
  const uint32_t count = flags.PresentCountValid ? request.presentCount : device->presentCount + 1;
  const NTSTATUS status =
      flags.Flip ? presentFlip(device, *context, request, *source, count)
                 : presentBlt(*device, *context, request, source.get(), destination.get(), subRects, count);
  if (ntSuccess(status)) device->presentCount = count;
  return status;
}

NTSTATUS Kernel::run(CallTag<Call::SetQueuedLimit>, Process& process,
                     const kmt::SetQueuedLimitRequest& request, TailReader&, kmt::SetQueuedLimitReply& reply,
                     TailWriter&) {
  constexpr uint32_t kMost = 30;  // Windows' limit; page "IDirect3DDevice9Ex::SetMaximumFrameLatency" says 20
  const DeviceCalls device = enterDevice(process, request.device);
  if (!device) return kmt::kStatusInvalidParameter;
  switch (request.type) {
    case D3DKMT_SET_QUEUEDLIMIT_PRESENT:
      if (!request.limit || request.limit > kMost) return kmt::kStatusInvalidParameter;
      device->queuedLimit = request.limit;
      return kmt::kStatusSuccess;
    case D3DKMT_GET_QUEUEDLIMIT_PRESENT:
      reply.limit = device->queuedLimit;
      reply.pendingFlips = 1;
      return kmt::kStatusSuccess;
    default:
      return kmt::kStatusInvalidParameter;
  }
}

}  // namespace aerogpu::host
