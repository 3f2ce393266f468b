// SPDX-License-Identifier: MIT
// shader_ddi.cpp: shaders and vertex declarations.
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/device/device.h"

namespace aero::ddi {
namespace {

HRESULT createShader(HANDLE handle, uint32_t stage, const void *tokens, UINT bytes, HANDLE &out) {
  Device &device = *Device::from(handle);
  auto *shader = heapCreate<Shader>();
  if (!shader) return kOutOfMemory;
  const HRESULT result = shader->create(device.objects, stage, tokens, bytes);
  if (failed(result)) {
    heapDestroy(shader);
    return result;
  }
  // The runtimes that have colour keys leave them to the driver (state/color_keys.h).
  constexpr UINT kDirectDraw = 7;
  if (stage == AEROGPU_SHADER_STAGE_PIXEL && device.adapter().interfaceNumber() <= kDirectDraw)
    shader->keepTokens(tokens, bytes);
  device.shaders.add(shader);
  out = shader;
  return kOk;
}

}  // namespace

HRESULT APIENTRY CreateVertexShaderFunc(HANDLE device, D3DDDIARG_CREATEVERTEXSHADERFUNC *args, const UINT *code) {
  return createShader(device, AEROGPU_SHADER_STAGE_VERTEX, code, args->Size, args->ShaderHandle);
}

HRESULT APIENTRY CreatePixelShader(HANDLE device, D3DDDIARG_CREATEPIXELSHADER *args, const UINT *code) {
  return createShader(device, AEROGPU_SHADER_STAGE_PIXEL, code, args->CodeSize, args->ShaderHandle);
}

HRESULT APIENTRY DeleteVertexShaderFunc(HANDLE device, HANDLE shader) {
  return shader ? Device::from(device)->end(Shader::from(shader)) : kOk;
}

HRESULT APIENTRY DeletePixelShader(HANDLE device, HANDLE shader) {
  return shader ? Device::from(device)->end(Shader::from(shader)) : kOk;
}

HRESULT APIENTRY SetVertexShaderFunc(HANDLE device, HANDLE shader) {
  Device::from(device)->pipeline.shaders.setVertex(Shader::from(shader));
  return kOk;
}

HRESULT APIENTRY SetPixelShader(HANDLE device, HANDLE shader) {
  Device::from(device)->pipeline.shaders.setPixel(Shader::from(shader));
  return kOk;
}

HRESULT APIENTRY CreateVertexShaderDecl(HANDLE handle, D3DDDIARG_CREATEVERTEXSHADERDECL *args,
                                        const D3DDDIVERTEXELEMENT *elements) {
  Device &device = *Device::from(handle);
  auto *declaration = heapCreate<Declaration>();
  if (!declaration) return kOutOfMemory;
  const HRESULT result = declaration->create(device.objects, elements, args->NumVertexElements);
  if (failed(result)) {
    heapDestroy(declaration);
    return result;
  }
  device.declarations.add(declaration);
  args->ShaderHandle = declaration;
  return kOk;
}

HRESULT APIENTRY DeleteVertexShaderDecl(HANDLE device, HANDLE declaration) {
  return declaration ? Device::from(device)->end(Declaration::from(declaration)) : kOk;
}

HRESULT APIENTRY SetVertexShaderDecl(HANDLE device, HANDLE declaration) {
  Device::from(device)->pipeline.shaders.setDeclaration(Declaration::from(declaration));
  return kOk;
}

}  // namespace aero::ddi
