// SPDX-License-Identifier: MIT
// state_objects.h: state objects in the device's terms, in the runtime's memory. They have no object on the device. A
// description that the device cannot follow is refused when it is made, except where the bound targets decide.
#pragma once

#include "aerogpu/aerogpu_cmd_state.h"
#include "guest-drivers/umd-d3d10/submit/device_objects.h"

namespace aero {

constexpr uint32_t kTargets = AEROGPU_MAX_RENDER_TARGETS;

/** Base of objects without an object on the device. */
struct StateObject {
  void destroy(DeviceObjects &) {}
};

struct BlendFunction {
  uint8_t source = D3D10_DDI_BLEND_ONE, target = D3D10_DDI_BLEND_ZERO, operation = D3D10_DDI_BLEND_OP_ADD;
  uint8_t sourceAlpha = D3D10_DDI_BLEND_ONE, targetAlpha = D3D10_DDI_BLEND_ZERO;
  uint8_t operationAlpha = D3D10_DDI_BLEND_OP_ADD;
  bool operator==(const BlendFunction &) const = default;
};

struct BlendState : StateObject {
  bool isAlphaToCoverage = false;
  bool isEnabled[kTargets] = {};
  uint8_t mask[kTargets] = {15, 15, 15, 15, 15, 15, 15, 15};  // bit 0 R, 1 G, 2 B, 3 A
  BlendFunction function[kTargets];

  HRESULT create(DeviceObjects &objects, const D3D10_1_DDI_BLEND_DESC &desc);
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
  float slopeScaledDepthBias = 0;

  HRESULT create(DeviceObjects &objects, const D3D10_DDI_RASTERIZER_DESC &desc);
};

/** D3DSAMP_* and their values; the place is the state's number. */
struct SamplerState : StateObject {
  static constexpr uint32_t kFirst = 1, kStates = 11;            // ADDRESSU to MAXANISOTROPY
  uint32_t values[kStates] = {0, 3, 3, 3, 0, 2, 2, 2, 0, 0, 1};  // Direct3D 10's default: clamped and linear

  HRESULT create(DeviceObjects &objects, const D3D10_DDI_SAMPLER_DESC &desc);
};

}  // namespace aero
