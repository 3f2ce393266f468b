// SPDX-License-Identifier: MIT
// dxgi_functions.h: the table of functions by which DXGI presents and shares.
#pragma once

#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero {

/** Fills the runtime's table in place: eight functions, or the first seven. */
void fillDxgiTable(const DXGI_DDI_BASE_ARGS &args, bool hasEight);

}  // namespace aero
