// SPDX-License-Identifier: MIT
// Display modes as DXGI describes them.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/base/headers.h"
#include "testbed/runtime-kernel/kernel_adapter.h"

namespace aerogpu::runtime11 {

/// Returns the kernel side's 32-bit modes in `format`, by size and rate; none for a format that no screen shows.
std::vector<DXGI_MODE_DESC> modesOf(const runtime::KernelAdapter &adapter, DXGI_FORMAT format);
/// Returns the current mode.
bool currentMode(const runtime::KernelAdapter &adapter, DXGI_FORMAT format, DXGI_MODE_DESC &out);
/// Finds the nearest mode: first by size, then by rate. What `wanted` leaves open is the current mode's.
HRESULT closestMode(const runtime::KernelAdapter &adapter, const DXGI_MODE_DESC &wanted, DXGI_MODE_DESC &out);

}  // namespace aerogpu::runtime11
