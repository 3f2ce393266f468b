// SPDX-License-Identifier: MIT
// windows_headers.h: the order in which Windows' headers and the DDI's go together here.
#pragma once

// clang-format off
#include <winsock2.h>
#include <windows.h>
#include "d3dkmthk.h"
// clang-format on
