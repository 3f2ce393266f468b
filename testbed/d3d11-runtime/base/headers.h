// SPDX-License-Identifier: MIT
// headers.h: includes Windows, the API and the driver's interface in an order that compiles.
#pragma once

// clang-format off
#include "testbed/runtime-kernel/windows_headers.h"
#include <dxgi1_2.h>
#include <d3d10.h>
#include <d3d11_1.h>
#include "d3d10umddi.h"
// clang-format on
