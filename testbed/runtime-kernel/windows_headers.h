// SPDX-License-Identifier: MIT
// windows_headers.h: includes Windows and the kernel's interface of user-mode drivers in an order that compiles.
#pragma once

// clang-format off
#include <windows.h>
#include <d3d9.h>
#include "d3dumddi.h"
#include "d3dkmthk.h"
// clang-format on
