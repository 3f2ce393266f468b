// SPDX-License-Identifier: MIT
// standard_allocations.h: describes the allocations that Windows itself asks for: the shared primary, its shadow,
// read-back, and the surfaces of GDI (pages "DxgkDdiGetStandardAllocationDriverData", "D3DKMDT_GDISURFACETYPE").
// PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/common/allocation_private.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

/** Describes the allocation in `out`, and tells the OS the pitch that the CPU will use. Returns false if the driver
 * cannot make it. `palette`: there are modes with a palette. */
bool describeStandardAllocation(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args, bool palette, AllocationPrivate &out);

}  // namespace aero
