// SPDX-License-Identifier: MIT
// shader.h: shaders and input layouts, in the runtime's memory. The device takes the tokens, signatures and elements as
// they come (docs/abi/d3d10.md).
#pragma once

#include "guest-drivers/umd-d3d10/submit/device_objects.h"

namespace aero {

struct Shader {
  uint32_t handle = 0;

  /** `stage`: enum aerogpu_shader_stage. */
  HRESULT create(DeviceObjects &objects, uint32_t stage, const UINT *code,
                 const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures);
  void destroy(DeviceObjects &objects) { objects.destroy<aerogpu_cmd_destroy_shader>(handle); }
};

struct ElementLayout {
  uint32_t handle = 0;

  HRESULT create(DeviceObjects &objects, const D3D10DDIARG_CREATEELEMENTLAYOUT &args);
  void destroy(DeviceObjects &objects) { objects.destroy<aerogpu_cmd_destroy_input_layout>(handle); }
};

}  // namespace aero
