// SPDX-License-Identifier: MIT
// The owner of the screen, and its picture; vertical blanks.
#include <cstring>

#include "d3dkmthk.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/power.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kmt/server/kernel.h"

namespace aerogpu::host {

using kmt::Call;

void Kernel::useVsync(bool use) {
  std::lock_guard lock(m_vsync);
  if (use ? m_vsyncUsers++ == 0 : --m_vsyncUsers == 0) m_adapter.display().controlVsync(use);
}

bool Kernel::sleep() {
  std::lock_guard gate(m_awake);
  std::lock_guard screen(m_screen);
  std::lock_guard vsync(m_vsync);
  Display& display = m_adapter.display();
  if (m_vsyncUsers) display.controlVsync(false);
  const bool slept = sleepSystem(m_adapter, m_shown, [&] { return m_adapter.machine().sleepAndWake(false); });
  if (m_vsyncUsers) display.controlVsync(true);
  return slept;
}

namespace {

/// Returns the format of the mode that shows a surface: a screen has no use for alpha.
D3DDDIFORMAT modeFormat(D3DDDIFORMAT format) {
  return format == D3DDDIFMT_A8R8G8B8 ? D3DDDIFMT_X8R8G8B8 : format;
}

}  // namespace

NTSTATUS Kernel::checkFrame(const Allocation& frame, const DisplayMode& mode) {
  Vidmm& vidmm = m_adapter.vidmm();
  for (const Segment& segment : vidmm.segments())
    if ((frame.info.SupportedWriteSegmentSet >> (segment.id - 1) & 1) && vidmm.isAperture(segment.id))
      return kmt::kStatusInvalidAllocationUsage;  // scanout needs one contiguous range
  DXGKARG_DESCRIBEALLOCATION described;
  if (!describe(frame, described) || described.Width != mode.width || described.Height != mode.height ||
      modeFormat(described.Format) != mode.format)
    return kmt::kStatusInvalidAllocationUsage;
  return kmt::kStatusSuccess;
}

void Kernel::releaseScreen(const KmtDevice& device) {
  std::lock_guard screen(m_screen);
  if (m_owner != &device) return;
  dropFlipsOf(device);
  showDesktop();
  m_owner = nullptr;
  useVsync(false);
}

void Kernel::showDesktop() {
  Display& display = m_adapter.display();
  if (m_hasGammaRamp) display.setGammaRamp(nullptr);
  m_hasGammaRamp = false;
  Allocation* const shown = m_shown;
  if (display.mode() != display.desktopMode())
    display.restoreDesktop();
  else if (shown)
    display.flip(*display.primary());
  if (shown) display.unpin(*shown);
  m_shown = nullptr;
}

NTSTATUS Kernel::run(CallTag<Call::SetVidPnSourceOwner>, Process& process,
                     const kmt::SetVidPnSourceOwnerRequest& request, TailReader& in, kmt::Nothing&,
                     TailWriter&) {
  const auto owners = in.array<kmt::SourceOwner>(request.count);
  const DeviceCalls device = enterDevice(process, request.device);
  if (!in.finished() || !device) return kmt::kStatusInvalidParameter;
  for (const kmt::SourceOwner& owner : owners) {
    if (owner.vidPnSource) return kmt::kStatusInvalidVidPnSource;
    if (owner.type > D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI) return kmt::kStatusInvalidParameter;
  }
  // No sources: the device gives up all.
  const uint32_t type = owners.empty() ? uint32_t{D3DKMT_VIDPNSOURCEOWNER_UNOWNED} : owners.back().type;
  if (type == D3DKMT_VIDPNSOURCEOWNER_UNOWNED) {
    releaseScreen(*device);
    return kmt::kStatusSuccess;
  }
  std::lock_guard screen(m_screen);
  if (m_owner && m_owner != device.device.get()) return kmt::kStatusVidPnSourceInUse;
  if (type == D3DKMT_VIDPNSOURCEOWNER_SHARED) {  // the default state
    if (m_owner) {
      dropFlipsOf(*m_owner);
      showDesktop();
      m_owner = nullptr;
      useVsync(false);
    }
    return kmt::kStatusSuccess;
  }
  if (!m_owner) {
    m_owner = device.device.get();
    useVsync(true);
    m_flipVsync = 0;
  }
  return kmt::kStatusSuccess;
}

// A ramp is the owner's, and ends with its ownership.
NTSTATUS Kernel::run(CallTag<Call::SetGammaRamp>, Process& process, const kmt::SetGammaRampRequest& request,
                     TailReader& in, kmt::Nothing&, TailWriter&) {
  const auto numbers = in.array<USHORT>(request.bytes / sizeof(USHORT));
  const DeviceCalls device = enterDevice(process, request.device);
  if (!in.finished() || !device) return kmt::kStatusInvalidParameter;
  if (request.vidPnSource) return kmt::kStatusInvalidVidPnSource;
  const bool table = request.type == D3DDDI_GAMMARAMP_RGB256x3x16;
  if (request.bytes != (table ? kmt::kGammaRampBytes : 0) ||
      (!table && request.type != D3DDDI_GAMMARAMP_DEFAULT))
    return kmt::kStatusInvalidParameter;
  std::lock_guard screen(m_screen);
  if (m_owner != device.device.get())
    return m_owner ? kmt::kStatusVidPnSourceInUse : kmt::kStatusInvalidParameter;
  D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp;
  if (table) std::memcpy(&ramp, numbers.data(), sizeof ramp);
  const NTSTATUS status = m_adapter.display().setGammaRamp(table ? &ramp : nullptr);
  if (ntSuccess(status)) m_hasGammaRamp = table;
  return status;
}

NTSTATUS Kernel::run(CallTag<Call::ReleaseProcessVidPnSourceOwners>, Process& process, const kmt::Nothing&,
                     TailReader&, kmt::Nothing&, TailWriter&) {
  for (const auto& object : process.handles.all())
    if (object->kind == ObjectKind::Device)
      if (const DeviceCalls device = enterDevice(process, object->handle); device) releaseScreen(*device);
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::SetDisplayMode>, Process& process,
                     const kmt::SetDisplayModeRequest& request, TailReader&, kmt::Nothing&, TailWriter&) {
  DeviceCalls device = enterDevice(process, request.device);
  if (!device) return kmt::kStatusInvalidParameter;
  auto primary = allocationOf(process, *device, request.primary);
  if (!primary) return kmt::kStatusInvalidHandle;
  if (request.orientation > D3DDDI_ROTATION_IDENTITY || request.scanLineOrdering > D3DDDI_VSSLO_PROGRESSIVE ||
      request.privateFormat)
    return kmt::kStatusNotSupported;
  drainFlips(device);
  primary = allocationOf(process, *device, request.primary);
  if (device->gone || !primary) return kmt::kStatusInvalidParameter;
  if (isLost(*device)) return kmt::kStatusDeviceRemoved;
  Allocation& frame = *primary->opened->allocation;
  m_adapter.scheduler().waitIdle(frame.busyUntil);
  DXGKARG_DESCRIBEALLOCATION described;
  if (!describe(frame, described)) return kmt::kStatusInvalidParameter;
  std::lock_guard screen(m_screen);
  if (m_owner != device.device.get())
    return m_owner ? kmt::kStatusVidPnSourceInUse : kmt::kStatusInvalidParameter;
  Display& display = m_adapter.display();
  const DisplayMode now = display.mode();
  // The current refresh rate, if the driver does not give one.
  const D3DDDI_RATIONAL rate = described.RefreshRate.Denominator
                                   ? described.RefreshRate
                                   : D3DDDI_RATIONAL{now.refreshNumerator, now.refreshDenominator};
  const DisplayMode* mode = display.find(described.Width, described.Height, modeFormat(described.Format),
                                         rate.Numerator, rate.Denominator);
  if (!mode) return kmt::kStatusModeNotInModeSet;
  if (const NTSTATUS status = checkFrame(frame, *mode); !ntSuccess(status)) return status;
  if (*mode == now ? !ntSuccess(display.flip(frame)) : !display.setExclusive(*mode, frame))
    return kmt::kStatusUnsuccessful;
  if (m_shown && m_shown != &frame) display.unpin(*m_shown);
  m_shown = &frame;
  m_flipVsync = m_adapter.scheduler().vsyncs();
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::WaitForVerticalBlankEvent>, Process& process,
                     const kmt::WaitForVerticalBlankEventRequest& request, TailReader&, kmt::Nothing&,
                     TailWriter&) {
  constexpr int kLongestMs = 2000;  // many times longer than any frame
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  if (request.vidPnSource) return kmt::kStatusInvalidVidPnSource;
  if (request.device && !process.handles.find<KmtDevice>(request.device)) return kmt::kStatusInvalidParameter;
  useVsync(true);
  const bool came = m_adapter.scheduler().waitVsync(1, kLongestMs);
  useVsync(false);
  return came ? kmt::kStatusSuccess : kmt::kStatusUnsuccessful;
}

NTSTATUS Kernel::run(CallTag<Call::GetScanLine>, Process& process, const kmt::AdapterSource& request,
                     TailReader&, kmt::GetScanLineReply& reply, TailWriter&) {
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  if (request.vidPnSource) return kmt::kStatusInvalidVidPnSource;
  DXGKARG_GETSCANLINE args{};
  const NTSTATUS status = m_adapter.display().getScanLine(args);
  reply.inVerticalBlank = args.InVerticalBlank;
  reply.scanLine = args.ScanLine;
  return status;
}

// The monitor is always on.
NTSTATUS Kernel::run(CallTag<Call::CheckMonitorPowerState>, Process& process,
                     const kmt::AdapterSource& request, TailReader&, kmt::Nothing&, TailWriter&) {
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  return request.vidPnSource ? kmt::kStatusInvalidVidPnSource : kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::CheckVidPnExclusiveOwnership>, Process& process,
                     const kmt::AdapterSource& request, TailReader&, kmt::Nothing&, TailWriter&) {
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  if (request.vidPnSource) return kmt::kStatusInvalidVidPnSource;
  std::lock_guard screen(m_screen);
  return m_owner ? kmt::kStatusPresentOccluded : kmt::kStatusSuccess;
}

}  // namespace aerogpu::host
