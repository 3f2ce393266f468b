// SPDX-License-Identifier: MIT
// The 22 callbacks of D3DDDI_DEVICECALLBACKS. Each becomes one D3DKMT call, as in Microsoft's runtime, after checks of
// the driver's arguments. On the driver's thread.
#pragma once

#include "testbed/runtime-kernel/windows_headers.h"

namespace aerogpu::runtime {

D3DDDI_DEVICECALLBACKS deviceCallbacks();

/// Does what pfnPresentCb does; DXGI has a callback of its own for it.
HRESULT presentAllocation(HANDLE device, HANDLE context, D3DKMT_HANDLE source, D3DKMT_HANDLE destination);

}  // namespace aerogpu::runtime
