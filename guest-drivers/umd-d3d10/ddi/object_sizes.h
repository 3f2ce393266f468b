// SPDX-License-Identifier: MIT
// object_sizes.h: the bytes that the runtime allocates for the driver's objects. An object of a kind that cannot be
// made has those of a pointer, which is the least.
#pragma once

#include "guest-drivers/umd-d3d10/resources/resource.h"
#include "guest-drivers/umd-d3d10/views/view.h"

namespace aero::sizes {

constexpr SIZE_T kNone = sizeof(void *);

constexpr SIZE_T kCalcPrivateResourceSize = sizeof(Resource);
constexpr SIZE_T kCalcPrivateOpenedResourceSize = sizeof(Resource);
constexpr SIZE_T kCalcPrivateShaderResourceViewSize = sizeof(View);
constexpr SIZE_T kCalcPrivateRenderTargetViewSize = sizeof(View);
constexpr SIZE_T kCalcPrivateDepthStencilViewSize = sizeof(View);
constexpr SIZE_T kCalcPrivateElementLayoutSize = kNone;
constexpr SIZE_T kCalcPrivateBlendStateSize = kNone;
constexpr SIZE_T kCalcPrivateDepthStencilStateSize = kNone;
constexpr SIZE_T kCalcPrivateRasterizerStateSize = kNone;
constexpr SIZE_T kCalcPrivateShaderSize = kNone;
constexpr SIZE_T kCalcPrivateGeometryShaderWithStreamOutput = kNone;
constexpr SIZE_T kCalcPrivateSamplerSize = kNone;
constexpr SIZE_T kCalcPrivateQuerySize = kNone;
constexpr SIZE_T kCalcPrivateTessellationShaderSize = kNone;
constexpr SIZE_T kCalcPrivateUnorderedAccessViewSize = kNone;

}  // namespace aero::sizes
