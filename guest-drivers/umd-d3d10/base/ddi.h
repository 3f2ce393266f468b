// SPDX-License-Identifier: MIT
// ddi.h: includes the declarations of Direct3D 10, 10.1 and 11, and names results that they have besides those of
// umd-common's ddi.h.
#pragma once

#include <string.h>

#include "guest-drivers/umd-common/base/ddi.h"

#include <d3d10umddi.h>

namespace aero {

constexpr HRESULT kDxgiWasStillDrawing = static_cast<HRESULT>(0x887B0001u);  // DXGI_DDI_ERR_WASSTILLDRAWING
constexpr HRESULT kDxgiUnsupported = static_cast<HRESULT>(0x887B0002u);      // DXGI_DDI_ERR_UNSUPPORTED
constexpr HRESULT kInsufficientBuffer = static_cast<HRESULT>(0x8007007Au);   // of ERROR_INSUFFICIENT_BUFFER

}  // namespace aero
