/* SPDX-License-Identifier: MIT */
/* The identifiers of Direct2D, which mingw-w64 10's libraries do not have; linked to Wine's tests of Direct3D 11 and
 * its kin (scripts/lib/wine_test_build.py). */
// initguid.h turns the declarations of the headers behind it into definitions.
// clang-format off
#include <windows.h>
#include <initguid.h>
#include <d2d1_3.h>
#include <d2d1effectauthor.h>
#include <d2d1effects_2.h>
// clang-format on
