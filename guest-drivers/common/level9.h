// SPDX-License-Identifier: MIT
// level9.h: the requirements of Direct3D 10's "level 9" on a Direct3D 9 driver. The compositor of Windows 7 runs on
// this level if a driver has no Direct3D 10. Pages "Required Direct3D 9 capabilities" and "Required DXGI formats" of
// the display drivers' documentation. The driver checks itself by it, and so does aerogpu-doctor through Direct3D 9. It
// calls no function of Windows or C.
#pragma once

#ifdef _WIN32
// clang-format off
#include <windows.h>
#include <d3d9types.h>
#include <d3d9caps.h>
// clang-format on
#else
#include "linux_windows.h"
#endif

namespace level9 {

/// Levels 9_1 to 9_3 are 1 to 3; 0 means none.
constexpr int kLevels = 3;

/// Receives each requirement that is not met: the lowest level that has it, and its name in two parts, such as "Caps2
/// D3DCAPS2_DYNAMICTEXTURES" and "", or "L8" and " as a volume texture".
class Lacks {
public:
  virtual void lack(int level, const char *what, const char *use) = 0;

protected:
  ~Lacks() = default;
};

/// Tells whether the device has a format for a use, as IDirect3D9::CheckDeviceFormat does.
class Formats {
public:
  virtual bool has(DWORD usage, D3DRESOURCETYPE type, D3DFORMAT format) = 0;

protected:
  ~Formats() = default;
};

/// Reports the capabilities that the device lacks.
void checkCaps(const D3DCAPS9 &caps, Lacks &lacks);
/// Reports the formats that the device lacks.
void checkFormats(Formats &formats, Lacks &lacks);

}  // namespace level9
