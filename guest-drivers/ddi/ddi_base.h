/* SPDX-License-Identifier: MIT
 * ddi_base.h: the base types that the DDI headers build on. On Windows they come from the compiler's own headers
 * (include <ntddk.h> or <windows.h> first); on Linux from linux_base.h, so that the driver host and unit tests can
 * use the very same declarations. */
#ifndef AEROGPU_DDI_BASE_H
#define AEROGPU_DDI_BASE_H

#ifdef _WIN32
#include <windef.h>
#else
#include "linux_base.h"
#endif

#endif
