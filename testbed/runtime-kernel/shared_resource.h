// SPDX-License-Identifier: MIT
// Resources that devices share, whichever version of Direct3D made them: what the kernel side keeps of each for those
// that open it, and the calls that open it. Microsoft's own form of the former is in no page.
#pragma once

#include <vector>

#include "testbed/runtime-kernel/windows_headers.h"

namespace aerogpu::runtime {

/// Describes a shared resource: the runtime's private data of D3DKMTCreateAllocation.
struct SharedDescription {
  UINT32 size;  ///< size of this structure
  UINT32 version;
  UINT32 type;    ///< D3DRESOURCETYPE
  UINT32 format;  ///< D3DFORMAT; 0: Direct3D 9 cannot open it
  UINT32 width, height;
  UINT32 usage;  ///< D3DUSAGE_
  UINT32 multisample, quality;
  UINT32 dxgiFormat;  ///< 0: Direct3D 10 and 11 cannot open it
  UINT32 bind, misc;  ///< D3D11_BIND_, D3D11_RESOURCE_MISC_; of a resource of Direct3D 9 the latter is 0
  UINT32 keyedMutex;  ///< D3DKMT_HANDLE, global; 0: none
};
inline constexpr UINT32 kSharedVersion = 3;

/// Returns the DXGI_FORMAT as which Direct3D 10 and 11 open a texture of this D3DFORMAT; 0 if they cannot.
UINT32 sharedDxgiFormat(UINT32 format);
/// Returns the D3DFORMAT as which Direct3D 9 opens a texture of this DXGI_FORMAT; 0 if it cannot.
UINT32 sharedD3dFormat(UINT32 dxgiFormat);

/// Describes a resource that Direct3D 9 makes. The API's numbers.
SharedDescription sharedOf9(UINT32 type, UINT32 format, UINT32 width, UINT32 height, UINT32 usage,
                            UINT32 multisample = 0, UINT32 quality = 0);

/// A resource that D3DKMTOpenResource has opened, for the driver's function.
struct OpenedResource {
  D3DKMT_HANDLE kernelHandle = 0;
  SharedDescription description{};  ///< zeros for surfaces that Windows itself made
  std::vector<D3DDDI_OPENALLOCATIONINFO> allocations;
  std::vector<BYTE> resourceData, allocationData;  ///< the driver's own, of the resource and of all allocations
};

}  // namespace aerogpu::runtime
