// SPDX-License-Identifier: MIT
// windows_headers.h: the order in which Windows, Direct3D 9 and the interfaces of its drivers go together.
#pragma once

// clang-format off
#include <windows.h>
#include <d3d9.h>
#include "d3dumddi.h"
#include "d3dkmthk.h"
// clang-format on

// What mingw-w64's Direct3D headers leave out. Pages "D3DPRESENT" and pfnd3dddi_clear.
#ifndef D3DPRESENT_DONOTFLIP
#define D3DPRESENT_DONOTFLIP 0x4L
#define D3DPRESENT_FLIPRESTART 0x8L
#define D3DPRESENT_FORCEIMMEDIATE 0x100L
#endif
#ifndef D3DCLEAR_COMPUTERECTS
#define D3DCLEAR_COMPUTERECTS 0x8L
#endif
