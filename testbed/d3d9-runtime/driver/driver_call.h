// SPDX-License-Identifier: MIT
// Calls the driver, and checks after each call that the floating-point control words are as before and that the
// interface allows the result.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/runtime-kernel/float_control.h"

namespace aerogpu::runtime {

/// The results that a function may return besides S_OK and the errors that every function may return.
enum class Results {
  Ordinary,
  QueryData,  ///< S_FALSE: not yet
  Lock,       ///< D3DDDIERR_WASSTILLDRAWING, and E_INVALIDARG for an extra Unlock
  Residency,  ///< S_NOT_RESIDENT, S_RESIDENT_IN_SHARED_MEMORY
};

/// Reports a driver function that changed the control words (and restores them) or returned a result that it may not
/// return. `fromCallback` is the last error that a callback returned to it in this call, which it may pass on.
void checkAfterCall(const char *function, const FloatControl &before, HRESULT result, Results allowed,
                    HRESULT fromCallback);

}  // namespace aerogpu::runtime
