// SPDX-License-Identifier: MIT
// Test support: calls as a program makes them, handed on by a runtime.
#pragma once

#include "guest-drivers/umd-d3d10/test/fake_runtime.h"

namespace aero::test {

/** Calls a function of the table by its name, whatever the version. */
#define AERO_CALL(RT, NAME, ...) (RT).call(#NAME, (RT).functions10().pfn##NAME __VA_OPT__(, ) __VA_ARGS__)

}  // namespace aero::test
