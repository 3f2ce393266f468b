// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/submit/allocation.h"

#include "guest-drivers/common/allocation_private.h"

namespace aero {

namespace {

void describe(const AllocationRequest &request, bool primary, AllocationPrivate &priv) {
  priv = {};
  priv.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  priv.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  priv.flags = request.flags | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED;
  if (primary) priv.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;  // Windows does not tell the kernel driver
  priv.size_bytes = request.bytes;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  if (!request.width) return;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
  priv.width = request.width;
  priv.height = request.height;
  priv.format = request.d3dFormat;
  priv.row_pitch_bytes = request.pitch;
  priv.reserved0 = packSurface(request.width, request.height, request.d3dFormat);
}

}  // namespace

HRESULT allocate(const Runtime &runtime, const AllocationOwner &owner, const AllocationRequest *requests,
                 uint32_t count, Allocation *out) {
  if (count > kMaxAllocations) return kNotAvailable;
  if (!count) return kOk;
  AllocationPrivate priv[kMaxAllocations];
  D3DDDI_ALLOCATIONINFO info[kMaxAllocations];
  for (uint32_t i = 0; i < count; i++) {
    describe(requests[i], owner.primary, priv[i]);
    info[i] = {};
    info[i].pPrivateDriverData = &priv[i];
    info[i].PrivateDriverDataSize = sizeof priv[i];
    info[i].Flags.Primary = owner.primary;
    info[i].VidPnSourceId = owner.primary ? owner.source : 0;
  }
  D3DDDICB_ALLOCATE data = {};
  data.hResource = owner.resource;
  data.NumAllocations = count;
  data.pAllocationInfo = info;
  const HRESULT result = runtime.allocate(data);
  if (failed(result)) return result;
  for (uint32_t i = 0; i < count; i++) {
    out[i] = {};
    out[i].handle = info[i].hAllocation;
    out[i].id = priv[i].alloc_id;
    out[i].token = priv[i].share_token;
    out[i].imported = runtime.spaces() && priv[i].share_token;
    out[i].bytes = requests[i].bytes;
    out[i].ofResource = owner.resource != nullptr;
  }
  return kOk;
}

}  // namespace aero
