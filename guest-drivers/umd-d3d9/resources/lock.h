// SPDX-License-Identifier: MIT
// lock.h: gives the CPU access to resources: Lock and Unlock.
#pragma once

#include "guest-drivers/umd-common/submit/upload_memory.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

HRESULT lockResource(DeviceObjects &objects, Resource &resource, D3DDDIARG_LOCK &args);
/** Ends a lock. `uploads`: memory that may hold bytes of a buffer for the current batch. */
HRESULT unlockResource(DeviceObjects &objects, UploadMemory &uploads, Resource &resource, const D3DDDIARG_UNLOCK &args);

}  // namespace aero
