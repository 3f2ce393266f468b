// SPDX-License-Identifier: MIT
// state_ddi.cpp: entry points of states, bindings and constants. They only record values for a later draw.
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/device/device.h"

namespace aero::ddi {

HRESULT APIENTRY SetRenderState(HANDLE device, const D3DDDIARG_RENDERSTATE *args) {
  if (args->Value == Blits::kResolveDepth && args->State == D3DDDIRS_POINTSIZE) [[unlikely]]
    return Device::from(device)->blits.resolveDepth();
  Device::from(device)->pipeline.setRenderState(static_cast<uint32_t>(args->State), args->Value);
  return kOk;
}

HRESULT APIENTRY SetTextureStageState(HANDLE device, const D3DDDIARG_TEXTURESTAGESTATE *args) {
  Device::from(device)->pipeline.setStageState(args->Stage, static_cast<uint32_t>(args->State), args->Value);
  return kOk;
}

HRESULT APIENTRY UpdateWInfo(HANDLE device, const D3DDDIARG_WINFO *args) {
  // 1 and 1 mean an affine projection (page "D3DDDIARG_WINFO"): w is then the same everywhere.
  Device::from(device)->pipeline.special.setWFog(args->WNear != 1 || args->WFar != 1);
  return kOk;
}

HRESULT APIENTRY SetClipPlane(HANDLE device, const D3DDDIARG_SETCLIPPLANE *args) {
  Device::from(device)->pipeline.special.setClipPlane(args->Index, args->Plane);
  return kOk;
}

HRESULT APIENTRY SetTexture(HANDLE device, UINT stage, HANDLE texture) {
  Device::from(device)->pipeline.setTexture(samplerOfStage(stage), Resource::from(texture));
  return kOk;
}

HRESULT APIENTRY UpdatePalette(HANDLE device, const D3DDDIARG_UPDATEPALETTE *args, const PALETTEENTRY *colors) {
  Palette *palette = Device::from(device)->palettes.get(args->PaletteHandle);
  if (!palette) return kOutOfMemory;
  palette->update(args->StartIndex, args->NumEntries, colors);
  return kOk;
}

HRESULT APIENTRY SetPalette(HANDLE device, const D3DDDIARG_SETPALETTE *args) {
  // 0 takes the palette away (page "D3DDDIARG_SETPALETTE").
  Palette *palette = args->PaletteHandle ? Device::from(device)->palettes.get(args->PaletteHandle) : nullptr;
  if (args->PaletteHandle && !palette) return kOutOfMemory;
  if (palette) palette->setAlpha(args->PaletteFlags & D3DDDISETPALETTE_ALPHA);
  if (Resource *resource = Resource::from(args->hResource)) resource->setPalette(palette);
  return kOk;
}

HRESULT APIENTRY SetRenderTarget(HANDLE device, const D3DDDIARG_SETRENDERTARGET *args) {
  Device::from(device)->pipeline.targets.set(args->RenderTargetIndex, Resource::from(args->hRenderTarget),
                                             args->SubResourceIndex);
  return kOk;
}

HRESULT APIENTRY SetDepthStencil(HANDLE device, const D3DDDIARG_SETDEPTHSTENCIL *args) {
  Device::from(device)->pipeline.targets.setDepth(Resource::from(args->hZBuffer));
  return kOk;
}

HRESULT APIENTRY SetViewport(HANDLE device, const D3DDDIARG_VIEWPORTINFO *args) {
  Device::from(device)->pipeline.viewport.set(args->X, args->Y, args->Width, args->Height);
  return kOk;
}

HRESULT APIENTRY SetZRange(HANDLE device, const D3DDDIARG_ZRANGE *args) {
  Device::from(device)->pipeline.viewport.setDepthRange(args->MinZ, args->MaxZ);
  return kOk;
}

HRESULT APIENTRY SetScissorRect(HANDLE device, const RECT *rect) {
  Device::from(device)->pipeline.scissor.set(*rect);
  return kOk;
}

HRESULT APIENTRY ValidateDevice(HANDLE, D3DDDIARG_VALIDATETEXTURESTAGESTATE *args) {
  args->NumPasses = 1;
  return kOk;
}

HRESULT APIENTRY SetStreamSource(HANDLE device, const D3DDDIARG_SETSTREAMSOURCE *args) {
  Device::from(device)->pipeline.streams.set(args->Stream, Resource::from(args->hVertexBuffer), args->Offset,
                                             args->Stride);
  return kOk;
}

HRESULT APIENTRY SetStreamSourceUm(HANDLE device, const D3DDDIARG_SETSTREAMSOURCEUM *args, const VOID *bytes) {
  Device::from(device)->pipeline.streams.setUser(args->Stream, bytes, args->Stride);
  return kOk;
}

HRESULT APIENTRY SetStreamSourceFreq(HANDLE device, const D3DDDIARG_SETSTREAMSOURCEFREQ *args) {
  Device::from(device)->pipeline.streams.setFrequency(args->Stream, args->Divider);
  return kOk;
}

HRESULT APIENTRY SetIndices(HANDLE device, const D3DDDIARG_SETINDICES *args) {
  Device::from(device)->pipeline.indices.set(Resource::from(args->hIndexBuffer), args->Stride);
  return kOk;
}

HRESULT APIENTRY SetIndicesUm(HANDLE device, UINT size, const VOID *bytes) {
  Device::from(device)->pipeline.indices.setUser(bytes, size);
  return kOk;
}

// These three are like SetPixelShaderConst, -I and -B: the DDI has a function and a type for each kind of shader.
HRESULT APIENTRY SetVertexShaderConst(HANDLE device, const D3DDDIARG_SETVERTEXSHADERCONST *args, const VOID *values) {
  Device::from(device)->pipeline.vertexFloats.set(args->Register, args->Count, values);
  return kOk;
}

HRESULT APIENTRY SetVertexShaderConstI(HANDLE device, const D3DDDIARG_SETVERTEXSHADERCONSTI *args, const INT *values) {
  Device::from(device)->pipeline.vertexInts.set(args->Register, args->Count, values);
  return kOk;
}

HRESULT APIENTRY SetVertexShaderConstB(HANDLE device, const D3DDDIARG_SETVERTEXSHADERCONSTB *args, const BOOL *values) {
  Device::from(device)->pipeline.vertexBools.setBools(args->Register, args->Count, values);
  return kOk;
}

// These three are like SetVertexShaderConst, -I and -B: the DDI has a function and a type for each kind of shader.
HRESULT APIENTRY SetPixelShaderConst(HANDLE device, const D3DDDIARG_SETPIXELSHADERCONST *args, const FLOAT *values) {
  Device::from(device)->pipeline.pixelFloats.set(args->Register, args->Count, values);
  return kOk;
}

HRESULT APIENTRY SetPixelShaderConstI(HANDLE device, const D3DDDIARG_SETPIXELSHADERCONSTI *args, const INT *values) {
  Device::from(device)->pipeline.pixelInts.set(args->Register, args->Count, values);
  return kOk;
}

HRESULT APIENTRY SetPixelShaderConstB(HANDLE device, const D3DDDIARG_SETPIXELSHADERCONSTB *args, const BOOL *values) {
  Device::from(device)->pipeline.pixelBools.setBools(args->Register, args->Count, values);
  return kOk;
}

}  // namespace aero::ddi
