// SPDX-License-Identifier: MIT
// windows_base.h: the Windows headers that the driver needs. On Linux, where tests run it, the DDI's headers bring
// their own base types.
#pragma once

#ifdef _WIN32
#include <windows.h>

#include <d3d9types.h>

#include <d3d9caps.h>
#else
#include "linux_windows.h"
#endif
