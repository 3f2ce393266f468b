// SPDX-License-Identifier: MIT
// object_sizes.h: the bytes that the runtime allocates for the driver's objects. An object of a kind that cannot be
// made has those of a pointer, which is the least.
#pragma once

#include "guest-drivers/umd-d3d10/resources/resource.h"
#include "guest-drivers/umd-d3d10/shaders/shader.h"
#include "guest-drivers/umd-d3d10/state/state_objects.h"
#include "guest-drivers/umd-d3d10/submit/query.h"
#include "guest-drivers/umd-d3d10/views/view.h"

namespace aero::sizes {

constexpr SIZE_T kNone = sizeof(void *);

constexpr SIZE_T kCalcPrivateResourceSize = sizeof(Resource);
constexpr SIZE_T kCalcPrivateOpenedResourceSize = sizeof(Resource);
constexpr SIZE_T kCalcPrivateShaderResourceViewSize = sizeof(View);
constexpr SIZE_T kCalcPrivateRenderTargetViewSize = sizeof(View);
constexpr SIZE_T kCalcPrivateDepthStencilViewSize = sizeof(View);
constexpr SIZE_T kCalcPrivateElementLayoutSize = sizeof(ElementLayout);
constexpr SIZE_T kCalcPrivateBlendStateSize = sizeof(BlendState);
constexpr SIZE_T kCalcPrivateDepthStencilStateSize = sizeof(DepthStencilState);
constexpr SIZE_T kCalcPrivateRasterizerStateSize = sizeof(RasterizerState);
constexpr SIZE_T kCalcPrivateShaderSize = sizeof(Shader);
constexpr SIZE_T kCalcPrivateGeometryShaderWithStreamOutput = sizeof(StreamShader);
constexpr SIZE_T kCalcPrivateSamplerSize = sizeof(SamplerState);
constexpr SIZE_T kCalcPrivateQuerySize = sizeof(Query);
constexpr SIZE_T kCalcPrivateTessellationShaderSize = kNone;
constexpr SIZE_T kCalcPrivateUnorderedAccessViewSize = kNone;

}  // namespace aero::sizes
