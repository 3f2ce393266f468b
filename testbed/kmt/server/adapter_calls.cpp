// SPDX-License-Identifier: MIT
// Adapters, devices, contexts, and queries about them.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "aerogpu/aerogpu_escape.h"
#include "d3dkmthk.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kmt/server/kernel.h"

namespace aerogpu::host {

using kmt::Call;

namespace {

constexpr uint32_t kLuidLow = 0xA3D0, kSourceId = 0;
constexpr char16_t kDisplayName[] = u"\\\\.\\DISPLAY1";
/// The device's name in the package's INF.
constexpr char16_t kAdapterName[] = u"aerogpu virtual GPU (aerogpu project - WDDM v1.1)";

bool isDisplayName(std::span<const uint8_t> name) {
  return name.size() == sizeof kDisplayName - sizeof(char16_t) &&
         std::memcmp(name.data(), kDisplayName, name.size()) == 0;
}

D3DKMT_DISPLAYMODE describeMode(const DisplayMode& mode) {
  D3DKMT_DISPLAYMODE out{};
  out.Width = mode.width;
  out.Height = mode.height;
  out.Format = mode.format;
  out.RefreshRate = {mode.refreshNumerator, mode.refreshDenominator};
  if (mode.refreshDenominator)
    out.IntegerRefreshRate = (mode.refreshNumerator + mode.refreshDenominator / 2) / mode.refreshDenominator;
  out.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  out.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
  out.Flags.ValidatedAgainstMonitorCaps = 1;
  return out;
}

/// Writes `value` over the caller's data; returns false if that is too short for it.
template <class Value>
bool answer(std::vector<uint8_t>& data, const Value& value) {
  if (data.size() < sizeof value) return false;
  std::memcpy(data.data(), &value, sizeof value);
  return true;
}

/// Reports that a user-mode driver uses an escape that its kernel driver does not have: one of them is older.
/// Reported once for each escape.
void reportUnknownEscape(const std::vector<uint8_t>& data) {
  static std::atomic<uint64_t> said;
  aerogpu_escape_header header;
  if (data.size() < sizeof header) return;
  std::memcpy(&header, data.data(), sizeof header);
  if (header.op >= 64 || (said.fetch_or(uint64_t{1} << header.op) >> header.op & 1)) return;
  std::printf("aerogpu-kmt: the kernel driver does not know escape %u\n", header.op);
  std::fflush(stdout);
}

}  // namespace

NTSTATUS Kernel::run(CallTag<Call::OpenAdapter>, Process& process, const kmt::OpenAdapterRequest& request,
                     TailReader& in, kmt::OpenAdapterReply& reply, TailWriter&) {
  const auto name = in.take(uint64_t{request.nameChars} * sizeof(char16_t));
  if (!in.finished()) return kmt::kStatusInvalidParameter;
  switch (static_cast<kmt::OpenBy>(request.by)) {
    case kmt::OpenBy::DeviceContext:
      break;
    case kmt::OpenBy::GdiDisplayName:
      if (!isDisplayName(name)) return kmt::kStatusInvalidParameter;
      break;
    default:  // device interfaces have no names here
      return kmt::kStatusInvalidParameter;
  }
  reply.adapter = process.handles.add(std::make_shared<KmtAdapter>());
  if (!reply.adapter) return kmt::kStatusNoMemory;
  reply.vidPnSource = kSourceId;
  reply.luidLow = kLuidLow;
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::CloseAdapter>, Process& process, const kmt::OneHandle& request,
                     TailReader&, kmt::Nothing&, TailWriter&) {
  return process.handles.remove<KmtAdapter>(request.handle) ? kmt::kStatusSuccess
                                                            : kmt::kStatusInvalidParameter;
}

NTSTATUS Kernel::run(CallTag<Call::QueryAdapterInfo>, Process& process,
                     const kmt::QueryAdapterInfoRequest& request, TailReader& in, kmt::Counted& reply,
                     TailWriter& out) {
  std::vector<uint8_t> data = in.bytes(request.bytes);
  if (!in.finished() || data.empty() || !isAdapter(process, request.adapter))
    return kmt::kStatusInvalidParameter;
  NTSTATUS status = kmt::kStatusSuccess;
  bool room = true;
  switch (request.type) {
    case KMTQAITYPE_UMDRIVERPRIVATE: {
      DXGKARG_QUERYADAPTERINFO args{};
      args.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
      args.pOutputData = data.data();
      args.OutputDataSize = static_cast<UINT>(data.size());
      ProcessScope scope(process.id);
      std::shared_lock exclusion(m_adapter.exclusion());
      status = callDdi("DxgkDdiQueryAdapterInfo", kPassiveLevel, m_adapter.ddi.DxgkDdiQueryAdapterInfo,
                       m_adapter.context(), &args);
      break;
    }
    case KMTQAITYPE_UMDRIVERNAME: {
      D3DKMT_UMDFILENAMEINFO info{};
      constexpr size_t kCharacters = sizeof info.UmdFileName / sizeof info.UmdFileName[0];
      if (data.size() < sizeof info) {
        room = false;
        break;
      }
      std::memcpy(&info.Version, data.data(), sizeof info.Version);
      // The registry has a list for each kind of process, UserModeDriverName and UserModeDriverNameWow, with
      // the drivers of Direct3D 9, 10 and 11 in this order (page "Loading a User-Mode Display Driver"). One
      // file is both of the latter here.
      const UserModeDrivers::Files& files = process.pointerBits == 32 ? m_drivers.x86 : m_drivers.x64;
      const bool nine = info.Version == KMTUMDVERSION_DX9, known = info.Version <= KMTUMDVERSION_DX11;
      const std::string& umd = nine ? files.d3d9 : files.d3d10;
      if (known && umd.empty())
        note("kmt: there is no user-mode driver of Direct3D %s for a %u-bit program", nine ? "9" : "10 or 11",
             process.pointerBits);
      if (!known || umd.empty() || umd.size() >= kCharacters) {
        status = kmt::kStatusInvalidParameter;
        break;
      }
      for (size_t i = 0; i < umd.size(); ++i)
        info.UmdFileName[i] = static_cast<WCHAR>(static_cast<uint8_t>(umd[i]));
      room = answer(data, info);
      break;
    }
    case KMTQAITYPE_GETSEGMENTSIZE: {
      D3DKMT_SEGMENTSIZEINFO info{};
      for (const Segment& segment : m_adapter.vidmm().segments())
        (segment.descriptor.Flags.Aperture ? info.SharedSystemMemorySize : info.DedicatedVideoMemorySize) +=
            segment.descriptor.CommitLimit;
      room = answer(data, info);
      break;
    }
    case KMTQAITYPE_FLIPQUEUEINFO: {
      D3DKMT_FLIPQUEUEINFO info{};
      info.MaxHardwareFlipQueueLength = m_adapter.caps.MaxQueuedFlipOnVSync;
      info.MaxSoftwareFlipQueueLength = 3;
      info.FlipFlags.FlipInterval = m_adapter.caps.FlipCaps.FlipInterval;
      room = answer(data, info);
      break;
    }
    case KMTQAITYPE_ADAPTERREGISTRYINFO: {
      // The device's name; the other strings are for drivers that write them into the registry.
      D3DKMT_ADAPTERREGISTRYINFO info{};
      static_assert(sizeof kAdapterName <= sizeof info.AdapterString);
      std::memcpy(info.AdapterString, kAdapterName, sizeof kAdapterName);
      room = answer(data, info);
      break;
    }
    case KMTQAITYPE_CURRENTDISPLAYMODE: {
      D3DKMT_CURRENTDISPLAYMODE info{};
      std::memcpy(&info, data.data(), std::min(data.size(), sizeof info.VidPnSourceId));
      if (info.VidPnSourceId != kSourceId) {
        status = kmt::kStatusInvalidVidPnSource;
        break;
      }
      std::lock_guard screen(m_screen);
      info.DisplayMode = describeMode(m_adapter.display().mode());
      room = answer(data, info);
      break;
    }
    default:
      status = kmt::kStatusNotSupported;
  }
  if (!room) status = kmt::kStatusBufferTooSmall;
  if (status < 0) return status;
  reply.count = static_cast<uint32_t>(data.size());
  out.append(std::span<const uint8_t>(data));
  return status;
}

NTSTATUS Kernel::run(CallTag<Call::CreateDevice>, Process& process, const kmt::CreateDeviceRequest& request,
                     TailReader&, kmt::OneHandle& reply, TailWriter&) {
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  if (++process.devices > Process::kMaxDevices) {
    --process.devices;
    return kmt::kStatusNoMemory;
  }
  auto device = std::make_shared<KmtDevice>();
  device->resetsBefore = m_adapter.scheduler().resets();
  device->client = Client::create(m_adapter, process.id);
  if (device->client) reply.handle = process.handles.add(device);
  if (reply.handle) return kmt::kStatusSuccess;
  --process.devices;
  return kmt::kStatusNoMemory;
}

NTSTATUS Kernel::run(CallTag<Call::DestroyDevice>, Process& process, const kmt::OneHandle& request,
                     TailReader&, kmt::Nothing&, TailWriter&) {
  if (!process.handles.find<KmtDevice>(request.handle)) return kmt::kStatusInvalidParameter;
  destroyDevice(process, request.handle);
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::CreateContext>, Process& process, const kmt::CreateContextRequest& request,
                     TailReader& in, kmt::CreateContextReply& reply, TailWriter&) {
  in.take(request.privateBytes);
  DeviceCalls device = enterDevice(process, request.device);
  // Page "D3DKMTCreateContext": nodes and engines are numbered from 0, affinity has a bit for each engine.
  if (!in.finished() || !device || request.node || request.engines > 1) return kmt::kStatusInvalidParameter;
  if (request.privateBytes || request.flags) return kmt::kStatusNotSupported;  // the driver takes none
  if (isLost(*device)) return kmt::kStatusDeviceRemoved;
  if (++process.contexts > Process::kMaxContexts) {
    --process.contexts;
    return kmt::kStatusNoMemory;
  }
  auto context = std::make_shared<KmtContext>();
  context->process = &process;
  context->device = device.device;
  context->context = device->client->createContext();
  if (context->context) {
    const DXGK_CONTEXTINFO& info = context->context->info();
    context->buffers = std::make_unique<CommandBufferSets>(
        process.memory,
        CommandBufferSets::Sizes{info.DmaBufferSize, info.AllocationListSize, info.PatchLocationListSize});
    if (context->buffers->ok()) reply.context = process.handles.add(context);
  }
  if (!reply.context) {
    --process.contexts;
    return kmt::kStatusNoMemory;
  }
  device->contexts.insert(reply.context);
  reply.buffers = context->buffers->current();
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::DestroyContext>, Process& process, const kmt::OneHandle& request,
                     TailReader&, kmt::Nothing&, TailWriter&) {
  const auto context = process.handles.find<KmtContext>(request.handle);
  if (!context) return kmt::kStatusInvalidParameter;
  std::lock_guard calls(context->device->calls);
  if (!context->device->contexts.contains(request.handle)) return kmt::kStatusInvalidParameter;
  destroyContext(process, *context->device, request.handle);
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::WaitForIdle>, Process& process, const kmt::OneHandle& request, TailReader&,
                     kmt::Nothing&, TailWriter&) {
  uint64_t number = 0;
  {
    const DeviceCalls device = enterDevice(process, request.handle);
    if (!device) return kmt::kStatusInvalidParameter;
    if (isLost(*device)) return kmt::kStatusDeviceRemoved;
    number = device->lastNumber;
  }
  return m_adapter.scheduler().waitIdle(number) ? kmt::kStatusSuccess : kmt::kStatusDeviceRemoved;
}

NTSTATUS Kernel::run(CallTag<Call::GetDeviceState>, Process& process,
                     const kmt::GetDeviceStateRequest& request, TailReader&, kmt::GetDeviceStateReply& reply,
                     TailWriter&) {
  const DeviceCalls device = enterDevice(process, request.device);
  if (!device) return kmt::kStatusInvalidParameter;
  switch (request.type) {
    case D3DKMT_DEVICESTATE_EXECUTION:
      reply.value = isLost(*device) ? D3DKMT_DEVICEEXECUTION_HUNG : D3DKMT_DEVICEEXECUTION_ACTIVE;
      return kmt::kStatusSuccess;
    case D3DKMT_DEVICESTATE_PRESENT:
      if (request.vidPnSource != kSourceId) return kmt::kStatusInvalidVidPnSource;
      // Whoever asks for refreshes wants them counted, also while nothing waits for one.
      if (!device->countsRefreshes) useVsync(true);
      device->countsRefreshes = true;
      countBlits(*device);
      reply.presentCount = device->done;
      reply.presentRefreshCount = device->doneRefresh;
      {
        const Scheduler::CountedVsync last = m_adapter.scheduler().countedVsync();
        reply.syncRefreshCount = static_cast<uint32_t>(last.count);
        reply.syncNs = last.ns;
      }
      return kmt::kStatusSuccess;
    case D3DKMT_DEVICESTATE_RESET:
      reply.value = 0;  // the desktop never switches
      return kmt::kStatusSuccess;
    default:
      return kmt::kStatusInvalidParameter;
  }
}

NTSTATUS Kernel::run(CallTag<Call::Escape>, Process& process, const kmt::EscapeRequest& request,
                     TailReader& in, kmt::Counted& reply, TailWriter& out) {
  std::vector<uint8_t> data = in.bytes(request.bytes);
  if (!in.finished() || !isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  // The others are dxgkrnl's own, for its tests.
  if (request.type != D3DKMT_ESCAPE_DRIVERPRIVATE) return kmt::kStatusNotSupported;
  DXGKARG_ESCAPE args{};
  DeviceCalls device;
  if (request.device && !(device = enterDevice(process, request.device))) return kmt::kStatusInvalidParameter;
  if (request.context) {
    const auto context = process.handles.find<KmtContext>(request.context);
    if (!device || !context || context->device != device.device || !context->context)
      return kmt::kStatusInvalidParameter;
    args.hContext = context->context->handle();
  }
  if (device) args.hDevice = device->client->device();
  args.Flags.Value = request.flags;
  args.pPrivateDriverData = data.empty() ? nullptr : data.data();
  args.PrivateDriverDataSize = static_cast<UINT>(data.size());
  ProcessScope scope(process.id);
  // HardwareAccess requires an idle GPU and no other call in the driver.
  if (args.Flags.HardwareAccess) m_adapter.scheduler().waitIdle();
  std::shared_lock shared(m_adapter.exclusion(), std::defer_lock);
  std::unique_lock alone(m_adapter.exclusion(), std::defer_lock);
  if (args.Flags.HardwareAccess)
    alone.lock();
  else
    shared.lock();
  const NTSTATUS status =
      callDdi("DxgkDdiEscape", kPassiveLevel, m_adapter.ddi.DxgkDdiEscape, m_adapter.context(), &args);
  if (status == kmt::kStatusNotSupported) reportUnknownEscape(data);
  if (status < 0) return status;
  reply.count = static_cast<uint32_t>(data.size());
  out.append(std::span<const uint8_t>(data));
  return status;
}

NTSTATUS Kernel::displayModes(TailWriter& out, uint32_t capacity, uint32_t& total) {
  const auto& modes = m_adapter.display().modes();
  total = static_cast<uint32_t>(modes.size());
  if (!capacity) return kmt::kStatusSuccess;
  if (capacity < total || total > kmt::kMaxModes) return kmt::kStatusBufferTooSmall;
  for (const DisplayMode& mode : modes) out.append(describeMode(mode));
  return kmt::kStatusSuccess;
}

NTSTATUS Kernel::run(CallTag<Call::GetDisplayModeList>, Process& process,
                     const kmt::GetDisplayModeListRequest& request, TailReader&,
                     kmt::GetDisplayModeListReply& reply, TailWriter& out) {
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  if (request.vidPnSource != kSourceId) return kmt::kStatusInvalidVidPnSource;
  const NTSTATUS status = displayModes(out, request.capacity, reply.total);
  if (ntSuccess(status) && request.capacity) reply.count = reply.total;
  return status;
}

// The driver's primaries have one sample (DxgkDdiDescribeAllocation): no method for any mode.
NTSTATUS Kernel::run(CallTag<Call::GetMultisampleMethodList>, Process& process,
                     const kmt::GetMultisampleMethodListRequest& request, TailReader&, kmt::Counted& reply,
                     TailWriter&) {
  if (!isAdapter(process, request.adapter)) return kmt::kStatusInvalidParameter;
  if (request.vidPnSource != kSourceId) return kmt::kStatusInvalidVidPnSource;
  reply.count = 0;
  return m_adapter.display().find(request.width, request.height, static_cast<D3DDDIFORMAT>(request.format), 0,
                                  0)
             ? kmt::kStatusSuccess
             : kmt::kStatusModeNotInModeSet;
}

}  // namespace aerogpu::host
