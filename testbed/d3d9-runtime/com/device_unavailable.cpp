// SPDX-License-Identifier: MIT
// Methods of the device that are not implemented. Each is logged once; test/not_implemented.txt lists them.
#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

HRESULT Device::SetDialogBoxMode(BOOL) {
  notImplemented("IDirect3DDevice9::SetDialogBoxMode");
  return D3DERR_NOTAVAILABLE;
}

HRESULT Device::SetNPatchMode(float) {
  notImplemented("IDirect3DDevice9::SetNPatchMode");
  return D3DERR_NOTAVAILABLE;
}

float Device::GetNPatchMode() {
  notImplemented("IDirect3DDevice9::GetNPatchMode");
  return 0.0f;
}

HRESULT Device::DrawRectPatch(UINT, const float *, const D3DRECTPATCH_INFO *) {
  notImplemented("IDirect3DDevice9::DrawRectPatch");
  return D3DERR_NOTAVAILABLE;
}

HRESULT Device::DrawTriPatch(UINT, const float *, const D3DTRIPATCH_INFO *) {
  notImplemented("IDirect3DDevice9::DrawTriPatch");
  return D3DERR_NOTAVAILABLE;
}

HRESULT Device::DeletePatch(UINT) {
  notImplemented("IDirect3DDevice9::DeletePatch");
  return D3DERR_NOTAVAILABLE;
}

HRESULT Device::SetConvolutionMonoKernel(UINT, UINT, float *, float *) {
  notImplemented("IDirect3DDevice9Ex::SetConvolutionMonoKernel");
  return D3DERR_NOTAVAILABLE;
}

HRESULT Device::ComposeRects(IDirect3DSurface9 *, IDirect3DSurface9 *, IDirect3DVertexBuffer9 *, UINT,
                             IDirect3DVertexBuffer9 *, D3DCOMPOSERECTSOP, int, int) {
  notImplemented("IDirect3DDevice9Ex::ComposeRects");
  return D3DERR_NOTAVAILABLE;
}

}  // namespace aerogpu::runtime
