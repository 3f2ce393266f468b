// SPDX-License-Identifier: MIT
// The device of fake11.dll's driver.
#pragma once

#include "testbed/d3d11-runtime/base/headers.h"
#include "testbed/d3d9-runtime/test/fake_record.h"

namespace aerogpu::fake {

/// Implements pfnCreateDevice and pfnCalcPrivateDeviceSize.
HRESULT APIENTRY createDevice11(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *data);
SIZE_T APIENTRY calcPrivateDeviceSize(D3D10DDI_HADAPTER adapter, const D3D10DDIARG_CALCPRIVATEDEVICESIZE *data);

}  // namespace aerogpu::fake
