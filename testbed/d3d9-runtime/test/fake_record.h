// SPDX-License-Identifier: MIT
// The record of fake.dll, which the driver and the kernel side in it share.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::fake {

/// Adds a line to the record.
[[gnu::format(printf, 1, 2)]] void record(const char *format, ...);

/// True if the driver is to misbehave in this way.
bool misbehaves(const char *how);

/// Implements pfnCreateDevice of the driver.
HRESULT APIENTRY createDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE *data);

/// Returns the number that fakeAlive() returns.
unsigned &aliveCount();

}  // namespace aerogpu::fake
