// SPDX-License-Identifier: MIT
// draw_ddi.cpp: shaders, what they read, and draws.
#include "guest-drivers/umd-d3d10/ddi/create.h"
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"

namespace aero::ddi {

HRESULT CreateVertexShader(Device &device, const UINT *code, D3D10DDI_HSHADER handle, D3D10DDI_HRTSHADER,
                           const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures) {
  return make<Shader>(device, handle, uint32_t{AEROGPU_SHADER_STAGE_VERTEX}, code, *signatures);
}

HRESULT CreateGeometryShader(Device &device, const UINT *code, D3D10DDI_HSHADER handle, D3D10DDI_HRTSHADER,
                             const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures) {
  if (!device.adapter().hasGeometryShaders()) return kNotAvailable;
  return make<Shader>(device, handle, uint32_t{AEROGPU_SHADER_STAGE_GEOMETRY}, code, *signatures);
}

HRESULT CreateGeometryShaderWithStreamOutput(Device &device,
                                             const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *args,
                                             D3D10DDI_HSHADER handle, D3D10DDI_HRTSHADER,
                                             const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures) {
  return make<StreamShader>(device, handle, *args, *signatures);
}

HRESULT CreateGeometryShaderWithStreamOutput(Device &device,
                                             const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *args,
                                             D3D10DDI_HSHADER handle, D3D10DDI_HRTSHADER,
                                             const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures) {
  return make<StreamShader>(device, handle, *args, *signatures);
}

HRESULT CreatePixelShader(Device &device, const UINT *code, D3D10DDI_HSHADER handle, D3D10DDI_HRTSHADER,
                          const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures) {
  return make<Shader>(device, handle, uint32_t{AEROGPU_SHADER_STAGE_PIXEL}, code, *signatures);
}

HRESULT DestroyShader(Device &device, D3D10DDI_HSHADER handle) {
  static_cast<Shader *>(handle.pDrvPrivate)->destroy(device.objects);
  return kOk;
}

HRESULT CreateElementLayout(Device &device, const D3D10DDIARG_CREATEELEMENTLAYOUT *args, D3D10DDI_HELEMENTLAYOUT handle,
                            D3D10DDI_HRTELEMENTLAYOUT) {
  return make<ElementLayout>(device, handle, *args);
}

HRESULT DestroyElementLayout(Device &device, D3D10DDI_HELEMENTLAYOUT handle) {
  static_cast<ElementLayout *>(handle.pDrvPrivate)->destroy(device.objects);
  return kOk;
}

HRESULT VsSetShader(Device &device, D3D10DDI_HSHADER shader) {
  device.pipeline.setVertexShader(static_cast<const Shader *>(shader.pDrvPrivate));
  return kOk;
}

HRESULT GsSetShader(Device &device, D3D10DDI_HSHADER shader) {
  device.pipeline.setGeometryShader(static_cast<const Shader *>(shader.pDrvPrivate));
  return kOk;
}

HRESULT PsSetShader(Device &device, D3D10DDI_HSHADER shader) {
  device.pipeline.setPixelShader(static_cast<const Shader *>(shader.pDrvPrivate));
  return kOk;
}

HRESULT VsSetConstantBuffers(Device &device, UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers) {
  device.pipeline.vertex.setBuffers(first, count, buffers);
  return kOk;
}

HRESULT GsSetConstantBuffers(Device &device, UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers) {
  device.pipeline.geometry.setBuffers(first, count, buffers);
  device.pipeline.noteGeometry();
  return kOk;
}

HRESULT PsSetConstantBuffers(Device &device, UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers) {
  device.pipeline.pixel.setBuffers(first, count, buffers);
  return kOk;
}

HRESULT VsSetShaderResources(Device &device, UINT first, UINT count, const D3D10DDI_HSHADERRESOURCEVIEW *views) {
  device.pipeline.vertex.setTextures(first, count, views);
  return kOk;
}

HRESULT GsSetShaderResources(Device &device, UINT first, UINT count, const D3D10DDI_HSHADERRESOURCEVIEW *views) {
  device.pipeline.geometry.setTextures(first, count, views);
  device.pipeline.noteGeometry();
  return kOk;
}

HRESULT PsSetShaderResources(Device &device, UINT first, UINT count, const D3D10DDI_HSHADERRESOURCEVIEW *views) {
  device.pipeline.pixel.setTextures(first, count, views);
  return kOk;
}

HRESULT VsSetSamplers(Device &device, UINT first, UINT count, const D3D10DDI_HSAMPLER *samplers) {
  device.pipeline.vertex.setSamplers(first, count, samplers);
  return kOk;
}

HRESULT GsSetSamplers(Device &device, UINT first, UINT count, const D3D10DDI_HSAMPLER *samplers) {
  device.pipeline.geometry.setSamplers(first, count, samplers);
  device.pipeline.noteGeometry();
  return kOk;
}

HRESULT PsSetSamplers(Device &device, UINT first, UINT count, const D3D10DDI_HSAMPLER *samplers) {
  device.pipeline.pixel.setSamplers(first, count, samplers);
  return kOk;
}

HRESULT IaSetInputLayout(Device &device, D3D10DDI_HELEMENTLAYOUT layout) {
  device.pipeline.input.setLayout(static_cast<const ElementLayout *>(layout.pDrvPrivate));
  return kOk;
}

HRESULT IaSetVertexBuffers(Device &device, UINT first, UINT count, const D3D10DDI_HRESOURCE *buffers,
                           const UINT *strides, const UINT *offsets) {
  device.pipeline.input.setVertexBuffers(first, count, buffers, strides, offsets);
  return kOk;
}

HRESULT IaSetIndexBuffer(Device &device, D3D10DDI_HRESOURCE buffer, DXGI_FORMAT format, UINT offset) {
  device.pipeline.input.setIndexBuffer(Resource::from(buffer), format, offset);
  return kOk;
}

HRESULT IaSetTopology(Device &device, D3D10_DDI_PRIMITIVE_TOPOLOGY topology) {
  device.pipeline.input.setTopology(topology);
  return kOk;
}

HRESULT SoSetTargets(Device &device, UINT count, UINT, const D3D10DDI_HRESOURCE *buffers, const UINT *offsets) {
  return device.pipeline.setStreamTargets(count, buffers, offsets);
}

HRESULT DrawAuto(Device &device) {
  return device.pipeline.drawAuto();
}

HRESULT Draw(Device &device, UINT vertices, UINT first) {
  return device.pipeline.draw(vertices, 1, first, 0);
}

HRESULT DrawIndexed(Device &device, UINT indices, UINT first, INT baseVertex) {
  return device.pipeline.drawIndexed(indices, 1, first, baseVertex, 0);
}

HRESULT DrawInstanced(Device &device, UINT vertices, UINT instances, UINT first, UINT firstInstance) {
  return device.pipeline.draw(vertices, instances, first, firstInstance);
}

HRESULT DrawIndexedInstanced(Device &device, UINT indices, UINT instances, UINT first, INT baseVertex,
                             UINT firstInstance) {
  return device.pipeline.drawIndexed(indices, instances, first, baseVertex, firstInstance);
}

}  // namespace aero::ddi
