// SPDX-License-Identifier: MIT
// map.h: memory of resources for programs. Maps of dynamic resources never wait; those of staging resources wait for
// the device unless the caller forbids it.
#pragma once

#include "guest-drivers/umd-d3d10/resources/resource.h"

namespace aero {

/** Returns kWasStillDrawing, with D3D10_DDI_MAP_FLAG_DONOTWAIT alone, if the device still uses the memory; what it
 * waits for has then been submitted. */
HRESULT mapResource(DeviceObjects &objects, Resource &resource, uint32_t subresource, D3D10_DDI_MAP type, UINT flags,
                    D3D10DDI_MAPPED_SUBRESOURCE &out);
HRESULT unmapResource(DeviceObjects &objects, Resource &resource, uint32_t subresource);
/** Returns whether the device uses a staging resource; never waits, and submits nothing. */
bool isBusy(DeviceObjects &objects, Resource &resource);

}  // namespace aero
