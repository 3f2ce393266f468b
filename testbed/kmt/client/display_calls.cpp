// SPDX-License-Identifier: MIT
// display_calls.cpp: modes, ownership of the screen, vertical blanks. Pages "D3DKMT..." of d3dkmthk.h.
#include "testbed/kmt/client/connection.h"

using namespace aerogpu::kmt;

extern "C" NTSTATUS APIENTRY D3DKMTGetDisplayModeList(D3DKMT_GETDISPLAYMODELIST *data) {
  if (!data) return kStatusInvalidParameter;
  const uint32_t room = data->pModeList ? data->ModeCount : 0;
  KernelCall<Call::GetDisplayModeList> call({data->hAdapter, data->VidPnSourceId, room});
  const NTSTATUS status = call.send();
  const GetDisplayModeListReply &reply = call.reply();
  static_assert(sizeof(D3DKMT_DISPLAYMODE) == 44);
  if (reply.count <= room)
    if (const uint8_t *modes = call.take(size_t{reply.count} * sizeof(D3DKMT_DISPLAYMODE)); modes && reply.count)
      __builtin_memcpy(data->pModeList, modes, size_t{reply.count} * sizeof(D3DKMT_DISPLAYMODE));
  if (call.answered()) data->ModeCount = reply.total;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTGetMultisampleMethodList(D3DKMT_GETMULTISAMPLEMETHODLIST *data) {
  if (!data) return kStatusInvalidParameter;
  const uint32_t room = data->pMethodList ? data->MethodCount : 0;
  KernelCall<Call::GetMultisampleMethodList> call(
      {data->hAdapter, data->VidPnSourceId, data->Width, data->Height, static_cast<uint32_t>(data->Format), room});
  const NTSTATUS status = call.send();
  if (status < 0) return status;
  const uint32_t count = call.reply().count;
  static_assert(sizeof(D3DKMT_MULTISAMPLEMETHOD) == 12);
  const uint32_t given = count < room ? count : room;
  if (const uint8_t *methods = call.take(size_t{given} * sizeof(D3DKMT_MULTISAMPLEMETHOD)); methods && given)
    __builtin_memcpy(data->pMethodList, methods, size_t{given} * sizeof(D3DKMT_MULTISAMPLEMETHOD));
  data->MethodCount = count;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTSetDisplayMode(D3DKMT_SETDISPLAYMODE *data) {
  if (!data) return kStatusInvalidParameter;
  return callKernel<Call::SetDisplayMode>(
      {data->hDevice, data->hPrimaryAllocation, static_cast<uint32_t>(data->ScanLineOrdering),
       static_cast<uint32_t>(data->DisplayOrientation), data->PrivateDriverFormatAttribute, data->Flags.PreserveVidPn});
}

extern "C" NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner(const D3DKMT_SETVIDPNSOURCEOWNER *data) {
  if (!data || (data->VidPnSourceCount && (!data->pType || !data->pVidPnSourceId))) return kStatusInvalidParameter;
  KernelCall<Call::SetVidPnSourceOwner> call({data->hDevice, data->VidPnSourceCount});
  for (UINT i = 0; i < data->VidPnSourceCount; i++) {
    const SourceOwner owner = {static_cast<uint32_t>(data->pType[i]), data->pVidPnSourceId[i]};
    call.append(&owner, sizeof owner);
  }
  return call.send();
}

extern "C" NTSTATUS APIENTRY D3DKMTSetGammaRamp(const D3DKMT_SETGAMMARAMP *data) {
  if (!data) return kStatusInvalidParameter;
  static_assert(sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16) == kGammaRampBytes);
  const bool table = data->Type == D3DDDI_GAMMARAMP_RGB256x3x16;
  if (table && (!data->pGammaRampRgb256x3x16 || data->Size != kGammaRampBytes)) return kStatusInvalidParameter;
  KernelCall<Call::SetGammaRamp> call(
      {data->hDevice, data->VidPnSourceId, static_cast<uint32_t>(data->Type), table ? kGammaRampBytes : 0});
  if (table) call.append(data->pGammaRampRgb256x3x16, kGammaRampBytes);
  return call.send();
}

extern "C" NTSTATUS APIENTRY D3DKMTReleaseProcessVidPnSourceOwners(HANDLE process) {
  if (process != GetCurrentProcess()) return kStatusNotImplemented;
  return callKernel<Call::ReleaseProcessVidPnSourceOwners>({});
}

extern "C" NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent(const D3DKMT_WAITFORVERTICALBLANKEVENT *data) {
  if (!data) return kStatusInvalidParameter;
  return callKernel<Call::WaitForVerticalBlankEvent>({data->hAdapter, data->hDevice, data->VidPnSourceId});
}

extern "C" NTSTATUS APIENTRY D3DKMTGetScanLine(D3DKMT_GETSCANLINE *data) {
  if (!data) return kStatusInvalidParameter;
  GetScanLineReply reply{};
  const NTSTATUS status = callKernel<Call::GetScanLine>({data->hAdapter, data->VidPnSourceId}, &reply);
  data->InVerticalBlank = static_cast<BOOLEAN>(reply.inVerticalBlank != 0);
  data->ScanLine = reply.scanLine;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTSetQueuedLimit(D3DKMT_SETQUEUEDLIMIT *data) {
  if (!data) return kStatusInvalidParameter;
  SetQueuedLimitReply reply{};
  const NTSTATUS status = callKernel<Call::SetQueuedLimit>(
      {data->hDevice, static_cast<uint32_t>(data->Type), data->QueuedPresentLimit, data->QueuedPendingFlipLimit},
      &reply);
  if (status >= 0 && data->Type == D3DKMT_GET_QUEUEDLIMIT_PRESENT) {
    data->QueuedPresentLimit = reply.limit;
    data->QueuedPendingFlipLimit = reply.pendingFlips;
  }
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTGetSharedPrimaryHandle(D3DKMT_GETSHAREDPRIMARYHANDLE *data) {
  if (!data) return kStatusInvalidParameter;
  OneHandle primary{};
  const NTSTATUS status = callKernel<Call::GetSharedPrimaryHandle>({data->hAdapter, data->VidPnSourceId}, &primary);
  data->hSharedPrimary = primary.handle;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTCheckMonitorPowerState(const D3DKMT_CHECKMONITORPOWERSTATE *data) {
  return data ? callKernel<Call::CheckMonitorPowerState>({data->hAdapter, data->VidPnSourceId})
              : kStatusInvalidParameter;
}

extern "C" NTSTATUS APIENTRY D3DKMTCheckVidPnExclusiveOwnership(const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP *data) {
  return data ? callKernel<Call::CheckVidPnExclusiveOwnership>({data->hAdapter, data->VidPnSourceId})
              : kStatusInvalidParameter;
}

// On Windows win32k does this: says whether any part of the window is visible.
extern "C" NTSTATUS APIENTRY D3DKMTCheckOcclusion(const D3DKMT_CHECKOCCLUSION *data) {
  if (!data || !IsWindow(data->hWindow)) return kStatusInvalidParameter;
  return IsWindowVisible(data->hWindow) && !IsIconic(data->hWindow) ? kStatusSuccess : kStatusPresentOccluded;
}
