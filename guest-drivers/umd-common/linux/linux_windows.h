// SPDX-License-Identifier: MIT
// linux_windows.h: replaces <windows.h>, <d3d9types.h> and <d3d9caps.h> when the driver runs in a Linux test: the DDI's
// own base types and mingw-w64's declarations of Direct3D 9 and of DXGI.
#pragma once

#include "linux_base.h"

#define WINBOOL BOOL
#define DEFINE_GUID(...)
#define __MSABI_LONG(value) value
typedef struct tagSIZE {
  LONG cx;
  LONG cy;
} SIZE;

typedef char *LPSTR;
typedef int32_t INT32;
typedef uint8_t UINT8;
#define COM_NO_WINDOWS_H  // of DXGI's headers

#include <d3d9types.h>

#include <d3d9caps.h>
