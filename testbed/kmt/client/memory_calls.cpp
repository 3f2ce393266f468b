// SPDX-License-Identifier: MIT
// memory_calls.cpp: allocations, resources, locks. Pages "D3DKMT..." of d3dkmthk.h.
#include "testbed/kmt/client/connection.h"
#include "testbed/kmt/client/locked_views.h"

using namespace aerogpu::kmt;

extern "C" NTSTATUS APIENTRY D3DKMTCreateAllocation(D3DKMT_CREATEALLOCATION *data) {
  if (!data || !data->NumAllocations || !data->pAllocationInfo || data->NumAllocations > kMaxAllocationsOfCall)
    return kStatusInvalidParameter;
  uint32_t flags;
  static_assert(sizeof data->Flags == sizeof flags);
  __builtin_memcpy(&flags, &data->Flags, sizeof flags);
  KernelCall<Call::CreateAllocation> call({data->hDevice, data->hResource, flags, data->NumAllocations,
                                           data->PrivateRuntimeDataSize, data->PrivateDriverDataSize});
  D3DDDI_ALLOCATIONINFO *infos = data->pAllocationInfo;
  for (UINT i = 0; i < data->NumAllocations; i++) {
    const NewAllocation entry = {infos[i].PrivateDriverDataSize, infos[i].VidPnSourceId, infos[i].Flags.Value,
                                 infos[i].pSystemMem != nullptr};
    call.append(&entry, sizeof entry);
  }
  call.append(data->pPrivateRuntimeData, data->PrivateRuntimeDataSize);
  call.append(data->pPrivateDriverData, data->PrivateDriverDataSize);
  for (UINT i = 0; i < data->NumAllocations; i++)
    call.append(infos[i].pPrivateDriverData, infos[i].PrivateDriverDataSize);
  const NTSTATUS status = call.send();
  if (status < 0) return status;
  data->hResource = call.reply().resource;
  data->hGlobalShare = call.reply().globalShare;
  for (UINT i = 0; i < data->NumAllocations; i++)
    if (const uint8_t *handle = call.take(sizeof(uint32_t))) __builtin_memcpy(&infos[i].hAllocation, handle, 4);
  for (UINT i = 0; i < data->NumAllocations; i++)
    if (const uint8_t *bytes = call.take(infos[i].PrivateDriverDataSize))
      __builtin_memcpy(infos[i].pPrivateDriverData, bytes, infos[i].PrivateDriverDataSize);
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTDestroyAllocation(const D3DKMT_DESTROYALLOCATION *data) {
  if (!data) return kStatusInvalidParameter;
  const uint32_t count = data->hResource ? 0 : data->AllocationCount;
  KernelCall<Call::DestroyAllocation> call({data->hDevice, data->hResource, count});
  call.append(data->phAllocationList, size_t{count} * sizeof(D3DKMT_HANDLE));
  return call.send();
}

extern "C" NTSTATUS APIENTRY D3DKMTQueryResourceInfo(D3DKMT_QUERYRESOURCEINFO *data) {
  if (!data) return kStatusInvalidParameter;
  const uint32_t room = data->pPrivateRuntimeData ? data->PrivateRuntimeDataSize : 0;
  KernelCall<Call::QueryResourceInfo> call({data->hDevice, data->hGlobalShare, room});
  const NTSTATUS status = call.send();
  if (status < 0) return status;
  const QueryResourceInfoReply &reply = call.reply();
  const uint32_t given = reply.runtimeBytes < room ? reply.runtimeBytes : room;
  if (const uint8_t *bytes = call.take(given); bytes && given)
    __builtin_memcpy(data->pPrivateRuntimeData, bytes, given);
  data->PrivateRuntimeDataSize = reply.runtimeBytes;
  data->TotalPrivateDriverDataSize = reply.totalPrivateBytes;
  data->ResourcePrivateDriverDataSize = reply.resourceBytes;
  data->NumAllocations = reply.count;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTOpenResource(D3DKMT_OPENRESOURCE *data) {
  if (!data || !data->pOpenAllocationInfo) return kStatusInvalidParameter;
  const uint32_t runtimeRoom = data->pPrivateRuntimeData ? data->PrivateRuntimeDataSize : 0;
  const uint32_t resourceRoom = data->pResourcePrivateDriverData ? data->ResourcePrivateDriverDataSize : 0;
  const uint32_t totalRoom = data->pTotalPrivateDriverDataBuffer ? data->TotalPrivateDriverDataBufferSize : 0;
  KernelCall<Call::OpenResource> call(
      {data->hDevice, data->hGlobalShare, data->NumAllocations, runtimeRoom, resourceRoom, totalRoom});
  const NTSTATUS status = call.send();
  if (status < 0) return status;
  const OpenResourceReply reply = call.reply();
  const uint8_t *opened = call.take(size_t{reply.count} * sizeof(OpenedAllocation));
  const uint8_t *runtime = call.take(reply.runtimeBytes);
  const uint8_t *resource = call.take(reply.resourceBytes);
  const uint8_t *total = call.take(reply.totalPrivateBytes);
  // The kernel side returns no more than there is room for.
  if (!opened || !runtime || !resource || !total || reply.count > data->NumAllocations ||
      reply.runtimeBytes > runtimeRoom || reply.resourceBytes > resourceRoom || reply.totalPrivateBytes > totalRoom)
    return kStatusUnsuccessful;
  if (runtimeRoom) __builtin_memcpy(data->pPrivateRuntimeData, runtime, reply.runtimeBytes);
  if (resourceRoom) __builtin_memcpy(data->pResourcePrivateDriverData, resource, reply.resourceBytes);
  if (totalRoom) __builtin_memcpy(data->pTotalPrivateDriverDataBuffer, total, reply.totalPrivateBytes);
  const auto *at = static_cast<const uint8_t *>(data->pTotalPrivateDriverDataBuffer);
  for (uint32_t i = 0; i < reply.count; i++) {
    OpenedAllocation one;
    __builtin_memcpy(&one, opened + i * sizeof one, sizeof one);
    data->pOpenAllocationInfo[i].hAllocation = one.handle;
    data->pOpenAllocationInfo[i].pPrivateDriverData = one.privateBytes ? at : nullptr;
    data->pOpenAllocationInfo[i].PrivateDriverDataSize = one.privateBytes;
    at += one.privateBytes;
  }
  data->NumAllocations = reply.count;
  data->PrivateRuntimeDataSize = reply.runtimeBytes;
  data->ResourcePrivateDriverDataSize = reply.resourceBytes;
  data->TotalPrivateDriverDataBufferSize = reply.totalPrivateBytes;
  data->hResource = reply.resource;
  return status;
}

// The list of pages is ignored: the whole allocation is locked, as the page allows.
extern "C" NTSTATUS APIENTRY D3DKMTLock(D3DKMT_LOCK *data) {
  if (!data) return kStatusInvalidParameter;
  LockReply reply{};
  const NTSTATUS status =
      callKernel<Call::Lock>({data->hDevice, data->hAllocation, data->Flags.Value, data->PrivateDriverData}, &reply);
  if (status < 0) return status;
  void *address = mapLocked(reply.allocation, reply.file, reply.offset, reply.bytes);
  if (!address) {
    const D3DKMT_UNLOCK unlock = {data->hDevice, 1, &reply.allocation};
    (void)D3DKMTUnlock(&unlock);
    return kStatusNoMemory;
  }
  data->hAllocation = reply.allocation;
  data->pData = address;
  data->GpuVirtualAddress = 0;
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTUnlock(const D3DKMT_UNLOCK *data) {
  if (!data || (data->NumAllocations && !data->phAllocations)) return kStatusInvalidParameter;
  KernelCall<Call::Unlock> call({data->hDevice, 0, data->NumAllocations});
  call.append(data->phAllocations, size_t{data->NumAllocations} * sizeof(D3DKMT_HANDLE));
  const NTSTATUS status = call.send();
  if (status >= 0)
    for (UINT i = 0; i < data->NumAllocations; i++) unmapLocked(data->phAllocations[i]);
  return status;
}

extern "C" NTSTATUS APIENTRY D3DKMTSetAllocationPriority(const D3DKMT_SETALLOCATIONPRIORITY *data) {
  if (!data) return kStatusInvalidParameter;
  const uint32_t count = data->hResource ? 0 : data->AllocationCount;
  KernelCall<Call::SetAllocationPriority> call({data->hDevice, data->hResource, count});
  call.append(data->phAllocationList, size_t{count} * sizeof(D3DKMT_HANDLE));
  call.append(data->pPriorities, size_t{count ? count : 1} * sizeof(UINT));
  return call.send();
}

extern "C" NTSTATUS APIENTRY D3DKMTQueryAllocationResidency(const D3DKMT_QUERYALLOCATIONRESIDENCY *data) {
  if (!data || !data->pResidencyStatus) return kStatusInvalidParameter;
  const uint32_t count = data->hResource ? 0 : data->AllocationCount;
  KernelCall<Call::QueryAllocationResidency> call({data->hDevice, data->hResource, count});
  call.append(data->phAllocationList, size_t{count} * sizeof(D3DKMT_HANDLE));
  const NTSTATUS status = call.send();
  if (status < 0) return status;
  const uint32_t statuses = data->hResource ? 1 : count;
  if (call.reply().count != statuses) return kStatusUnsuccessful;
  static_assert(sizeof *data->pResidencyStatus == sizeof(uint32_t));
  if (const uint8_t *bytes = call.take(size_t{statuses} * sizeof(uint32_t)))
    __builtin_memcpy(data->pResidencyStatus, bytes, size_t{statuses} * sizeof(uint32_t));
  return status;
}
