// SPDX-License-Identifier: MIT
// shader.h: shaders and input layouts, in the runtime's memory. The device takes the tokens, signatures and elements as
// they come (docs/abi/d3d10.md).
#pragma once

#include "aerogpu/aerogpu_cmd_d3d10_stream_output.h"
#include "guest-drivers/umd-d3d10/submit/device_objects.h"

namespace aero {

/** What a shader streams out. */
struct StreamDeclaration {
  static constexpr uint32_t kMostElements = 64;  // D3D10_SO_SINGLE_BUFFER_COMPONENT_LIMIT entries
  uint32_t count = 0;
  bool rasterizes = true;
  uint32_t strides[4] = {};
  aerogpu_ext_stream_element elements[kMostElements];
};

struct Shader {
  uint32_t handle = 0;                         // 0: there is no shader of the device, only what streams out
  const StreamDeclaration *streams = nullptr;  // null: nothing is

  /** `stage`: enum aerogpu_shader_stage. */
  HRESULT create(DeviceObjects &objects, uint32_t stage, const UINT *code,
                 const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures);
  void destroy(DeviceObjects &objects) { objects.destroy<aerogpu_cmd_destroy_shader>(handle); }
};

/** A geometry shader that streams out, or what the vertex shader's outputs stream out. */
struct StreamShader : Shader {
  StreamDeclaration declaration;

  HRESULT create(DeviceObjects &objects, const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT &args,
                 const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures);
  HRESULT create(DeviceObjects &objects, const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT &args,
                 const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures);

private:
  HRESULT createShader(DeviceObjects &objects, const UINT *code, const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures);
};

struct ElementLayout {
  uint32_t handle = 0;

  HRESULT create(DeviceObjects &objects, const D3D10DDIARG_CREATEELEMENTLAYOUT &args);
  void destroy(DeviceObjects &objects) { objects.destroy<aerogpu_cmd_destroy_input_layout>(handle); }
};

}  // namespace aero
