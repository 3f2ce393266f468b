// SPDX-License-Identifier: MIT
// windows_headers.h: includes Windows, Direct3D 9 and the interfaces of its drivers in an order that compiles.
#pragma once

#include "testbed/runtime-kernel/windows_headers.h"

// Declarations that mingw-w64's Direct3D headers lack. Pages "D3DPRESENT" and pfnd3dddi_clear.
#ifndef D3DPRESENT_DONOTFLIP
#define D3DPRESENT_DONOTFLIP 0x4L
#define D3DPRESENT_FLIPRESTART 0x8L
#define D3DPRESENT_FORCEIMMEDIATE 0x100L
#endif
#ifndef D3DCLEAR_COMPUTERECTS
#define D3DCLEAR_COMPUTERECTS 0x8L
#endif
