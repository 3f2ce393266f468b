/* SPDX-License-Identifier: MIT */
/* Included before everything else: declarations from Wine's own windows.h that its test headers expect, and mingw's
 * does not have.
 */
#define __WINE_PRINTF_ATTR(format, arguments)
#define __WINE_ALLOC_SIZE(...)
#define __WINE_MALLOC
#define __WINE_DEALLOC(...)
// In the order in which they need each other.
// clang-format off
#include <stdarg.h>
#include <windef.h>
#include <winbase.h>
#include <wingdi.h>
#include <wincon.h>
// clang-format on
