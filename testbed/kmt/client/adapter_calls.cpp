// SPDX-License-Identifier: MIT
// adapter_calls.cpp: adapters, devices, contexts and queries about them. Pages "D3DKMT..." of d3dkmthk.h.
#include "testbed/kmt/client/connection.h"
#include "testbed/kmt/client/shared_buffers.h"

namespace aerogpu::kmt {

namespace {

struct OpenedAdapter {
  NTSTATUS status;
  OpenAdapterReply reply;
};
OpenedAdapter openAdapter(OpenBy by, const WCHAR *name, uint32_t chars) {
  KernelCall<Call::OpenAdapter> call({static_cast<uint32_t>(by), chars});
  call.append(name, chars * sizeof(WCHAR));
  const NTSTATUS status = call.send();
  return {status, call.reply()};
}

/** Returns the number of characters before the end, at most `most`. */
uint32_t lengthOf(const WCHAR *text, uint32_t most) {
  uint32_t length = 0;
  while (length < most && text[length]) ++length;
  return length;
}

}  // namespace

bool adoptBuffers(const CommandBuffers &buffers, MappedBuffers &out) {
  // The three ranges were checked when they were made; a wrong one cannot be mapped.
  void *commands = mapShared(buffers.file, buffers.commands, buffers.commandBytes);
  void *allocations =
      mapShared(buffers.file, buffers.allocations, uint64_t{buffers.allocationEntries} * sizeof(D3DDDI_ALLOCATIONLIST));
  void *patches =
      mapShared(buffers.file, buffers.patches, uint64_t{buffers.patchEntries} * sizeof(D3DDDI_PATCHLOCATIONLIST));
  out = {commands, static_cast<D3DDDI_ALLOCATIONLIST *>(allocations), static_cast<D3DDDI_PATCHLOCATIONLIST *>(patches)};
  return commands && allocations && patches;
}

}  // namespace aerogpu::kmt

using namespace aerogpu::kmt;

// There is one display, so every HDC belongs to it.
extern "C" NTSTATUS APIENTRY D3DKMTOpenAdapterFromHdc(D3DKMT_OPENADAPTERFROMHDC *data) {
  if (!data || !data->hDc) return kStatusInvalidParameter;
  const OpenedAdapter opened = openAdapter(OpenBy::DeviceContext, nullptr, 0);
  data->hAdapter = opened.reply.adapter;
  data->AdapterLuid = {opened.reply.luidLow, opened.reply.luidHigh};
  data->VidPnSourceId = opened.reply.vidPnSource;
  return opened.status;
}

extern "C" NTSTATUS APIENTRY D3DKMTOpenAdapterFromGdiDisplayName(D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *data) {
  if (!data) return kStatusInvalidParameter;
  const uint32_t most = sizeof data->DeviceName / sizeof data->DeviceName[0];
  const OpenedAdapter opened = openAdapter(OpenBy::GdiDisplayName, data->DeviceName, lengthOf(data->DeviceName, most));
  data->hAdapter = opened.reply.adapter;
  data->AdapterLuid = {opened.reply.luidLow, opened.reply.luidHigh};
  data->VidPnSourceId = opened.reply.vidPnSource;
  return opened.status;
}

extern "C" NTSTATUS APIENTRY D3DKMTOpenAdapterFromDeviceName(D3DKMT_OPENADAPTERFROMDEVICENAME *data) {
  if (!data || !data->pDeviceName) return kStatusInvalidParameter;
  const OpenedAdapter opened =
      openAdapter(OpenBy::DeviceName, data->pDeviceName, lengthOf(data->pDeviceName, MAX_PATH));
  data->hAdapter = opened.reply.adapter;
  data->AdapterLuid = {opened.reply.luidLow, opened.reply.luidHigh};
  return opened.status;
}

extern "C" NTSTATUS APIENTRY D3DKMTCloseAdapter(const D3DKMT_CLOSEADAPTER *data) {
  return data ? callKernel<Call::CloseAdapter>({data->hAdapter}) : kStatusInvalidParameter;
}

