// SPDX-License-Identifier: MIT
// The kernel side of fake.dll: handles that count up, memory of the process, one display.
#include <algorithm>
#include <map>
#include <vector>

#include "testbed/d3d9-runtime/test/fake_record.h"

using namespace aerogpu::fake;

namespace {

constexpr NTSTATUS kSuccess = 0, kInvalidParameter = static_cast<NTSTATUS>(0xC000000Du);
constexpr UINT kCommandBytes = 65536, kListEntries = 256;

struct Allocation {
  std::vector<BYTE> bytes;
  D3DKMT_HANDLE resource = 0;
};

struct Context {
  std::vector<BYTE> commands = std::vector<BYTE>(kCommandBytes);
  std::vector<D3DDDI_ALLOCATIONLIST> allocations = std::vector<D3DDDI_ALLOCATIONLIST>(kListEntries);
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches = std::vector<D3DDDI_PATCHLOCATIONLIST>(kListEntries);
};

struct Shared {
  D3DKMT_HANDLE resource = 0;
  std::vector<BYTE> runtimeData, driverData;
};

struct KeyedMutex {
  D3DKMT_HANDLE owner = 0;
  UINT64 key = 0, fence = 0;
};

D3DKMT_HANDLE g_last = 0x40000000;
std::map<D3DKMT_HANDLE, KeyedMutex> g_keyedMutexes;        // by global handle
std::map<D3DKMT_HANDLE, D3DKMT_HANDLE> g_keyedMutexOpens;  // the global handle of each
std::map<D3DKMT_HANDLE, Allocation> g_allocations;
std::map<D3DKMT_HANDLE, Context> g_contexts;
std::map<D3DKMT_HANDLE, Shared> g_shared;
UINT g_vblanks;

D3DKMT_HANDLE newHandle() {
  return g_last += 0x40;
}

D3DKMT_DISPLAYMODE mode(UINT width, UINT height, D3DDDIFORMAT format) {
  D3DKMT_DISPLAYMODE row{};
  row.Width = width;
  row.Height = height;
  row.Format = format;
  row.IntegerRefreshRate = 60;
  row.RefreshRate = {60, 1};
  return row;
}

}  // namespace

