// SPDX-License-Identifier: MIT
// allocation_calls.h: allocations as the video memory manager asks for them: create, open, close, destroy, describe,
// and Windows' own standard allocations. The pages of the DDI functions say which codes are allowed. PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/adapter.h"

namespace aero {

/** All or none are made, and their resource if it is asked for; at least one is. */
NTSTATUS createAllocations(AeroAdapter &adapter, DXGKARG_CREATEALLOCATION &args);
void destroyAllocations(AeroAdapter &adapter, const DXGKARG_DESTROYALLOCATION &args);
NTSTATUS describeAllocation(const AeroAdapter &adapter, const AeroAllocation &allocation,
                            DXGKARG_DESCRIBEALLOCATION &args);
/** The private data with which Windows makes a standard allocation, sealed (PRIV-18). */
NTSTATUS tellStandardAllocation(const AeroAdapter &adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA &args);
/** All or none are open in the device afterwards. */
NTSTATUS openAllocations(AeroDevice &device, const DXGKARG_OPENALLOCATION &args);
void closeAllocations(AeroAdapter &adapter, const DXGKARG_CLOSEALLOCATION &args);

}  // namespace aero
