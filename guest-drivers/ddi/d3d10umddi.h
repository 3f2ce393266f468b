/* SPDX-License-Identifier: MIT
 * d3d10umddi.h: the Direct3D 10, 10.1 and 11 interface between the runtime and a user-mode display driver.
 * Windows 7 interface level: one header for all three. Written from Microsoft's documentation; a declaration names its
 * page (under "windows-hardware/drivers/ddi/"), unless it has none. Of several functions' pages the first is written
 * out, the others without "nc-d3d10umddi-". On Windows only; include <windows.h> first.
 *
 * D3D10 in a name means all versions unless a name with D3D10_1 or D3D11 replaces it. Most functions return nothing:
 * a driver reports an error by pfnSetErrorCb, and each function's page says which errors it may have. What a pointer
 * argument points to is the runtime's and lives as long as the call.
 *
 * Layouts and types are checked against recorded ones by ddi/test. Each part below is a subject; it includes what
 * it needs, and only parts before it. */
#ifndef _D3D10UMDDI_H_
#define _D3D10UMDDI_H_

#include "dxgiddi.h"

#include "d3d10umddi/versions.h"
#include "d3d10umddi/limits.h"
#include "d3d10umddi/opcodes.h"
#include "d3d10umddi/tokens.h"
#include "d3d10umddi/handles.h"
#include "d3d10umddi/resources.h"
#include "d3d10umddi/views.h"
#include "d3d10umddi/states.h"
#include "d3d10umddi/shaders.h"
#include "d3d10umddi/queries.h"
#include "d3d10umddi/commands.h"
#include "d3d10umddi/callbacks.h"
#include "d3d10umddi/contexts.h"
#include "d3d10umddi/device.h"
#include "d3d10umddi/tables.h"

#endif
