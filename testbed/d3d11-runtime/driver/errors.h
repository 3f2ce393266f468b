// SPDX-License-Identifier: MIT
// Which codes a driver's function may pass to pfnSetErrorCb (display DDI page "Handling Errors"): any other code, S_OK
// included, costs the device.
#pragma once

#include "testbed/d3d11-runtime/base/headers.h"

namespace aerogpu::runtime11 {

enum class Errors {
  None,           ///< checks and sizes
  DeviceRemoved,  ///< draws, states, copies, destructions
  OutOfMemory,    ///< creations
  Primary,        ///< the creation of a resource that is to be scanned out
  Counter,        ///< the creation of a counter
  Map,            ///< without D3D10_DDI_MAP_FLAG_DONOTWAIT
  MapDoNotWait,
  GetData,
  CheckCounter,
};

bool isAllowed(Errors category, HRESULT code);

}  // namespace aerogpu::runtime11
