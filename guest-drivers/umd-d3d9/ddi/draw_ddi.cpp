// SPDX-License-Identifier: MIT
// draw_ddi.cpp: entry points of draws, clears, copies and ComposeRects. Edge flags (the last argument of draws) are
// ignored: they are for wireframe fans of Direct3D 7.
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/device/device.h"
#include "guest-drivers/umd-d3d9/resources/compose_rects.h"

namespace aero::ddi {

HRESULT APIENTRY DrawPrimitive(HANDLE device, const D3DDDIARG_DRAWPRIMITIVE *args, const UINT *) {
  return Device::from(device)->draws.draw(*args);
}

HRESULT APIENTRY DrawIndexedPrimitive(HANDLE device, const D3DDDIARG_DRAWINDEXEDPRIMITIVE *args) {
  return Device::from(device)->draws.drawIndexed(*args);
}

HRESULT APIENTRY DrawPrimitive2(HANDLE device, const D3DDDIARG_DRAWPRIMITIVE2 *args) {
  return Device::from(device)->draws.draw2(*args);
}

HRESULT APIENTRY DrawIndexedPrimitive2(HANDLE device, const D3DDDIARG_DRAWINDEXEDPRIMITIVE2 *args, UINT indexBytes,
                                       const VOID *indices, const UINT *) {
  return Device::from(device)->draws.drawIndexed2(*args, indexBytes, indices);
}

HRESULT APIENTRY Clear(HANDLE device, const D3DDDIARG_CLEAR *args, UINT count, const RECT *rects) {
  return Device::from(device)->clears.clear(*args, count, rects);
}

HRESULT APIENTRY Blt(HANDLE device, const D3DDDIARG_BLT *args) {
  return Device::from(device)->blits.blt(*args);
}

HRESULT APIENTRY ComposeRects(HANDLE, const D3DDDIARG_COMPOSERECTS *args) {
  return composeRects(*args);
}

HRESULT APIENTRY ColorFill(HANDLE device, const D3DDDIARG_COLORFILL *args) {
  return Device::from(device)->blits.colorFill(*args);
}

HRESULT APIENTRY DepthFill(HANDLE device, const D3DDDIARG_DEPTHFILL *args) {
  return Device::from(device)->blits.depthFill(*args);
}

HRESULT APIENTRY BufBlt(HANDLE device, const D3DDDIARG_BUFFERBLT *args) {
  return Device::from(device)->blits.bufBlt(*args);
}

}  // namespace aero::ddi
