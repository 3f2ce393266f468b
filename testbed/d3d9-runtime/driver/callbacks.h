// SPDX-License-Identifier: MIT
// The 22 callbacks of D3DDDI_DEVICECALLBACKS. Each becomes one D3DKMT call, as in Microsoft's runtime, after checks of
// the driver's arguments. On the driver's thread.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

D3DDDI_DEVICECALLBACKS deviceCallbacks();

}  // namespace aerogpu::runtime
