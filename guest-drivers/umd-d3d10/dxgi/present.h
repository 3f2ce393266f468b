// SPDX-License-Identifier: MIT
// present.h: presents, copies for the compositor, and resources that change places.
#pragma once

#include "guest-drivers/umd-d3d10/resources/resource.h"

namespace aero {

/** Copies a whole subresource to a rectangle, in one pass. */
HRESULT blt(DeviceObjects &objects, const DXGI_DDI_ARG_BLT &args);
/** Each resource takes over what the next one has, the last one what the first had. */
void rotate(const DXGI_DDI_HRESOURCE *resources, UINT count);

}  // namespace aero
