// SPDX-License-Identifier: MIT
// Includes the interfaces of Direct3D 8 beside the types of Direct3D 9. The headers of the types exclude each other, as
// they use the same names. Most types have the same layout in both, so those of Direct3D 9 serve; the others are here,
// under names of their own, and the interfaces use them.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"

#pragma pack(push, 4)  // as in d3d8types.h, which matters on x86
struct D3DADAPTER_IDENTIFIER8 {
  char Driver[MAX_DEVICE_IDENTIFIER_STRING], Description[MAX_DEVICE_IDENTIFIER_STRING];
  LARGE_INTEGER DriverVersion;
  DWORD VendorId, DeviceId, SubSysId, Revision;
  GUID DeviceIdentifier;
  DWORD WHQLLevel;
};
static_assert(sizeof(D3DADAPTER_IDENTIFIER8) == 1068);

/// D3DCAPS9 up to DevCaps2.
struct D3DCAPS8 {
  DWORD words[53];
};
struct D3DPRESENT_PARAMETERS8 {
  UINT BackBufferWidth, BackBufferHeight;
  D3DFORMAT BackBufferFormat;
  UINT BackBufferCount;
  D3DMULTISAMPLE_TYPE MultiSampleType;
  DWORD SwapEffect;  // D3DSWAPEFFECT_COPY_VSYNC has the number of Direct3D 9's OVERLAY
  HWND hDeviceWindow;
  BOOL Windowed, EnableAutoDepthStencil;
  D3DFORMAT AutoDepthStencilFormat;
  DWORD Flags;
  UINT FullScreen_RefreshRateInHz, FullScreen_PresentationInterval;
};
struct D3DSURFACE_DESC8 {
  D3DFORMAT Format;
  D3DRESOURCETYPE Type;
  DWORD Usage;
  D3DPOOL Pool;
  UINT Size;
  D3DMULTISAMPLE_TYPE MultiSampleType;
  UINT Width, Height;
};
struct D3DVOLUME_DESC8 {
  D3DFORMAT Format;
  D3DRESOURCETYPE Type;
  DWORD Usage;
  D3DPOOL Pool;
  UINT Size, Width, Height, Depth;
};
#pragma pack(pop)

using D3DCLIPSTATUS8 = D3DCLIPSTATUS9;
using D3DLIGHT8 = D3DLIGHT9;
using D3DMATERIAL8 = D3DMATERIAL9;
using D3DVIEWPORT8 = D3DVIEWPORT9;

// Leaves out the headers of the types.
#define __WINE_D3D8TYPES_H
#define __WINE_D3D8CAPS_H
#undef D3D_SDK_VERSION
#define D3DPRESENT_PARAMETERS D3DPRESENT_PARAMETERS8
#define D3DSURFACE_DESC D3DSURFACE_DESC8
#define D3DVOLUME_DESC D3DVOLUME_DESC8
#include <d3d8.h>
#undef D3DPRESENT_PARAMETERS
#undef D3DSURFACE_DESC
#undef D3DVOLUME_DESC
