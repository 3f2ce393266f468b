// SPDX-License-Identifier: MIT
// ddi.h: includes the declarations that all user-mode drivers share (d3dumddi.h: callbacks, allocations; also all of
// Direct3D 9), and names the results of functions.
#pragma once

#include <stdint.h>

#include "guest-drivers/umd-common/base/windows_base.h"

#include <d3dumddi.h>

namespace aero {

/** Results of DDI functions: D3D_OK and others, for files that do not include d3d9.h. */
constexpr HRESULT kOk = 0;
constexpr HRESULT kFalse = 1;
constexpr HRESULT kNotImplemented = static_cast<HRESULT>(0x80004001u);      // E_NOTIMPL
constexpr HRESULT kFailed = static_cast<HRESULT>(0x80004005u);              // E_FAIL
constexpr HRESULT kOutOfMemory = static_cast<HRESULT>(0x8007000Eu);         // E_OUTOFMEMORY
constexpr HRESULT kInvalidArgument = static_cast<HRESULT>(0x80070057u);     // E_INVALIDARG: only Unlock may return it
constexpr HRESULT kOutOfVideoMemory = static_cast<HRESULT>(0x8876017Cu);    // D3DERR_OUTOFVIDEOMEMORY
constexpr HRESULT kNotAvailable = static_cast<HRESULT>(0x8876086Au);        // D3DDDIERR_NOTAVAILABLE
constexpr HRESULT kDeviceRemoved = static_cast<HRESULT>(0x88760870u);       // D3DDDIERR_DEVICEREMOVED
constexpr HRESULT kWasStillDrawing = static_cast<HRESULT>(0x8876021Cu);     // D3DDDIERR_WASSTILLDRAWING
constexpr HRESULT kUnsupportedOverlay = static_cast<HRESULT>(0x8876087Bu);  // D3DDDIERR_UNSUPPORTEDOVERLAY
constexpr HRESULT kUnsupportedCrypto = static_cast<HRESULT>(0x8876087Eu);   // D3DDDIERR_UNSUPPORTEDCRYPTO

constexpr bool failed(HRESULT result) {
  return result < 0;
}
constexpr bool isOutOfMemory(HRESULT result) {
  return result == kOutOfMemory || result == kOutOfVideoMemory;
}

}  // namespace aero
