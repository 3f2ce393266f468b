// SPDX-License-Identifier: MIT
// DXGKRNL_INTERFACE: dxgkrnl's services for the miniport.
#pragma once

#include "dispmprt.h"

namespace aerogpu::host {

class AdapterCore;

/// Fills every slot; DeviceHandle names `adapter`.
void fillDxgkrnlInterface(AdapterCore& adapter, DXGKRNL_INTERFACE& out);

}  // namespace aerogpu::host
