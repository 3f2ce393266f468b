// SPDX-License-Identifier: MIT
// device_tables.h: the tables of functions of a device, made from function_list.h.
#pragma once

#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero {

/** Fill the runtime's table in place. `isLogged`: each call is written to the log. */
void fillTable(D3D10DDI_DEVICEFUNCS &table, bool isLogged);
void fillTable(D3D10_1DDI_DEVICEFUNCS &table, bool isLogged);
void fillTable(D3D11DDI_DEVICEFUNCS &table, bool isLogged);

}  // namespace aero
