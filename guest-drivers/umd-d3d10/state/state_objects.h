// SPDX-License-Identifier: MIT
// state_objects.h: state objects in the device's terms, in the runtime's memory. They have no object on the device. A
// description that the device cannot follow is refused when it is made, except where the bound targets decide.
#pragma once

#include "aerogpu/aerogpu_cmd_d3d10_states.h"
#include "aerogpu/aerogpu_cmd_state.h"
#include "guest-drivers/umd-d3d10/submit/device_objects.h"

namespace aero {

constexpr uint32_t kTargets = AEROGPU_MAX_RENDER_TARGETS;

/** Base of objects without an object on the device. */
struct StateObject {
  void destroy(DeviceObjects &) {}
};

struct BlendState : StateObject {
  uint32_t flags = 0;  // enum aerogpu_ext_blend_flags
  uint32_t count = 1;  // of the targets that differ; those beyond them are as the last one
  aerogpu_ext_target_blend targets[kTargets] = {{0, D3D10_DDI_BLEND_ONE, D3D10_DDI_BLEND_ZERO, D3D10_DDI_BLEND_OP_ADD,
                                                 D3D10_DDI_BLEND_ONE, D3D10_DDI_BLEND_ZERO, D3D10_DDI_BLEND_OP_ADD,
                                                 15}};

  HRESULT create(DeviceObjects &objects, const D3D10_1_DDI_BLEND_DESC &desc);
  /** True if target `index` takes a second colour of the pixel shader. */
  bool isDualSource(uint32_t index) const;
};

struct StencilSide {
  uint8_t fail = D3D10_DDI_STENCIL_OP_KEEP, depthFail = D3D10_DDI_STENCIL_OP_KEEP, pass = D3D10_DDI_STENCIL_OP_KEEP;
  uint8_t function = D3D10_DDI_COMPARISON_ALWAYS;
};

struct DepthStencilState : StateObject {
  aerogpu_depth_stencil_state block = {1, 1, AEROGPU_COMPARE_LESS, 0, 0xFF, 0xFF, 0};
  StencilSide front, back;

  HRESULT create(DeviceObjects &objects, const D3D10_DDI_DEPTH_STENCIL_DESC &desc);
};

struct RasterizerState : StateObject {
  aerogpu_rasterizer_state block = {AEROGPU_FILL_SOLID, AEROGPU_CULL_BACK, 0, 0, 0, AEROGPU_RASTERIZER_FLAG_NONE};
  float slopeScaledDepthBias = 0, depthBiasClamp = 0;

  HRESULT create(DeviceObjects &objects, const D3D10_DDI_RASTERIZER_DESC &desc);
};

struct SamplerState : StateObject {
  SamplerState();  // Direct3D 10's default
  aerogpu_ext_sampler block = {};

  HRESULT create(DeviceObjects &objects, const D3D10_DDI_SAMPLER_DESC &desc);
};

}  // namespace aero
