// SPDX-License-Identifier: MIT
#include "allocation.h"

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "allocation_private.h"
#include "context.h"

namespace aero {

HRESULT allocate(const Runtime &runtime, const AllocationRequest &request, HANDLE resource, bool primary,
                 D3DDDI_VIDEO_PRESENT_SOURCE_ID source, Allocation &out) {
  AllocationPrivate priv = {};
  priv.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
  priv.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
  priv.flags = request.flags;
  priv.size_bytes = request.bytes;
  priv.kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
  if (request.width) {
    priv.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
    priv.width = request.width;
    priv.height = request.height;
    priv.format = request.d3dFormat;
    priv.row_pitch_bytes = request.pitch;
    priv.reserved0 = packSurface(request.width, request.height, request.d3dFormat);
  }
  D3DDDI_ALLOCATIONINFO info = {};
  info.pPrivateDriverData = &priv;
  info.PrivateDriverDataSize = sizeof priv;
  if (primary) {
    priv.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;  // the kernel driver is not told of the next one
    info.Flags.Primary = 1;
    info.VidPnSourceId = source;
  }
  D3DDDICB_ALLOCATE data = {};
  data.hResource = resource;
  data.NumAllocations = 1;
  data.pAllocationInfo = &info;
  const HRESULT result = runtime.allocate(data);
  if (failed(result)) return result;
  out = {};
  out.handle = info.hAllocation;
  out.id = priv.alloc_id;
  out.token = priv.share_token;
  out.bytes = request.bytes;
  out.ofResource = resource != nullptr;
  return kOk;
}

void release(Context &context, Allocation &allocation) {
  if (allocation && !allocation.ofResource) context.retire(allocation);
  allocation = {};
}

}  // namespace aero
