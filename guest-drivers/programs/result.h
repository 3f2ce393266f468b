// SPDX-License-Identifier: MIT
// result.h: the results of calls.
#pragma once

#include <windows.h>

namespace programs {

/** True if `result` is a success. Otherwise prints `program: CALL failed: 0x8876086C (D3DERR_INVALIDCALL)`. */
bool ok(HRESULT result, const char *call);

}  // namespace programs
