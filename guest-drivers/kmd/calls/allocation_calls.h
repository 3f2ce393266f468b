// SPDX-License-Identifier: MIT
// allocation_calls.h: creates, opens, closes, destroys and describes allocations for the video memory manager, and
// describes Windows' own standard allocations. The pages of the DDI functions say which codes are allowed.
// PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/adapter.h"

namespace aero {

/** Creates all allocations, at least one, and their resource if the OS asks for it; or none of them. */
NTSTATUS createAllocations(AeroAdapter &adapter, DXGKARG_CREATEALLOCATION &args);
void destroyAllocations(AeroAdapter &adapter, const DXGKARG_DESTROYALLOCATION &args);
NTSTATUS describeAllocation(const AeroAdapter &adapter, const AeroAllocation &allocation,
                            DXGKARG_DESCRIBEALLOCATION &args);
/** Returns the sealed private data with which Windows creates a standard allocation (PRIV-18). */
NTSTATUS tellStandardAllocation(const AeroAdapter &adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args);
/** Opens all allocations in the device, or none. */
NTSTATUS openAllocations(AeroDevice &device, const DXGKARG_OPENALLOCATION &args);
void closeAllocations(AeroAdapter &adapter, const DXGKARG_CLOSEALLOCATION &args);

}  // namespace aero
