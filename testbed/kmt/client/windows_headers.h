// SPDX-License-Identifier: MIT
// windows_headers.h: includes Windows' headers and the DDI's in an order that compiles.
#pragma once

// clang-format off
#include <winsock2.h>
#include <windows.h>
#include "d3dkmthk.h"
// clang-format on