extern "C" {

NTSTATUS APIENTRY D3DKMTOpenAdapterFromGdiDisplayName(D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *data) {
  record("kmt OpenAdapter %ls", data->DeviceName);
  data->hAdapter = newHandle();
  data->AdapterLuid = {0x1234, 5};
  data->VidPnSourceId = 0;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTCloseAdapter(const D3DKMT_CLOSEADAPTER *) {
  record("kmt CloseAdapter");
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTQueryAdapterInfo(D3DKMT_QUERYADAPTERINFO *data) {
  switch (data->Type) {
  case KMTQAITYPE_UMDRIVERNAME: {
    auto *file = static_cast<D3DKMT_UMDFILENAMEINFO *>(data->pPrivateDriverData);
    record("kmt UMDRIVERNAME version %u", file->Version);
    HMODULE self = nullptr;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       reinterpret_cast<LPCWSTR>(&g_last), &self);
    GetModuleFileNameW(self, file->UmdFileName, 260);
    return kSuccess;
  }
  case KMTQAITYPE_CURRENTDISPLAYMODE:
    static_cast<D3DKMT_CURRENTDISPLAYMODE *>(data->pPrivateDriverData)->DisplayMode =
        mode(1024, 768, D3DDDIFMT_X8R8G8B8);
    return kSuccess;
  case KMTQAITYPE_GETSEGMENTSIZE:
    *static_cast<D3DKMT_SEGMENTSIZEINFO *>(data->pPrivateDriverData) = {64u << 20, 0, 32u << 20};
    return kSuccess;
  case KMTQAITYPE_FLIPQUEUEINFO: {
    D3DKMT_FLIPQUEUEINFO &info = *static_cast<D3DKMT_FLIPQUEUEINFO *>(data->pPrivateDriverData);
    info = {1, 3, {}};
    info.FlipFlags.FlipInterval = !misbehaves("no long intervals");
    return kSuccess;
  }
  default:
    return kInvalidParameter;
  }
}

NTSTATUS APIENTRY D3DKMTGetDisplayModeList(D3DKMT_GETDISPLAYMODELIST *data) {
  const D3DKMT_DISPLAYMODE rows[] = {mode(640, 480, D3DDDIFMT_X8R8G8B8), mode(1024, 768, D3DDDIFMT_X8R8G8B8),
                                     mode(640, 480, D3DDDIFMT_R5G6B5)};
  if (data->pModeList) std::copy(std::begin(rows), std::end(rows), data->pModeList);
  data->ModeCount = 3;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTGetMultisampleMethodList(D3DKMT_GETMULTISAMPLEMETHODLIST *data) {
  data->MethodCount = 0;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTCreateDevice(D3DKMT_CREATEDEVICE *data) {
  record("kmt CreateDevice");
  data->hDevice = newHandle();
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTDestroyDevice(const D3DKMT_DESTROYDEVICE *) {
  record("kmt DestroyDevice");
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTGetDeviceState(D3DKMT_GETDEVICESTATE *data) {
  data->PresentState.PresentStats = {};
  data->PresentState.PresentStats.SyncRefreshCount = g_vblanks;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTCreateContext(D3DKMT_CREATECONTEXT *data) {
  data->hContext = newHandle();
  Context &context = g_contexts[data->hContext];
  record("kmt CreateContext hint %u", data->ClientHint);
  data->pCommandBuffer = context.commands.data();
  data->CommandBufferSize = kCommandBytes;
  data->pAllocationList = context.allocations.data();
  data->AllocationListSize = kListEntries;
  data->pPatchLocationList = context.patches.data();
  data->PatchLocationListSize = kListEntries;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTDestroyContext(const D3DKMT_DESTROYCONTEXT *data) {
  record("kmt DestroyContext");
  g_contexts.erase(data->hContext);
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTCreateAllocation(D3DKMT_CREATEALLOCATION *data) {
  record("kmt CreateAllocation count %u resource %u shared %u runtime data %u", data->NumAllocations,
         data->Flags.CreateResource, data->Flags.CreateShared, data->PrivateRuntimeDataSize);
  if (data->Flags.CreateResource) data->hResource = newHandle();
  for (UINT i = 0; i < data->NumAllocations; ++i) {
    D3DDDI_ALLOCATIONINFO &info = data->pAllocationInfo[i];
    info.hAllocation = newHandle();
    Allocation &allocation = g_allocations[info.hAllocation];
    allocation.bytes.resize(*static_cast<const UINT *>(info.pPrivateDriverData));
    allocation.resource = data->hResource;
  }
  if (data->Flags.CreateShared) {
    data->hGlobalShare = newHandle() | 2;
    Shared &shared = g_shared[data->hGlobalShare];
    const BYTE *runtime = static_cast<const BYTE *>(data->pPrivateRuntimeData);
    const BYTE *driver = static_cast<const BYTE *>(data->pAllocationInfo[0].pPrivateDriverData);
    shared.resource = data->hResource;
    shared.runtimeData.assign(runtime, runtime + data->PrivateRuntimeDataSize);
    shared.driverData.assign(driver, driver + data->pAllocationInfo[0].PrivateDriverDataSize);
  }
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTDestroyAllocation(const D3DKMT_DESTROYALLOCATION *data) {
  record("kmt DestroyAllocation %s", data->hResource ? "resource" : "list");
  if (data->hResource)
    std::erase_if(g_allocations, [&](const auto &row) { return row.second.resource == data->hResource; });
  for (UINT i = 0; i < data->AllocationCount; ++i) g_allocations.erase(data->phAllocationList[i]);
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTQueryResourceInfo(D3DKMT_QUERYRESOURCEINFO *data) {
  const auto found = g_shared.find(data->hGlobalShare);
  if (found == g_shared.end()) return kInvalidParameter;
  const std::vector<BYTE> &bytes = found->second.runtimeData;
  if (data->pPrivateRuntimeData)
    std::copy_n(bytes.begin(), std::min<size_t>(bytes.size(), data->PrivateRuntimeDataSize),
                static_cast<BYTE *>(data->pPrivateRuntimeData));
  data->PrivateRuntimeDataSize = static_cast<UINT>(bytes.size());
  data->TotalPrivateDriverDataSize = static_cast<UINT>(found->second.driverData.size());
  data->ResourcePrivateDriverDataSize = 0;
  data->NumAllocations = 1;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTOpenResource(D3DKMT_OPENRESOURCE *data) {
  record("kmt OpenResource");
  const Shared &shared = g_shared.at(data->hGlobalShare);
  data->hResource = newHandle();
  D3DDDI_OPENALLOCATIONINFO &info = data->pOpenAllocationInfo[0];
  info.hAllocation = newHandle();
  std::copy(shared.runtimeData.begin(), shared.runtimeData.end(), static_cast<BYTE *>(data->pPrivateRuntimeData));
  std::copy(shared.driverData.begin(), shared.driverData.end(),
            static_cast<BYTE *>(data->pTotalPrivateDriverDataBuffer));
  info.pPrivateDriverData = data->pTotalPrivateDriverDataBuffer;
  info.PrivateDriverDataSize = static_cast<UINT>(shared.driverData.size());
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTSetAllocationPriority(const D3DKMT_SETALLOCATIONPRIORITY *) {
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTQueryAllocationResidency(const D3DKMT_QUERYALLOCATIONRESIDENCY *data) {
  data->pResidencyStatus[0] = D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTLock(D3DKMT_LOCK *data) {
  const auto found = g_allocations.find(data->hAllocation);
  if (found == g_allocations.end()) return kInvalidParameter;
  data->pData = found->second.bytes.data();
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTUnlock(const D3DKMT_UNLOCK *) {
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTRender(D3DKMT_RENDER *data) {
  Context &context = g_contexts.at(data->hContext);
  const UINT *words = reinterpret_cast<const UINT *>(context.commands.data() + data->CommandOffset);
  record("kmt Render length %u allocations %u first word %08x", data->CommandLength, data->AllocationCount,
         data->CommandLength >= 4 ? *words : 0);
  data->pNewCommandBuffer = context.commands.data();
  data->NewCommandBufferSize = kCommandBytes;
  data->pNewAllocationList = context.allocations.data();
  data->NewAllocationListSize = kListEntries;
  data->pNewPatchLocationList = context.patches.data();
  data->NewPatchLocationListSize = kListEntries;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTPresent(D3DKMT_PRESENT *data) {
  if (data->Flags.Flip) {
    record("kmt Present flip interval %u count %u", data->FlipInterval, data->PresentCount);
  } else {
    const RECT &from = data->SrcRect, &to = data->DstRect;
    record("kmt Present blt %ld,%ld-%ld,%ld to %ld,%ld size %ldx%ld count %u source %d", from.left, from.top,
           from.right, from.bottom, to.left, to.top, to.right - to.left, to.bottom - to.top, data->PresentCount,
           data->hSource != 0);
  }
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTEscape(const D3DKMT_ESCAPE *) {
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner(const D3DKMT_SETVIDPNSOURCEOWNER *data) {
  record("kmt SetVidPnSourceOwner count %u type %u", data->VidPnSourceCount,
         data->VidPnSourceCount ? data->pType[0] : 0);
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTSetDisplayMode(D3DKMT_SETDISPLAYMODE *data) {
  record("kmt SetDisplayMode allocation %d", data->hPrimaryAllocation != 0);
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTSetGammaRamp(const D3DKMT_SETGAMMARAMP *data) {
  const bool table = data->Type == D3DDDI_GAMMARAMP_RGB256x3x16 && data->Size == 1536;
  record("kmt SetGammaRamp type %d, %u %u %u", data->Type, table ? data->pGammaRampRgb256x3x16->Red[1] : 0,
         table ? data->pGammaRampRgb256x3x16->Green[2] : 0, table ? data->pGammaRampRgb256x3x16->Blue[255] : 0);
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTSetQueuedLimit(D3DKMT_SETQUEUEDLIMIT *data) {
  record("kmt SetQueuedLimit %u", data->QueuedPresentLimit);
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTCreateKeyedMutex(D3DKMT_CREATEKEYEDMUTEX *data) {
  record("kmt CreateKeyedMutex key %llu", data->InitialValue);
  data->hSharedHandle = newHandle();
  data->hKeyedMutex = newHandle();
  g_keyedMutexes[data->hSharedHandle].key = data->InitialValue;
  g_keyedMutexOpens[data->hKeyedMutex] = data->hSharedHandle;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTOpenKeyedMutex(D3DKMT_OPENKEYEDMUTEX *data) {
  record("kmt OpenKeyedMutex");
  if (!g_keyedMutexes.contains(data->hSharedHandle)) return kInvalidParameter;
  data->hKeyedMutex = newHandle();
  g_keyedMutexOpens[data->hKeyedMutex] = data->hSharedHandle;
  return kSuccess;
}

/// Never waits: as if the time were over.
NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex(D3DKMT_ACQUIREKEYEDMUTEX *data) {
  record("kmt AcquireKeyedMutex key %llu timeout %lld", data->Key, data->pTimeout ? data->pTimeout->QuadPart : 1);
  if (misbehaves("abandoned mutex")) return WAIT_ABANDONED;
  KeyedMutex &mutex = g_keyedMutexes.at(g_keyedMutexOpens.at(data->hKeyedMutex));
  if (mutex.owner || mutex.key != data->Key) return WAIT_TIMEOUT;
  mutex.owner = data->hKeyedMutex;
  data->FenceValue = mutex.fence;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex(D3DKMT_RELEASEKEYEDMUTEX *data) {
  record("kmt ReleaseKeyedMutex key %llu fence %llu", data->Key, data->FenceValue);
  KeyedMutex &mutex = g_keyedMutexes.at(g_keyedMutexOpens.at(data->hKeyedMutex));
  if (mutex.owner != data->hKeyedMutex) return kInvalidParameter;
  mutex = {0, data->Key, data->FenceValue};
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTDestroyKeyedMutex(const D3DKMT_DESTROYKEYEDMUTEX *data) {
  record("kmt DestroyKeyedMutex");
  return g_keyedMutexOpens.erase(data->hKeyedMutex) ? kSuccess : kInvalidParameter;
}

NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent(const D3DKMT_WAITFORVERTICALBLANKEVENT *) {
  ++g_vblanks;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTGetScanLine(D3DKMT_GETSCANLINE *data) {
  data->InVerticalBlank = FALSE;
  data->ScanLine = 17;
  return kSuccess;
}

NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject(D3DKMT_CREATESYNCHRONIZATIONOBJECT *) {
  return kInvalidParameter;
}
NTSTATUS APIENTRY D3DKMTDestroySynchronizationObject(const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT *) {
  return kInvalidParameter;
}
NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject(const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT *) {
  return kInvalidParameter;
}
NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject(const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT *) {
  return kInvalidParameter;
}

}  // extern "C"
