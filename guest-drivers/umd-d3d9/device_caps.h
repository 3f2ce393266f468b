// SPDX-License-Identifier: MIT
// device_caps.h: what the device is, as D3DCAPS9 has it. Nothing is announced that does not work. Any thread.
#pragma once

#include "guest-drivers/umd-d3d9/adapter.h"

namespace aero {

/** D3DCAPS9 of the device behind `adapter`. */
D3DCAPS9 deviceCaps(const Adapter &adapter);

}  // namespace aero
