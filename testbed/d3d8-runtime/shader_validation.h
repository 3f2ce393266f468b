// SPDX-License-Identifier: MIT
// ValidateVertexShader and ValidatePixelShader, which d3d8.dll exports for assemblers and drivers. Their arguments and
// answers are those of Wine's dlls/d3d8/tests/device.c, test_validate_vs and test_validate_ps.
#pragma once

#include "testbed/d3d8-runtime/d3d8_headers.h"

namespace aerogpu::runtime {

/// `errors` gets a string of the process' heap: empty unless `wantsErrors` is set and there is one.
HRESULT validateVertexShader(const DWORD *code, const DWORD *declaration, const D3DCAPS8 *caps, BOOL wantsErrors,
                             char **errors);
HRESULT validatePixelShader(const DWORD *code, const D3DCAPS8 *caps, BOOL wantsErrors, char **errors);

}  // namespace aerogpu::runtime
