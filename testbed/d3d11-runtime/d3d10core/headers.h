// SPDX-License-Identifier: MIT
// headers.h: includes Direct3D 10's interfaces after those of Direct3D 11.
#pragma once

// clang-format off
#include "testbed/d3d11-runtime/base/headers.h"
#include <d3d10_1.h>
// clang-format on
