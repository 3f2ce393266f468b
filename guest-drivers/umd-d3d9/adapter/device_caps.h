// SPDX-License-Identifier: MIT
// device_caps.h: describes the device as D3DCAPS9. It announces only what works, except for the gamma ramp
// (D3DCAPS2_FULLSCREENGAMMA). Any thread.
#pragma once

#include "guest-drivers/umd-d3d9/adapter/adapter.h"

namespace aero {

/** Returns D3DCAPS9 for the adapter. */
D3DCAPS9 deviceCaps(const Adapter &adapter);

}  // namespace aero