extern "C" NTSTATUS APIENTRY D3DKMTQueryAdapterInfo(D3DKMT_QUERYADAPTERINFO *data) {
  if (!data) return kStatusInvalidParameter;
  KernelCall<Call::QueryAdapterInfo> call(
      {data->hAdapter, static_cast<uint32_t>(data->Type), data->PrivateDriverDataSize});
  call.append(data->pPrivateDriverData, data->PrivateDriverDataSize);
  const NTSTATUS status = call.send();
  if (const uint8_t *bytes = call.take(call.reply().count); bytes && call.reply().count <= data->PrivateDriverDataSize)
    __builtin_memcpy(data->pPrivateDriverData, bytes, call.reply().count);
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTCreateDevice(D3DKMT_CREATEDEVICE *data) {
  if (!data) return kStatusInvalidParameter;
  uint32_t flags;
  static_assert(sizeof data->Flags == sizeof flags);
  __builtin_memcpy(&flags, &data->Flags, sizeof flags);
  OneHandle device{};
  const NTSTATUS status = callKernel<Call::CreateDevice>({data->hAdapter, flags}, &device);
  data->hDevice = device.handle;
  // Command buffers belong to contexts; these are for drivers without contexts (page "D3DKMT_CREATEDEVICE").
  data->pCommandBuffer = nullptr;
  data->pAllocationList = nullptr;
  data->pPatchLocationList = nullptr;
  data->CommandBufferSize = data->AllocationListSize = data->PatchLocationListSize = 0;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTDestroyDevice(const D3DKMT_DESTROYDEVICE *data) {
  return data ? callKernel<Call::DestroyDevice>({data->hDevice}) : kStatusInvalidParameter;
}

extern "C" NTSTATUS APIENTRY D3DKMTCreateContext(D3DKMT_CREATECONTEXT *data) {
  if (!data) return kStatusInvalidParameter;
  KernelCall<Call::CreateContext> call({data->hDevice, data->NodeOrdinal, data->EngineAffinity, data->Flags.Value,
                                        static_cast<uint32_t>(data->ClientHint), data->PrivateDriverDataSize});
  call.append(data->pPrivateDriverData, data->PrivateDriverDataSize);
  const NTSTATUS status = call.send();
  if (status < 0) return status;
  const CreateContextReply reply = call.reply();
  MappedBuffers mapped;
  if (!adoptBuffers(reply.buffers, mapped)) {
    callKernel<Call::DestroyContext>({reply.context});
    return kStatusNoMemory;
  }
  data->hContext = reply.context;
  data->pCommandBuffer = mapped.commands;
  data->CommandBufferSize = reply.buffers.commandBytes;
  data->pAllocationList = mapped.allocations;
  data->AllocationListSize = reply.buffers.allocationEntries;
  data->pPatchLocationList = mapped.patches;
  data->PatchLocationListSize = reply.buffers.patchEntries;
  data->CommandBuffer = 0;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTDestroyContext(const D3DKMT_DESTROYCONTEXT *data) {
  return data ? callKernel<Call::DestroyContext>({data->hContext}) : kStatusInvalidParameter;
}

extern "C" NTSTATUS APIENTRY D3DKMTEscape(const D3DKMT_ESCAPE *data) {
  if (!data) return kStatusInvalidParameter;
  KernelCall<Call::Escape> call({data->hAdapter, data->hDevice, data->hContext, static_cast<uint32_t>(data->Type),
                                 data->Flags.Value, data->PrivateDriverDataSize});
  call.append(data->pPrivateDriverData, data->PrivateDriverDataSize);
  const NTSTATUS status = call.send();
  if (const uint8_t *bytes = call.take(call.reply().count); bytes && call.reply().count <= data->PrivateDriverDataSize)
    __builtin_memcpy(data->pPrivateDriverData, bytes, call.reply().count);
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTGetDeviceState(D3DKMT_GETDEVICESTATE *data) {
  if (!data) return kStatusInvalidParameter;
  const bool present = data->StateType == D3DKMT_DEVICESTATE_PRESENT;
  GetDeviceStateReply reply{};
  const NTSTATUS status = callKernel<Call::GetDeviceState>(
      {data->hDevice, static_cast<uint32_t>(data->StateType), present ? data->PresentState.VidPnSourceId : 0}, &reply);
  if (status < 0) return status;
  if (data->StateType == D3DKMT_DEVICESTATE_EXECUTION) {
    data->ExecutionState = static_cast<D3DKMT_DEVICEEXECUTION_STATE>(reply.value);
  } else if (data->StateType == D3DKMT_DEVICESTATE_RESET) {
    data->ResetState.Value = reply.value;
  } else if (present) {
    // QueryPerformanceCounter under Wine reads the host's clock.
    LARGE_INTEGER frequency;
    QueryPerformanceFrequency(&frequency);
    D3DKMT_PRESENT_STATS &stats = data->PresentState.PresentStats;
    stats = {};
    stats.PresentCount = reply.presentCount;
    stats.PresentRefreshCount = reply.presentRefreshCount;
    stats.SyncRefreshCount = reply.syncRefreshCount;
    stats.SyncQPCTime.QuadPart = reply.syncNs / 1000 * frequency.QuadPart / 1000000;
  }
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTWaitForIdle(const D3DKMT_WAITFORIDLE *data) {
  return data ? callKernel<Call::WaitForIdle>({data->hDevice}) : kStatusInvalidParameter;
}

// The driver's one engine runs submissions in order, so there are no objects that order engines.
extern "C" NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject(D3DKMT_CREATESYNCHRONIZATIONOBJECT *) {
  return kStatusNotImplemented;
}
extern "C" NTSTATUS APIENTRY D3DKMTDestroySynchronizationObject(const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT *) {
  return kStatusNotImplemented;
}
extern "C" NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject(const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT *) {
  return kStatusNotImplemented;
}
extern "C" NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject(const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT *) {
  return kStatusNotImplemented;
}
