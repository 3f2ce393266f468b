// SPDX-License-Identifier: MIT
// The notebook of fake.dll, which the driver and the kernel side in it share.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::fake {

/// A line of the notebook.
[[gnu::format(printf, 1, 2)]] void record(const char *format, ...);

/// Whether the driver is to misbehave in this way.
bool misbehaves(const char *how);

/// pfnCreateDevice of the driver.
HRESULT APIENTRY createDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE *data);

/// What fakeAlive() gives.
unsigned &aliveCount();

}  // namespace aerogpu::fake
