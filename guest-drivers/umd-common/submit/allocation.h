// SPDX-License-Identifier: MIT
// allocation.h: memory that Windows manages and the device can access, such as the backing of a texture.
#pragma once

#include <stdint.h>

#include "guest-drivers/umd-common/submit/runtime.h"

namespace aero {

/** The description of an allocation for the kernel driver (docs/abi/driver-data.md, "Allocations"). */
struct AllocationRequest {
  uint64_t bytes = 0;
  uint32_t flags = 0;  // AEROGPU_WDDM_ALLOC_PRIV_FLAG_*
  // A surface; width 0: plain bytes.
  uint32_t width = 0, height = 0, d3dFormat = 0, pitch = 0;
};

/** The owner of allocations, and their purpose. */
struct AllocationOwner {
  // The runtime's resource: set for shared ones and primaries; Runtime::deallocateResource() then frees them.
  HANDLE resource = nullptr;
  bool primary = false;  // scanned out by `source`
  D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
};

constexpr uint32_t kMaxAllocations = 32;  // limit of one call

struct Allocation {
  D3DKMT_HANDLE handle = 0;  // 0: there is none
  uint32_t id = 0;           // alloc_id, by which packets name it
  uint64_t token = 0;        // share_token, not 0 when it is shared
  bool imported = false;     // the kernel driver has made its texture, under that token
  uint64_t bytes = 0;
  bool ofResource = false;  // freed with the runtime's resource, not by its handle
  uint64_t batch = 0;       // the last batch that lists it
  uint32_t listed = 0;      // its place in that batch's list

  explicit operator bool() const { return handle != 0; }
};

/** Makes `count` allocations (0 to kMaxAllocations), or none if it fails. All allocations of a resource come from one
 * call, because later calls cannot add any (page "PFND3DDDI_ALLOCATECB"). */
HRESULT allocate(const Runtime &runtime, const AllocationOwner &owner, const AllocationRequest *requests,
                 uint32_t count, Allocation *out);
/** Makes one allocation for the driver's own use. */
inline HRESULT allocate(const Runtime &runtime, const AllocationRequest &request, Allocation &out) {
  return allocate(runtime, {}, &request, 1, &out);
}

}  // namespace aero
